//! How do the lower bound on regret and the upper bounds compare?

use std::fmt::{Error, Write};
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Serialize;
use tucrl::bounds::{self, WorldNumbers};
use tucrl::hardness::{Certainty, Hardness, LowerBound};
use tucrl::math;
use tucrl_lab::plot::{self, Axis, Curve, CurvesFigure, PALETTE, Stroke};
use tucrl_lab::text::{four_digits, number, wrapped};

use crate::cmd::hardness::{finite, growth};

/// Bounds that are made elsewhere, and the comparison; the fields are keys of the JSON output.
#[derive(Serialize)]
pub(super) struct WithLower<'a, B: Serialize> {
    #[serde(flatten)]
    pub(super) bounds: &'a B,
    #[serde(flatten)]
    pub(super) both: &'a Both,
}

/// Lower and upper bounds.
#[derive(Serialize)]
pub(super) struct Both {
    lower_bound: LowerBound,
    lower_bound_known_rewards: LowerBound,
    /// For every power of ten from a thousand on, and the number of steps asked for.
    lower_and_upper: Vec<Row>,
    #[serde(skip)]
    numbers: WorldNumbers,
    #[serde(skip)]
    delta: f64,
}

/// Bounds on the regret after `steps` steps; upper ones are not above r_max T.
#[derive(Serialize)]
struct Row {
    steps: u64,
    lower: Option<f64>,
    lower_known_rewards: Option<f64>,
    tucrl: f64,
    ucrl: f64,
    ucrl2: f64,
}

impl Both {
    pub(super) fn of(hardness: &Hardness, numbers: &WorldNumbers, steps: u64, delta: f64) -> Self {
        let mut both = Self {
            lower_bound: hardness.lower_bound.clone(),
            lower_bound_known_rewards: hardness.lower_bound_known_rewards.clone(),
            lower_and_upper: Vec::new(),
            numbers: numbers.clone(),
            delta,
        };
        let decades = (3..19).map(|power| 10u64.pow(power)).take_while(|&decade| decade < steps);
        both.lower_and_upper = decades.chain([steps]).map(|steps| both.at(steps)).collect();
        both
    }

    fn at(&self, steps: u64) -> Row {
        let (numbers, log) = (&self.numbers, math::ln(steps.max(1) as f64));
        let lower = |bound: &LowerBound| bound.constant.map(|constant| constant * log);
        let trivial = numbers.r_max * steps as f64;
        Row {
            steps,
            lower: lower(&self.lower_bound),
            lower_known_rewards: lower(&self.lower_bound_known_rewards),
            tucrl: bounds::tucrl_regret(numbers, steps, self.delta).total(),
            ucrl: bounds::ucrl_regimes(numbers, steps).total(),
            ucrl2: bounds::ucrl2_regret(numbers, steps, self.delta).min(trivial),
        }
    }

    /// The lines that `tucrl bound` adds to its page.
    pub(super) fn section(&self) -> Result<String, Error> {
        let mut out = String::from("\nLower and upper bounds on regret\n");
        let heads = ["lower", "r known", "TUCRL", "UCRL", "UCRL2"];
        write!(out, "  {:>10}", "T")?;
        heads.iter().try_for_each(|head| write!(out, "{head:>13}"))?;
        out.push('\n');
        let lower = |bound: &LowerBound, value: Option<f64>| match (bound.certainty, value) {
            (Certainty::Infinite, _) => "above ln T".into(),
            (_, Some(value)) => finite(value),
            (_, None) => "unknown".into(),
        };
        for row in &self.lower_and_upper {
            let cells = [
                lower(&self.lower_bound, row.lower),
                lower(&self.lower_bound_known_rewards, row.lower_known_rewards),
                four_digits(row.tucrl),
                four_digits(row.ucrl),
                four_digits(row.ucrl2),
            ];
            write!(out, "  {:>10}", four_digits(row.steps as f64))?;
            cells.iter().try_for_each(|cell| write!(out, "{cell:>13}"))?;
            out.push('\n');
        }
        let sure = number(1.0 - self.delta);
        let in_full = |name: &str, bound: &LowerBound| {
            format!("{name}: {}: {}.", growth(bound), bound.reason)
        };
        for paragraph in [
            in_full("Lower", &self.lower_bound),
            in_full("Lower, rewards known", &self.lower_bound_known_rewards),
            "A lower bound is a limit: regret over ln T is at least that for large T, on average, for \
             every learner whose regret is small in all worlds. It is no bound at a given T."
                .into(),
            format!(
                "Upper: not above r_max T; TUCRL and UCRL2 with probability {sure}, UCRL in expectation."
            ),
        ] {
            wrapped(&paragraph, 78).iter().try_for_each(|line| writeln!(out, "  {line}"))?;
        }
        Ok(out)
    }

    /// Writes the comparison as a figure, `.svg` or `.png`.
    pub(super) fn draw(&self, world: &str, to: &Path) -> anyhow::Result<()> {
        let figure = self.figure(world);
        let extension = to.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let content = match extension {
            "svg" => plot::svg(&figure)?.into_bytes(),
            "png" => plot::png(&figure)?,
            _ => bail!("{}: a figure is .svg or .png: choose one of them", to.display()),
        };
        fs::write(to, content).with_context(|| format!("{} could not be written", to.display()))
    }

    fn figure(&self, world: &str) -> CurvesFigure {
        let last = self.lower_and_upper.last().map_or(1000.0, |row| row.steps as f64).max(100.0);
        let points = 60;
        let times: Vec<f64> = (0..=points)
            .map(|i| {
                math::powf(10.0, 1.0 + (math::log10(last) - 1.0) * f64::from(i) / f64::from(points))
            })
            .collect();
        let curve =
            |name: &str, colour: usize, stroke: Stroke, value: &dyn Fn(f64) -> Option<f64>| {
                let points = times.iter().filter_map(|&t| Some((t, value(t)?))).collect();
                Curve::new(name, PALETTE[colour], stroke, points)
            };
        let upper = |of: fn(&Row) -> f64| move |t: f64| Some(of(&self.at(t.round() as u64)));
        let lower = |bound: &LowerBound| {
            let constant = bound.constant.filter(|constant| *constant > 0.0);
            move |t: f64| constant.map(|constant| constant * math::ln(t))
        };
        let mut curves = vec![
            curve("r_max T", 6, Stroke::Dashed, &|t| Some(self.numbers.r_max * t)),
            curve("UCRL2, upper", 3, Stroke::Line, &upper(|row| row.ucrl2)),
            curve("UCRL, upper", 1, Stroke::Line, &upper(|row| row.ucrl)),
            curve("TUCRL, upper", 0, Stroke::Line, &upper(|row| row.tucrl)),
            curve("lower, C ln T", 2, Stroke::Line, &lower(&self.lower_bound)),
            curve("lower, rewards known", 4, Stroke::Line, &lower(&self.lower_bound_known_rewards)),
        ];
        curves.retain(|curve| !curve.points.is_empty());
        let values = || curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1));
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(1.0, f64::max));
        CurvesFigure {
            title: format!("Bounds on the regret in {world}"),
            explanation: "The lower bound is a limit for large T, not a bound at a given T.".into(),
            x: Axis::log("steps T", 10.0, last, 10),
            y: Axis::log("regret", low.max(1e-3), high, 10),
            curves,
            marks: Vec::new(),
        }
    }
}
