//! Is this table a valid MDP?
//!
//! Builds an [`Mdp`] in one pass and checks the assumptions of section 2 of the paper: every row is
//! a distribution over existing states, every state has an action, rewards lie in their range.

use crate::error::ModelError;
use crate::mdp::Mdp;
use crate::pulse::Pulse;
use crate::reward::{MAX_REWARD, PairReward, RewardLaw, RewardRange};

/// The largest accepted |sum of a row - 1|.
pub(crate) const SUM_TOLERANCE: f64 = 1e-9;

/// Builds an [`Mdp`] state by state.
///
/// Calls never fail; [`MdpBuilder::build`] returns the first defect.
#[derive(Debug, Clone)]
pub struct MdpBuilder {
    model: Mdp,
    defect: Option<ModelError>,
    /// The largest next state so far, with the state and action that lead to it.
    farthest: Option<(usize, usize, usize)>,
    start: Vec<(usize, f64)>,
    scratch: Vec<(u32, f64)>,
}

impl Default for MdpBuilder {
    fn default() -> Self {
        let model = Mdp {
            pair_start: vec![0],
            row_start: vec![0],
            next: Vec::new(),
            probability: Vec::new(),
            mean_reward: Vec::new(),
            rewards: Vec::new(),
            range: RewardRange::default(),
            start: Vec::new(),
            state_names: Vec::new(),
            action_names: Vec::new(),
        };
        Self { model, defect: None, farthest: None, start: Vec::new(), scratch: Vec::new() }
    }
}

impl MdpBuilder {
    /// Adds a state; the actions added next belong to it.
    pub fn state(&mut self) -> &mut Self {
        self.check_actions();
        if self.model.pair_start.len() > u32::MAX as usize {
            self.refuse(ModelError::TooLarge { what: "states", limit: u32::MAX as usize });
            return self;
        }
        let pairs = self.model.mean_reward.len() as u32;
        self.model.pair_start.push(pairs);
        self
    }

    /// Adds an action whose reward does not depend on the next state.
    ///
    /// Next states may come in any order; repeated ones are summed, zeros are dropped.
    pub fn action(
        &mut self,
        reward: impl Into<RewardLaw>,
        row: impl IntoIterator<Item = (usize, f64)>,
    ) -> &mut Self {
        let Some((state, action)) = self.open_pair() else { return self };
        let mut entries = std::mem::take(&mut self.scratch);
        entries.clear();
        for (next, probability) in row {
            if self.entry_is_sound(state, action, next, probability) {
                entries.push((next as u32, probability));
            }
        }
        add_up_repeats(&mut entries);
        if let Some(scale) = self.row_scale(state, action, entries.iter().map(|entry| entry.1)) {
            self.model.next.extend(entries.iter().map(|entry| entry.0));
            self.model.probability.extend(entries.iter().map(|entry| entry.1 / scale));
        }
        self.scratch = entries;
        let law = reward.into().with_plain_zeros();
        let mean = law.mean();
        self.close_pair(mean, PairReward::Alone(law));
        self
    }

    /// Adds an action whose reward is drawn together with the next state, as outcomes
    /// `(next state, probability, reward)`.
    ///
    /// Rewards of outcomes with the same next state are mixed.
    pub fn joint_action<R: Into<RewardLaw>>(
        &mut self,
        outcomes: impl IntoIterator<Item = (usize, f64, R)>,
    ) -> &mut Self {
        let Some((state, action)) = self.open_pair() else { return self };
        let mut entries: Vec<(u32, f64, RewardLaw)> = Vec::new();
        for (next, probability, reward) in outcomes {
            if self.entry_is_sound(state, action, next, probability) {
                let law = reward.into().with_plain_zeros();
                if let Some(reason) = law.defect() {
                    self.refuse(ModelError::RewardLaw { state, action, reason });
                }
                entries.push((next as u32, probability, law));
            }
        }
        entries.sort_by_key(|entry| entry.0);
        let mut mixed: Vec<(u32, f64, RewardLaw)> = Vec::with_capacity(entries.len());
        for entry in entries {
            match mixed.last_mut() {
                Some(last) if last.0 == entry.0 => {
                    match mixture((last.1, &last.2), (entry.1, &entry.2)) {
                        Some(law) => (last.1, last.2) = (last.1 + entry.1, law),
                        None => self.refuse(ModelError::UnmixableRewards {
                            state,
                            action,
                            next: entry.0 as usize,
                        }),
                    }
                }
                _ => mixed.push(entry),
            }
        }
        let mut mean = 0.0;
        if let Some(scale) = self.row_scale(state, action, mixed.iter().map(|entry| entry.1)) {
            for (next, probability, law) in &mixed {
                self.model.next.push(*next);
                self.model.probability.push(probability / scale);
                mean += probability / scale * law.mean();
            }
        }
        let mut laws: Vec<RewardLaw> = mixed.into_iter().map(|entry| entry.2).collect();
        if laws.len() > 1 && laws.iter().any(|law| *law != laws[0]) {
            self.close_pair(mean, PairReward::Joint(laws.into()));
        } else {
            // Equal rewards for all next states are stored as `Alone`, so that equal models compare
            // equal.
            let law = laws.pop().unwrap_or(RewardLaw::Constant(0.0));
            self.close_pair(law.mean(), PairReward::Alone(law));
        }
        self
    }

