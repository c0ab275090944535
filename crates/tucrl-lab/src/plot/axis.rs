//! Where are the ticks of an axis?
//!
//! Linear axes have ticks at round numbers, written short (250k, 1.5M); logarithmic ones at powers of ten.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use tucrl::math;

use crate::text::{power, tick};

/// One axis of a panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The quantity with its unit.
    pub(super) name: &'static str,
    /// Lowest and highest value, in the scale of the axis.
    pub(super) range: (f64, f64),
    /// The ticks, in the scale of the axis.
    pub(super) ticks: Vec<f64>,
    /// True if the scale is the logarithm.
    pub(super) is_log: bool,
}

impl Axis {
    /// A linear axis that covers these values, with about `ticks` ticks.
    pub fn linear(name: &'static str, low: f64, high: f64, ticks: usize) -> Self {
        let high = if high > low { high } else { low + low.abs().max(1.0) };
        let step = round_step((high - low) / ticks as f64);
        let low = (low / step).floor() * step;
        let count = ((high - low) / step * (1.0 + 1e-9)).floor() as usize;
        let ticks = (0..=count).map(|i| low + i as f64 * step).collect();
        Self { name, range: (low, high), ticks, is_log: false }
    }

    /// A linear axis that ends where its values end.
    pub fn tight(name: &'static str, low: f64, high: f64, ticks: usize) -> Self {
        let mut axis = Self::linear(name, low, high, ticks);
        axis.range.0 = low;
        axis.ticks.retain(|&tick| tick >= low);
        axis
    }

    /// A logarithmic axis from `low` > 0, with at most `ticks` ticks.
    pub fn log(name: &'static str, low: f64, high: f64, ticks: usize) -> Self {
        let low = math::log10(low);
        let high = math::log10(high).max(low + 0.5);
        let (first, last) = (low.ceil() as i32, (high + 1e-9).floor() as i32);
        let every = ((last - first) as usize / ticks.max(1) + 1) as i32;
        let ticks = (first..=last).filter(|k| k % every == 0).map(f64::from).collect();
        Self { name, range: (low, high), ticks, is_log: true }
    }

    /// The position of a value in the scale of the axis; none if it has no logarithm.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let place = if self.is_log { math::log10(value) } else { value };
        place.is_finite().then(|| place.clamp(self.range.0, self.range.1))
    }

    /// The label of a tick.
    pub(super) fn label(&self, place: f64) -> String {
        if self.is_log { power(place.round() as i32) } else { tick(place) }
    }
}

/// The drawing library asks the axis for its ticks.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (place - self.range.0) / (self.range.1 - self.range.0);
        first + (share * f64::from(last - first)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, _hint: H) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.0..self.range.1
    }
}

impl ValueFormatter<f64> for Axis {
    fn format(place: &f64) -> String {
        tick(*place)
    }
}

/// The smallest of 1, 2 or 5 times a power of ten that is at least as large.
fn round_step(least: f64) -> f64 {
    let unit = math::powf(10.0, math::log10(least).floor());
    [1.0, 2.0, 5.0]
        .map(|factor| factor * unit)
        .into_iter()
        .find(|&step| step >= least)
        .unwrap_or(10.0 * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_labels_short() {
        let axis = Axis::linear("regret", 0.0, 1_234_567.0, 5);
        assert_eq!(axis.ticks, [0.0, 5e5, 1e6]);
        let labels: Vec<String> = axis.ticks.iter().map(|&tick| axis.label(tick)).collect();
        assert_eq!(labels, ["0", "500k", "1M"]);
        let axis = Axis::linear("gain", 0.1, 0.31, 4);
        let labels: Vec<String> = axis.ticks.iter().map(|&tick| axis.label(tick)).collect();
        assert_eq!(labels, ["0.1", "0.2", "0.3"]);
        assert_eq!(Axis::linear("flat", 2.0, 2.0, 4).range, (2.0, 4.0));
        assert_eq!([tick(-20_000.0), tick(9500.0), tick(2.5e9)], ["−20k", "9500", "2.5G"]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let axis = Axis::log("steps", 1.0, 1e6, 8);
        let labels: Vec<String> = axis.ticks.iter().map(|&tick| axis.label(tick)).collect();
        assert_eq!(labels, ["1", "10", "10²", "10³", "10⁴", "10⁵", "10⁶"]);
        assert_eq!(Axis::log("steps", 1.0, 1e10, 5).ticks, [0.0, 3.0, 6.0, 9.0]);
        assert_eq!((power(-2), power(12)), ("0.01".into(), "10¹²".into()));
        assert_eq!((axis.place(0.0), axis.place(100.0)), (None, Some(2.0)));
    }
}
