//! How large are spans under a uniform prior? (Appendix B, example 2.)
//!
//! In M_θ with θ uniform on (0, 1] the span of the optimal bias is 1/(2θ), so it exceeds C with probability 1/(2C) for
//! every C ≥ 1/2: no bound on the span is safe under this prior, and its mean is infinite. The drawn MDPs are solved by
//! `tucrl::solve`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tucrl::math;
use tucrl::rng::RandomStream;
use tucrl::solve;
use tucrl::worlds::Theta;

use super::judge::{Wanted, check};
use super::{Evidence, Finding, ReproduceError, Scale};
use tucrl_lab::plot::{Axis, Curve, CurvesFigure, PALETTE, Stroke};

const SEED: u64 = 2018;

#[derive(Serialize, Deserialize)]
struct Spans {
    seed: u64,
    /// Each θ with its solved span.
    drawn: Vec<(f64, f64)>,
}

pub(super) fn compute(scale: Scale) -> Result<Value, ReproduceError> {
    let count = scale.of((20_000, 100_000));
    let mut random = RandomStream::new(SEED);
    let mut drawn = Vec::with_capacity(count);
    for _ in 0..count {
        // In (0, 1], so that the span is finite.
        let theta = 1.0 - random.unit();
        let mdp = Theta::symmetric(theta).build()?;
        drawn.push((theta, solve::solve(&mdp)?.span()));
    }
    Ok(serde_json::json!(Spans { seed: SEED, drawn }))
}

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let read = Spans::deserialize(evidence.computed);
    let spans = read.map_err(|source| ReproduceError::Computed { what: "the spans", source })?;
    let mut sorted: Vec<f64> = spans.drawn.iter().map(|drawn| drawn.1).collect();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let error = spans.drawn.iter().map(|(theta, span)| (span * 2.0 * theta - 1.0).abs());
    let below = |c: f64| 1.0 - 1.0 / (2.0 * c);
    // Kolmogorov-Smirnov: the largest distance between the two distribution functions, on either side of a jump.
    let distance = sorted.iter().enumerate().map(|(i, &span)| {
        let (before, after) = (i as f64 / count, (i + 1) as f64 / count);
        (below(span) - before).abs().max((after - below(span)).abs())
    });
    // The 1 % point of the distance.
    let critical = 1.6276 / count.sqrt();
    let checks = vec![
        check(
            "largest relative error of a solved span against 1/(2θ)",
            error.fold(0.0, f64::max),
            None,
            Wanted::AtMost(1e-6),
        ),
        check(
            format!("largest distance between the shares and 1/(2C), {count} MDPs"),
            distance.fold(0.0, f64::max),
            None,
            Wanted::AtMost((critical * 1e4).round() / 1e4),
        ),
    ];
    let mut finding = Finding { checks, ..Finding::default() };
    finding.draw(
        "spans",
        "Spans of M_θ with θ uniform: P(span ≥ C) = 1/(2C).",
        &figure(&sorted),
    )?;
    Ok(finding)
}

/// The share of MDPs with a span of at least C, and its histogram, on logarithmic axes.
fn figure(sorted: &[f64]) -> CurvesFigure {
    let count = sorted.len() as f64;
    let last = sorted.last().copied().unwrap_or(1.0);
    let mut share: Vec<(f64, f64)> = Vec::new();
    for (i, &span) in sorted.iter().enumerate() {
        // More points than pixels are invisible.
        if share.last().is_none_or(|last| span > 1.01 * last.0) {
            share.push((span, (count - i as f64) / count));
        }
    }
    let formula = vec![(0.5, 1.0), (last, 0.5 / last)];
    // Four bins per decade; the formula gives each the share 1/(2 low) − 1/(2 high).
    let bins = (math::log10(last / 0.5) * 4.0).ceil() as i32;
    let edge = |i: i32| 0.5 * math::powf(10.0, f64::from(i) / 4.0);
    let held = |i: i32| {
        let inside = sorted.iter().filter(|&&span| span >= edge(i) && span < edge(i + 1)).count();
        inside as f64 / count
    };
    let mut bars: Vec<(f64, f64)> = (0..bins).map(|i| (edge(i), held(i))).collect();
    bars.extend(bars.last().map(|&(_, last)| (edge(bins), last)));
    let expected = |i: i32| {
        let middle = (edge(i) * edge(i + 1)).sqrt();
        (middle, 0.5 / edge(i) - 0.5 / edge(i + 1))
    };
    let expected = (0..bins).map(expected).collect();
    let curves = vec![
        Curve::new("1/(2C)", PALETTE[6], Stroke::Dashed, formula),
        Curve::new("span at least C", PALETTE[0], Stroke::Line, share),
        Curve::new("histogram", PALETTE[1], Stroke::Stairs, bars),
        Curve::new("its formula", PALETTE[1], Stroke::Dots, expected),
    ];
    CurvesFigure {
        title: "Span of M_θ with θ uniform on (0, 1]".into(),
        explanation: format!("{count} solved MDPs; histogram with four bins per decade"),
        x: Axis::log("C, span of the optimal bias (reward)", 0.5, last, 8),
        y: Axis::log("share of the MDPs", 0.5 / count, 1.3, 8),
        curves,
        marks: Vec::new(),
    }
}
