//! Which learners pay for unreachable states? (Section 1; the experiment is ours.)
//!
//! An optimist that plans with unseen states pays for them forever; learners that are told the span, or that truncate as
//! TUCRL does, need not. Every learner of the catalogue runs in one small world, without and with ever more unreachable
//! (junk) states. The statistic is the pseudo-regret of the last decade of steps divided by that of the random agent: near
//! 0 for sublinear regret, whatever was lost before.
//!
//! Posterior samplers as published draw a table of all states. Whether each learner can plan at all is computed; those
//! that cannot are named with the reason, and their sparse variants run. The first world of the experiment has no junk, the
//! last has the most.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tucrl::agents::{self, AgentKind};
use tucrl::run::{Run, RunError, RunSpec};

use super::judge::{Wanted, agent, check, exact, study, world};
use super::{Evidence, Finding, ReproduceError, Scale, palette};
use tucrl_lab::experiment::Experiment;
use tucrl_lab::plot::{Axis, Curve, CurvesFigure, Stroke};
use tucrl_lab::stats::{AgentStudy, Bootstrap, Interval, Study, WorldStudy};
use tucrl_lab::text::three_digits;
use tucrl_lab::{Catalogue, NamedAgent};

/// The reference, which never learns.
const RANDOM: &str = "random";
/// Confidence sets that allow unseen states.
const OPTIMISTS: [&str; 7] =
    ["UCRL", "UCRL2", "UCRL2B 2020", "KL-UCRL", "UCRL3", "Optimistic PSRL", "TUCRL, as written"];
/// Priors with a weight of as many visits as there are states.
const HEAVY_PRIORS: [&str; 3] = ["PSRL", "TSDE", "DS-PSRL"];
/// Learners that truncate, bound the value of unseen states, or plan without them.
const STEADY: [&str; 5] = ["TUCRL+", "TUCRL, mass", "SCAL c=10", "REGAL.C H=10", "Optimistic Q"];
/// Without a theorem or an argument: shown, not judged.
const SHOWN: [&str; 7] = [
    "REGAL C=0.01",
    "REGAL.D",
    "PSRL, sparse prior",
    "FOCUS H=20",
    "PMEVI-DT",
    "IMED-RL",
    "Differential Q",
];
/// Learners that learn without junk and not with it; the schedule of DS-PSRL fails in both.
const LEARN_ALONE: [&str; 9] = [
    "UCRL",
    "UCRL2",
    "UCRL2B 2020",
    "KL-UCRL",
    "UCRL3",
    "Optimistic PSRL",
    "TUCRL, as written",
    "PSRL",
    "TSDE",
];
/// The panels of the figure.
const PANELS: [(&str, &str, &[&str]); 3] = [
    (
        "junk-cast-sets",
        "confidence sets",
        &["TUCRL, mass", "TUCRL, as written", "UCRL", "UCRL2", "UCRL2B 2020", "KL-UCRL", "UCRL3"],
    ),
    (
        "junk-cast-spans",
        "bounds and prices on the span",
        &[
            "TUCRL, mass",
            "TUCRL+",
            "SCAL c=10",
            "REGAL.C H=10",
            "REGAL C=0.01",
            "REGAL.D",
            "FOCUS H=20",
            "PMEVI-DT",
        ],
    ),
    (
        "junk-cast-posteriors",
        "posterior sampling, and no model",
        &[
            "TUCRL, mass",
            "PSRL",
            "TSDE",
            "DS-PSRL",
            "PSRL, sparse prior",
            "Optimistic PSRL",
            "Optimistic Q",
            "IMED-RL",
            "Differential Q",
        ],
    ),
];

/// A learner with default options that cannot make its first plan.
#[derive(Debug, Serialize, Deserialize)]
struct Refusal {
    agent: String,
    world: String,
    reason: String,
}

/// False for the reference agents.
fn learns(name: &str) -> bool {
    !["oracle", "heuristic", "random"].contains(&name)
}

