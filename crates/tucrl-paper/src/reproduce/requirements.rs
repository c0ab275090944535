//! What do the other algorithms require? (Section 1.)
//!
//! Optimistic posterior sampling assumes, like UCRL, that every state is reachable, so an unreachable one costs it a
//! constant share of all steps. SCAL and REGAL.C need a bound on the span of the optimal bias: below the true span their
//! regret is linear, above it they learn at a higher cost. Plain posterior sampling is shown and not judged: it has no
//! guarantee here.

use super::judge::{Wanted, agent, growth, ratio, study, world};
use super::{Evidence, Finding, ReproduceError};
use tucrl_lab::plot::RegretFigure;

pub(super) fn posterior(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let study = study(evidence)?;
    let mut finding = Finding::default();
    for (index, name) in ["two-state", "three-state"].into_iter().enumerate() {
        let place = world(study, index)?;
        let (optimist, tucrl) = (agent(place, "Optimistic PSRL")?, agent(place, "TUCRL")?);
        let mut check = growth(optimist, 1.0, Wanted::AtLeast(0.8))?;
        check.statistic += &format!(", {name} world");
        finding.checks.push(check);
        let mut check = growth(tucrl, 1.0, Wanted::AtMost(0.75))?;
        check.statistic += &format!(", {name} world");
        finding.checks.push(check);
        let caption = format!("Posterior sampling with an unreachable state: the {name} world.");
        let figure = RegretFigure { world: place, is_log: true };
        finding.draw(&format!("posterior-{name}"), caption, &figure)?;
    }
    Ok(finding)
}

pub(super) fn span_knowledge(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let place = world(study(evidence)?, 0)?;
    let mut finding = Finding::default();
    for [small, right, large] in
        [["SCAL c=0.3", "SCAL c=1", "SCAL c=20"], ["REGAL.C H=0.3", "REGAL.C H=1", "REGAL.C H=20"]]
    {
        let (small, right, large) =
            (agent(place, small)?, agent(place, right)?, agent(place, large)?);
        finding.checks.push(growth(small, 1.0, Wanted::AtLeast(0.95))?);
        finding.checks.push(growth(large, 1.0, Wanted::AtMost(0.5))?);
        finding.checks.push(ratio(place, (large, right), Wanted::AtLeast(2.0))?);
    }
    let caption = "The span of the optimal bias is 1: with a smaller bound SCAL and REGAL.C do not learn, with a far larger one they learn slowly.";
    finding.draw("span-knowledge", caption, &RegretFigure { world: place, is_log: true })?;
    Ok(finding)
}