    /// Sets the largest possible reward, where the smallest is 0; 1 by default, at most [`MAX_REWARD`].
    pub fn r_max(&mut self, r_max: f64) -> &mut Self {
        self.reward_range(RewardRange::up_to(r_max))
    }

    /// Sets the smallest and the largest possible reward; `[0, 1]` by default.
    pub fn reward_range(&mut self, range: RewardRange) -> &mut Self {
        self.model.range = range;
        self
    }

    /// Sets the start state.
    pub fn start_at(&mut self, state: usize) -> &mut Self {
        self.start_law([(state, 1.0)])
    }

    /// Sets the initial distribution, as `(state, probability)`.
    pub fn start_law(&mut self, law: impl IntoIterator<Item = (usize, f64)>) -> &mut Self {
        self.start = law.into_iter().collect();
        self
    }

    /// Names the states; empty for no names.
    pub fn state_names(&mut self, names: impl IntoIterator<Item = impl Into<String>>) -> &mut Self {
        self.model.state_names = names.into_iter().map(Into::into).collect();
        self
    }

    /// Names the action numbers; empty for no names.
    pub fn action_names(
        &mut self,
        names: impl IntoIterator<Item = impl Into<String>>,
    ) -> &mut Self {
        self.model.action_names = names.into_iter().map(Into::into).collect();
        self
    }

    /// The number of states added so far.
    pub fn states(&self) -> usize {
        self.model.pair_start.len() - 1
    }

    /// Checks and returns the model.
    ///
    /// # Errors
    /// The first defect found.
    pub fn build(mut self) -> Result<Mdp, ModelError> {
        if Pulse::is_stopped() {
            return Err(ModelError::Interrupted);
        }
        self.check_actions();
        let (pairs, states) = (self.model.mean_reward.len() as u32, self.states());
        self.model.pair_start.remove(0);
        self.model.pair_start.push(pairs);
        if let Some(defect) = self.defect {
            return Err(defect);
        }
        if states == 0 {
            return Err(ModelError::NoStates);
        }
        if let Some((next, state, action)) = self.farthest
            && next >= states
        {
            return Err(ModelError::NextOutOfRange { state, action, next, last: states - 1 });
        }
        if !self.model.range.is_valid() {
            // Only `r_max` makes a range without checking it.
            return Err(ModelError::RewardMax { r_max: self.model.range.high() });
        }
        if self.model.range.width() > MAX_REWARD {
            let (r_max, limit) = (self.model.range.width(), MAX_REWARD);
            return Err(ModelError::RewardTooLarge { r_max, limit });
        }
        self.model.check_rewards()?;
        self.model.count_from_lowest();
        self.model.start = checked_start(&self.start, states)?;
        self.model.check_names()?;
        Ok(self.model)
    }

    fn refuse(&mut self, defect: ModelError) {
        self.defect.get_or_insert(defect);
    }

    /// Refuses the model if the state added last has no action.
    fn check_actions(&mut self) {
        let pairs = self.model.mean_reward.len() as u32;
        if let Some(state) = self.states().checked_sub(1)
            && self.model.pair_start[state + 1] == pairs
        {
            self.refuse(ModelError::NoActions { state });
        }
    }