/// Tries the first plan of every learner, as published, in every world.
pub(super) fn compute(_: Scale) -> Result<Value, ReproduceError> {
    // An agent that must be told something is told what its example tells it.
    let spec = |kind: &AgentKind| {
        let needs_more = kind.options().list().iter().any(|option| option.is_required);
        if needs_more { kind.about().example } else { kind.about().name }
    };
    let kinds = agents::kinds();
    let learners = kinds.iter().filter(|kind| learns(kind.about().name));
    let names: Vec<&str> = learners.map(spec).collect();
    let worlds = ["1", "1e3", "1e6", "1e9"].map(|f| format!("junk:base=river-swim,factor={f}"));
    let text = format!(
        "name = \"refusals\"\nsteps = 1e6\nseeds = 1\nworlds = {worlds:?}\nagents = {names:?}\n"
    );
    let experiment = Experiment::parse(Path::new("refusals.toml"), text, &Catalogue::default())?;
    let mut refusals = Vec::new();
    for index in 0..worlds.len() {
        let prepared = experiment.prepare(index, &())?;
        for cell in experiment.cells().iter().filter(|cell| cell.world == index) {
            let spec = RunSpec {
                steps: cell.id.steps,
                checkpoints: experiment.checkpoints.clone(),
                master_seed: experiment.master_seed,
                run: 0,
            };
            let algorithm = Arc::clone(experiment.agents[cell.agent].agent.algorithm());
            let started = Run::new(spec, algorithm, &prepared.model, Arc::clone(&prepared.truth));
            let planned: Result<(), RunError> = started.and_then(|mut run| run.advance(1));
            if let Err(error) = planned {
                refusals.push(Refusal {
                    agent: cell.id.agent.clone(),
                    world: cell.id.world.clone(),
                    reason: error.to_string(),
                });
            }
        }
    }
    Ok(serde_json::json!(refusals))
}

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let mut finding = measured(evidence)?;
    for (name, title, labels) in PANELS {
        let caption = format!("Cost of unreachable states: {title}.");
        finding.draw(name, caption, &panel(study(evidence)?, title, labels)?)?;
    }
    Ok(finding)
}

/// The statistics and remarks, without figures.
pub(super) fn measured(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let study = study(evidence)?;
    let (alone, crowd) = (world(study, 0)?, world(study, study.worlds.len() - 1)?);
    let states = format!("S = {:.0e}", crowd.facts.states as f64);
    let mut finding = Finding::default();
    let runs = |name: &str| {
        let mut agents = study.worlds.iter().flat_map(|world| &world.agents);
        agents.any(|agent| {
            NamedAgent::parse(agent.agent).is_ok_and(|a| a.kind().about().name == name)
        })
    };
    let names = agents::kinds().iter().map(|kind| kind.about().name);
    let absent = names.filter(|name| learns(name) && !runs(name));
    finding.checks.push(exact("learners of the catalogue without a run", absent.count() as u64, 0));
    let mut most: Option<(f64, Option<Interval>, &str)> = None;
    for label in LEARN_ALONE {
        let (share, interval) = share(alone, label)?;
        if most.is_none_or(|(so_far, ..)| share > so_far) {
            most = Some((share, interval, label));
        }
    }
    let missing = || ReproduceError::Missing { what: "a learner without junk".into() };
    let (share_alone, interval, label) = most.ok_or_else(missing)?;
    let what = "largest share still lost without junk by learners that pay with it";
    finding.checks.push(check(
        format!("{what} ({label})"),
        share_alone,
        interval,
        Wanted::AtMost(0.05),
    ));
    for (labels, wanted) in [
        (&OPTIMISTS[..], Wanted::AtLeast(0.1)),
        (&HEAVY_PRIORS[..], Wanted::AtLeast(0.9)),
        (&STEADY[..], Wanted::AtMost(0.02)),
    ] {
        for label in labels {
            let (share, interval) = share(crowd, label)?;
            let what = format!("share that {label} still loses, {states}");
            finding.checks.push(check(what, share, interval, wanted));
        }
    }
    for label in SHOWN {
        let shares = [share(alone, label)?.0, share(crowd, label)?.0].map(three_digits);
        finding.remarks.push(format!(
            "{label}, not judged: it still loses a share of {} without junk and of {} with {states}.",
            shares[0], shares[1]
        ));
    }
    finding.remarks.extend(refusals(evidence.computed)?);
    Ok(finding)
}

