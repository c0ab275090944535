//! How are the values of flags read, and what does a wrong one answer?

use std::ops::RangeInclusive;

use tucrl::reward::RewardRange;
use tucrl_lab::experiment::LONGEST;
use tucrl_lab::names::integer;

pub(super) fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    let shard = parts.filter(|&(i, n): &(usize, usize)| (1..=n).contains(&i));
    shard.ok_or_else(|| "write i/n with i from 1 to n, such as 2/3".into())
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| (0.0..=1e9).contains(value));
    value.ok_or_else(|| "write a number of seconds, such as 20".into())
}

/// An integer as people type it (`1000`, `100_000`, `10k`, `1e6`) in a range.
fn whole<N: TryFrom<u64>>(
    text: &str,
    range: RangeInclusive<u64>,
    advice: &str,
) -> Result<N, String> {
    let number = integer(text).filter(|number| range.contains(number));
    number.and_then(|number| N::try_from(number).ok()).ok_or_else(|| advice.into())
}

pub(super) fn limit(text: &str) -> Result<usize, String> {
    whole(text, 1..=LONGEST, "write a number of states, such as 1e7 or 10M")
}

pub(super) fn steps(text: &str) -> Result<u64, String> {
    whole(text, 1..=LONGEST, "write a number of steps from 1 to 1e10, such as 1e6, 1M or 500k")
}

/// Bounds are not limited to the longest run.
pub(super) fn many_steps(text: &str) -> Result<u64, String> {
    whole(text, 1..=u64::MAX, "write a number of steps of at least 1, such as 1e6, 1M or 500k")
}

pub(super) fn seeds(text: &str) -> Result<u32, String> {
    whole(text, 1..=1_000_000, "write the number of runs per agent, from 1 to 1e6, such as 4")
}

pub(super) fn master_seed(text: &str) -> Result<u64, String> {
    whole(text, 0..=u64::MAX, "write an integer of at least 0, such as 1")
}

pub(super) fn checkpoints(text: &str) -> Result<u32, String> {
    whole(text, 1..=10_000, "write a number from 1 to 10000, such as 10")
}

pub(super) fn jobs(text: &str) -> Result<u16, String> {
    whole(text, 1..=u16::MAX.into(), "write a number of threads of at least 1, such as 4")
}

pub(super) fn reward_range(text: &str) -> Result<RewardRange, String> {
    let ends = text
        .split_once(',')
        .and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
    let (low, high) = ends.ok_or("write the lowest and the highest reward, such as -10,20")?;
    RewardRange::new(low, high).map_err(|error| error.to_string())
}

pub(super) fn probability(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|&value: &f64| value > 0.0 && value <= 1.0);
    value.ok_or_else(|| "write a number in (0, 1], such as 0.05".into())
}