    fn open_pair(&mut self) -> Option<(usize, usize)> {
        let pairs = self.model.mean_reward.len();
        if pairs >= u32::MAX as usize {
            self.refuse(ModelError::TooLarge {
                what: "state-action pairs",
                limit: u32::MAX as usize,
            });
            return None;
        }
        match self.states() {
            0 => {
                self.refuse(ModelError::ActionBeforeState);
                None
            }
            states => Some((states - 1, pairs - self.model.pair_start[states] as usize)),
        }
    }

    fn close_pair(&mut self, mean: f64, reward: PairReward) {
        self.model.row_start.push(self.model.next.len());
        self.model.mean_reward.push(mean);
        self.model.rewards.push(reward);
    }

    /// True if the entry is valid and positive; records a defect otherwise.
    fn entry_is_sound(
        &mut self,
        state: usize,
        action: usize,
        next: usize,
        probability: f64,
    ) -> bool {
        if !(probability.is_finite() && probability >= 0.0) {
            self.refuse(ModelError::BadProbability { state, action, next, probability });
            return false;
        }
        if self.farthest.is_none_or(|(farthest, ..)| next > farthest) {
            self.farthest = Some((next, state, action));
        }
        probability > 0.0
    }

    /// The divisor that normalises the row. It is 1 if the row sums to one up to rounding, so that
    /// writing and reading a model changes no bit.
    fn row_scale(
        &mut self,
        state: usize,
        action: usize,
        row: impl ExactSizeIterator<Item = f64>,
    ) -> Option<f64> {
        if row.len() == 0 {
            self.refuse(ModelError::EmptyRow { state, action });
            return None;
        }
        let entries = row.len();
        let sum: f64 = row.sum();
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            self.refuse(ModelError::RowSum { state, action, sum });
            return None;
        }
        Some(if needs_no_scaling(sum, entries) { 1.0 } else { sum })
    }
}

/// True if a distribution sums to one up to rounding.
pub(crate) fn needs_no_scaling(sum: f64, entries: usize) -> bool {
    (sum - 1.0).abs() <= (entries + 2) as f64 * f64::EPSILON
}

/// The reward distribution of two outcomes `(probability, reward)` with the same next state; `None`
/// if one is continuous and they differ.
pub(crate) fn mixture(a: (f64, &RewardLaw), b: (f64, &RewardLaw)) -> Option<RewardLaw> {
    if a.1 == b.1 {
        return Some(a.1.clone());
    }
    let total = a.0 + b.0;
    let mut outcomes: Vec<(f64, f64)> = Vec::new();
    for (weight, law) in [a, b] {
        outcomes
            .extend(law.outcomes()?.into_iter().map(|(reward, p)| (reward, p * weight / total)));
    }
    outcomes.sort_by(|x, y| x.0.total_cmp(&y.0));
    outcomes.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 += later.1;
        }
        same
    });
    Some(RewardLaw::discrete(outcomes))
}

/// Sorts a distribution by state and sums entries for the same state.
fn add_up_repeats(law: &mut Vec<(u32, f64)>) {
    law.sort_by_key(|entry| entry.0);
    law.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 += later.1;
        }
        same
    });
}

fn checked_start(law: &[(usize, f64)], states: usize) -> Result<Vec<(u32, f64)>, ModelError> {
    if law.is_empty() {
        return Err(ModelError::NoStart);
    }
    let mut start: Vec<(u32, f64)> = Vec::with_capacity(law.len());
    for &(state, probability) in law {
        if state >= states {
            return Err(ModelError::StartOutOfRange { state, last: states - 1 });
        }
        if !(probability.is_finite() && probability >= 0.0) {
            return Err(ModelError::BadStartProbability { state, probability });
        }
        if probability > 0.0 {
            start.push((state as u32, probability));
        }
    }
    add_up_repeats(&mut start);
    let sum: f64 = start.iter().map(|entry| entry.1).sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE {
        return Err(ModelError::StartSum { sum });
    }
    if !needs_no_scaling(sum, start.len()) {
        start.iter_mut().for_each(|entry| entry.1 /= sum);
    }
    Ok(start)
}