/// One sentence per learner that cannot plan, with the first world where it cannot.
fn refusals(computed: &Value) -> Result<Vec<String>, ReproduceError> {
    let read = Vec::<Refusal>::deserialize(computed);
    let all = read.map_err(|source| ReproduceError::Computed { what: "the refusals", source })?;
    let mut told: Vec<(&str, String)> = Vec::new();
    for Refusal { agent, world, reason } in &all {
        if !told.iter().any(|(name, _)| name == agent) {
            let sentence = format!("{agent} as published cannot run from {world} on: {reason}.");
            told.push((agent, sentence));
        }
    }
    Ok(told.into_iter().map(|(_, sentence)| sentence).collect())
}

/// The regret of the last decade divided by that of the random agent, with its interval; runs are resampled in
/// pairs.
fn share(place: &WorldStudy<'_>, label: &str) -> Result<(f64, Option<Interval>), ReproduceError> {
    let missing =
        || ReproduceError::Missing { what: format!("what {label} loses in {}", place.world) };
    let end = place.time.ok_or_else(missing)?;
    let lost = |agent: &AgentStudy<'_>| -> Option<Vec<f64>> {
        let runs = agent.runs.iter();
        let of = |curve: &[(u64, f64)], time: u64| {
            curve.binary_search_by_key(&time, |point| point.0).ok().map(|place| curve[place].1)
        };
        let lost = |curve: &[(u64, f64)]| Some(of(curve, end)? - of(curve, end / 10)?);
        runs.map(|run| lost(&agent.shown.without_noise().of(&run.record)?)).collect()
    };
    let of_agent = lost(agent(place, label)?).ok_or_else(missing)?;
    let of_random = lost(agent(place, RANDOM)?).ok_or_else(missing)?;
    if of_agent.len() != of_random.len() {
        return Err(missing());
    }
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    let interval = Bootstrap::new(of_agent.len()).interval(|draw| {
        let sum = |values: &[f64]| draw.iter().map(|&run| values[run as usize]).sum::<f64>();
        Some(sum(&of_agent) / sum(&of_random))
    });
    Ok((sum(&of_agent) / sum(&of_random), interval))
}

fn panel(study: &Study<'_>, title: &str, labels: &[&str]) -> Result<CurvesFigure, ReproduceError> {
    // Smaller shares are noise.
    const LOWEST: f64 = 1e-3;
    let first = world(study, 0)?;
    let states = |place: &WorldStudy<'_>| place.facts.states as f64;
    let largest = study.worlds.iter().map(states).fold(10.0, f64::max);
    let mut curves = Vec::new();
    for label in labels {
        let shade = palette::colour(label).unwrap_or(0);
        let (mut points, mut band) = (Vec::new(), Vec::new());
        for place in &study.worlds {
            let (share, interval) = share(place, label)?;
            points.push((states(place), share.max(LOWEST)));
            let ends = interval.map(|(low, high)| (low.max(LOWEST), high.max(LOWEST)));
            band.extend(ends.map(|(low, high)| (states(place), low, high)));
        }
        curves.push(Curve { band, ..Curve::of_agent(label, shade, Stroke::Marked, points) });
    }
    Ok(CurvesFigure {
        title: format!("Cost of unreachable states: {title}"),
        explanation: format!(
            "loss in the last decade of {} steps, as a share of the random agent's; at 0.001: noise; \
             {} states are reachable",
            tucrl_lab::text::grouped(first.time.unwrap_or(1) as f64),
            first.facts.reachable
        ),
        x: Axis::log("nominal states", states(first), largest, 10),
        y: Axis::log("share still lost", LOWEST, 1.5, 7),
        curves,
        marks: Vec::new(),
    })
}
