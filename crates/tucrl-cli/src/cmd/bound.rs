//! `tucrl bound`: what are the regret bounds of a world?
//!
//! Every term is printed next to the trivial bound r_max T, because the constants of the theorems are enormous; then the
//! totals next to the lower bound of the world.

mod both;

use std::fmt::{Error, Write};

use anyhow::{Context, bail};
use serde::Serialize;
use tucrl::agents::PlusSet;
use tucrl::bounds::{self, RegretBound, UcrlRegimes, WorldNumbers};
use tucrl::error::SolveError;
use tucrl::evaluate;
use tucrl::mdp::Mdp;
use tucrl::reward::RewardRange;
use tucrl::sets::Union;
use tucrl::truth::Watch;
use tucrl_lab::Catalogue;
use tucrl_lab::inspection::{Effort, Inspection, Steps};
use tucrl_lab::text::{four_digits, number, printable};

use both::{Both, WithLower};

use super::DIAMETER_LIMIT;
use super::progress::Progress;
use crate::cli::Bound;

/// The gap is computed by enumerating the policies, up to this number.
const POLICY_LIMIT: u64 = 5_000;

/// All bounds; the fields are the keys of the JSON output.
#[derive(Serialize)]
struct Bounds {
    world: String,
    steps: u64,
    delta: f64,
    /// Regret is a difference: the bounds depend on the width `r_max` of the range only.
    reward_range: RewardRange,
    numbers: WorldNumbers,
    tucrl: RegretBound,
    tucrl_sum: f64,
    tucrl_total: f64,
    /// The number of steps, to three digits, from which on the sum is below the trivial bound.
    tucrl_speaks_from: Option<f64>,
    tucrl_episodes: f64,
    tucrl_episodes_published: Option<f64>,
    tucrl_poor_steps: f64,
    /// With `relaxation=mass`; l1 and zeta share the bound above.
    tucrl_mass: RegretBound,
    tucrl_plus: Plus,
    /// C(k) for an episode that starts at the last step, by number of unseen states.
    exploratory_phase: Vec<Phase>,
    ucrl: UcrlRegimes,
    ucrl_total: f64,
    ucrl_linear_regime_end: Option<f64>,
    ucrl_root_regime_end: Option<f64>,
    ucrl_episodes: f64,
    ucrl2_regret: f64,
}

/// The bounds of TUCRL+ by set and union bound.
#[derive(Serialize)]
struct Plus {
    tight: RegretBound,
    tight_discovery: RegretBound,
    bernstein: RegretBound,
    bernstein_discovery: RegretBound,
    poor_steps: f64,
    /// From which start of an episode on no reachable state is given up.
    exploratory_phase: f64,
}

impl Plus {
    fn of(numbers: &WorldNumbers, steps: u64, delta: f64) -> Self {
        let regret = |set, union| bounds::plus_regret(numbers, set, union, steps, delta);
        let pairs = numbers.reachable as f64 * numbers.actions as f64;
        Self {
            tight: regret(PlusSet::Tight, Union::Nominal),
            tight_discovery: regret(PlusSet::Tight, Union::Discovery),
            bernstein: regret(PlusSet::Bernstein, Union::Nominal),
            bernstein_discovery: regret(PlusSet::Bernstein, Union::Discovery),
            poor_steps: bounds::plus_poor_steps_among(pairs, steps as f64),
            exploratory_phase: bounds::plus_exploratory_phase(numbers, Union::Nominal, delta),
        }
    }
}

#[derive(Serialize)]
struct Phase {
    unseen: u64,
    length: f64,
    end: f64,
}

pub(super) fn run(ask: &Bound, catalogue: &Catalogue) -> anyhow::Result<String> {
    let world = catalogue.world(&ask.source.world)?;
    let progress = Progress::new();
    progress.begin("building the world");
    let (mdp, states) = world.build_and_count(&ask.source.options(), &())?;
    let effort = Effort {
        gain: true,
        policy: false,
        hardness: true,
        diameter_limit: DIAMETER_LIMIT,
        patience: None,
    };
    let mut known = Inspection::among(world.to_string(), &mdp, states, effort, &progress)?;
    if states > mdp.states() as u64 {
        known = known.within(states, effort);
    }
    progress.begin("gap between policies");
    let gap = gap(&mdp)?;
    drop(progress);
    let (Some(diameter), Some(diameter_reachable)) = (known.diameter, known.diameter_reachable)
    else {
        bail!(
            "the bounds need the diameter, which for {} reachable states would take long: choose a \
             world with at most {DIAMETER_LIMIT}",
            known.reachable
        );
    };
    let numbers = WorldNumbers {
        states,
        actions: known.actions as u64,
        reachable: known.reachable as u64,
        max_support: known.max_support as u64,
        max_support_reachable: known.max_support_reachable as u64,
        diameter: finite_or_not(diameter),
        diameter_reachable: finite_or_not(diameter_reachable),
        r_max: known.r_max,
        gap,
    };
    let (world, range) = (world.to_string(), known.reward_range);
    let hardness = known.hardness.context("the hardness is not known")?;
    let both = Both::of(&hardness, &numbers, ask.steps, ask.delta);
    if let Some(to) = &ask.figure {
        both.draw(&world, to)?;
    }
    let all = Bounds::of(world, range, numbers, ask.steps, ask.delta);
    match ask.json {
        true => super::json(&WithLower { bounds: &all, both: &both }),
        false => Ok(page(&all)? + &both.section()?),
    }
}

