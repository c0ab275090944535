//! Which runs does an experiment consist of?
//!
//! An experiment is worlds, agents, how many seeds, how many steps. Every agent in every
//! world with every run index is a cell, and a cell is named by a [`CellId`]: all that decides its
//! result, so that a stored record can be matched with the cell that it claims to be. Run r of one agent
//! faces the same random stream of the world as run r of another.
//!
//! `tucrl learn` and Python's `learn` are experiments too, made in memory ([`Experiment::new`]).
//! `docs/experiments.md` is the manual of the files.

mod choice;
mod error;
mod not_run;
mod prepare;
mod read;
mod schema;
mod sweep;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use tucrl::reward::RewardRange;
use tucrl::run::Checkpoints;
use tucrl::truth::SEARCH_LIMIT;

pub use choice::{Choice, ChoiceError, Numbers};
pub use error::{ExperimentError, ExperimentProblem};
pub use not_run::NotRun;
pub use prepare::{PreparedWorld, with_span};
pub use schema::schema;

use crate::catalogue::{Catalogue, NamedAgent, World};
use crate::formats::ReadOptions;
use crate::record::{Sweep, SweepPoint};
use crate::text::printable;

/// The longest run.
pub const LONGEST: u64 = 10_000_000_000;
/// Checkpoints per decade, unless the experiment says otherwise.
const PER_DECADE: u32 = 10;
/// The master seed, unless the experiment says otherwise; the same as that of `tucrl learn`.
const MASTER_SEED: u64 = 1;

/// An experiment, as written.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// What it is called.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// The worlds, in the order of the file.
    pub worlds: Vec<ExperimentWorld>,
    /// The agents, in the order of the file.
    pub agents: Vec<ExperimentAgent>,
    /// How many runs each agent makes in each world.
    pub seeds: u64,
    /// How many further runs agents with lists of values make, on which the best values are chosen.
    pub tune_seeds: u64,
    /// The seed that all runs draw from.
    pub master_seed: u64,
    /// When regret is written down.
    pub checkpoints: Checkpoints,
    /// Whether the loss after exploration times is measured.
    pub exploration: bool,
    /// The agents that are not run in some worlds.
    pub not_run: Vec<NotRun>,
    /// How model files are read.
    pub read_options: ReadOptions,
    /// How many reachable states of a world without a table are searched for.
    pub search_limit: usize,
    /// The file that it was read from.
    path: Option<PathBuf>,
    text: String,
}

/// An experiment in memory: one world, some agents.
#[derive(Debug, Clone)]
pub struct InMemory {
    /// The world.
    pub world: World,
    /// The agents.
    pub agents: Vec<NamedAgent>,
    /// How many steps each run takes.
    pub steps: u64,
    /// How many runs each agent makes.
    pub seeds: u64,
    /// The seed that all runs draw from.
    pub master_seed: u64,
    /// Checkpoints per decade.
    pub checkpoints: u32,
    /// Whether the loss after exploration times is measured.
    pub exploration: bool,
}

/// A world of an experiment.
#[derive(Debug, Clone)]
pub struct ExperimentWorld {
    /// The world.
    pub world: World,
    /// How many steps each run takes there.
    pub steps: u64,
    /// Of a model file, also inside another world, the hash of its content, and its rewards if the experiment gives
    /// them: another content or range is another world.
    pub model: Option<String>,
    /// The smallest and the largest possible reward of a model file; overrides the file.
    pub reward_range: Option<RewardRange>,
    /// Its values, if it comes from an entry with lists of values.
    pub sweep: Option<Arc<SweepPoint>>,
    /// The heading under which a league counts it.
    pub group: Option<String>,
    place: Place,
}

/// An agent of an experiment.
#[derive(Debug, Clone)]
pub struct ExperimentAgent {
    /// The agent.
    pub agent: NamedAgent,
    /// What it is called in tables and figures.
    pub label: String,
    /// Its values, if it comes from an entry with lists of values.
    pub sweep: Option<Arc<SweepPoint>>,
    /// The heading under which a league counts it.
    pub group: Option<String>,
    place: Place,
}

