use tucrl::agents::{
    Optimism, OptimisticPsrl, OptimisticQ, Penalty, Psrl, Regal, Scal, ScalPlus, SetKind, Tucrl,
    Ucrl, Ucrl2,
};
use tucrl::counts::Variance;
use tucrl::planner::Rule;
use tucrl::posterior::Extended;

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
    let population = Optimism { variance: Variance::Population, ..Optimism::default() };
    let defaults = [
        Algorithm::Tucrl(Tucrl::default()),
        Algorithm::Ucrl(Ucrl::default()),
        Algorithm::Ucrl2(Ucrl2::default()),
        Algorithm::Scal(Scal::default()),
        Algorithm::Regal(Regal { penalty: Penalty::Bound, ..Regal::default() }),
        Algorithm::Regal(Regal::default()),
        Algorithm::Regal(Regal { penalty: Penalty::Guesses, ..Regal::default() }),
        Algorithm::Ucrl(Ucrl {
            optimism: population.clone(),
            set: SetKind::Bernstein2020,
            ..Ucrl::default()
        }),
        Algorithm::Ucrl(Ucrl { set: SetKind::Kl, ..Ucrl::default() }),
        Algorithm::Ucrl(Ucrl { optimism: population, set: SetKind::Ucrl3, ..Ucrl::default() }),
        Algorithm::ScalPlus(ScalPlus::default()),
        Algorithm::Psrl(Psrl::default()),
        Algorithm::Psrl(Psrl { rule: Rule::Growing, ..Psrl::default() }),
        Algorithm::Psrl(Psrl { rule: Rule::PowersOfTwo, ..Psrl::default() }),
        Algorithm::OptimisticPsrl(OptimisticPsrl {
            options: Extended { steps: 1_000_000, rho: 0.05, samples: None },
            known_rewards: false,
            rule: Rule::Doubling,
            r_max: 1.0,
        }),
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
    ("variance", &["sample", "population", "published"]),
    ("set", &["bernstein-2020", "l1", "kl", "ucrl3"]),
    ("ties", &["lowest", "noise"]),
    ("known_rewards", &["true"]),
    ("warm_start", &["true"]),
    ("planner", &["plain"]),
    ("aperiodicity", &["0.5"]),
    ("r_max", &["2"]),
    ("sa", &["7"]),
    ("sweeps", &["5"]),
    ("c", &["0.5"]),
    ("h", &["0.5"]),
    ("penalty", &["0.5"]),
    ("operator", &["n"]),
    ("augment", &["false"]),
    ("concentration", &["0.5", "inverse-states"]),
    ("rewards", &["bernoulli", "normal-gamma", "known"]),
    ("a", &["2"]),
    ("b", &["2"]),
    ("split", &["mean"]),
    ("rule", &["new-state", "tsde"]),
    ("rho", &["0.5"]),
    ("psi", &["7"]),
    ("horizon", &["20", "theory"]),
    ("bonus", &["theory"]),
];