fn finite_or_not(steps: Steps) -> f64 {
    match steps {
        Steps::Finite(steps) => steps,
        Steps::Infinite => f64::INFINITY,
    }
}

/// Best minus second-best gain; none above `POLICY_LIMIT` policies.
fn gap(mdp: &Mdp) -> Result<Option<f64>, SolveError> {
    match evaluate::gain_gap(mdp, POLICY_LIMIT) {
        Err(SolveError::TooManyPolicies { .. }) => Ok(None),
        other => other,
    }
}

impl Bounds {
    fn of(
        world: String,
        reward_range: RewardRange,
        numbers: WorldNumbers,
        steps: u64,
        delta: f64,
    ) -> Self {
        let tucrl = bounds::tucrl_regret(&numbers, steps, delta);
        let ucrl = bounds::ucrl_regimes(&numbers, steps);
        let mut unseen = vec![numbers.states - numbers.reachable, numbers.states - 1];
        unseen.retain(|&unseen| unseen > 0);
        unseen.dedup();
        let phase = |&unseen: &u64| Phase {
            unseen,
            length: bounds::exploratory_phase(&numbers, unseen, steps as f64, delta),
            end: bounds::exploratory_phase_end(&numbers, unseen, delta),
        };
        Self {
            world,
            steps,
            delta,
            reward_range,
            tucrl_sum: tucrl.sum(),
            tucrl_total: tucrl.total(),
            tucrl,
            tucrl_speaks_from: informative_from(&numbers, delta),
            tucrl_episodes: bounds::tucrl_episodes(&numbers, steps),
            tucrl_episodes_published: bounds::tucrl_episodes_published(&numbers, steps),
            tucrl_poor_steps: bounds::poor_steps(&numbers, steps),
            tucrl_mass: bounds::mass_regret(&numbers, steps, delta),
            tucrl_plus: Plus::of(&numbers, steps, delta),
            exploratory_phase: unseen.iter().map(phase).collect(),
            ucrl_total: ucrl.total(),
            ucrl,
            ucrl_linear_regime_end: bounds::linear_regime_end(&numbers),
            ucrl_root_regime_end: bounds::root_regime_end(&numbers),
            ucrl_episodes: bounds::ucrl_episodes(&numbers, steps),
            ucrl2_regret: bounds::ucrl2_regret(&numbers, steps, delta),
            numbers,
        }
    }
}

/// The number of steps, to three digits, from which on the sum is below the trivial bound, by bisection: the sum
/// over T decreases beyond some small T.
fn informative_from(numbers: &WorldNumbers, delta: f64) -> Option<f64> {
    let is_informative = |steps: u64| {
        let bound = bounds::tucrl_regret(numbers, steps, delta);
        bound.sum() < bound.trivial
    };
    let (mut trivial, mut informative) = (1u64, u64::MAX);
    if !is_informative(informative) {
        return None;
    }
    while informative - trivial > informative / 2000 + 1 {
        let middle = trivial + (informative - trivial) / 2;
        if is_informative(middle) { informative = middle } else { trivial = middle }
    }
    Some(informative as f64)
}

