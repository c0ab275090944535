//! Baselines: the oracle, the world's rule of thumb, and random play.
//!
//! The oracle plays an optimal policy that it was given: its regret reflects only noise and its start. The random
//! agent plays every action equally often: its regret is linear. All others lie between them, and so does, where a
//! world has one, a person's rule of thumb, which learns nothing either.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, AgentKind, saved_as};
use crate::learner::{AgentError, Algorithm, Learner, RuleOfThumb, Saved, Setting, Start};
use crate::planner::PlanError;
use crate::policy::Policy;
use crate::rng::RandomStream;
use crate::space::{ActionId, Space, StateId};

/// Plays an optimal policy that it is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Oracle {}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OracleLearner {
    policy: Policy,
    here: StateId,
    random: RandomStream,
    /// The states that the policy numbers; supplied anew after a checkpoint is read.
    #[serde(skip)]
    states: Option<Arc<[StateId]>>,
}

impl Algorithm for Oracle {
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        let knowledge = &start.setting.knowledge;
        let Some(policy) = knowledge.optimal_policy.clone() else {
            return Err(AgentError::Missing { what: "an optimal policy" });
        };
        let states = knowledge.policy_states.clone();
        let (here, random) = (start.state, start.random);
        Ok(Box::new(OracleLearner { policy, here, random, states }))
    }

    fn restore(&self, setting: &Setting, saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        let learner: OracleLearner = saved_as(saved)?;
        let states = setting.knowledge.policy_states.clone();
        Ok(Box::new(OracleLearner { states, ..learner }))
    }

    fn needs_policy(&self) -> bool {
        true
    }

    fn options(&self) -> serde_json::Value {
        serde_json::json!({})
    }
}

impl Learner for OracleLearner {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let here = match &self.states {
            Some(states) => match states.binary_search(&self.here) {
                Ok(number) => number,
                // Beyond what the policy covers.
                Err(_) => return Ok(0),
            },
            None => self.here as usize,
        };
        if let Some(action) = self.policy.action(here) {
            return Ok(action as ActionId);
        }
        let (actions, law): (Vec<usize>, Vec<f64>) = self.policy.choices(here).unzip();
        Ok(actions[self.random.categorical(&law)] as ActionId)
    }

    fn observe(&mut self, _reward: f64, next: StateId) {
        self.here = next;
    }

    fn save(&self) -> Option<Saved> {
        Saved::of(self)
    }
}

/// Plays the rule of thumb that the world comes with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heuristic {}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeuristicLearner {
    here: StateId,
    #[serde(skip)]
    rule: Option<RuleOfThumb>,
}

impl HeuristicLearner {
    fn choice(&self) -> Option<ActionId> {
        self.rule.as_ref().and_then(|RuleOfThumb(rule)| rule(self.here))
    }

    /// With a rule that must have an answer in the present state.
    fn following(mut self, setting: &Setting) -> Result<Box<dyn Learner>, AgentError> {
        self.rule.clone_from(&setting.knowledge.rule_of_thumb);
        match self.choice() {
            Some(_) => Ok(Box::new(self)),
            None => Err(AgentError::Missing { what: "a rule of thumb" }),
        }
    }
}

impl Algorithm for Heuristic {
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        HeuristicLearner { here: start.state, rule: None }.following(start.setting)
    }

    fn restore(&self, setting: &Setting, saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        saved_as::<HeuristicLearner>(saved)?.following(setting)
    }

    fn options(&self) -> serde_json::Value {
        serde_json::json!({})
    }
}

impl Learner for HeuristicLearner {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        // A world whose rule has gaps gets its first action there.
        Ok(self.choice().unwrap_or(0))
    }

    fn observe(&mut self, _reward: f64, next: StateId) {
        self.here = next;
    }

    fn save(&self) -> Option<Saved> {
        Saved::of(self)
    }
}

/// Plays uniformly at random.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Random {}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RandomLearner {
    space: Space,
    here: StateId,
    random: RandomStream,
}

impl Algorithm for Random {
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        let space = start.setting.space.clone();
        Ok(Box::new(RandomLearner { space, here: start.state, random: start.random }))
    }

    fn restore(&self, _: &Setting, saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        Ok(Box::new(saved_as::<RandomLearner>(saved)?))
    }

    fn options(&self) -> serde_json::Value {
        serde_json::json!({})
    }
}

impl Learner for RandomLearner {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let actions = self.space.actions(self.here);
        Ok(self.random.below(u64::from(actions)) as ActionId)
    }

    fn observe(&mut self, _reward: f64, next: StateId) {
        self.here = next;
    }

    fn tell_actions(&mut self, state: StateId, actions: u32) {
        self.space.tell_actions(state, actions);
    }

    fn save(&self) -> Option<Saved> {
        Saved::of(self)
    }
}

pub(super) fn kinds() -> Vec<AgentKind> {
    vec![
        AgentKind::new::<Oracle>(About {
            name: "oracle",
            aliases: &[],
            summary: "plays an optimal policy that it was given",
            source: "baseline",
            idea: "It is given an optimal policy of the true world. It plays that policy. It learns \
               nothing and explores nothing. What regret it shows is the price of its start and \
               randomness. All others are measured against it.",
            needs: "An optimal policy of the true world.",
            guarantee: "The expected regret never exceeds the span of the optimal bias; what is seen of \
                    it is noise, of order sqrt(T).",
            cost: "Nothing: the policy is computed before the run.",
            caution: "It does not learn; it shows how much of a regret curve is noise.",
            example: "oracle",
        }),
        AgentKind::new::<Heuristic>(About {
            name: "heuristic",
            aliases: &[],
            summary: "plays the rule of thumb that the world comes with",
            source: "baseline",
            idea: "Some worlds come with a hand-written policy. It plays that policy. It learns nothing and \
               explores nothing. It shows what can be earned without learning. Where no optimal gain is \
               known, it is the reference.",
            needs: "A world with a rule of thumb; the page of a world says whether it has one.",
            guarantee: "None.",
            cost: "Nothing.",
            caution: "It learns nothing; it shows what is possible without learning. In a world that has no \
                  rule of thumb it is refused.",
            example: "heuristic",
        })
        .tried_in("queues"),
        AgentKind::new::<Random>(About {
            name: "random",
            aliases: &[],
            summary: "plays every action equally often",
            source: "baseline",
            idea: "It plays every action of a state equally often. It does not look at rewards. It \
               does not learn. It explores forever, and in worlds that are hard to explore not \
               even well. An agent that is not better has learned nothing.",
            needs: "Nothing.",
            guarantee: "None: the regret is linear wherever actions matter.",
            cost: "Nothing.",
            caution: "It does not learn; it is an upper reference for regret.",
            example: "random",
        }),
    ]
}
