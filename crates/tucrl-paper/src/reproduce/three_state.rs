//! How does regret grow in the three-state domain? (Section 4 and appendix H.)
//!
//! With an unreachable state TUCRL's regret grows like a square root, in jumps at its exploratory episodes; their cost is
//! bounded by the steps Z in poorly visited pairs, the green curve, and Z by 2 sqrt(S^C A T) + 2 S^C A. SCAL's regret is
//! logarithmic for several bounds c on the span; UCRL's is linear. With delta = 0.005 TUCRL is no worse than UCRL.

use super::judge::{Wanted, agent, check, exact, growth, ratio, study, world};
use super::{Evidence, Finding, ReproduceError};
use tucrl::math;
use tucrl_lab::plot::{self, Axis, Curve, CurvesFigure, PALETTE, RegretFigure, Stroke};
use tucrl_lab::record::StoredRun;
use tucrl_lab::stats::{AgentStudy, WorldStudy, mean};

/// SCAL's labels, by the bound c.
const SPANS: [&str; 4] = ["SCAL c=1", "SCAL c=2", "SCAL c=5", "SCAL c=10"];
/// Decades over which exponents are fitted.
const DECADES: f64 = 2.0;

pub(super) fn infinite_diameter(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let study = study(evidence)?;
    let place = world(study, 0)?;
    let (tucrl, ucrl) = (agent(place, "TUCRL")?, agent(place, "UCRL")?);
    let mut checks = vec![
        growth(ucrl, DECADES, Wanted::AtLeast(0.95))?,
        growth(tucrl, DECADES, Wanted::Between(0.4, 0.6))?,
    ];
    for label in SPANS {
        checks.push(growth(agent(place, label)?, DECADES, Wanted::AtMost(0.25))?);
    }
    let (jumps, time) = jumps(tucrl)?;
    let what =
        "share of TUCRL's gap regret that falls between checkpoints around exploratory episodes";
    checks.push(check(what, jumps, None, Wanted::AtLeast(0.95)));
    checks.push(check(
        "share of the steps between these checkpoints",
        time,
        None,
        Wanted::AtMost(0.35),
    ));
    let beyond = |run: &&&StoredRun| {
        let mut times = run.record.z_over_time.iter();
        times.any(|&(t, z)| z as f64 > plot::bound(place.facts, t as f64))
    };
    let beyond = tucrl.runs.iter().filter(beyond).count();
    checks.push(exact(
        "runs of TUCRL in which Z exceeds its bound at some checkpoint",
        beyond as u64,
        0,
    ));
    let mut finding = Finding { checks, ..Finding::default() };
    let caption = "TUCRL's regret grows like a square root, in jumps; green: Z and its bound.";
    finding.draw("three-state", caption, &green(place, tucrl)?)?;
    let caption = "All agents on logarithmic axes: UCRL linear, TUCRL a square root, SCAL flat.";
    finding.draw("three-state-log", caption, &RegretFigure { world: place, is_log: true })?;
    Ok(finding)
}

/// The share of the regret of the last decades between checkpoints with an exploratory episode in between, and
/// their share of the time.
fn jumps(tucrl: &AgentStudy<'_>) -> Result<(f64, f64), ReproduceError> {
    let (mut lost, mut lost_all, mut time, mut time_all) = (0.0, 0.0, 0.0, 0.0);
    for run in &tucrl.runs {
        let first = run.record.steps as f64 / math::powf(10.0, DECADES);
        let explored: Vec<(u64, u64)> = run
            .record
            .episodes
            .iter()
            .map(|(episode, _)| episode)
            .filter(|episode| episode.is_exploratory())
            .map(|episode| (episode.start, episode.start + episode.length))
            .collect();
        let kind = tucrl.shown.without_noise();
        for pair in kind.of(&run.record).unwrap_or_default().windows(2) {
            let ((from, before), (to, after)) = (pair[0], pair[1]);
            if (from as f64) < first {
                continue;
            }
            let is_jump = explored.iter().any(|&(begin, end)| begin <= to && from < end);
            let share = if is_jump { 1.0 } else { 0.0 };
            lost += share * (after - before);
            lost_all += after - before;
            time += share * (to - from) as f64;
            time_all += (to - from) as f64;
        }
    }
    let missing = || ReproduceError::Missing { what: "what TUCRL's jumps cost".into() };
    (lost_all > 0.0 && time_all > 0.0)
        .then_some((lost / lost_all, time / time_all))
        .ok_or_else(missing)
}

