//! Certified gains of small MDPs against exact fractions, without slack.

use tucrl::mdp::Mdp;
use tucrl::policy::Policy;
use tucrl::solve::{Effort, gains, policy_gains, solve};

use super::exact::{Reading, exact_gain, violation};

/// Reads numbers off an input; zeros where it has ended.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&first, rest)) => {
                self.0 = rest;
                first
            }
            None => 0,
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    /// A number in (0, 1] whose logarithm is spread down to 2^-1020, with a mantissa of 16 bits.
    fn weight(&mut self) -> f64 {
        let (exponent, high, low) = (self.byte(), self.byte(), self.byte());
        let mantissa = 1.0 + f64::from(u16::from_be_bytes([high, low])) / 65_536.0;
        // Small exponents are common: worlds with probabilities of one size are a class of their own.
        let exponent = if exponent < 128 {
            i32::from(exponent % 4)
        } else {
            8 * i32::from(exponent - 128) + 4
        };
        mantissa * f64::from_bits(((1023 - exponent - 1) as u64) << 52)
    }
}

/// A table of up to four states with up to three actions and four successors each.
fn mdp(bytes: &[u8]) -> Option<Mdp> {
    let mut numbers = Numbers(bytes);
    let states = 1 + numbers.below(4);
    let unit = if numbers.below(8) == 0 { 1e-310 } else { 1.0 };
    let mut builder = Mdp::builder();
    for _ in 0..states {
        builder.state();
        for _ in 0..1 + numbers.below(3) {
            let reward = match numbers.below(3) {
                0 => f64::from(numbers.byte() % 5) / 4.0,
                1 => numbers.weight(),
                _ => 0.5 + 1e-12 * numbers.weight(),
            };
            let mut row = Vec::new();
            for _ in 0..1 + numbers.below(4) {
                row.push((numbers.below(states), numbers.weight()));
            }
            let total: f64 = row.iter().map(|entry| entry.1).sum();
            row.iter_mut().for_each(|entry| entry.1 /= total);
            builder.action(unit * reward.min(1.0), row);
        }
    }
    builder.start_at(numbers.below(states));
    // A probability may have become 0.
    builder.build().ok()
}

/// Gains with policy and bias, gains alone, and the gains of the policy that was found.
pub fn certificates(bytes: &[u8]) {
    let Some(mdp) = mdp(bytes) else { return };
    let answer = solve(&mdp).expect("no finite MDP is refused");
    let alone = gains(&mdp, Effort::default()).expect("no finite MDP is refused");
    for (what, gain, error) in
        [("solve", &answer.gain, &answer.gain_error), ("gains", &alone.gain, &alone.gain_error)]
    {
        if let Some(violation) = violation(&mdp, gain, error) {
            panic!("{what}: {violation} for {mdp:?}");
        }
    }
    assert!(answer.bias.iter().all(|h| h.is_finite()), "bias {:?}", answer.bias);
    answer.policy.check(&mdp).expect("a policy of this MDP");
    let actions: Vec<usize> =
        (0..mdp.states()).map(|s| answer.policy.action(s).expect("deterministic")).collect();
    let found = policy_gains(&mdp, &Policy::deterministic(actions.clone()), Effort::default())
        .expect("no finite MDP is refused");
    for reading in [Reading::DividedByItsSum, Reading::StayingIsTheRest] {
        for (s, exact) in exact_gain(&mdp, &actions, reading).iter().enumerate() {
            let (gain, error) = (found.gain[s], found.gain_error[s]);
            assert!(
                exact.is_within(gain, error),
                "policy: state {s}: {gain:e} ± {error:e} for {mdp:?}"
            );
        }
    }
}