/// Where in the file something stands.
#[derive(Debug, Clone)]
struct Place {
    line: usize,
    key: String,
}

/// One cell: the indices of its world and agent, and its name.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Index of the world.
    pub world: usize,
    /// Index of the agent.
    pub agent: usize,
    /// Its name.
    pub id: CellId,
}

/// All that decides the result of a cell: its group and its run.
///
/// The runs of an agent in a world share one group: there may be a million of them, and a list of checkpoints may have
/// tens of thousands of entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellId {
    /// What it shares with the other runs of its agent in its world.
    #[serde(flatten)]
    pub group: Arc<Group>,
    /// Which run. The last field: [`CellId::stem`] appends it.
    pub run: u64,
}

/// What the runs of one agent in one world have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The experiment's name.
    pub experiment: String,
    /// The world, as its shortest spec, printable.
    pub world: String,
    /// Of a model file, the hash of its content, and its rewards if the experiment gives them.
    pub model: Option<String>,
    /// The agent, as its shortest spec.
    pub agent: String,
    /// What the agent is called.
    pub label: String,
    /// How many steps.
    pub steps: u64,
    /// When regret is written down.
    pub checkpoints: Checkpoints,
    /// The seed of the experiment.
    pub master_seed: u64,
    /// Whether the loss after exploration times is measured; absent if not, so that earlier cells keep their names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exploration: bool,
    #[serde(skip)]
    hashed: Hashed,
    #[serde(skip)]
    swept: Swept,
}

/// Where the group stands in sweeps. Derived from the experiment, so all are equal.
#[derive(Debug, Clone, Default)]
struct Swept {
    agent: Option<Arc<SweepPoint>>,
    world: Option<Arc<SweepPoint>>,
    /// The first run that serves only to choose values.
    tunes_from: u64,
}

impl PartialEq for Swept {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Swept {}

/// The hash of a group so far, which the hash of each of its cells continues. Derived, so all are equal.
#[derive(Debug, Clone, Default)]
struct Hashed(OnceLock<Box<blake3::Hasher>>);

impl PartialEq for Hashed {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Hashed {}

impl Deref for CellId {
    type Target = Group;

    fn deref(&self) -> &Group {
        &self.group
    }
}

impl Experiment {
    /// An experiment in memory.
    ///
    /// # Errors
    /// When there is no agent, or one is given twice.
    pub fn new(given: InMemory) -> Result<Self, ExperimentError> {
        let place = |key: &str| Place { line: 0, key: key.into() };
        let plain = |problem| ExperimentError::Plain { problem: Box::new(problem) };
        let mut agents: Vec<ExperimentAgent> = Vec::new();
        for agent in given.agents {
            let label = agent.label();
            if agents.iter().any(|earlier| earlier.label == label) {
                let (what, change) = (format!("the agent {label}"), "keep one of them");
                return Err(plain(ExperimentProblem::Twice { what, change }));
            }
            let place = place("agents");
            agents.push(ExperimentAgent { agent, label, sweep: None, group: None, place });
        }
        if agents.is_empty() {
            return Err(plain(ExperimentProblem::NoAgents));
        }
        let (world, steps) = (given.world, given.steps);
        Ok(Self {
            name: "learn".into(),
            description: None,
            worlds: vec![ExperimentWorld {
                world,
                steps,
                model: None,
                reward_range: None,
                sweep: None,
                group: None,
                place: place("worlds"),
            }],
            agents,
            seeds: given.seeds,
            tune_seeds: 0,
            master_seed: given.master_seed,
            checkpoints: Checkpoints::PerDecade(given.checkpoints),
            exploration: given.exploration,
            not_run: Vec::new(),
            read_options: ReadOptions::default(),
            search_limit: SEARCH_LIMIT,
            path: None,
            text: String::new(),
        })
    }

