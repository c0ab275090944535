//! Is a run long enough for its confidence widths to shrink?
//!
//! Theory's constants are large. If, even with every action of every reachable state tried equally often,
//! the last episode's sets still allow an unobserved next state with probability 1, then no plan can tell
//! transitions apart and the whole run explores. That can be computed beforehand, and so can the alpha
//! that would help.
//!
//! The width is that of ALGORITHMS 1.1 for a next state never observed, (49/3) b / N±; for UCRL2 half the
//! radius of its L1 ball; for TUCRL, when some states cannot be reached, half the radius of the ball that
//! sums the widths of all S states, or with `relaxation=zeta` what a box takes back of them.
//!
//! Reads `tucrl::confidence`; feeds the command `learn`.

use tucrl::agents::{Algorithm, Relaxation};
use tucrl::confidence::{Confidence, Family, Shrink};
use tucrl::counts::{Counts, Variance};
use tucrl::space::Space;

/// The width that the suggested alpha aims at.
pub const AIM: f64 = 0.05;

/// Why a run is too short.
#[derive(Debug, Clone, PartialEq)]
pub struct TooShort {
    /// How often every pair would be tried.
    pub visits: f64,
    /// Which width is too large.
    pub what: &'static str,
    /// That width at the end of the run.
    pub width: f64,
    /// An alpha for transitions, with one digit, that would make the width about [`AIM`].
    pub alpha: f64,
}

/// What is wrong with running an algorithm for so few steps, if anything.
pub fn too_short(
    algorithm: &Algorithm,
    space: &Space,
    reachable: u64,
    steps: u64,
) -> Option<TooShort> {
    let optimism = algorithm.optimism()?;
    let family = match algorithm {
        Algorithm::Ucrl2(_) => Family::Hoeffding,
        _ => Family::Bernstein,
    };
    let confidence = Confidence {
        family,
        delta: optimism.delta,
        alpha_r: optimism.alpha_r,
        alpha_p: optimism.alpha_p,
        shrink: optimism.shrink,
        r_max: optimism.r_max,
        nominal_pairs: optimism.nominal_pairs,
    };
    let visits = steps as f64 / (reachable as f64 * f64::from(space.max_actions()));
    // Of a pair without visits the widths have the divisor 1.
    let mut counts = Counts::new(space.clone(), Variance::default());
    counts.see(0);
    let fresh = &counts.pairs()[0];
    let widths = confidence.widths(space, steps.max(1));
    let unseen = space.states().saturating_sub(reachable);
    let less_one = (visits - 1.0).max(1.0);
    let (what, width) = match algorithm {
        Algorithm::Ucrl2(_) => {
            ("half the radius of an L1 ball", widths.radius(fresh) / visits.max(1.0).sqrt() / 2.0)
        }
        Algorithm::Tucrl(planner) if unseen > 0 => match planner.relaxation {
            Relaxation::L1 => {
                ("half the radius of an L1 ball", widths.radius(fresh) / less_one / 2.0)
            }
            // With one next state a pair.
            Relaxation::Mass => {
                let all = space.states() as f64;
                let one = widths.unobserved(fresh) / less_one;
                ("half the radius of an L1 ball", all.min(3.0) * one / 2.0)
            }
            Relaxation::Zeta => {
                let one = widths.unobserved(fresh) / less_one;
                ("the width of an unobserved next state", one + unseen as f64 * one.min(1.0))
            }
        },
        _ => ("the width of an unobserved next state", widths.unobserved(fresh) / less_one),
    };
    let ratio = AIM / width;
    // Under a root the logarithm must shrink by the square.
    let is_squared = optimism.shrink == Shrink::Log && family == Family::Hoeffding;
    let alpha = optimism.alpha_p * if is_squared { ratio * ratio } else { ratio };
    (width >= 1.0).then(|| TooShort { visits, what, width, alpha: one_digit(alpha) })
}

