//! How does regret depend on a parameter, and which values are best on separate seeds?
//!
//! An entry of an experiment with lists of values is a sweep. The regret of each of its agents is that at the end of the
//! runs. With `tune_seeds` the values with the smallest mean regret on those seeds are chosen, and only these are ranked,
//! by their runs on the other seeds: a smallest mean of several is too small on the seeds that chose it.

use super::bootstrap::Interval;
use super::kind::Regret;
use super::study::{Study, at};
use super::{half_width, mean};
use crate::record::{StoredRun, SweepPoint};

/// The agents of one sweep in one world.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepStudy<'a> {
    /// What they are called together.
    pub group: &'a str,
    /// The spec without the lists.
    pub base: &'a str,
    /// The regret that is shown and chosen by: that asked for, where the agents of the experiment have it.
    pub shown: Regret,
    /// The keys that have lists.
    pub parameters: Vec<&'a str>,
    /// The agents, in order of appearance.
    pub variants: Vec<VariantStudy<'a>>,
}

/// One agent of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantStudy<'a> {
    /// Its spec.
    pub agent: &'a str,
    /// The values, in the order of the parameters.
    pub values: Vec<&'a str>,
    /// Its regret on the seeds that choose; none without such runs.
    pub tuning: Option<Sample>,
    /// Its regret on the other seeds.
    pub evaluation: Option<Sample>,
    /// The same run by run, by number of the run.
    pub regrets: Vec<f64>,
    /// Whether it was chosen.
    pub is_best: bool,
}

/// The regret of some runs at their end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// How many complete runs.
    pub runs: usize,
    /// Their mean.
    pub mean: f64,
    /// Its 95 % interval by Student's t; none for a single run.
    pub student: Option<Interval>,
}

impl Sample {
    fn new(regrets: &[f64]) -> Option<Self> {
        let centre = (!regrets.is_empty()).then(|| mean(regrets))?;
        let student = half_width(regrets).map(|half| (centre - half, centre + half));
        Some(Self { runs: regrets.len(), mean: centre, student })
    }
}

/// The place of a run in a sweep over agents.
pub(super) fn point(run: &StoredRun) -> Option<&SweepPoint> {
    run.sweep.as_ref()?.agent.as_ref()
}

/// Whether a run serves only to choose values.
pub(super) fn is_tuning(run: &StoredRun) -> bool {
    run.sweep.as_ref().is_some_and(|sweep| sweep.is_tuning)
}

/// Run numbers with their regrets: of the runs that are judged, and of those that tune.
type Regrets = [Vec<(u64, f64)>; 2];

/// The sweeps among the runs of a world. Imported curves, which may lack the regret asked for, change nothing here.
pub(super) fn of_world<'a>(members: &[&'a StoredRun], asked: Regret) -> Vec<SweepStudy<'a>> {
    let mut own = members.iter().filter(|run| run.error.is_none() && run.imported.is_none());
    let has_all = own.all(|run| asked.of(&run.record).is_some());
    let shown = if has_all { asked } else { Regret::Realised };
    let mut found: Vec<(SweepStudy<'a>, Vec<Regrets>)> = Vec::new();
    for run in members {
        let Some(point) = point(run) else { continue };
        let place = found.iter().position(|(sweep, _)| sweep.group == point.group);
        let place = place.unwrap_or_else(|| {
            let parameters = point.values.iter().map(|(key, _)| key.as_str()).collect();
            let (group, base) = (point.group.as_str(), point.base.as_str());
            let variants = Vec::new();
            found.push((SweepStudy { group, base, shown, parameters, variants }, Vec::new()));
            found.len() - 1
        });
        let (sweep, regrets) = &mut found[place];
        let place = sweep.variants.iter().position(|variant| variant.agent == run.agent);
        let place = place.unwrap_or_else(|| {
            sweep.variants.push(VariantStudy {
                agent: &run.agent,
                values: point.values.iter().map(|(_, value)| value.as_str()).collect(),
                tuning: None,
                evaluation: None,
                regrets: Vec::new(),
                is_best: false,
            });
            regrets.push([Vec::new(), Vec::new()]);
            sweep.variants.len() - 1
        });
        if run.error.is_none() {
            let last = shown.of(&run.record).and_then(|curve| at(&curve, run.spec.steps));
            let numbered = last.map(|regret| (run.spec.run, regret));
            regrets[place][usize::from(is_tuning(run))].extend(numbered);
        }
    }
    let summed = |(mut sweep, mut regrets): (SweepStudy<'a>, Vec<Regrets>)| {
        for (variant, runs) in sweep.variants.iter_mut().zip(&mut regrets) {
            let [evaluation, tuning] = runs.each_mut().map(|runs| {
                runs.sort_by_key(|(run, _)| *run);
                runs.iter().map(|(_, regret)| *regret).collect::<Vec<f64>>()
            });
            (variant.evaluation, variant.tuning) = (Sample::new(&evaluation), Sample::new(&tuning));
            variant.regrets = evaluation;
        }
        // A variant with failed runs must not be chosen by those that did not fail.
        let most = sweep.variants.iter().filter_map(|variant| variant.tuning).map(|s| s.runs).max();
        let tuned = sweep.variants.iter_mut().filter(|one| one.tuning.map(|s| s.runs) == most);
        let mean = |variant: &VariantStudy<'_>| variant.tuning.map_or(f64::INFINITY, |s| s.mean);
        if let Some(best) =
            tuned.filter(|one| one.tuning.is_some()).min_by(|a, b| mean(a).total_cmp(&mean(b)))
        {
            best.is_best = true;
        }
        sweep
    };
    found.into_iter().map(summed).collect()
}

/// Worlds of one entry that differ in one parameter: by value, the index of the world.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldSweep<'a> {
    /// The spec without the lists.
    pub base: &'a str,
    /// The key with a list.
    pub parameter: &'a str,
    /// The values of the other keys with lists, as in a spec; empty if there are none.
    pub others: String,
    /// Values and indices of the worlds, by increasing value.
    pub worlds: Vec<(f64, usize)>,
}

impl<'a> WorldSweep<'a> {
    /// The sweeps over worlds whose values are numbers.
    pub fn all(study: &Study<'a>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for (index, world) in study.worlds.iter().enumerate() {
            let Some(point) = world.swept else { continue };
            for (place, (parameter, value)) in point.values.iter().enumerate() {
                let Some(value) = number(value) else { continue };
                let others = others(&point.values, place);
                let same = |sweep: &&mut Self| {
                    sweep.base == point.base
                        && sweep.parameter == parameter
                        && sweep.others == others
                };
                match found.iter_mut().find(same) {
                    Some(sweep) => sweep.worlds.push((value, index)),
                    None => found.push(Self {
                        base: &point.base,
                        parameter,
                        others,
                        worlds: vec![(value, index)],
                    }),
                }
            }
        }
        found.retain(|sweep| sweep.worlds.len() > 1);
        found.iter_mut().for_each(|sweep| sweep.worlds.sort_by(|a, b| a.0.total_cmp(&b.0)));
        found
    }
}

/// All values but one, as in a spec.
fn others(values: &[(String, String)], but: usize) -> String {
    let kept = values.iter().enumerate().filter(|(place, _)| *place != but);
    kept.map(|(_, (key, value))| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}

/// A value that is a number, also as a fraction.
pub fn number(text: &str) -> Option<f64> {
    let plain = |text: &str| text.replace('_', "").parse::<f64>().ok().filter(|x| x.is_finite());
    match text.split_once('/') {
        Some((above, below)) => Some(plain(above)? / plain(below)?).filter(|x| x.is_finite()),
        None => plain(text),
    }
}