    /// Reads an experiment.
    ///
    /// # Errors
    /// When the file cannot be read, or says something that is not understood; with line and key.
    pub fn read(path: &Path, catalogue: &Catalogue) -> Result<Self, ExperimentError> {
        read::file(path, catalogue).map_err(|error| match error {
            ExperimentError::Key { path: file, line, key, problem } => {
                let problem = match *problem {
                    ExperimentProblem::Spec(error) if error.lacks_span_bound() => {
                        // With the former defaults it can be read, and its worlds are known.
                        let known = read::file(path, &catalogue.former()).ok();
                        let span = known.and_then(|experiment| experiment.largest_span());
                        ExperimentProblem::Spec(match span {
                            Some((world, span)) => error.with_span(&world, span),
                            None => error,
                        })
                    }
                    other => other,
                };
                ExperimentError::Key { path: file, line, key, problem: Box::new(problem) }
            }
            other => other,
        })
    }

    /// Reads the experiment of a stored result: what the defaults of earlier versions allowed is not refused.
    ///
    /// # Errors
    /// As [`Experiment::read`].
    pub(crate) fn read_stored(
        path: &Path,
        catalogue: &Catalogue,
        fits: impl Fn(&Self) -> bool,
    ) -> Result<Self, ExperimentError> {
        let now = read::file(path, catalogue);
        if now.as_ref().is_ok_and(&fits) {
            return now;
        }
        // Files are named by the shortest spec, which leaves out what is the default.
        match read::file(path, &catalogue.former()) {
            Ok(then) if now.is_err() || fits(&then) => Ok(then),
            _ => now,
        }
    }

    /// Reads an experiment that comes with the program; `path` is where its text can be found.
    ///
    /// # Errors
    /// As [`Experiment::read`].
    pub fn parse(
        path: &Path,
        text: String,
        catalogue: &Catalogue,
    ) -> Result<Self, ExperimentError> {
        read::text_of(path, text, catalogue)
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The beginning of the hash of its text.
    pub fn digest(&self) -> String {
        blake3::hash(self.text.as_bytes()).to_hex()[..16].to_owned()
    }

    /// The cells: by world, then by agent, then by run.
    pub fn cells(&self) -> Vec<Cell> {
        let groups = self.worlds.len() * self.agents.len();
        let mut cells = Vec::with_capacity(groups * self.seeds as usize);
        for (world, place) in self.worlds.iter().enumerate() {
            let mut times = self.checkpoints.times(place.steps);
            // Where growth over the last decade is measured from.
            times.push(place.steps / 10);
            let checkpoints = Checkpoints::at(times).times(place.steps);
            let checkpoints = Checkpoints::at(checkpoints);
            for (agent, named) in self.agents.iter().enumerate() {
                if self.why_not(world, agent).is_some() {
                    continue;
                }
                let group = Arc::new(Group {
                    experiment: self.name.clone(),
                    world: printable(&place.world.to_string()),
                    model: place.model.clone(),
                    agent: named.agent.to_string(),
                    label: named.label.clone(),
                    steps: place.steps,
                    checkpoints: checkpoints.clone(),
                    exploration: self.exploration,
                    master_seed: self.master_seed,
                    hashed: Hashed::default(),
                    swept: Swept {
                        agent: named.sweep.clone(),
                        world: place.sweep.clone(),
                        tunes_from: self.seeds,
                    },
                });
                let id = |run| CellId { group: Arc::clone(&group), run };
                let runs = self.seeds + if named.sweep.is_some() { self.tune_seeds } else { 0 };
                cells.extend((0..runs).map(|run| Cell { world, agent, id: id(run) }));
            }
        }
        cells
    }

    /// The first key in which another experiment means something else, with both meanings.
    pub fn difference(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let meanings = |of: &Self| {
            let worlds: Vec<String> = of.worlds.iter().map(ExperimentWorld::meaning).collect();
            let agents: Vec<String> = of.agents.iter().map(ExperimentAgent::meaning).collect();
            [
                ("name", of.name.clone()),
                ("seeds", of.seeds.to_string()),
                ("tune_seeds", of.tune_seeds.to_string()),
                ("master_seed", of.master_seed.to_string()),
                ("worlds", worlds.join(" ")),
                ("agents", agents.join(" ")),
                ("checkpoints", format!("{:?}", of.checkpoints)),
                (
                    "not_run",
                    of.not_run.iter().map(NotRun::to_string).collect::<Vec<_>>().join("; "),
                ),
            ]
        };
        let mut pairs = meanings(self).into_iter().zip(meanings(other));
        pairs.find(|(own, other)| own != other).map(|(own, other)| (own.0, own.1, other.1))
    }
}

impl ExperimentWorld {
    fn meaning(&self) -> String {
        let model = self.model.as_ref().map_or(String::new(), |model| format!(", content {model}"));
        format!("{} ({} steps{model})", self.world, self.steps)
    }
}

impl ExperimentAgent {
    fn meaning(&self) -> String {
        let spec = self.agent.to_string();
        if self.label == spec { spec } else { format!("{spec} ({})", self.label) }
    }
}

impl CellId {
    /// How a cell is shown, and what patterns are held against.
    pub fn title(&self) -> String {
        format!("{} {} #{}", self.world, self.label, self.run)
    }