/// The paper's figure: regret of TUCRL and SCAL without UCRL, and Z (green).
fn green(place: &WorldStudy<'_>, tucrl: &AgentStudy<'_>) -> Result<CurvesFigure, ReproduceError> {
    const GREEN: usize = 2;
    let missing = || ReproduceError::Missing { what: "Z over time".into() };
    let mut curves = Vec::new();
    let z = |t: u64| {
        let at = |run: &&StoredRun| {
            let place = run.record.z_over_time.binary_search_by_key(&t, |point| point.0).ok()?;
            Some(run.record.z_over_time[place].1 as f64)
        };
        let values: Vec<f64> = tucrl.runs.iter().filter_map(at).collect();
        (!values.is_empty()).then(|| (t as f64, mean(&values)))
    };
    let times: Vec<u64> = tucrl.curve().iter().map(|point| point.t).collect();
    let z: Option<Vec<(f64, f64)>> = times.iter().map(|&t| z(t)).collect();
    let z = z.ok_or_else(missing)?;
    curves.push(Curve::new("Z", PALETTE[GREEN], Stroke::Line, z));
    for agent in place.agents.iter().filter(|agent| agent.label != "UCRL") {
        let points = agent.curve().iter();
        let line = points.clone().map(|point| (point.t as f64, point.mean)).collect();
        let band = points.filter_map(|p| p.student.map(|(low, high)| (p.t as f64, low, high)));
        let band = band.collect();
        curves
            .push(Curve { band, ..Curve::of_agent(agent.label, agent.colour, Stroke::Line, line) });
    }
    let last = times.last().copied().ok_or_else(missing)? as f64;
    let all = || curves.iter().filter(|curve| curve.stroke == Stroke::Line);
    let highest = all().flat_map(|curve| &curve.points).map(|point| point.1).fold(0.0, f64::max);
    let highest = highest * 1.25;
    let bound = times.iter().map(|&t| (t as f64, plot::bound(place.facts, t as f64)));
    // Cut at the highest value shown: clamping would draw a flat line at the top.
    let bound = bound.take_while(|point| point.1 <= highest).collect();
    curves.push(Curve::new("bound on Z", PALETTE[GREEN], Stroke::Dashed, bound));
    let y = Axis::linear("regret (reward), Z (steps)", 0.0, highest, 6);
    Ok(CurvesFigure {
        title: format!("Regret and exploration in {}", place.world),
        explanation: "means over runs, shaded: 95 % interval (Student); UCRL (linear) is left out"
            .into(),
        x: Axis::tight("steps", 0.0, last, 6),
        y,
        curves,
        marks: Vec::new(),
    })
}

pub(super) fn communicating(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let study = study(evidence)?;
    let place = world(study, 0)?;
    let (tucrl, ucrl) = (agent(place, "TUCRL")?, agent(place, "UCRL")?);
    let checks = vec![
        ratio(place, (tucrl, ucrl), Wanted::AtMost(1.2))?,
        growth(tucrl, 1.0, Wanted::AtMost(0.25))?,
    ];
    let mut finding = Finding { checks, ..Finding::default() };
    let caption = "With delta = 0.005 every state is reachable, and both learn.";
    finding.draw("three-state-005", caption, &RegretFigure { world: place, is_log: false })?;
    Ok(finding)
}
