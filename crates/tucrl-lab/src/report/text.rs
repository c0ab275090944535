//! How are results written as tables of text?
//!
//! The final table, the paired comparisons, the facts and the provenance, as cells that Markdown, the page and the
//! terminal lay out.

use crate::plot::{CurvesFigure, bound, exploration_losses, world_sweep};
use crate::record::Provenance;
use crate::stats::{
    Across, AgentAcross, AgentStudy, Growth, Improvement, Interval, Regret, Sample, Study,
    SweepStudy, VariantStudy, WorldStudy, WorldSweep,
};
use crate::text::{
    counted, grouped, growth as decimal_growth, p_value, six_decimals, three_digits, with_half,
};
use crate::warnings;
use tucrl::truth::{Baseline, Facts};

/// Cells of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// The names of the columns, if any.
    pub head: Option<Vec<String>>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

const NOTHING: &str = "–";

/// Agents by rank, at the last common checkpoint.
pub fn final_table(world: &WorldStudy<'_>) -> Cells {
    let time = world.time.map_or(NOTHING.into(), |time| grouped(time as f64));
    let regret = format!("{} at {time}", world.regret_name());
    let mut head: Vec<String> =
        ["rank", "agent", "runs", &regret, "bootstrap 95 %", "median", "growth", "episodes", "Z"]
            .map(str::to_owned)
            .into();
    if world.facts.shows_rewards() {
        head.push("reward per step".into());
    }
    let mut agents: Vec<_> = world.agents.iter().collect();
    let mean = |agent: &AgentStudy<'_>| {
        world.time.and_then(|time| agent.point_at(time)).map_or(f64::INFINITY, |point| point.mean)
    };
    // Another regret is not sorted among those that are ranked.
    let place = |agent: &AgentStudy<'_>| (agent.has_own_measure, mean(agent));
    agents.sort_by(|a, b| {
        let (a, b) = (place(a), place(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let has_episodes = |agent: &&crate::stats::AgentStudy<'_>| {
        agent.runs.iter().any(|run| !run.record.episodes.is_empty())
    };
    let rows = agents
        .into_iter()
        .map(|agent| {
            let point = world.time.and_then(|time| agent.point_at(time));
            let nothing = || NOTHING.to_owned();
            let count = |number: Option<f64>| {
                number.filter(|_| has_episodes(&agent)).map_or_else(nothing, grouped)
            };
            let runs = match agent.failed.len() {
                0 => agent.runs.len().to_string(),
                failed => format!("{} ({failed} failed)", agent.runs.len()),
            };
            let earned = agent.curve_of(Regret::Realised);
            let earned = earned.iter().find(|point| Some(point.t) == world.time);
            let reward = |point: &crate::stats::Point| {
                let (gain, t) = (world.facts.gain, point.t as f64);
                let half = point.student.map_or(String::new(), |(low, high)| {
                    format!(" ± {:.1e}", (high - low) / 2.0 / t)
                });
                format!("{:.5}{half}", gain - point.mean / t)
            };
            let mut row = vec![
                agent.rank.map_or_else(nothing, |rank| rank.to_string()),
                match (agent.is_imported, agent.has_own_measure) {
                    (true, true) => format!("{} (imported, {})", agent.label, agent.shown.name()),
                    (true, false) => format!("{} (imported)", agent.label),
                    _ => agent.label.to_owned(),
                },
                runs,
                point.map_or_else(nothing, |point| with_half(point.mean, point.student)),
                point.and_then(|point| point.bootstrap).map_or_else(nothing, range),
                point.map_or_else(nothing, |point| grouped(point.median)),
                agent.growth.map_or_else(nothing, growth),
                count(agent.mean_of(|record| record.episodes.len() as f64)),
                count(agent.mean_of(|record| record.z as f64)),
            ];
            if world.facts.shows_rewards() {
                row.push(earned.map_or_else(nothing, reward));
            }
            row
        })
        .collect();
    Cells { head: Some(head), rows }
}

/// Regret against the values of a sweep.
pub fn sweep_table(sweep: &SweepStudy<'_>) -> Cells {
    let is_tuned = sweep.variants.iter().any(|variant| variant.tuning.is_some());
    let mut head: Vec<String> = sweep.parameters.iter().map(|&name| name.to_owned()).collect();
    head.push("regret".into());
    if is_tuned {
        head.extend(["regret on tuning seeds".to_owned(), "chosen".to_owned()]);
    }
    let regret = |sample: Option<Sample>| {
        sample.map_or(NOTHING.into(), |sample| with_half(sample.mean, sample.student))
    };
    let row = |variant: &VariantStudy<'_>| {
        let mut row: Vec<String> = variant.values.iter().map(|&value| value.to_owned()).collect();
        row.push(regret(variant.evaluation));
        if is_tuned {
            let chosen = if variant.is_best { "yes" } else { "" };
            row.extend([regret(variant.tuning), chosen.to_owned()]);
        }
        row
    };
    Cells { head: Some(head), rows: sweep.variants.iter().map(row).collect() }
}

/// What the table of a sweep shows.
pub fn sweep_explained(sweep: &SweepStudy<'_>) -> String {
    let parameters = sweep.parameters.join(" and ");
    let (base, regret) = (sweep.base, sweep.shown.name());
    let shown = format!("{base} by {parameters}: {regret} at the end of the runs.");
    match sweep.variants.iter().find(|variant| variant.is_best) {
        None => shown,
        Some(best) => format!(
            "{shown} {} has the smallest mean on the tuning seeds; it is \"{}\" in the other tables, with its runs on \
             the other seeds.",
            best.agent, sweep.group
        ),
    }
}

/// Figures of regret against parameters of worlds.
pub fn world_sweeps(study: &Study<'_>) -> Vec<CurvesFigure> {
    WorldSweep::all(study).iter().filter_map(|sweep| world_sweep(study, sweep)).collect()
}

/// Where imported curves come from; none if there are none.
pub fn imported_table(study: &Study<'_>) -> Option<Cells> {
    let head = ["label", "world", "file", "content", "column", "runs", "imported", "note"];
    let mut rows = Vec::new();
    for world in &study.worlds {
        for agent in world.agents.iter().filter(|agent| agent.is_imported) {
            let Some(from) = agent.runs.first().and_then(|run| run.imported.as_ref()) else {
                continue;
            };
            rows.push(vec![
                agent.label.to_owned(),
                world.world.to_owned(),
                from.file.clone(),
                from.blake3.clone(),
                from.column.clone(),
                agent.runs.len().to_string(),
                utc(from.at),
                from.note.clone().unwrap_or_default(),
            ]);
        }
    }
    (!rows.is_empty()).then(|| Cells { head: Some(head.map(str::to_owned).into()), rows })
}

/// What imported curves are.
pub const IMPORTED: &str = "\
These curves were made by other programs and imported by `tucrl import`. They have other random streams, so they are not \
ranked and not compared run by run.";

/// The agents over all worlds.
pub fn across_table(across: &Across<'_>) -> Cells {
    let head = ["agent", "interquartile mean", "95 % interval", "better than the next"];
    let row = |(index, agent): (usize, &AgentAcross<'_>)| {
        let next = across.agents.get(index + 1).map(|next| next.label);
        let is_next =
            |pair: &&Improvement<'_>| Some(pair.second) == next && pair.first == agent.label;
        let next = across.improvements.iter().find(is_next);
        let ends =
            |(low, high): Interval| format!("{} to {}", two_decimals(low), two_decimals(high));
        vec![
            agent.label.to_owned(),
            format!("{:.3}", agent.iqm),
            agent.interval.map_or(NOTHING.into(), |(low, high)| format!("{low:.3} to {high:.3}")),
            next.map_or(NOTHING.into(), |next| {
                let interval = next.interval.map_or(String::new(), |i| format!(" ({})", ends(i)));
                format!("{}{interval}", two_decimals(next.probability))
            }),
        ]
    };
    Cells {
        head: Some(head.map(str::to_owned).into()),
        rows: across.agents.iter().enumerate().map(row).collect(),
    }
}

/// What the table over all worlds means, and which worlds are left out.
pub fn across_explained(across: &Across<'_>) -> String {
    let mut text = format!(
        "Over {}: regret at the end divided by the mean of the worst agent of the world, so that 1 is the worst \
         agent and 0 no regret. The interquartile mean is that of the middle half of all runs; intervals draw \
         runs within each world. The last column is the probability that a run of the agent has less regret than \
         one of the next agent in the same world.",
        counted(across.worlds.len(), "world")
    );
    for (world, reason) in &across.left_out {
        text += &format!(" Left out: {world}, because {reason}.");
    }
    text
}

fn two_decimals(value: f64) -> String {
    format!("{value:.2}")
}

/// What was lost after exploration times, of the agents for which it was measured; none if it was not.
pub fn exploration_table(world: &WorldStudy<'_>) -> Option<Cells> {
    let losses: Vec<_> =
        world.agents.iter().map(|agent| (agent, exploration_losses(agent))).collect();
    let windows = losses.iter().map(|(_, losses)| losses).find(|losses| !losses.is_empty())?;
    let shown: Vec<usize> = (0..windows.len()).filter(|index| index % 3 == 0).collect();
    let mut head = vec!["agent".to_owned(), "exploration times".to_owned()];
    head.extend(shown.iter().map(|&index| format!("worst in {}", windows[index].0)));
    head.push(format!("mean in {}", windows[windows.len() - 1].0));
    let row = |(agent, losses): &(&AgentStudy<'_>, Vec<(u64, f64, f64)>)| {
        let times = agent
            .mean_of(|record| record.exploration.as_ref().map_or(0.0, |loss| loss.times as f64));
        let mut row = vec![agent.label.to_owned(), times.map_or(NOTHING.into(), grouped)];
        let cell = |loss: Option<f64>| loss.map_or(NOTHING.into(), three_digits);
        row.extend(shown.iter().map(|&index| cell(losses.get(index).map(|loss| loss.2))));
        row.push(cell(losses.last().map(|loss| loss.1)));
        row
    };
    Some(Cells { head: Some(head), rows: losses.iter().map(row).collect() })
}

/// What the table of exploration means.
pub const EXPLORATION: &str = "\
Regret of exploration. An exploration time is the start of an episode at which the last policy was gain-optimal from \
the present state and the new one can reach a pair with a positive gap. Shown is the sum of the gaps in the steps \
after it: the worst and the mean over the exploration times of a run from a tenth of its steps on, averaged over \
runs.";

/// Paired comparisons of the agents.
pub fn pair_table(world: &WorldStudy<'_>) -> Cells {
    let head = [
        "comparison",
        "pairs",
        "mean difference",
        "bootstrap 95 %",
        "lower : higher",
        "sign test",
        "corrected p",
        "verdict",
    ];
    let row = |pair: &crate::stats::Pair| {
        let difference = &pair.difference;
        let verdict = match pair.verdict() {
            -1 => format!("{} is better", pair.first),
            1 => format!("{} is better", pair.second),
            _ => "cannot be told apart".into(),
        };
        vec![
            format!("{} − {}", pair.first, pair.second),
            difference.runs.to_string(),
            with_half(difference.mean, difference.student),
            difference.bootstrap.map_or(NOTHING.into(), range),
            format!("{} : {}", difference.lower, difference.higher),
            p_value(difference.sign_test),
            pair.corrected.map_or(NOTHING.into(), p_value),
            verdict,
        ]
    };
    Cells {
        head: Some(head.map(str::to_owned).into()),
        rows: world.pairs.iter().map(row).collect(),
    }
}

/// A warning on one line where the regret of a world is uncertain because its gain is.
pub fn uncertainty(world: &WorldStudy<'_>) -> Option<String> {
    let warning = warnings::uncertain_regret(world.facts, world.time?)?;
    Some(warning.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What learners say about their runs in a world, each on one line.
pub fn remarks(world: &WorldStudy<'_>) -> Vec<String> {
    let of_agent = |agent: &AgentStudy<'_>| {
        let runs = agent.runs.iter().chain(&agent.failed);
        warnings::remarks(agent.label, runs.map(|run| (run.spec.run, &run.record)))
    };
    world.agents.iter().flat_map(of_agent).collect()
}

/// Facts of a world.
pub fn facts_rows(facts: &Facts) -> Cells {
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let is_known = facts.baseline.is_optimal();
    let span = |span: f64| if is_known { six_decimals(span) } else { "unknown".into() };
    let rows = [
        ("states", grouped(facts.states as f64)),
        ("reachable from the start", grouped(facts.reachable as f64)),
        ("actions, at most", facts.actions.to_string()),
        ("class", facts.class.clone()),
        ("start can be reached from every reachable state", yes(facts.start_is_recoverable)),
        (
            match facts.baseline {
                Baseline::BestKnown { .. } => "gain of the best known policy",
                _ => "optimal gain (reward per step)",
            },
            match facts.baseline {
                Baseline::Nothing => "unknown".into(),
                _ => format!("{:.8} ± {:.0e}", facts.gain, facts.gain_error),
            },
        ),
        ("span of the optimal bias", span(facts.span)),
        ("the same over reachable states", span(facts.span_reachable)),
        ("regret is measured against", facts.baseline.in_words()),
        match facts.reward_range {
            None => ("largest reward", six_decimals(facts.r_max)),
            Some(range) => {
                let (low, high) = (six_decimals(range.low()), six_decimals(range.high()));
                ("smallest and largest reward", format!("{low} and {high}").replace('-', "−"))
            }
        },
        ("bound on TUCRL's Z after a million steps", grouped(bound(facts, 1e6).floor())),
    ];
    let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    Cells { head: None, rows }
}

/// Where, when and how the runs were computed, each distinct value once.
pub fn provenance_rows(all: &[Provenance]) -> Cells {
    let distinct = |value: fn(&Provenance) -> String| {
        let mut values: Vec<String> = all.iter().map(value).collect();
        values.sort();
        values.dedup();
        values.join(", ")
    };
    let total = |seconds: fn(&Provenance) -> f64| {
        format!("{} s", grouped(all.iter().map(seconds).sum::<f64>()))
    };
    let latest = all.iter().map(|one| one.finished).max().unwrap_or(0);
    let resumed = all.iter().filter(|one| one.sessions > 1).count();
    let rows = [
        ("runs", all.len().to_string()),
        ("version of tucrl", distinct(|one| one.version.clone())),
        ("git revision", distinct(|one| one.revision.clone().unwrap_or("unknown".into()))),
        ("machine", distinct(|one| one.machine.clone())),
        ("last run finished", utc(latest)),
        ("runs that were resumed", resumed.to_string()),
        ("time simulating, all runs", total(|one| one.simulate_seconds)),
        ("time planning, all runs", total(|one| one.plan_seconds)),
    ];
    let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    Cells { head: None, rows }
}

fn range((low, high): Interval) -> String {
    format!("{} to {}", grouped(low), grouped(high))
}

fn growth(growth: Growth) -> String {
    let shown = decimal_growth(growth.exponent);
    match growth.interval {
        Some((low, high)) => {
            format!("{shown} ({} to {})", decimal_growth(low), decimal_growth(high))
        }
        None => shown,
    }
}

/// Seconds since 1970 as a date and a time (Howard Hinnant's civil_from_days).
fn utc(seconds: u64) -> String {
    let (days, rest) = ((seconds / 86_400) as i64 + 719_468, seconds % 86_400);
    let era = days / 146_097;
    let day = days % 146_097;
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year}-{month:02}-{date:02} {:02}:{:02} UTC", rest / 3600, rest / 60 % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_dates() {
        assert_eq!(utc(0), "1970-01-01 00:00 UTC");
        assert_eq!(utc(951_782_399), "2000-02-28 23:59 UTC");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(utc(1_794_700_000), "2026-11-14 23:46 UTC");
    }
}
