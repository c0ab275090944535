//! What do the 100 unreachable states of taxi cost? (Section 4, figure of cumulative regret, left.)
//!
//! With the unreachable states of the product space UCRL's regret is linear (an exponent of nearly 1 over the last
//! decade), TUCRL learns, and SCAL, told the span, is best; without them TUCRL performs similarly to UCRL.

use super::judge::{Wanted, agent, growth, ratio, study, world};
use super::{Evidence, Finding, ReproduceError};
use tucrl_lab::plot::RegretFigure;

pub(super) fn with_junk(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let study = study(evidence)?;
    let taxi = world(study, 0)?;
    let (tucrl, ucrl, scal) = (agent(taxi, "TUCRL")?, agent(taxi, "UCRL")?, agent(taxi, "SCAL")?);
    let checks = vec![
        growth(ucrl, 1.0, Wanted::AtLeast(0.9))?,
        growth(tucrl, 1.0, Wanted::AtMost(0.75))?,
        ratio(taxi, (tucrl, ucrl), Wanted::AtMost(0.75))?,
        ratio(taxi, (scal, tucrl), Wanted::AtMost(0.75))?,
    ];
    let mut finding = Finding { checks, ..Finding::default() };
    let caption = "Taxi with its 100 unreachable states: UCRL's regret is linear.";
    finding.draw("taxi", caption, &RegretFigure { world: taxi, is_log: false })?;
    let caption = "The same on logarithmic axes, where the slope is the exponent.";
    finding.draw("taxi-log", caption, &RegretFigure { world: taxi, is_log: true })?;
    Ok(finding)
}

pub(super) fn without_junk(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let study = study(evidence)?;
    let taxi = world(study, 0)?;
    let (tucrl, ucrl) = (agent(taxi, "TUCRL")?, agent(taxi, "UCRL")?);
    let checks = vec![ratio(taxi, (tucrl, ucrl), Wanted::Between(0.5, 2.0))?];
    let mut finding = Finding { checks, ..Finding::default() };
    let caption = "Taxi without unreachable states: TUCRL performs similarly to UCRL.";
    finding.draw("taxi-clean", caption, &RegretFigure { world: taxi, is_log: false })?;
    Ok(finding)
}
