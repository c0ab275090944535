//! What does the paper claim?
//!
//! The claims of its figures and examples, then those behind its arguments. The experiments are those of the folder
//! `experiments`, so that each can also be run by itself; the times are measured ones of a small machine.
//!
//! Reads the judges.

use super::{
    Claim, cast, free_lunch, junk, junk_cast, pictures, regimes, spans, taxi, three_state,
};

macro_rules! experiments {
    ($name:literal) => {
        Some((
            include_str!(concat!("../../../../experiments/quick/", $name, ".toml")),
            include_str!(concat!("../../../../experiments/paper/", $name, ".toml")),
        ))
    };
}

/// All claims.
pub const CLAIMS: &[Claim] = &[
    Claim {
        name: "taxi",
        title: "Taxi with states that never happen",
        says: "With 100 unreachable states UCRL's regret is linear, TUCRL's flattens, and SCAL, which is \
               told the span, is best.",
        place: "section 6, cumulative regret in the taxi with misspecified states",
        experiment: experiments!("taxi"),
        computation: None,
        core_seconds: (200.0, 10_000.0),
        judge: taxi::with_junk,
    },
    Claim {
        name: "taxi-clean",
        title: "Taxi without them",
        says: "When every state can be reached, TUCRL performs similarly to UCRL.",
        place: "section 6, cumulative regret in the communicating taxi",
        experiment: experiments!("taxi-clean"),
        computation: None,
        core_seconds: (40.0, 8_000.0),
        judge: taxi::without_junk,
    },
    Claim {
        name: "three-state",
        title: "Three states, infinite diameter",
        says: "TUCRL's regret grows like a square root, in jumps that its exploratory episodes make and \
               that the lemma on Z bounds; SCAL's is logarithmic for several c; UCRL's is linear.",
        place: "section 6, the weakly communicating three-state domain",
        experiment: experiments!("three-state"),
        computation: None,
        core_seconds: (25.0, 250.0),
        judge: three_state::infinite_diameter,
    },
    Claim {
        name: "three-state-005",
        title: "Three states, one of them rare",
        says: "With delta = 0.005 every state can be reached, and TUCRL's regret is at or below UCRL's.",
        place: "appendix on the three-state domain",
        experiment: experiments!("three-state-005"),
        computation: None,
        core_seconds: (8.0, 80.0),
        judge: three_state::communicating,
    },
    Claim {
        name: "pictures",
        title: "States that a designer counts and nature does not",
        says: "Mountain Car's phase plane has cells that no drive can enter, beyond the curve of full \
               acceleration; Breakout has walls that no game can show.",
        place: "section 1, examples of non-communicating domains",
        experiment: None,
        computation: Some(pictures::compute),
        core_seconds: (2.0, 20.0),
        judge: pictures::judge,
    },
    Claim {
        name: "regimes",
        title: "Three regimes of UCRL's bound",
        says: "UCRL's regret bound is linear up to T†, a square root up to T*, then logarithmic; with an \
               infinite diameter it stays linear.",
        place: "section 7, equation of the three bounds and its figure",
        experiment: experiments!("regimes"),
        computation: Some(regimes::compute),
        core_seconds: (4.0, 400.0),
        judge: regimes::judge,
    },
    Claim {
        name: "free-lunch",
        title: "No free lunch",
        says: "On the family M_ε nobody is both efficient for every ε and logarithmic at ε = 0: TUCRL and \
               UCRL are the former, SCAL(H) the latter.",
        place: "section 7, example 1 and its lemma",
        experiment: experiments!("free-lunch"),
        computation: None,
        core_seconds: (30.0, 400.0),
        judge: free_lunch::judge,
    },
    Claim {
        name: "spans",
        title: "Spans without a bound",
        says: "Under a uniform prior on θ the span of M_θ exceeds C with probability 1/(2C): no bound on the \
               span is safe.",
        place: "appendix on posterior sampling, example 2",
        experiment: None,
        computation: Some(spans::compute),
        core_seconds: (2.0, 8.0),
        judge: spans::judge,
    },
    Claim {
        name: "junk",
        title: "Junk states cost only logarithms, with relaxation=mass",
        says: "The leading terms of TUCRL's bound know the number of states only in their logarithm: a \
               thousand million junk states per real one change little. (So it is with relaxation=mass; \
               the confidence sets as written sum a width per state, and fail.)",
        place: "section 5, the theorem; the experiment is ours",
        experiment: experiments!("junk"),
        computation: None,
        core_seconds: (10.0, 40.0),
        judge: junk::judge,
    },
    Claim {
        name: "junk-cast",
        title: "Who pays for states that nobody can reach",
        says: "Whoever believes in states never seen pays for them for ever: UCRL and its relatives, and posterior \
               sampling whose prior outweighs what is seen. TUCRL (with relaxation=mass), those that are told the \
               span, and who has no model do not.",
        place: "section 1, misspecified states; the experiment with every learner is ours",
        experiment: experiments!("junk-cast"),
        computation: Some(junk_cast::compute),
        core_seconds: (40.0, 400.0),
        judge: junk_cast::judge,
    },
    Claim {
        name: "posterior",
        title: "Posterior sampling and states out of reach",
        says: "Optimistic posterior sampling needs a communicating world, like UCRL: an unreachable state \
               makes its regret linear.",
        place: "section 1, weakly communicating MDPs and misspecified states",
        experiment: experiments!("posterior"),
        computation: None,
        core_seconds: (8.0, 80.0),
        judge: cast::posterior,
    },
    Claim {
        name: "span-knowledge",
        title: "What it is worth to know the span",
        says: "SCAL and REGAL.C need a bound on the span: one that is too small makes regret linear, one \
               that is too large costs.",
        place: "section 1, prior knowledge of the span",
        experiment: experiments!("span-knowledge"),
        computation: None,
        core_seconds: (5.0, 200.0),
        judge: cast::span_knowledge,
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
            for scale in [Scale::Quick, Scale::Paper] {
                let Some(experiment) = claim.experiment(scale).unwrap() else { continue };
                assert_eq!(experiment.name, format!("{}-{}", claim.name, scale.name()));
                assert!(scale == Scale::Quick || experiment.seeds == 20, "{}", claim.name);
            }
        }
    }
}
