//! scratch
#![allow(missing_docs, clippy::unwrap_used, unused)]
use std::sync::Arc;
use tucrl::agents::*;
use tucrl::confidence::*;
use tucrl::evi::*;
use tucrl::run::*;
use tucrl::worlds::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let steps: f64 = args[3].parse().unwrap();
    let alpha: f64 = args[4].parse().unwrap();
    let shrink =
        if args.get(5).map(|s| s.as_str()) == Some("log") { Shrink::Log } else { Shrink::Linear };
    let plain = args.get(6).map(|s| s.as_str()) == Some("plain");
    let seed: u64 = args.get(7).map_or(1, |s| s.parse().unwrap());
    let mdp = Arc::new(match args[1].as_str() {
        "three" => ThreeState { delta: 0.0, ..Default::default() }.build().unwrap(),
        "three005" => ThreeState { delta: 0.005, ..Default::default() }.build().unwrap(),
        "m0" => TwoState { epsilon: 0.0, ..Default::default() }.build().unwrap(),
        "taxi" => Taxi::default().build().unwrap(),
        "swim" => RiverSwim::default().build().unwrap(),
        _ => Taxi { junk: TaxiJunk::Removed, ..Default::default() }.build().unwrap(),
    });
    let mut o = Optimism { alpha_r: alpha, alpha_p: alpha, shrink, ..Default::default() };
    if shrink == Shrink::Log {
        o.delta = Delta::InverseRoot;
        o.evi.ties = Ties::LowestIndex;
    }
    if plain {
        o.evi.method = Method::Plain;
    }
    let algorithm = match args[2].as_str() {
        "ucrl2" => Algorithm::Ucrl2(Ucrl2 { optimism: o }),
        "ucrl" => Algorithm::Ucrl(Ucrl { optimism: o }),
        "tucrl" => Algorithm::Tucrl(Tucrl { optimism: o, relaxation: Relaxation::L1 }),
        "zeta" => Algorithm::Tucrl(Tucrl { optimism: o, relaxation: Relaxation::Zeta }),
        "oracle" => Algorithm::Oracle,
        "random" => Algorithm::Random,
        "q" => Algorithm::OptimisticQ(OptimisticQ::default()),
        s => Algorithm::Scal(Scal {
            clip: tucrl::span_clip::SpanClip {
                c: s[4..].parse().unwrap(),
                ties: o.evi.ties,
                ..Default::default()
            },
            optimism: o,
        }),
    };
    let answer = tucrl::solve::solve(&mdp).unwrap();
    let truth = Truth {
        gain: answer.gain_from_start(&mdp).0,
        reachable: tucrl::structure::reachable(&mdp).iter().filter(|x| **x).count() as u64,
        optimal_policy: answer.policy.clone(),
    };
    let spec = RunSpec {
        algorithm,
        steps: steps as u64,
        checkpoints: Checkpoints::PerDecade(2),
        master_seed: 1,
        run: seed,
    };
    let mut run = Run::new(spec, mdp, truth).unwrap();
    if let Err(e) = run.advance(u64::MAX) {
        println!("ERROR {e}");
    }
    let r = run.record();
    println!(
        "regret {:?}",
        r.regret.iter().map(|x| (x.0, (x.1 * 10.).round() / 10.)).collect::<Vec<_>>()
    );
    println!(
        "episodes {} seen {} z {} y {} sweeps {} clocks {:?} exploratory {} evals {}",
        r.episodes.len(),
        r.seen,
        r.z,
        r.y,
        r.sweeps,
        run.clocks(),
        r.episodes.iter().filter(|e| e.0.is_exploratory()).count(),
        r.episodes.iter().map(|e| e.0.evaluations).sum::<u64>()
    );
}
