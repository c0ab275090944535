use tucrl::agents::{OptimisticQ, Scal, Tucrl, Ucrl, Ucrl2};

use super::*;

fn space() -> Space {
    Space::uniform(5, 2)
}

fn named(text: &str) -> Result<Algorithm, NamedAgentError> {
    let space = space();
    let context = Context { space: &space, r_max: 1.0, steps: 1_000_000 };
    NamedAgent::parse(text)?.algorithm(&context)
}

fn built(text: &str) -> Algorithm {
    named(text).unwrap()
}

#[test]
fn the_defaults_are_those_of_the_library() {
    let defaults = [
        Algorithm::Tucrl(Tucrl::default()),
        Algorithm::Ucrl(Ucrl::default()),
        Algorithm::Ucrl2(Ucrl2::default()),
        Algorithm::Scal(Scal::default()),
        Algorithm::OptimisticQ(OptimisticQ::default()),
        Algorithm::Oracle,
        Algorithm::Heuristic,
        Algorithm::Random,
    ];
    assert_eq!(agents().count(), defaults.len());
    for (entry, default) in agents().zip(defaults) {
        assert_eq!(built(entry.name), default);
        assert_eq!(entry.name, default.name());
        for alias in entry.aliases {
            assert_eq!(built(alias), default);
            assert_eq!(NamedAgent::parse(alias).unwrap().to_string(), entry.name);
        }
        let example = NamedAgent::parse(entry.example).unwrap();
        assert_eq!(example.to_string(), entry.example, "examples are in shortest form");
        built(entry.example);
    }
}

/// One value for every key that is not the default.
const OTHERS: &[(&str, &[&str])] = &[
    ("relaxation", &["zeta"]),
    ("delta", &["0.1", "inv-sqrt"]),
    ("alpha", &["0.5", "0"]),
    ("alpha_r", &["0.5"]),
    ("alpha_p", &["0.5"]),
    ("shrink", &["log"]),
    ("variance", &["sample", "population"]),
    ("ties", &["lowest", "noise"]),
    ("known_rewards", &["true"]),
    ("warm_start", &["true"]),
    ("planner", &["plain"]),
    ("aperiodicity", &["0.5"]),
    ("r_max", &["2"]),
    ("sa", &["7"]),
    ("sweeps", &["5"]),
    ("c", &["0.5"]),
    ("operator", &["n"]),
    ("augment", &["false"]),
    ("horizon", &["20", "theory"]),
    ("bonus", &["theory"]),
];

#[test]
fn every_key_and_every_word_reaches_its_agent() {
    for entry in agents() {
        for parameter in entry.parameters {
            let Some((_, values)) = OTHERS.iter().find(|(key, _)| *key == parameter.key) else {
                // These matter only together with others.
                assert!(["mode", "span"].contains(&parameter.key), "{}", parameter.key);
                continue;
            };
            for value in *values {
                if entry.name == "optimistic-q" && parameter.key == "delta" {
                    continue;
                }
                let spec = format!("{}:{}={value}", entry.name, parameter.key);
                assert_ne!(built(&spec), built(entry.name), "{spec}");
                assert_eq!(NamedAgent::parse(&spec).unwrap().to_string(), spec);
            }
        }
    }
    let differ = [
        ("scal:c=1", "scal:c=1,mode=theory"),
        ("optimistic-q:bonus=theory", "optimistic-q:bonus=theory,span=2"),
        ("optimistic-q:bonus=theory", "optimistic-q:bonus=theory,delta=0.1"),
        ("optimistic-q:horizon=theory", "optimistic-q:horizon=theory,span=0.0001"),
        ("optimistic-q:horizon=theory", "optimistic-q:horizon=theory,delta=1e-9"),
    ];
    for (one, other) in differ {
        assert_ne!(built(one), built(other), "{other}");
    }
}

#[test]
fn the_world_says_r_max_and_alpha_both_widths() {
    let space = space();
    let context = Context { space: &space, r_max: 20.0, steps: 9 };
    for name in ["tucrl", "ucrl", "ucrl2", "scal"] {
        let agent = NamedAgent::parse(&format!("{name}:alpha=1/4,alpha_p=0.5")).unwrap();
        let algorithm = agent.algorithm(&context).unwrap();
        let optimism = algorithm.optimism().unwrap();
        assert_eq!((optimism.r_max, optimism.alpha_r, optimism.alpha_p), (20.0, 0.25, 0.5));
        assert_eq!(agent.to_string(), format!("{name}:alpha=0.25,alpha_p=0.5"));
    }
    let same = NamedAgent::parse("tucrl:alpha=2,alpha_r=2,alpha_p=2,r_max=world").unwrap();
    assert_eq!(same.to_string(), "tucrl:alpha=2");
}

#[test]
fn what_the_library_refuses_is_pointed_at() {
    let faults = [
        (
            "tucrl:alpha=-1",
            "tucrl: `alpha` = -1 is out of range: it accepts a finite number, at least 0 (1 = the \
             paper's widths)\n  tucrl:alpha=-1\n              ^^",
        ),
        (
            "tucrl:alpha=1,alpha_p=-1",
            "tucrl: `alpha_p` = -1 is out of range: it accepts a finite number, at least 0 (1 = the \
             paper's widths)\n  tucrl:alpha=1,alpha_p=-1\n                        ^^",
        ),
        (
            "ucrl2b:delta=0",
            "ucrl2b: `delta` = 0 is out of range: it accepts a probability in (0, 1]\n  \
             ucrl2b:delta=0\n               ^",
        ),
        (
            "scal:mode=theory",
            "scal: `c` = inf is out of range: it accepts a positive finite span bound with \
             mode=theory",
        ),
        (
            "scal:c=2,aperiodicity=0",
            "scal: `aperiodicity` = 0 is out of range: it accepts a number in (0, 1]\n  \
             scal:c=2,aperiodicity=0\n                        ^",
        ),
        (
            "ucrl:delta=inv_sqrt",
            "`inv_sqrt` is not accepted: did you mean `inv-sqrt`? `delta` accepts a number in (0, 1], \
             or inv-sqrt\n  ucrl:delta=inv_sqrt\n             ^^^^^^^^",
        ),
        (
            "ucrl:delta=x",
            "`x` is not a number: `delta` accepts a number in (0, 1], or inv-sqrt\n  \
             ucrl:delta=x\n             ^",
        ),
        (
            "optimistic-q:c=-1,bonus=theory",
            "optimistic-q: `c` = -1 is out of range: it accepts a finite number, at least 0\n  \
             optimistic-q:c=-1,bonus=theory\n                 ^^",
        ),
        ("tucl", "there is no agent `tucl`: did you mean `tucrl`?"),
        ("psrl", "there is no agent `psrl`: `tucrl agents` lists them"),
    ];
    for (text, expected) in faults {
        assert_eq!(named(text).unwrap_err().to_string(), expected, "{text}");
    }
}