    /// Whether a pattern occurs in the title; `*` stands for anything. After `=` stands the whole title, in which `*` is
    /// no more than itself.
    pub fn matches(&self, pattern: &str) -> bool {
        let title = self.title();
        if let Some(whole) = pattern.strip_prefix('=') {
            return title == whole;
        }
        let mut rest = title.as_str();
        pattern.split('*').all(|piece| match rest.split_once(piece) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        })
    }

    /// Where it stands in the sweeps of its experiment.
    pub fn sweep(&self) -> Option<Sweep> {
        let Swept { agent, world, tunes_from } = &self.swept;
        let point = |point: &Option<Arc<SweepPoint>>| point.as_deref().cloned();
        let is_tuning = agent.is_some() && self.run >= *tunes_from;
        (agent.is_some() || world.is_some()).then(|| Sweep {
            agent: point(agent),
            world: point(world),
            is_tuning,
        })
    }

    /// The beginning of its file names: readable, safe on any file system, and unique by a hash.
    pub fn stem(&self) -> String {
        // The hash of the cell as JSON, `{…,"run":7}`, of which all but the end is the same for the whole group.
        let group = self.hashed.0.get_or_init(|| {
            // Such a plain structure always becomes JSON.
            let full = serde_json::to_vec(self).unwrap_or_default();
            let end = self.run.to_string().len() + 1;
            let mut hash = blake3::Hasher::new();
            hash.update(&full[..full.len().saturating_sub(end)]);
            Box::new(hash)
        });
        let mut hash = group.as_ref().clone();
        hash.update(format!("{}}}", self.run).as_bytes());
        let hash = hash.finalize().to_hex();
        format!("{}_{}_r{:04}_{}", slug(&self.world), slug(&self.label), self.run, &hash[..12])
    }
}

/// Small letters, digits, points and single hyphens.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() || c == '.' {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(40);
    slug.trim_matches(['-', '.']).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(label: &str, run: u64) -> CellId {
        let group = Group {
            experiment: "first".into(),
            world: "three-state:delta=0.005".into(),
            model: None,
            agent: "tucrl".into(),
            label: label.into(),
            steps: 10,
            checkpoints: Checkpoints::at([1, 10]),
            exploration: false,
            master_seed: 1,
            hashed: Hashed::default(),
            swept: Swept::default(),
        };
        CellId { group: Arc::new(group), run }
    }

