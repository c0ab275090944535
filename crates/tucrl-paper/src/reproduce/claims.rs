//! Which claims are tested?
//!
//! Those of the paper's figures and examples, those behind its arguments, then ours about TUCRL+. The experiments are the files in
//! `experiments`, so that each can also be run by itself; times were measured on a small machine.

use super::{
    Claim, constants, free_lunch, junk, pictures, rare_states, regimes, requirements, shrinking,
    spans, taxi, three_state, unreachable_states,
};

macro_rules! experiments {
    ($name:literal) => {
        Some((
            include_str!(concat!("../../experiments/quick/", $name, ".toml")),
            include_str!(concat!("../../experiments/paper/", $name, ".toml")),
        ))
    };
}

/// All claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        name: "taxi",
        title: "Taxi with unreachable states",
        says: "With 100 unreachable states UCRL's regret is linear, TUCRL's flattens, and SCAL, which is \
               told the span, is best.",
        place: "figure 3, left top: taxi with misspecified states (section 4)",
        figure: Some(3),
        experiment: experiments!("taxi"),
        computation: None,
        core_seconds: (200.0, 1_000.0),
        judge: taxi::with_junk,
    },
    Claim {
        name: "taxi-clean",
        title: "Taxi without unreachable states",
        says: "When every state can be reached, TUCRL performs similarly to UCRL.",
        place: "figure 3, left bottom: communicating taxi (section 4)",
        figure: Some(3),
        experiment: experiments!("taxi-clean"),
        computation: None,
        core_seconds: (40.0, 620.0),
        judge: taxi::without_junk,
    },
    Claim {
        name: "three-state",
        title: "Three states, infinite diameter",
        says: "TUCRL's regret grows like a square root, in jumps at its exploratory episodes, \
               which the lemma on Z bounds; SCAL's is logarithmic for several c; UCRL's is linear.",
        place: "figure 3, right: the weakly communicating three-state domain (section 4)",
        figure: Some(3),
        experiment: experiments!("three-state"),
        computation: None,
        core_seconds: (25.0, 240.0),
        judge: three_state::infinite_diameter,
    },
    Claim {
        name: "three-state-005",
        title: "Three states, one of them rarely reached",
        says: "With delta = 0.005 every state can be reached, and TUCRL's regret is at or below UCRL's.",
        place: "figure 7, the communicating three-state domain (appendix H)",
        figure: Some(7),
        experiment: experiments!("three-state-005"),
        computation: None,
        core_seconds: (32.0, 120.0),
        judge: three_state::communicating,
    },
    Claim {
        name: "pictures",
        title: "Unreachable states in common benchmarks",
        says: "Mountain Car's phase plane has unreachable cells beyond the curve of full acceleration; \
               Breakout has unreachable walls.",
        place: "figure 1, examples of non-communicating domains (section 1)",
        figure: Some(1),
        experiment: None,
        computation: Some(pictures::compute),
        core_seconds: (2.0, 6.0),
        judge: pictures::judge,
    },
    Claim {
        name: "regimes",
        title: "Three regimes of UCRL's bound",
        says: "UCRL's regret bound is linear up to T†, a square root up to T*, then logarithmic; with an \
               infinite diameter it stays linear.",
        place: "figure 4, left: the three bounds on the regret of UCRL (section 5)",
        figure: Some(4),
        experiment: experiments!("regimes"),
        computation: Some(regimes::compute),
        core_seconds: (4.0, 460.0),
        judge: regimes::judge,
    },
    Claim {
        name: "free-lunch",
        title: "No free lunch",
        says: "On the family M_ε no learner is both efficient for every ε and logarithmic at ε = 0: TUCRL and \
               UCRL are the former, SCAL(c) the latter.",
        place: "figure 4, right: example 1 and its lemma (section 5)",
        figure: Some(4),
        experiment: experiments!("free-lunch"),
        computation: None,
        core_seconds: (50.0, 220.0),
        judge: free_lunch::judge,
    },
    Claim {
        name: "spans",
        title: "Unbounded spans under a prior",
        says: "Under a uniform prior on θ the span of M_θ exceeds C with probability 1/(2C): no bound on the \
               span is safe.",
        place: "figure 5, example 2 (appendix B)",
        figure: Some(5),
        experiment: None,
        computation: Some(spans::compute),
        core_seconds: (2.0, 10.0),
        judge: spans::judge,
    },
    Claim {
        name: "junk-cast",
        title: "Which learners pay for unreachable states",
        says: "Learners that plan with unseen states have linear regret: UCRL and its relatives, and posterior \
               sampling whose prior outweighs the data. TUCRL+, TUCRL with relaxation=mass, learners that are told \
               the span, and model-free learners do not.",
        place: "section 1, misspecified states; the experiment with every learner is ours",
        figure: None,
        experiment: experiments!("junk-cast"),
        computation: Some(unreachable_states::compute),
        core_seconds: (40.0, 170.0),
        judge: unreachable_states::judge,
    },
    Claim {
        name: "posterior",
        title: "Posterior sampling and unreachable states",
        says: "Optimistic posterior sampling needs a communicating MDP, like UCRL: an unreachable state \
               makes its regret linear.",
        place: "section 1, weakly communicating MDPs and misspecified states",
        figure: None,
        experiment: experiments!("posterior"),
        computation: None,
        core_seconds: (8.0, 80.0),
        judge: requirements::posterior,
    },
    Claim {
        name: "span-knowledge",
        title: "The value of knowing the span",
        says: "SCAL and REGAL.C need a bound on the span: one that is too small makes regret linear, one \
               that is too large increases it.",
        place: "section 1, prior knowledge of the span",
        figure: None,
        experiment: experiments!("span-knowledge"),
        computation: None,
        core_seconds: (5.0, 280.0),
        judge: requirements::span_knowledge,
    },
    Claim {
        name: "junk",
        title: "Unreachable states cost TUCRL+ only logarithms",
        says: "The regret of TUCRL+ has the number of states only inside logarithms: 10⁹ unreachable states per \
               reachable one cost no more than the logarithm of its confidence sets grows, in four worlds. The \
               paper's sets sum a width per state, and fail.",
        place: "theory 8, the theorem: S only inside logarithms (docs/theory.md)",
        figure: None,
        experiment: experiments!("junk"),
        computation: None,
        core_seconds: (160.0, 2_970.0),
        judge: junk::judge,
    },
    Claim {
        name: "rare-states",
        title: "Rare states among states that do not exist",
        says: "TUCRL+ finds a rare state as often among 2·10⁹ states as among 2, because its threshold counts the \
               states that it has seen. TUCRL gives the rare state up.",
        place: "theory 7, the threshold: lemma C (docs/theory.md)",
        figure: None,
        experiment: experiments!("rare-states"),
        computation: None,
        core_seconds: (20.0, 500.0),
        judge: rare_states::judge,
    },
    Claim {
        name: "alpha-one",
        title: "Learning with the constants of the theorem",
        says: "With alpha = 1, where the guarantee holds, TUCRL+ learns river-swim, frozen-lake and four-rooms in \
               10⁶ steps, also without a number of states or among 10⁹ times as many; TUCRL does not.",
        place: "theory 4, the sets: time-uniform bounds (docs/theory.md)",
        figure: None,
        experiment: experiments!("alpha-one"),
        computation: None,
        core_seconds: (20.0, 50.0),
        judge: constants::judge,
    },
    Claim {
        name: "alphas",
        title: "TUCRL+ and the others over a grid of widths",
        says: "With alpha = 1, where guarantees hold, TUCRL+ loses no more than TUCRL; with widths shrunk to each \
               agent's best alpha, chosen on other runs, neither.",
        place: "theory 1, result (docs/theory.md); the experiment is ours",
        figure: None,
        experiment: experiments!("alphas"),
        computation: None,
        core_seconds: (330.0, 2_080.0),
        judge: shrinking::judge,
    },
];