#[test]
fn every_key_and_every_word_reaches_its_agent() {
    for entry in agents() {
        for parameter in entry.parameters {
            let Some((_, values)) = OTHERS.iter().find(|(key, _)| *key == parameter.key) else {
                // These matter only together with others.
                let together = ["mode", "span", "m0", "l0", "a0", "b0"];
                assert!(together.contains(&parameter.key), "{}", parameter.key);
                continue;
            };
            for value in *values {
                if entry.name == "optimistic-q" && parameter.key == "delta"
                    || entry.name == "tucrl" && ["set", "rule"].contains(&parameter.key)
                    || *value == "ucrl3" && entry.name != "ucrl"
                    || *value == parameter.default
                {
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
        ("psrl:rewards=normal-gamma", "psrl:rewards=normal-gamma,m0=0"),
        ("psrl:rewards=normal-gamma", "psrl:rewards=normal-gamma,l0=2"),
        ("psrl:rewards=normal-gamma", "psrl:rewards=normal-gamma,a0=2"),
        ("psrl:rewards=normal-gamma", "psrl:rewards=normal-gamma,b0=2"),
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

/// Every mixture that `docs/agents.md` calls forbidden, and no other: all sets and rules with all that take them.
#[test]
fn sets_and_rules_are_free_but_for_what_theory_forbids() {
    let sets = ["bernstein", "bernstein-2020", "l1", "kl", "ucrl3"];
    let rules = ["doubling", "new-state", "tsde", "powers-of-two"];
    let is_forbidden = |name: &str, set: &str, rule: &str| match name {
        "tucrl" => set != "bernstein" || rule != "new-state",
        "psrl" => false,
        "scal" | "regal" | "regal-c" | "regal-d" if set == "ucrl3" => true,
        _ => rule == "powers-of-two",
    };
    let (mut free, mut refused) = (0, 0);
    for entry in agents() {
        let has = |key: &str| entry.parameters.iter().any(|parameter| parameter.key == key);
        let own_sets = if has("set") { &sets[..] } else { &sets[..1] };
        let own_rules = if has("rule") { &rules[..] } else { &rules[..0] };
        let own_rules = if has("set") && !has("rule") { &rules[..1] } else { own_rules };
        for set in own_sets {
            for rule in own_rules {
                let set_key = if has("set") { format!("set={set},") } else { String::new() };
                let rule_key = if has("rule") { format!("rule={rule}") } else { String::new() };
                let options = format!("{set_key}{rule_key}");
                let spec = format!("{}:{}", entry.name, options.trim_end_matches(','));
                match named(&spec) {
                    Ok(_) => {
                        assert!(!is_forbidden(entry.name, set, rule), "{spec}");
                        free += 1;
                    }
                    Err(error) => {
                        assert!(is_forbidden(entry.name, set, rule), "{spec}: {error}");
                        let said = error.to_string();
                        assert!(
                            said.contains(" is refused: ") && said.contains(": choose "),
                            "{said}"
                        );
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(free > 40 && refused > 20, "{free} {refused}");
    let said = named("scal:c=1,mode=theory,set=kl").unwrap_err().to_string();
    assert!(said.contains("mode=theory perturbs the interval of one state"), "{said}");
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
        ("posterior", "there is no agent `posterior`: `tucrl agents` lists them"),
        (
            "tucrl:set=kl",
            "tucrl: `set` = kl is refused: which states TUCRL gives up is decided by N± > sqrt(t/SA), and \
             only for the paper's Bernstein widths does that say that an unseen state has become \
             implausible; with other sets nothing bounds the span: choose bernstein, or ucrl with the set \
             you want\n  tucrl:set=kl\n            ^^",
        ),
        (
            "tucrl:rule=tsde",
            "tucrl: `rule` = tsde is refused: an episode must end before acting in a state never visited, \
             else the plan knows nothing of the states that it is in: choose new-state, or ucrl with the \
             rule you want\n  tucrl:rule=tsde\n             ^^^^",
        ),
        (
            "regal-c:h=-1",
            "regal-c: `h` = -1 is out of range: it accepts a span bound, at least 0 (inf for none)\n  \
             regal-c:h=-1\n            ^^",
        ),
        (
            "regal:penalty=-1",
            "regal: `penalty` = -1 is out of range: it accepts a finite number, at least 0\n  \
             regal:penalty=-1\n                ^^",
        ),
        (
            "scal:c=1,set=ucrl3",
            "scal: `set` = ucrl3 is refused: a clipped state plays its most pessimistic law as well, and \
             ucrl3 selects next states for optimism only: choose bernstein, bernstein-2020, l1 or kl\n  \
             scal:c=1,set=ucrl3\n               ^^^^^",
        ),
        (
            "optimistic-psrl:rule=powers-of-two",
            "optimistic-psrl: `rule` = powers-of-two is refused: optimism pays for every step with a \
             width, and widths sum up only if an episode visits no pair more often than all before it; \
             a schedule that ignores visits breaks this: choose doubling, new-state or tsde\n  \
             optimistic-psrl:rule=powers-of-two\n                       ^^^^^^^^^^^^^",
        ),
    ];
    for (text, expected) in faults {
        assert_eq!(named(text).unwrap_err().to_string(), expected, "{text}");
    }
}
