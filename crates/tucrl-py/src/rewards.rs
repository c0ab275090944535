//! Which rewards does the caller say are possible?
//!
//! `reward_range=(a, b)` or `r_max=x`, which means (0, x); not both.

use pyo3::prelude::*;
use tucrl::reward::RewardRange;

use crate::errors::bad_input;

/// The range that the keywords give, if they give one.
pub(crate) fn range(
    r_max: Option<f64>,
    reward_range: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<RewardRange>> {
    match (r_max, reward_range) {
        (Some(_), Some(_)) => Err(bad_input(
            "r_max and reward_range both say which rewards are possible: keep one; r_max=x means (0, x)",
        )),
        (None, Some(range)) => read(range).map(Some),
        (Some(r_max), None) if !(r_max.is_finite() && r_max > 0.0) => Err(bad_input(format!(
            "r_max = {r_max} is not a positive finite number: it is the largest possible reward"
        ))),
        (Some(r_max), None) => Ok(Some(RewardRange::up_to(r_max))),
        (None, None) => Ok(None),
    }
}

/// A pair of numbers: a tuple, a list or an array.
fn read(range: &Bound<'_, PyAny>) -> PyResult<RewardRange> {
    let ends = range.extract::<(f64, f64)>().or_else(|_| {
        let ends: Vec<f64> = range.extract()?;
        <[f64; 2]>::try_from(ends).map(Into::into).map_err(|_| bad_input("not two numbers"))
    });
    let (low, high) = ends.map_err(|_| {
        bad_input("reward_range is not two numbers: give (lowest, highest), such as (-10, 20)")
    })?;
    RewardRange::new(low, high).map_err(|error| bad_input(format!("reward_range = {error}")))
}