/// The text output.
fn page(known: &Bounds) -> Result<String, Error> {
    let mut out = String::new();
    let (numbers, delta, steps) = (&known.numbers, known.delta, known.steps);
    // Not `delta`: the world may have a parameter of that name.
    let (world, failure) = (printable(&known.world), number(delta));
    writeln!(out, "{world}, T = {steps} steps, failure probability {failure}\n")?;
    writeln!(
        out,
        "S = {}, A = {}, S^C = {}, Gamma^C = {}, D = {}, D^C = {}, r_max = {}",
        numbers.states,
        numbers.actions,
        numbers.reachable,
        numbers.max_support_reachable,
        four_digits(numbers.diameter),
        four_digits(numbers.diameter_reachable),
        number(numbers.r_max)
    )?;
    if known.reward_range.low() != 0.0 {
        writeln!(out, "Rewards lie in {}; r_max is the difference.", known.reward_range)?;
    }
    writeln!(out, "\nTUCRL: regret, with probability {} at most", number(1.0 - delta))?;
    for (label, value) in known.tucrl.terms() {
        line(&mut out, label, value)?;
    }
    line(&mut out, "sum", known.tucrl_sum)?;
    line(&mut out, "trivial bound, r_max T", known.tucrl.trivial)?;
    line(&mut out, "bound: the smaller of the two", known.tucrl_total)?;
    match known.tucrl_speaks_from {
        Some(from) => line(&mut out, "the sum is below the trivial bound from T =", from)?,
        None => writeln!(out, "  the sum is never below the trivial bound")?,
    }
    writeln!(
        out,
        "  The constants of the theorem are enormous: it gives the growth of regret, not\n  \
         its size. Measured regret (`tucrl learn`) is far smaller."
    )?;
    writeln!(out, "\nTUCRL: with certainty at most")?;
    line(&mut out, "episodes", known.tucrl_episodes.floor())?;
    if let Some(published) = known.tucrl_episodes_published {
        line(&mut out, "episodes, in the form of the paper", published.floor())?;
    }
    line(&mut out, "steps in poorly visited pairs, Z", known.tucrl_poor_steps.floor())?;
    writeln!(out, "\nTUCRL: exploratory phase, in which reachable states may be missed")?;
    for Phase { unseen, length, end } in &known.exploratory_phase {
        line(&mut out, &format!("C(k) at t_k = T with {unseen} unseen"), *length)?;
        line(&mut out, "  over for all later episodes from t_k =", *end)?;
    }
    if known.exploratory_phase.is_empty() {
        writeln!(out, "  none: there is only one state")?;
    }
    plus(&mut out, known)?;
    writeln!(out, "\nUCRL: expected regret in its three regimes")?;
    line(&mut out, "linear, r_max T", known.ucrl.linear)?;
    line(&mut out, "square root, 34 r_max D sqrt(Gamma S A T ln)", known.ucrl.root)?;
    match known.ucrl.logarithmic {
        Some(value) => line(&mut out, "logarithmic, without its unknown constant", value)?,
        None => writeln!(out, "  logarithmic: needs the gap between policies, unknown here")?,
    }
    line(&mut out, "bound: the smaller of the first two", known.ucrl_total)?;
    match known.ucrl_linear_regime_end {
        Some(end) => line(&mut out, "the square root begins at T_dagger =", end)?,
        None => writeln!(
            out,
            "  T_dagger: never; some state is unreachable, so the bound stays linear"
        )?,
    }
    if let Some(end) = known.ucrl_root_regime_end {
        line(&mut out, "the logarithm begins at T_star or later, T =", end)?;
    }
    line(&mut out, "episodes, with certainty at most", known.ucrl_episodes.floor())?;
    line(&mut out, "UCRL2's published bound on the regret", known.ucrl2_regret)?;
    Ok(out)
}

/// TUCRL+ beside the relaxation that is half of it.
fn plus(out: &mut String, known: &Bounds) -> Result<(), Error> {
    let Plus { tight, tight_discovery, bernstein, .. } = &known.tucrl_plus;
    let columns = [&known.tucrl_mass, bernstein, tight, tight_discovery];
    let probability = number(1.0 - known.delta);
    writeln!(out, "\nTUCRL with relaxation=mass (l1 and zeta: above) and TUCRL+:")?;
    writeln!(out, "regret, with probability {probability} at most")?;
    table_row(out, "", ["tucrl", "tucrl+", "tucrl+", "tucrl+"].map(Into::into))?;
    table_row(out, "", ["mass", "balls", "tight", "no S"].map(Into::into))?;
    for (index, (label, _)) in tight.terms().into_iter().enumerate() {
        table_row(out, label, columns.map(|bound| four_digits(bound.terms()[index].1)))?;
    }
    table_row(out, "sum", columns.map(|bound| four_digits(bound.sum())))?;
    table_row(out, "bound: at most r_max T", columns.map(|bound| four_digits(bound.total())))?;
    writeln!(out, "  balls: set=bernstein; no S: set=tight,union=discovery")?;
    let Plus { poor_steps, exploratory_phase, .. } = known.tucrl_plus;
    line(out, "TUCRL+: steps in poorly visited pairs, Z", poor_steps.floor())?;
    line(out, "TUCRL+: no reachable state missed from t_k =", exploratory_phase)
}

fn table_row(out: &mut String, label: &str, [a, b, c, d]: [String; 4]) -> Result<(), Error> {
    writeln!(out, " {label:<23}{a:>9}{b:>9}{c:>9}{d:>9}")
}

fn line(out: &mut String, label: &str, value: f64) -> Result<(), Error> {
    writeln!(out, "  {label:<44}{:>14}", four_digits(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_informative_where_its_sum_falls_below_the_trivial_one() {
        let numbers = WorldNumbers {
            states: 3,
            actions: 2,
            reachable: 2,
            max_support: 1,
            max_support_reachable: 1,
            diameter: f64::INFINITY,
            diameter_reachable: 1.0,
            r_max: 1.0,
            gap: None,
        };
        let from = informative_from(&numbers, 0.05).unwrap();
        let sum_over_steps =
            |steps: f64| bounds::tucrl_regret(&numbers, steps as u64, 0.05).sum() / steps;
        assert!(sum_over_steps(from) < 1.0 && sum_over_steps(0.99 * from) > 1.0, "{from}");
        let hopeless = WorldNumbers { diameter_reachable: f64::INFINITY, ..numbers };
        assert_eq!(informative_from(&hopeless, 0.05), None);
    }
}
