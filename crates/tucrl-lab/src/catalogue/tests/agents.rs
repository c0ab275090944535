//! Does every name and every option reach the algorithm that it stands for?

use std::sync::Arc;

use serde_json::Value;
use tucrl::agents::{
    AgentKind, DiffQ, EpisodicAlgorithm, Focus, Heuristic, ImedRl, Optimism, OptimisticPsrl,
    OptimisticQ, Oracle, PmeviDt, Psrl, Random, Regal, RegalC, RegalD, Scal, Tucrl, TucrlPlus,
    Ucrl, kinds,
};
use tucrl::counts::Variance;
use tucrl::episode::KnownMeans;
use tucrl::learner::{Algorithm, Knowledge, Setting, Start};
use tucrl::options::OptionInfo;
use tucrl::rng::RandomStream;
use tucrl::rules::Rule;
use tucrl::sets::SetKind;
use tucrl::space::Space;

use super::*;
use crate::names::shown;

fn setting(r_max: f64, steps: u64) -> Setting {
    let mean_rewards = Some(KnownMeans(Arc::new(|_, _| 0.5)));
    let knowledge = Knowledge { mean_rewards, span: Some(3.0), ..Knowledge::default() };
    Setting { space: Space::uniform(5, 2), r_max, steps, knowledge }
}

/// The agent that a text names, checked against a world with five states.
fn named(text: &str) -> Result<NamedAgent, SpecError> {
    let agent = NamedAgent::parse(text)?;
    agent.check(&setting(1.0, 1_000_000))?;
    Ok(agent)
}

fn options(text: &str) -> Value {
    named(text).unwrap().algorithm().options()
}

/// What a learner holds before its first step.
fn started(text: &str) -> String {
    let setting = setting(1.0, 1_000_000);
    let start = Start { setting: &setting, state: 0, random: RandomStream::new(7) };
    let learner = named(text).unwrap().algorithm().start(start).unwrap();
    serde_json::to_string(&learner.save().unwrap()).unwrap()
}

/// The shortest spec of an agent: with the options that have no default, if there are any.
fn least(name: &str) -> String {
    match name {
        "scal" => format!("{name}:c=7"),
        "regal-c" => format!("{name}:h=7"),
        _ => name.into(),
    }
}

/// The same with one more option.
fn least_with(name: &str, key: &str, value: &str) -> String {
    let least = least(name);
    match least.split_once(':') {
        Some((_, given)) if !given.starts_with(&format!("{key}=")) => {
            format!("{least},{key}={value}")
        }
        _ => format!("{name}:{key}={value}"),
    }
}

#[test]
fn the_defaults_are_those_of_the_library() {
    let population = || Optimism { variance: Variance::Population, ..Optimism::default() };
    // Only the paper's own UCRL starts its plans warm.
    let ucrl = |set| Ucrl { set, optimism: Optimism::default(), ..Ucrl::default() };
    let psrl = |rule| Psrl { rule, ..Psrl::default() };
    let defaults: [(&str, &dyn Algorithm); 23] = [
        ("tucrl", &Tucrl::default()),
        ("tucrl-plus", &TucrlPlus::default()),
        ("ucrl", &Ucrl::default()),
        ("ucrl2", &ucrl(SetKind::L1)),
        ("ucrl2b-2020", &Ucrl { optimism: population(), ..ucrl(SetKind::Bernstein2020) }),
        ("kl-ucrl", &ucrl(SetKind::Kl)),
        ("ucrl3", &Ucrl { optimism: population(), ..ucrl(SetKind::Ucrl3) }),
        ("scal", &Scal { c: 7.0.into(), ..Scal::default() }),
        ("focus", &Focus::default()),
        ("pmevi-dt", &PmeviDt::default()),
        ("regal-c", &RegalC { h: 7.0.into(), ..RegalC::default() }),
        ("regal", &Regal::default()),
        ("regal-d", &RegalD::default()),
        ("psrl", &Psrl::default()),
        ("tsde", &psrl(Rule::Tsde)),
        ("ds-psrl", &psrl(Rule::PowersOfTwo)),
        ("optimistic-psrl", &OptimisticPsrl::default()),
        ("optimistic-q", &OptimisticQ::default()),
        ("imed-rl", &ImedRl::default()),
        ("diff-q", &DiffQ::default()),
        ("oracle", &Oracle::default()),
        ("heuristic", &Heuristic::default()),
        ("random", &Random::default()),
    ];
    assert_eq!(kinds().len(), defaults.len());
    for (entry, (name, default)) in kinds().iter().map(AgentKind::about).zip(defaults) {
        assert_eq!(entry.name, name);
        // The type too: options of different types may be equal.
        let found = named(&least(name)).unwrap();
        assert_eq!(format!("{:?}", found.algorithm()), format!("{default:?}"));
        assert_eq!(found.algorithm().options(), default.options());
        for alias in entry.aliases {
            let spec = least(name).replace(name, alias);
            assert_eq!(options(&spec), default.options());
            assert_eq!(NamedAgent::parse(&spec).unwrap().to_string(), least(entry.name));
        }
        let example = named(entry.example).unwrap();
        assert_eq!(example.to_string(), entry.example, "examples are in shortest form");
    }
}

