//! Which colour does an agent have in the figures of the claims?
//!
//! The page of `reproduce` has figures of several experiments, and a label has one colour in all of them. There are eight
//! colours; a number from 8 on is the same colour with other dashes (`tucrl_lab::plot::dash`), and 32 to 63 look like 0 to 31: these
//! are for labels that share no figure with their twin.

use tucrl_lab::stats::Study;

/// Between the name of an agent and its shrink factor, where several factors are compared.
const FACTOR: &str = ", alpha=";

const COLOURS: [(&str, usize); 37] = [
    ("TUCRL", 0),
    ("TUCRL+", 29),
    ("TUCRL+, no S", 37),
    ("TUCRL+ α=0.05", 45),
    ("TUCRL, mass", 8),
    ("TUCRL, as written", 16),
    ("UCRL", 1),
    ("UCRL2", 9),
    ("UCRL2B 2020", 17),
    ("KL-UCRL", 19),
    ("UCRL3", 12),
    ("SCAL", 23),
    ("SCAL c=0.3", 2),
    ("SCAL c=1", 3),
    ("SCAL c=2", 4),
    ("SCAL c=5", 5),
    ("SCAL c=10", 7),
    ("SCAL c=20", 15),
    ("SCAL c=50", 6),
    ("REGAL.C H=0.3", 10),
    ("REGAL.C H=1", 11),
    ("REGAL.C H=10", 22),
    ("REGAL.C H=20", 14),
    ("REGAL C=0.01", 20),
    ("REGAL.D", 21),
    ("PSRL", 26),
    ("PSRL, sparse prior", 18),
    ("TSDE", 27),
    ("DS-PSRL", 28),
    ("Optimistic PSRL", 31),
    ("Optimistic Q", 30),
    ("FOCUS H=20", 34),
    ("PMEVI-DT", 35),
    ("IMED-RL", 36),
    ("Differential Q", 38),
    ("random", 24),
    ("oracle", 25),
];

/// The colour of a label, or else that of its agent without the shrink factor; none for one that no claim has.
pub(super) fn colour(label: &str) -> Option<usize> {
    let listed = |label: &str| COLOURS.iter().find(|(known, _)| *known == label);
    let named = || label.split_once(FACTOR).and_then(|(name, _)| listed(name));
    listed(label).or_else(named).map(|(_, colour)| *colour)
}

/// The study with these colours.
pub(super) fn recoloured<'a>(study: &Study<'a>) -> Study<'a> {
    let mut study = study.clone();
    for agent in study.worlds.iter_mut().flat_map(|world| &mut world.agents) {
        agent.colour = colour(agent.label).unwrap_or(agent.colour);
    }
    study
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::{CLAIMS, Scale};

    #[test]
    fn every_agent_of_a_claim_has_a_colour_of_its_own() {
        for (index, (label, colour)) in COLOURS.iter().enumerate() {
            let twin = COLOURS[..index].iter().find(|(_, other)| other == colour);
            assert_eq!(twin, None, "{label}");
        }
        for scale in [Scale::Quick, Scale::Paper] {
            for claim in CLAIMS {
                let Some(experiment) = claim.experiment(scale).unwrap() else { continue };
                for cell in experiment.cells() {
                    assert!(colour(&cell.id.label).is_some(), "{}: {}", claim.name, cell.id.label);
                }
            }
        }
    }
}
