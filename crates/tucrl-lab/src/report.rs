//! How is the report of an experiment written from its stored records?
//!
//! `report.md`, `report.html`, the tables `curves`, `means`, `summary`, `pairs` and `episodes` as CSV and Parquet, and the
//! figures as SVG and PNG, on request also for LaTeX. The same records give the same bytes; files appear whole or not at all. docs/reports.md describes the
//! columns and how intervals are computed.

pub mod csv;
pub mod html;
pub mod markdown;
pub mod parquet;
pub mod tables;
pub mod text;
pub mod words;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::explorable;
use crate::formats::new_file;
use crate::plot::{
    self, Curves, CurvesFigure, EpisodeFigure, ExplorationFigure, Figure, FigureError, PoorFigure,
    RegretFigure, RewardFigure,
};
use crate::record::Provenance;
use crate::stats::{Across, Study};
use crate::text::named;
use tucrl::truth::Baseline;

/// Captions and paths of the figures of one world.
pub type Figures = Vec<(String, String)>;

/// Why a report could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A file could not be written.
    #[error("{}: cannot be written: {source}", named(path))]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A figure could not be drawn.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// A table could not be written as Parquet.
    #[error("a table could not be written as Parquet: {0}")]
    Parquet(#[from] ::parquet::errors::ParquetError),
    /// The data of the page could not be written as JSON.
    #[error("the data of the page could not be written: {0}")]
    Json(#[from] serde_json::Error),
}

/// What a report has besides what the records say.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras<'a> {
    /// The text of the experiment file.
    pub experiment: Option<&'a str>,
    /// Whether curves are also drawn for LaTeX.
    pub has_tex: bool,
}

/// Writes all files into a directory, which is created if missing; returns the files, the page first.
///
/// # Errors
/// When a file cannot be written or a figure cannot be drawn.
pub fn write(
    study: &Study<'_>,
    provenance: &[Provenance],
    extras: Extras<'_>,
    folder: &Path,
) -> Result<Vec<PathBuf>, ReportError> {
    let mut writer = Writer { folder, has_tex: extras.has_tex, files: Vec::new() };
    writer.file("report.html", html::html(study, provenance, extras.experiment)?.as_bytes())?;
    if study.worlds.iter().any(|world| explorable::link(world).is_some()) {
        writer.file(explorable::FILE, explorable::page().as_bytes())?;
    }
    let figures = writer.figures(study)?;
    let profiles = match Across::new(study) {
        Some(across) => Some(writer.curves("profiles", &plot::profiles(&across))?),
        None => None,
    };
    let mut sweeps = Figures::new();
    for (index, figure) in text::world_sweeps(study).into_iter().enumerate() {
        let path = writer.curves(&format!("worlds-{}", index + 1), &figure)?;
        sweeps.push((figure.title, path));
    }
    let over_worlds = markdown::OverWorlds { profiles: profiles.as_deref(), sweeps: &sweeps };
    let text = markdown::markdown(study, provenance, &figures, over_worlds);
    writer.file("report.md", text.as_bytes())?;
    for table in tables::all(study) {
        writer.file(&format!("{}.csv", table.name), csv::csv(&table).as_bytes())?;
        writer.file(&format!("{}.parquet", table.name), &parquet::parquet(&table)?)?;
    }
    Ok(writer.files)
}

struct Writer<'a> {
    folder: &'a Path,
    has_tex: bool,
    files: Vec<PathBuf>,
}