    #[test]
    fn more_runs_than_fit_into_memory_are_an_error() {
        let read = |seeds: u64| {
            let text = format!(
                "name = \"many\"\nsteps = 9\nseeds = {seeds}\ntune_seeds = 1\nworlds = [\"two-state\", \"three-state\"]\n\
                 agents = [\"random\", \"oracle\", \"psrl\", {{ spec = \"tucrl\", alpha = [1, 2] }}]\n"
            );
            Experiment::parse(Path::new("many.toml"), text, &Catalogue::default())
        };
        // Two worlds, five agents, and a run to tune each of the last two.
        assert_eq!(
            read(1_000_000).unwrap_err().to_string(),
            "many.toml:3: `seeds`: 10000004 runs are too many: keep at most 10000000, with fewer seeds, worlds or agents"
        );
        assert_eq!(read(999_999).unwrap().seeds, 999_999);
    }

    #[test]
    fn cells_of_a_group_share_what_they_have_in_common() {
        let text = "name = \"many\"\nsteps = 1e6\nseeds = 1e6\ncheckpoints = 10000\n\
                    worlds = [\"two-state\", \"three-state\"]\nagents = [\"tucrl\"]\n";
        let read = Experiment::parse(Path::new("many.toml"), text.into(), &Catalogue::default());
        let cells = read.unwrap().cells();
        assert_eq!(cells.len(), 2_000_000);
        assert!(size_of::<Cell>() <= 40, "{}", size_of::<Cell>());
        for half in cells.chunks(1_000_000) {
            let group = &half[0].id.group;
            assert!(half.iter().all(|cell| Arc::ptr_eq(&cell.id.group, group)));
            assert!(half.iter().map(|cell| cell.id.run).eq(0..1_000_000));
        }
        let (Checkpoints::At(first), Checkpoints::At(other)) =
            (&cells[0].id.checkpoints.clone(), &cells[0].id.checkpoints)
        else {
            panic!("a list");
        };
        assert!(first.len() > 20_000 && Arc::ptr_eq(first, other), "a clone shares the list");
    }

    #[test]
    fn the_hash_in_a_name_is_that_of_the_whole_cell() {
        let cells = [id("a", 0), id("a", 123_456), id("δ \"", 9)];
        for cell in cells.iter().chain([&CellId { run: 10, ..cells[0].clone() }]) {
            let flat = serde_json::json!({
                "experiment": "first", "world": "three-state:delta=0.005", "model": null,
                "agent": "tucrl", "label": cell.label, "steps": 10,
                "checkpoints": { "At": [1, 10] }, "master_seed": 1, "run": cell.run,
            });
            assert_eq!(serde_json::to_string(cell).unwrap(), flat.to_string());
            assert_eq!(serde_json::from_value::<CellId>(flat.clone()).unwrap(), *cell);
            let hash = blake3::hash(flat.to_string().as_bytes()).to_hex();
            assert!(cell.stem().ends_with(&format!("_{}", &hash[..12])), "{}", cell.stem());
        }
    }

    #[test]
    fn file_names_are_readable_safe_and_unique() {
        let stem = id("TUCRL, α = ½ / CON", 3).stem();
        assert!(stem.starts_with("three-state-delta-0.005_tucrl-con_r0003_"), "{stem}");
        let long = id(&"x:".repeat(300), 123_456).stem();
        assert!(long.len() < 120 && long.is_ascii(), "{long}");
        let stems = [id("A", 0), id("a", 0), id("a", 1), id("a ", 0)].map(|id| id.stem());
        for (index, stem) in stems.iter().enumerate() {
            assert!(!stems[..index].contains(stem));
        }
    }

    #[test]
    fn patterns_are_pieces_of_titles() {
        let cell = id("ucrl", 12);
        for pattern in ["", "ucrl", "three*ucrl", "three-state:delta=0.005 ucrl #12", "#1", "*#12*"]
        {
            assert!(cell.matches(pattern), "{pattern}");
        }
        for pattern in ["tucrl", "ucrl*three", "#3"] {
            assert!(!cell.matches(pattern), "{pattern}");
        }
    }
}