#[cfg(test)]
mod tests {
    use super::super::Scale;
    use super::*;

    #[test]
    fn every_claim_has_a_name_of_its_own_and_experiments_that_can_be_read() {
        for (index, claim) in CLAIMS.iter().enumerate() {
            assert!(CLAIMS[..index].iter().all(|other| other.name != claim.name));
            assert!(claim.experiment.is_some() || claim.computation.is_some());
            let reference = claim.reference();
            assert_eq!(
                claim.figure.map(|n| format!("figure {n}")).unwrap_or(reference.into()),
                reference
            );
            let kinds = ["figure ", "theorem ", "section ", "theory "];
            assert!(kinds.iter().any(|kind| reference.starts_with(kind)), "{reference}");
            for scale in [Scale::Quick, Scale::Paper] {
                let Some(experiment) = claim.experiment(scale).unwrap() else { continue };
                assert_eq!(experiment.name, format!("{}-{}", claim.name, scale.name()));
                // As many as in the paper's figures; a share of runs needs more, a grid of 72 cells has fewer.
                let seeds = match claim.name {
                    "rare-states" => 40,
                    "alphas" => 10,
                    _ => 20,
                };
                assert!(scale == Scale::Quick || experiment.seeds == seeds, "{}", claim.name);
            }
        }
    }
}