impl Writer<'_> {
    fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), ReportError> {
        let path = self.folder.join(name);
        let parent = path.parent().unwrap_or(self.folder);
        let written = std::fs::create_dir_all(parent).and_then(|()| {
            let mut file = new_file().tempfile_in(parent)?;
            file.write_all(bytes)?;
            file.persist(&path).map(drop).map_err(|error| error.error)
        });
        written.map_err(|source| ReportError::Write { path: path.clone(), source })?;
        self.files.push(path);
        Ok(())
    }

    fn figure(&mut self, name: &str, figure: &impl Figure) -> Result<String, ReportError> {
        let path = format!("figures/{name}.svg");
        self.file(&path, plot::svg(figure)?.as_bytes())?;
        self.file(&format!("figures/{name}.png"), &plot::png(figure)?)?;
        Ok(path)
    }

    /// A figure of curves, on request also for LaTeX.
    fn curves(&mut self, name: &str, figure: &CurvesFigure) -> Result<String, ReportError> {
        if self.has_tex {
            self.file(&format!("figures/{name}.tex"), plot::tex(figure).as_bytes())?;
        }
        self.figure(name, figure)
    }

    fn figures(&mut self, study: &Study<'_>) -> Result<Vec<Figures>, ReportError> {
        let worlds = slugs(study.worlds.iter().map(|world| world.world));
        let labels = slugs(study.labels.iter().copied());
        let mut all = Vec::new();
        for (world, slug) in study.worlds.iter().zip(worlds) {
            let mut figures = Figures::new();
            if world.time.is_some() && world.facts.shows_rewards() {
                let path =
                    self.curves(&format!("reward-{slug}"), &RewardFigure { world }.curves())?;
                figures.push((format!("Reward per step in {}", world.world), path));
            }
            // Without a reference gain, regret is only the negated rewards.
            if world.time.is_some() && world.facts.baseline != Baseline::Nothing {
                for (is_log, suffix, scale) in
                    [(false, "", "linear axes"), (true, "-log", "logarithmic axes")]
                {
                    let figure = RegretFigure { world, is_log };
                    let path = self.curves(&format!("regret-{slug}{suffix}"), &figure.curves())?;
                    figures.push((format!("Regret in {}, {scale}", world.world), path));
                }
            }
            for parameter in plot::swept_parameters(world) {
                if let Some(figure) = plot::agent_sweep(world, parameter) {
                    let parts = slugs([parameter].into_iter()).concat();
                    let path = self.curves(&format!("sweep-{slug}-{parts}"), &figure)?;
                    figures.push((figure.title, path));
                }
            }
            let poor = PoorFigure { world };
            if !poor.is_empty() {
                let path = self.curves(&format!("z-{slug}"), &poor.curves())?;
                figures.push(("TUCRL's steps in poorly visited pairs".into(), path));
            }
            let exploration = ExplorationFigure { world };
            if !exploration.is_empty() {
                let path = self.curves(&format!("exploration-{slug}"), &exploration.curves())?;
                figures.push(("Regret of exploration".into(), path));
            }
            for agent in &world.agents {
                let run = agent.runs.iter().find(|run| !run.record.episodes.is_empty());
                let Some(run) = run else { continue };
                let figure = EpisodeFigure { run, colour: agent.colour };
                let path =
                    self.figure(&format!("episodes-{slug}-{}", labels[agent.colour]), &figure)?;
                figures.push((format!("Episodes of {}", agent.label), path));
            }
            all.push(figures);
        }
        Ok(all)
    }
}

/// Distinct names that are valid as file names.
fn slugs<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut slugs: Vec<String> = Vec::new();
    for name in names {
        let kept = |c: char| {
            if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' }
        };
        let words: String = name.chars().map(kept).collect();
        let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
        // A file name may have 255 bytes on most systems.
        let base: String = words.join("-").chars().take(80).collect();
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        let free = std::iter::once(base.clone()).chain(numbered).find(|slug| !slugs.contains(slug));
        slugs.extend(free);
    }
    slugs
}

#[cfg(test)]
mod tests {
    #[test]
    fn file_names_are_plain_and_different() {
        let names = ["three-state:delta=0", "three state, delta: 0", "../x", "three-state:delta=0"];
        let slugs = super::slugs(names.into_iter());
        assert_eq!(
            slugs,
            ["three-state-delta-0", "three-state-delta-0-2", "..-x", "three-state-delta-0-3"]
        );
    }
}