/// A number for every key that accepts one, not the default. The words come from the options themselves.
const NUMBERS: &[(&str, &[&str])] = &[
    ("delta", &["0.1"]),
    ("alpha", &["0.5", "0"]),
    ("alpha_r", &["0.5"]),
    ("alpha_p", &["0.5"]),
    ("aperiodicity", &["0.5"]),
    ("r_max", &["2"]),
    ("sa", &["7"]),
    ("sweeps", &["5"]),
    ("c", &["0.5"]),
    ("c0", &["0.5"]),
    ("h", &["0.5"]),
    ("penalty", &["0.5"]),
    ("concentration", &["0.5"]),
    ("a", &["2"]),
    ("b", &["2"]),
    ("rho", &["0.5"]),
    ("psi", &["7"]),
    ("horizon", &["20"]),
    ("accuracy", &["0.01"]),
    ("step", &["0.5"]),
    ("eta", &["0.5"]),
    ("epsilon", &["0.5"]),
];

#[test]
fn every_key_and_every_word_reaches_its_agent() {
    let mut reached = Vec::new();
    for kind in kinds() {
        let name = kind.about().name;
        for OptionInfo { key, default, accepts, .. } in kind.options().list() {
            // These matter only together with others.
            if ["mode", "span", "m0", "l0", "a0", "b0"].contains(&key.as_str()) {
                continue;
            }
            let numbers =
                NUMBERS.iter().find(|(known, _)| known == key).map(|(_, numbers)| *numbers);
            let words = accepts.all_words();
            assert!(numbers.is_some() || !words.is_empty(), "{name}: no value for {key}");
            let default = shown(default, false);
            let values = numbers.unwrap_or_default().iter().copied().chain(words);
            for value in values.filter(|value| *value != default) {
                let spec = least_with(name, key, value);
                assert_ne!(options(&spec), options(&least(name)), "{spec}");
                assert_eq!(NamedAgent::parse(&spec).unwrap().to_string(), spec);
                // Known means belong to the world and are not saved.
                if (name, key.as_str()) != ("optimistic-psrl", "known_rewards") {
                    assert_ne!(started(&spec), started(&least(name)), "{spec}");
                }
                reached.push(spec);
            }
        }
    }
    let kl = least_with("scal", "set", "kl");
    for spec in [
        "tucrl:relaxation=mass",
        "tucrl:relaxation=zeta",
        "tucrl-plus:set=bernstein",
        "tucrl-plus:union=discovery",
        &kl,
        "psrl:rule=tsde",
    ] {
        assert!(reached.iter().any(|reached| reached == spec), "{spec} was not tried");
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
        assert_ne!(options(one), options(other), "{other}");
        assert_ne!(started(one), started(other), "{other}");
    }
}

/// The optimism of an agent with the values of a world filled in.
fn optimism(agent: &NamedAgent, setting: &Setting) -> Optimism {
    fn read<A: EpisodicAlgorithm>(agent: &NamedAgent) -> A {
        serde_json::from_value(agent.algorithm().options()).unwrap()
    }
    match agent.kind().about().name {
        "tucrl" => read::<Tucrl>(agent).planner(setting).unwrap().optimism,
        "ucrl" | "ucrl2" => read::<Ucrl>(agent).planner(setting).unwrap().optimism,
        "scal" => read::<Scal>(agent).planner(setting).unwrap().optimism,
        name => panic!("{name}"),
    }
}