fn one_digit(value: f64) -> f64 {
    format!("{value:.0e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use tucrl::agents::{Scal, Tucrl, Ucrl, Ucrl2};

    use super::*;

    fn taxi() -> Space {
        Space::uniform(500, 6)
    }

    fn with_alpha(mut algorithm: Algorithm, alpha: f64) -> Algorithm {
        match &mut algorithm {
            Algorithm::Tucrl(Tucrl { optimism, .. })
            | Algorithm::Ucrl(Ucrl { optimism })
            | Algorithm::Scal(Scal { optimism, .. })
            | Algorithm::Ucrl2(Ucrl2 { optimism }) => optimism.alpha_p = alpha,
            _ => {}
        }
        algorithm
    }

    #[test]
    fn the_widths_are_those_of_the_formulas() {
        let (steps, visits) = (1_000_000u64, 1e6 / 2400.0);
        let b = (2.0 * 3000.0 * 1e6 / 0.05f64).ln();
        let beta = 49.0 / 3.0 * b / (visits - 1.0);
        let zeta = Tucrl { relaxation: Relaxation::Zeta, ..Default::default() };
        let cases = [
            (Algorithm::Ucrl(Ucrl::default()), beta),
            (Algorithm::Scal(Scal::default()), beta),
            (Algorithm::Tucrl(Tucrl::default()), 500.0 * beta / 2.0),
            (Algorithm::Tucrl(zeta), beta + 100.0 * beta.min(1.0)),
            (
                Algorithm::Ucrl2(Ucrl2::default()),
                (14.0 * 500.0 * (2.0 * 6.0 * 1e6 / 0.05f64).ln() / visits).sqrt() / 2.0,
            ),
        ];
        for (algorithm, width) in cases {
            let found = too_short(&algorithm, &taxi(), 400, steps);
            let Some(found) = found else {
                assert!(width < 1.0, "{}: {width}", algorithm.name());
                continue;
            };
            assert!((found.width / width - 1.0).abs() < 1e-12, "{}: {found:?}", algorithm.name());
            assert_eq!(found.visits, visits);
        }
        // Where everything can be reached TUCRL ends with boxes.
        let tucrl = Algorithm::Tucrl(Tucrl::default());
        assert_eq!(
            too_short(&tucrl, &taxi(), 500, steps).map(|found| found.what),
            too_short(&Algorithm::Ucrl(Ucrl::default()), &taxi(), 500, steps)
                .map(|found| found.what)
        );
    }

    #[test]
    fn the_suggestion_brings_the_width_to_the_aim() {
        for algorithm in [
            Algorithm::Tucrl(Tucrl::default()),
            Algorithm::Ucrl(Ucrl::default()),
            Algorithm::Ucrl2(Ucrl2::default()),
        ] {
            let found = too_short(&algorithm, &taxi(), 400, 10_000).unwrap();
            // Far below 1, so that nothing more is said; and found again from a wider set.
            let helped = with_alpha(algorithm.clone(), found.alpha);
            assert_eq!(too_short(&helped, &taxi(), 400, 10_000), None);
            let wide = with_alpha(algorithm, 100.0 * found.alpha);
            let again = too_short(&wide, &taxi(), 400, 10_000).unwrap();
            let reached = again.width / 100.0;
            assert!((0.7..1.5).contains(&(reached / AIM)), "{reached}");
            assert_eq!(again.alpha, found.alpha);
        }
    }

    #[test]
    fn under_a_root_alpha_shrinks_by_the_square() {
        let mut planner = Ucrl2::default();
        planner.optimism.shrink = Shrink::Log;
        let found = too_short(&Algorithm::Ucrl2(planner), &taxi(), 400, 10_000).unwrap();
        let linear = too_short(&Algorithm::Ucrl2(Ucrl2::default()), &taxi(), 400, 10_000).unwrap();
        assert_eq!(found.width, linear.width);
        assert!((found.alpha / (AIM / found.width).powi(2) - 1.0).abs() < 0.5);
    }

    #[test]
    fn long_runs_shrunken_widths_and_baselines_pass() {
        let tucrl = Algorithm::Tucrl(Tucrl::default());
        let three = Space::uniform(3, 2);
        assert_eq!(too_short(&tucrl, &three, 2, 1_000_000), None);
        assert!(too_short(&tucrl, &three, 2, 100).is_some());
        assert_eq!(too_short(&with_alpha(tucrl.clone(), 0.0), &three, 2, 100), None);
        assert_eq!(too_short(&with_alpha(tucrl, 0.01), &taxi(), 400, 2_000_000_000), None);
        assert_eq!(too_short(&Algorithm::Random, &taxi(), 400, 10), None);
    }

    #[test]
    fn one_digit_is_one_digit() {
        assert_eq!([0.00347, 0.96, 12.0].map(one_digit), [0.003, 1.0, 10.0]);
    }
}