impl Mdp {
    fn check_rewards(&self) -> Result<(), ModelError> {
        for state in 0..self.states() {
            for (action, pair) in self.pairs_of(state).enumerate() {
                let laws = match &self.rewards[pair] {
                    PairReward::Alone(law) => std::slice::from_ref(law),
                    PairReward::Joint(laws) => laws,
                };
                for law in laws {
                    if let Some(reason) = law.defect() {
                        return Err(ModelError::RewardLaw { state, action, reason });
                    }
                    let ((low, high), range) = (law.bounds(), self.range);
                    if low < range.low() || high > range.high() {
                        return Err(ModelError::RewardOutOfRange {
                            state,
                            action,
                            low,
                            high,
                            range,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// Mean rewards above the lowest one. Where that is 0 they are as they were added.
    fn count_from_lowest(&mut self) {
        let zero = self.range.low();
        if zero == 0.0 {
            return;
        }
        for pair in 0..self.pairs() {
            self.mean_reward[pair] = match &self.rewards[pair] {
                PairReward::Alone(law) => law.mean_above(zero),
                PairReward::Joint(laws) => {
                    let row = self.row(pair).probability.iter();
                    row.zip(laws).map(|(p, law)| p * law.mean_above(zero)).sum()
                }
            };
        }
    }

    fn check_names(&self) -> Result<(), ModelError> {
        let check = |what, names: &[String], needed| match names.len() {
            0 => Ok(()),
            given if given == needed => Ok(()),
            given => Err(ModelError::NameCount { what, given, needed }),
        };
        check("state", &self.state_names, self.states())?;
        check("action", &self.action_names, self.max_actions())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(describe: impl FnOnce(&mut MdpBuilder) -> &mut MdpBuilder) -> ModelError {
        let mut builder = Mdp::builder();
        builder.start_at(0);
        describe(&mut builder);
        builder.build().unwrap_err()
    }

    #[test]
    fn every_defect_is_named_with_its_place_and_value() {
        use ModelError as E;
        assert_eq!(refusal(|b| b), E::NoStates);
        assert_eq!(refusal(|b| b.state()), E::NoActions { state: 0 });
        assert_eq!(
            refusal(|b| b.state().state().action(0.0, [(0, 1.0)])),
            E::NoActions { state: 0 }
        );
        assert_eq!(refusal(|b| b.action(0.0, [(0, 1.0)])), E::ActionBeforeState);
        assert_eq!(
            refusal(|b| b.state().action(0.0, [(0, 1.0)]).action(0.0, [(0, 0.0)])),
            E::EmptyRow { state: 0, action: 1 }
        );
        assert_eq!(
            refusal(|b| b.state().action(0.0, [(0, 1.5), (0, -0.5)])),
            E::BadProbability { state: 0, action: 0, next: 0, probability: -0.5 }
        );
        let nan = refusal(|b| b.state().action(0.0, [(0, f64::NAN)]));
        assert!(matches!(nan, E::BadProbability { probability, .. } if probability.is_nan()));
        assert_eq!(
            refusal(|b| b.state().action(0.0, [(0, 0.999)])),
            E::RowSum { state: 0, action: 0, sum: 0.999 }
        );
        assert_eq!(
            refusal(|b| b.state().action(0.0, [(7, 1.0)])),
            E::NextOutOfRange { state: 0, action: 0, next: 7, last: 0 }
        );
        assert_eq!(
            refusal(|b| b.state().action(1.25, [(0, 1.0)])),
            E::RewardOutOfRange {
                state: 0,
                action: 0,
                low: 1.25,
                high: 1.25,
                range: RewardRange::default()
            }
        );
        assert_eq!(
            refusal(|b| b.r_max(f64::INFINITY).state().action(1.0, [(0, 1.0)])),
            E::RewardMax { r_max: f64::INFINITY }
        );
        assert_eq!(
            refusal(|b| b.state().action(1.7e308, [(0, 1.0)]).r_max(1.7e308)),
            E::RewardTooLarge { r_max: 1.7e308, limit: 1e100 }
        );
        assert_eq!(refusal(|b| b.state().action(0.0, [(0, 1.0)]).start_law([])), E::NoStart);
        assert_eq!(
            refusal(|b| b.state().action(0.0, [(0, 1.0)]).start_at(1)),
            E::StartOutOfRange { state: 1, last: 0 }
        );
        assert_eq!(
            refusal(|b| b.state().action(0.0, [(0, 1.0)]).start_law([(0, 0.5)])),
            E::StartSum { sum: 0.5 }
        );
        assert_eq!(
            refusal(|b| b.state().action(0.0, [(0, 1.0)]).action_names(["a", "b"])),
            E::NameCount { what: "action", given: 2, needed: 1 }
        );
        let uniform = |low, high| RewardLaw::Uniform { low, high };
        assert_eq!(
            refusal(|b| {
                b.state().joint_action([(0, 0.5, uniform(0.0, 0.1)), (0, 0.5, uniform(0.0, 0.2))])
            }),
            E::UnmixableRewards { state: 0, action: 0, next: 0 }
        );
        for (law, reason) in [
            (uniform(0.5, 0.1), "uniform low end 0.5 lies above its high end 0.1: swap them"),
            (
                RewardLaw::Bernoulli { probability: 2.0, value: 1.0 },
                "Bernoulli probability 2 is not in [0, 1]",
            ),
            (RewardLaw::discrete([]), "a discrete law needs at least one outcome"),
            (RewardLaw::discrete([(0.5, 0.5)]), "outcome probabilities sum to 0.5, not to 1"),
        ] {
            let reason = reason.to_string();
            let refused = refusal(|b| b.state().action(law, [(0, 1.0)]));
            assert_eq!(refused, E::RewardLaw { state: 0, action: 0, reason });
        }
    }

    #[test]
    fn rows_are_sorted_added_up_and_renormalised_once() {
        let third = 1.0 / 3.0;
        let mut builder = Mdp::builder();
        builder.state().action(0.0, [(1, third), (0, third + 4e-10), (1, third), (2, 0.0)]);
        for _ in 0..2 {
            builder.state().action(0.0, [(0, 1.0)]);
        }
        builder.start_law([(2, 0.25), (0, 0.5), (2, 0.25)]);
        let mdp = builder.build().unwrap();
        assert_eq!(mdp.row(0).next, [0, 1]);
        let sum: f64 = mdp.row(0).probability.iter().sum();
        assert!((sum - 1.0).abs() <= 2.0 * f64::EPSILON, "{sum}");
        assert_eq!(mdp.start().collect::<Vec<_>>(), [(0, 0.5), (2, 0.5)]);

        let mut again = Mdp::builder();
        for state in 0..3 {
            again.state().action(0.0, mdp.row(state).iter());
        }
        again.start_law(mdp.start());
        assert_eq!(again.build().unwrap(), mdp, "a second pass must not change a bit");
    }

    #[test]
    fn a_negative_zero_is_a_zero() {
        let zeros = [
            RewardLaw::Constant(-0.0),
            RewardLaw::Uniform { low: -0.0, high: 1.0 },
            RewardLaw::Bernoulli { probability: -0.0, value: -0.0 },
            RewardLaw::discrete([(-0.0, 1.0), (1.0, -0.0)]),
        ];
        let mut builder = Mdp::builder();
        builder.state();
        for law in zeros {
            builder
                .action(law.clone(), [(0, 1.0)])
                .joint_action([(0, 0.5, law), (1, 0.5, 1.0.into())]);
        }
        builder.state().action(0.0, [(0, 1.0)]);
        builder.start_at(0);
        let model = builder.build().unwrap();
        // 0.0 == -0.0, so only the printed form shows the sign.
        assert!(!format!("{model:?}").contains("-0.0"), "{model:?}");
    }

    #[test]
    fn joint_rewards_mix_outcomes_that_share_a_next_state() {
        let mut builder = Mdp::builder();
        builder.state().joint_action([(0, 0.25, 1.0), (1, 0.5, 0.0), (0, 0.25, 0.0)]);
        builder.state().joint_action([(0, 0.5, 0.5), (1, 0.5, 0.5)]);
        builder.start_at(0);
        let mdp = builder.build().unwrap();
        assert_eq!(mdp.mean_reward(0), 0.25);
        assert_eq!(
            *mdp.reward(0),
            PairReward::Joint(Box::new([
                RewardLaw::discrete([(0.0, 0.5), (1.0, 0.5)]),
                RewardLaw::Constant(0.0)
            ]))
        );
        assert_eq!(*mdp.reward(1), PairReward::Alone(RewardLaw::Constant(0.5)));
    }
}
