//! What do the words in tables and on the page mean?
//!
//! The definitions stand beside the tables that use the words; docs/reports.md has them at length.

use tucrl::truth::Baseline;

use crate::stats::{Regret, WorldStudy};

/// What a performance profile is.
pub const PROFILE: &str = "The share of all runs whose normalised regret is at most τ. A curve that is higher is \
                           better; where two cross, neither agent is better everywhere. Shaded: 95 % interval, by runs drawn \
                           within each world.";

/// What the chart of episodes shows.
pub const EPISODES: &str = "The first run of an agent. An episode keeps one policy; it ends for one of the reasons below. A pair \
                            is under-visited while it has at most √(t/(SA)) visits. Gain and bias are those of the plan.";

/// What a column means; none where its name says it.
pub fn definition(column: &str) -> Option<&'static str> {
    Some(match column {
        "rank" => {
            "One more than the number of agents that are better (corrected p below 0.05), and no smaller than the rank of \
             an agent with a smaller mean. Agents that cannot be told apart share a rank; a single run has none."
        }
        "bootstrap 95 %" => {
            "The 2.5 % and 97.5 % quantiles of the means of 2000 resamples of the runs; too narrow below ten runs."
        }
        "median" => "Half of the runs have less regret.",
        "growth" => {
            "The slope of ln(mean regret) against ln t over the last decade: 1 is linear, 0.5 a square root, 0 flat; in \
             brackets its 95 % bootstrap interval. Of gap regret, or else of pseudo-regret."
        }
        "episodes" => "Mean number of episodes.",
        "Z" => {
            "Steps in pairs that were poorly visited at that time, mean over runs. A lemma bounds TUCRL's by \
             2 √(SᶜA t) + 2 SᶜA, with Sᶜ reachable states and A actions."
        }
        "reward per step" => "Rewards divided by steps, with half its 95 % interval.",
        "interquartile mean" => {
            "The mean of the middle half of the normalised regrets of all runs in all worlds (IQM): less sensitive to single \
             runs than the mean. 1 is the worst agent, 0 no regret."
        }
        "95 % interval" => {
            "Of the interquartile mean; a bootstrap that draws runs within each world."
        }
        "better than the next" => {
            "The probability that a run of this agent has less regret than a run of the next agent in the same world, \
             averaged over worlds, with its 95 % interval."
        }
        "comparison" => {
            "Two agents, run by run; runs with the same index have the same random streams."
        }
        "mean difference" => {
            "Regret of the first minus that of the second, mean over pairs of runs ± half its 95 % interval (Student). \
             Negative: the first has less regret."
        }
        "lower : higher" => "Pairs of runs in which the first has less, or more, regret.",
        "sign test" => "Two-sided p-value of the signs of the differences.",
        "corrected p" => {
            "Two-sided p-value of Student's test, corrected for all comparisons in this world by Holm's method."
        }
        "verdict" => "An agent is called better where the corrected p is below 0.05.",
        _ => return None,
    })
}

/// What the column of regret shows.
pub fn of_regret(world: &WorldStudy<'_>) -> String {
    let noise = match world.shown {
        Regret::Gap => "",
        Regret::Realised => " It has the noise of rewards and transitions.",
        Regret::Pseudo => " It has the noise of transitions.",
    };
    format!(
        "{}{noise} Mean over complete runs ± half its 95 % interval (Student), at the last time that all agents have passed.",
        world.regret_explained()
    )
}

/// What a kind of regret is, in this world.
pub fn explained(world: &WorldStudy<'_>, kind: Regret) -> String {
    if kind == world.shown {
        return world.regret_explained();
    }
    let gain = match world.facts.baseline {
        Baseline::BestKnown { .. } => "the best known gain, a lower bound on the optimal one,",
        _ => "the optimal gain",
    };
    let lost = match (kind, world.loses_gain) {
        (Regret::Gap, true) => " Gain lost for good is added.",
        _ => "",
    };
    format!("{}{lost}", kind.explained(gain))
}