#[test]
fn the_world_says_r_max_and_alpha_both_widths() {
    let setting = setting(20.0, 9);
    for name in ["tucrl", "ucrl", "ucrl2", "scal"] {
        let name = if name == "scal" { "scal:c=7," } else { &format!("{name}:") };
        let agent = NamedAgent::parse(&format!("{name}alpha=1/4,alpha_p=0.5")).unwrap();
        agent.check(&setting).unwrap();
        let optimism = optimism(&agent, &setting);
        let found = (optimism.r_max(), optimism.alpha_r(), optimism.alpha_p());
        assert_eq!(found, (20.0, 0.25, 0.5));
        assert_eq!(agent.to_string(), format!("{name}alpha=0.25,alpha_p=0.5"));
    }
    let same = NamedAgent::parse("tucrl:alpha=2,alpha_r=2,alpha_p=2,r_max=world").unwrap();
    assert_eq!(same.to_string(), "tucrl:alpha=2");
}

/// Every mixture that `docs/agents.md` calls forbidden, and no other: all sets and rules with all that take them.
#[test]
fn sets_and_rules_are_free_but_for_what_theory_forbids() {
    let sets = ["bernstein", "bernstein-2020", "l1", "kl", "ucrl3"];
    let rules = ["doubling", "new-state", "tsde", "vm", "powers-of-two"];
    let is_forbidden = |name: &str, set: &str, rule: &str| match name {
        "tucrl" => true,
        // The missing mass needs sets of its own, and a new state a new plan.
        "tucrl-plus" => set != "bernstein" || !["new-state", "vm"].contains(&rule),
        "psrl" => false,
        "scal" | "regal" | "regal-c" | "regal-d" | "pmevi-dt" if set == "ucrl3" => true,
        _ => rule == "powers-of-two",
    };
    let (mut free, mut refused) = (0, 0);
    for kind in kinds() {
        let name = kind.about().name;
        // TUCRL has one set and one rule, which its analysis needs: neither is an option.
        let has = |key: &str| name == "tucrl" || kind.options().list().iter().any(|o| o.key == key);
        let own_sets = if has("set") { &sets[..] } else { &sets[..1] };
        let own_rules = if has("rule") { &rules[..] } else { &rules[..0] };
        let own_rules = if has("set") && !has("rule") { &rules[..1] } else { own_rules };
        for set in own_sets {
            for rule in own_rules {
                let set_key = if has("set") { format!("set={set},") } else { String::new() };
                let rule_key = if has("rule") { format!("rule={rule}") } else { String::new() };
                let options = format!("{set_key}{rule_key}");
                let (key, value) = options.trim_end_matches(',').split_once('=').unwrap();
                let spec = least_with(name, key, value);
                match named(&spec) {
                    Ok(_) => {
                        assert!(!is_forbidden(name, set, rule), "{spec}");
                        free += 1;
                    }
                    Err(error) => {
                        assert!(is_forbidden(name, set, rule), "{spec}: {error}");
                        let said = error.to_string();
                        let is_listed = said.contains(" is not accepted: ")
                            && (said.contains("`set` accepts ")
                                || said.contains("`rule` accepts "));
                        assert!(is_listed || said.contains("tucrl has no key `set`"), "{said}");
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

/// Which sets and rules each agent lists; one that has a single one does not list it.
#[test]
fn every_agent_lists_the_sets_and_rules_that_it_takes() {
    let (spans, optimists) = ("bernstein bernstein-2020 l1 kl", "doubling new-state tsde vm");
    for kind in kinds() {
        let name = kind.about().name;
        let (sets, rules) = match name {
            "tucrl-plus" => ("tight bernstein", "new-state vm"),
            "ucrl" => ("bernstein bernstein-2020 l1 kl ucrl3", optimists),
            "scal" => (spans, optimists),
            "regal-c" | "regal" | "regal-d" | "pmevi-dt" => (spans, ""),
            "psrl" => ("", "doubling new-state tsde vm powers-of-two"),
            "ucrl2b-2020" | "kl-ucrl" | "ucrl3" | "optimistic-psrl" => ("", optimists),
            _ => ("", ""),
        };
        let listed = |key: &str| {
            let option = kind.options().list().iter().find(|option| option.key == key);
            option.map_or(String::new(), |option| option.accepts.all_words().join(" "))
        };
        assert_eq!((listed("set"), listed("rule")), (sets.into(), rules.into()), "{name}");
    }
}

#[test]
fn what_the_library_refuses_is_pointed_at() {
    let faults = [
        (
            "tucrl:alpha=-1",
            "tucrl: `alpha` = -1 is out of range: it accepts a number of at least 0\n  \
             tucrl:alpha=-1\n              ^^",
        ),
        (
            "tucrl:alpha=1,alpha_p=-1",
            "tucrl: `alpha_p` = -1 is out of range: it accepts a number of at least 0, or alpha\n  \
             tucrl:alpha=1,alpha_p=-1\n                        ^^",
        ),
        (
            "ucrl2b:delta=0",
            "ucrl2b: `delta` = 0 is out of range: it accepts a number in (0, 1], or inv-sqrt\n  \
             ucrl2b:delta=0\n               ^",
        ),
        (
            "scal-plus:c=2",
            "the agent scal-plus is gone: FOCUS is its successor, and stored runs of it are still reported: write \
             focus:h=number with twice the bound on the span, or scal:c=number with the bound\n  \
             scal-plus:c=2\n  ^^^^^^^^^",
        ),
        (
            "scal:mode=theory",
            "scal needs c, an upper bound on the bias span; r_max times the diameter is one: write scal:c=value; it \
             accepts a number of at least 0, or inf or world",
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
            "optimistic-q: `c` = -1 is out of range: it accepts a number of at least 0\n  \
             optimistic-q:c=-1,bonus=theory\n                 ^^",
        ),
        ("tucl", "there is no agent `tucl`: did you mean `tucrl`?"),
        ("posterior", "there is no agent `posterior`: `tucrl agents` lists them"),
        (
            "tucrl:set=kl",
            "tucrl has no key `set`: it accepts relaxation, delta, alpha, alpha_r, alpha_p, shrink, variance, \
             ties, known_rewards, warm_start, planner, aperiodicity, r_max, sa, sweeps\n  \
             tucrl:set=kl\n        ^^^",
        ),
        (
            "tucrl:rule=tsde",
            "tucrl has no key `rule`: it accepts relaxation, delta, alpha, alpha_r, alpha_p, shrink, \
             variance, ties, known_rewards, warm_start, planner, aperiodicity, r_max, sa, sweeps\n  \
             tucrl:rule=tsde\n        ^^^^",
        ),
        (
            "regal-c:h=-1",
            "regal-c: `h` = -1 is out of range: it accepts a number of at least 0, or inf\n  \
             regal-c:h=-1\n            ^^",
        ),
        (
            "regal:penalty=-1",
            "regal: `penalty` = -1 is out of range: it accepts a number of at least 0, or last-length\n  \
             regal:penalty=-1\n                ^^",
        ),
        (
            "optimistic-psrl:psi=0",
            "optimistic-psrl: `psi` = 0 is out of range: it accepts an integer of at least 1, or theory\n  \
             optimistic-psrl:psi=0\n                      ^",
        ),
        (
            "scal:c=1,set=ucrl3",
            "`ucrl3` is not accepted: `set` accepts bernstein, bernstein-2020, l1 or kl\n  \
             scal:c=1,set=ucrl3\n               ^^^^^",
        ),
        (
            "optimistic-psrl:rule=powers-of-two",
            "`powers-of-two` is not accepted: `rule` accepts doubling, new-state, tsde or vm\n  \
             optimistic-psrl:rule=powers-of-two\n                       ^^^^^^^^^^^^^",
        ),
    ];
    for (text, expected) in faults {
        assert_eq!(named(text).unwrap_err().to_string(), expected, "{text}");
    }
}
