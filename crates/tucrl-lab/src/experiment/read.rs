//! What does an experiment's file say?
//!
//! The keys are walked by hand instead of derived, so that every message has the line and the key,
//! numbers may be written as 1e6, and lists may hold specs or tables.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use tucrl::reward::RewardRange;
use tucrl::run::Checkpoints;
use tucrl::truth::SEARCH_LIMIT;

use super::{
    Experiment, ExperimentAgent, ExperimentError, ExperimentProblem as Problem, ExperimentWorld,
    LONGEST, MASTER_SEED, PER_DECADE, Place,
};
use crate::catalogue::Catalogue;
use crate::formats::disk::patiently;
use crate::formats::{self, FormatError, ReadOptions};
use crate::names::{integer, is_label, nearest};
use crate::text::{printable, quoted};

/// The largest file of an experiment, in bytes: a list of a million checkpoints has a tenth of it.
const LARGEST: u64 = 1 << 26;

/// The most runs of an experiment: the list of its cells then has 240 MB.
const MOST_RUNS: u64 = 10_000_000;

const KEYS: &[&str] = &[
    "name",
    "description",
    "steps",
    "seeds",
    "tune_seeds",
    "master_seed",
    "checkpoints",
    "exploration",
    "worlds",
    "agents",
    "not_run",
];
const WORLD_KEYS: &[&str] = &["spec", "group", "steps", "reward_range", "content"];
const AGENT_KEYS: &[&str] = &["spec", "label", "group"];

const A_NAME: &str = "letters, digits, hyphens, underscores and points, beginning with a letter or a \
                      digit, at most 64 of them: it becomes the name of a folder";
const STEPS: &str = "an integer between 1 and 1e10, such as 1e6";
const RANGE: &str = "the lowest and the highest reward, such as [-10, 20]";
const TIMES: &str =
    "how many a decade, between 1 and 10000, or a list of increasing steps from 1 on";

const A_LINE: &str = "a short text of one line";

pub(super) type Value<'a> = Spanned<DeValue<'a>>;

pub(super) struct Reader<'a> {
    path: &'a Path,
    pub(super) text: &'a str,
    pub(super) catalogue: &'a Catalogue,
}

pub(super) fn file(path: &Path, catalogue: &Catalogue) -> Result<Experiment, ExperimentError> {
    let failed = |source| FormatError::io(path, source);
    let read = || {
        let mut bytes = Vec::new();
        File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = patiently(read).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(FormatError::TooLarge { path: path.into(), most: LARGEST }.into());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
        FormatError::NotUtf8 { path: path.into(), line }
    })?;
    text_of(path, text, catalogue)
}

/// Reads a text that stands, or could stand, in a file.
pub(super) fn text_of(
    path: &Path,
    text: String,
    catalogue: &Catalogue,
) -> Result<Experiment, ExperimentError> {
    let reader = Reader { path, text: &text, catalogue };
    let table = DeTable::parse(&text).map_err(|error| ExperimentError::Syntax {
        path: path.into(),
        line: error.span().map_or(1, |span| reader.line(span.start)),
        what: error.message().lines().collect::<Vec<_>>().join(", "),
    })?;
    let mut experiment = reader.experiment(table.get_ref())?;
    experiment.text = text;
    Ok(experiment)
}

impl Reader<'_> {
    fn experiment(&self, table: &DeTable<'_>) -> Result<Experiment, ExperimentError> {
        self.only(table, KEYS, &[], "")?;
        let missing = |key: &str, example| {
            // It is missing everywhere; the end is where one would add it.
            let line = self.text.lines().count().max(1);
            self.at(Place { line, key: key.into() }, Problem::Missing { example })
        };
        let name = table.get("name").ok_or_else(|| missing("name", "name = \"first\""))?;
        let is_safe = |name: &str| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            name.chars().all(is_plain)
                && name.starts_with(|c: char| c.is_ascii_alphanumeric())
                && name.len() <= 64
        };
        let name = self.string(name, "name", A_NAME, is_safe)?;
        let description = table.get("description");
        let description = description
            .map(|text| self.string(text, "description", "a text in quotes", |_| true))
            .transpose()?;
        let given = table.get("seeds").ok_or_else(|| missing("seeds", "seeds = 20"))?;
        let seeds = self.integer(given, "seeds", "an integer between 1 and 1e6", 1..=1_000_000)?;
        let steps =
            table.get("steps").map(|steps| self.integer(steps, "steps", STEPS, 1..=LONGEST));
        let steps = steps.transpose()?;
        let master_seed = table.get("master_seed").map_or(Ok(MASTER_SEED), |seed| {
            self.integer(seed, "master_seed", "an integer of at least 0", 0..=u64::MAX)
        })?;
        let checkpoints = table
            .get("checkpoints")
            .map_or(Ok(Checkpoints::PerDecade(PER_DECADE)), |value| self.checkpoints(value))?;
        let exploration = table.get("exploration").map_or(Ok(false), |value| {
            let known = value.get_ref().as_bool();
            known.ok_or_else(|| self.not(value, "exploration", "true or false"))
        })?;
        let worlds = table
            .get("worlds")
            .ok_or_else(|| missing("worlds", "worlds = [\"three-state:delta=0\"]"))?;
        let worlds = self.worlds(worlds, steps, &missing)?;
        let agents = table
            .get("agents")
            .ok_or_else(|| missing("agents", "agents = [\"tucrl:alpha=0.05\"]"))?;
        let agents = self.agents(agents)?;
        let tune_seeds = table.get("tune_seeds").map_or(Ok(0), |value| {
            let expected = "an integer between 1 and 1e6";
            let seeds = self.integer(value, "tune_seeds", expected, 1..=1_000_000)?;
            match agents.iter().any(|agent| agent.sweep.is_some()) {
                true => Ok(seeds),
                false => {
                    let place = self.place(value.span(), "tune_seeds");
                    Err(self.at(place, Problem::NothingToTune))
                }
            }
        })?;
        let not_run = table
            .get("not_run")
            .map_or(Ok(Vec::new()), |value| self.not_run(value, &worlds, &agents))?;
        let of_agent = |agent: &ExperimentAgent| {
            u128::from(seeds + if agent.sweep.is_some() { tune_seeds } else { 0 })
        };
        let runs = agents.iter().map(of_agent).sum::<u128>() * worlds.len() as u128;
        if runs > MOST_RUNS.into() {
            let problem = Problem::TooManyRuns { runs, most: MOST_RUNS };
            return Err(self.at(self.place(given.span(), "seeds"), problem));
        }
        let path = Some(self.path.into());
        let text = String::new();
        Ok(Experiment {
            name,
            description,
            worlds,
            agents,
            seeds,
            tune_seeds,
            master_seed,
            checkpoints,
            exploration,
            not_run,
            read_options: ReadOptions::default(),
            search_limit: SEARCH_LIMIT,
            path,
            text,
        })
    }

    fn worlds(
        &self,
        value: &Value<'_>,
        steps: Option<u64>,
        missing: &dyn Fn(&str, &'static str) -> ExperimentError,
    ) -> Result<Vec<ExperimentWorld>, ExperimentError> {
        let mut worlds: Vec<ExperimentWorld> = Vec::new();
        let expected =
            "a list of worlds, such as [\"taxi\", {spec = \"three-state\", steps = 1e7}]";
        for (index, item) in self.list(value, "worlds", expected)?.enumerate() {
            let key = format!("worlds[{index}]");
            let (spec, table) = self.spec_or_table(item, &key, expected, WORLD_KEYS)?;
            let place = self.place(spec.span(), &key);
            let text = self.string(spec, &key, expected, |_| true)?;
            let own_steps = table.and_then(|table| table.get("steps"));
            let own_key = format!("{key}.steps");
            let steps = match (own_steps, steps) {
                (Some(own), _) => self.integer(own, &own_key, STEPS, 1..=LONGEST)?,
                (None, Some(steps)) => steps,
                (None, None) => return Err(missing("steps", "steps = 1e6")),
            };
            let range = table.and_then(|table| table.get("reward_range"));
            let range = range.map(|range| self.range(range, &format!("{key}.reward_range")));
            let reward_range = range.transpose()?;
            let group = self.group(table, &key)?;
            for variant in self.variants(&text, table, &key, WORLD_KEYS)? {
                let world = self
                    .catalogue
                    .world(&variant.spec)
                    .map_err(|error| self.at(place.clone(), error.into()))?;
                let place = place.clone();
                let mut contents = Vec::new();
                for path in world.files() {
                    let mut content = blake3::Hasher::new();
                    let read = File::open(formats::place(&path))
                        .and_then(|file| content.update_reader(file).map(drop));
                    read.map_err(|source| {
                        let error = FormatError::io(&path, source);
                        self.at(place.clone(), Problem::World(error.into()))
                    })?;
                    contents.push(content.finalize().to_hex()[..16].to_string());
                }
                contents.extend(reward_range.map(|range| format!("rewards in {range}")));
                if let Some(content) = table.and_then(|table| table.get("content")) {
                    let key = format!("{key}.content");
                    contents.push(self.string(content, &key, "a hash in quotes", |_| true)?);
                }
                let model = (!contents.is_empty()).then(|| contents.join("+"));
                if worlds.iter().any(|earlier| earlier.world.to_string() == world.to_string()) {
                    let what = format!("the world {}", quoted(&world.to_string()));
                    let change = "keep one of them; other steps make another experiment";
                    return Err(self.at(place, Problem::Twice { what, change }));
                }
                let sweep = variant.point(&text, &text);
                let group = group.clone();
                worlds.push(ExperimentWorld {
                    world,
                    steps,
                    model,
                    reward_range,
                    sweep,
                    group,
                    place,
                });
            }
        }
        Ok(worlds)
    }

    fn agents(&self, value: &Value<'_>) -> Result<Vec<ExperimentAgent>, ExperimentError> {
        let mut agents: Vec<ExperimentAgent> = Vec::new();
        let expected =
            "a list of agents, such as [\"tucrl\", {spec = \"scal:c=5\", label = \"SCAL\"}]";
        for (index, item) in self.list(value, "agents", expected)?.enumerate() {
            let key = format!("agents[{index}]");
            let (spec, table) = self.spec_or_table(item, &key, expected, AGENT_KEYS)?;
            let place = self.place(spec.span(), &key);
            let text = self.string(spec, &key, expected, |_| true)?;
            let label_key = format!("{key}.label");
            let given = table.and_then(|table| table.get("label"));
            let given = given
                .map(|label| self.string(label, &label_key, A_LINE, is_label))
                .transpose()?
                // A label stands in tables, figures and pages, where it must not turn its surroundings around.
                .map(|label| printable(&label));
            let group = self.group(table, &key)?;
            for variant in self.variants(&text, table, &key, AGENT_KEYS)? {
                let agent = self
                    .catalogue
                    .agent(&variant.spec)
                    .map_err(|error| self.at(place.clone(), error.into()))?;
                let place = place.clone();
                let label = match &given {
                    Some(given) => variant.named(given),
                    None => agent.to_string(),
                };
                if agents.iter().any(|earlier| earlier.agent.to_string() == agent.to_string()) {
                    let (what, change) = (format!("the agent {agent}"), "keep one of them");
                    return Err(self.at(place, Problem::Twice { what, change }));
                }
                if agents.iter().any(|earlier| earlier.label == label) {
                    let (what, change) =
                        (format!("the label {label:?}"), "give each agent its own");
                    return Err(self.at(place, Problem::Twice { what, change }));
                }
                let best = given.clone().unwrap_or_else(|| variant.best(&text));
                let (sweep, group) = (variant.point(&best, &text), group.clone());
                agents.push(ExperimentAgent { agent, label, sweep, group, place });
            }
        }
        self.check_groups(&agents)?;
        Ok(agents)
    }

    /// The heading under which a league counts a world or an agent.
    fn group(
        &self,
        table: Option<&DeTable<'_>>,
        key: &str,
    ) -> Result<Option<String>, ExperimentError> {
        let group = table.and_then(|table| table.get("group"));
        let read = |value| {
            self.string(value, &format!("{key}.group"), A_LINE, is_label)
                .map(|text| printable(&text))
        };
        group.map(read).transpose()
    }

    fn checkpoints(&self, value: &Value<'_>) -> Result<Checkpoints, ExperimentError> {
        let key = "checkpoints";
        let DeValue::Array(list) = value.get_ref() else {
            let count = self.integer(value, key, TIMES, 1..=10_000)?;
            return Ok(Checkpoints::PerDecade(count as u32));
        };
        let mut times: Vec<u64> = Vec::new();
        for (index, time) in list.iter().enumerate() {
            let least = times.last().map_or(1, |last| last + 1);
            times.push(self.integer(time, &format!("{key}[{index}]"), TIMES, least..=LONGEST)?);
        }
        if times.is_empty() {
            return Err(self.not(value, key, TIMES));
        }
        Ok(Checkpoints::at(times))
    }

    fn range(&self, value: &Value<'_>, key: &str) -> Result<RewardRange, ExperimentError> {
        let number = |value: &Value<'_>| match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        let ends: Option<Vec<f64>> = match value.get_ref() {
            DeValue::Array(list) => list.iter().map(number).collect(),
            _ => None,
        };
        let range = ends.and_then(|ends| match ends[..] {
            [low, high] => RewardRange::new(low, high).ok(),
            _ => None,
        });
        range.ok_or_else(|| self.not(value, key, RANGE))
    }

    /// A spec alone, or a table that has one.
    fn spec_or_table<'a, 'b>(
        &self,
        item: &'a Value<'b>,
        key: &str,
        expected: &'static str,
        known: &'static [&'static str],
    ) -> Result<(&'a Value<'b>, Option<&'a DeTable<'b>>), ExperimentError> {
        match item.get_ref() {
            DeValue::String(_) => Ok((item, None)),
            DeValue::Table(table) => {
                let options = self.option_keys(table, known);
                self.only(table, known, &options, &format!("{key}."))?;
                let spec = table.get("spec").ok_or_else(|| {
                    let place = self.place(item.span(), &format!("{key}.spec"));
                    self.at(place, Problem::Missing { example: "spec = \"…\"" })
                })?;
                Ok((spec, Some(table)))
            }
            _ => Err(self.not(item, key, expected)),
        }
    }

    /// The first key in the file that does not exist is an error.
    pub(super) fn only(
        &self,
        table: &DeTable<'_>,
        known: &'static [&'static str],
        options: &[String],
        before: &str,
    ) -> Result<(), ExperimentError> {
        let all = || known.iter().copied().chain(options.iter().map(String::as_str));
        let unknown =
            table.keys().filter(|key| !all().any(|known| known == key.get_ref().as_ref()));
        let Some(key) = unknown.min_by_key(|key| key.span().start) else { return Ok(()) };
        let nearest = nearest(key.get_ref(), all()).map(Into::into);
        let place = self.place(key.span(), &format!("{before}{}", quoted(key.get_ref())));
        if before.is_empty() && key.get_ref() == "reward_range" {
            return Err(self.at(place, Problem::OfOneWorld));
        }
        Err(self.at(place, Problem::Unknown { nearest, known }))
    }

    pub(super) fn list<'a, 'b>(
        &self,
        value: &'a Value<'b>,
        key: &str,
        expected: &'static str,
    ) -> Result<impl Iterator<Item = &'a Value<'b>>, ExperimentError> {
        match value.get_ref() {
            DeValue::Array(list) if !list.is_empty() => Ok(list.iter()),
            _ => Err(self.not(value, key, expected)),
        }
    }

    pub(super) fn string(
        &self,
        value: &Value<'_>,
        key: &str,
        expected: &'static str,
        is_accepted: impl FnOnce(&str) -> bool,
    ) -> Result<String, ExperimentError> {
        match value.get_ref() {
            DeValue::String(text) if is_accepted(text) => Ok(text.to_string()),
            _ => Err(self.not(value, key, expected)),
        }
    }

    fn integer(
        &self,
        value: &Value<'_>,
        key: &str,
        expected: &'static str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<u64, ExperimentError> {
        let read = match value.get_ref() {
            DeValue::Integer(number) if number.radix() != 10 => {
                u64::from_str_radix(number.as_str(), number.radix()).ok()
            }
            DeValue::Integer(number) => integer(number.as_str()),
            DeValue::Float(number) => integer(number.as_str()),
            _ => None,
        };
        read.filter(|read| range.contains(read)).ok_or_else(|| self.not(value, key, expected))
    }

    /// A value that is not what it should be, shown as written in the file.
    pub(super) fn not(
        &self,
        value: &Value<'_>,
        key: &str,
        expected: &'static str,
    ) -> ExperimentError {
        let written = self.text.get(value.span()).unwrap_or_default();
        let line = written.lines().next().unwrap_or_default();
        let mut found = quoted(line);
        if line.len() < written.trim_end().len() && !found.ends_with('…') {
            found.push('…');
        }
        let place = self.place(value.span(), key);
        self.at(place, Problem::Value { found, expected })
    }

    fn line(&self, byte: usize) -> usize {
        let before = self.text.as_bytes().get(..byte).unwrap_or(self.text.as_bytes());
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }

    pub(super) fn place(&self, span: Range<usize>, key: &str) -> Place {
        Place { line: self.line(span.start), key: key.into() }
    }

    pub(super) fn at(&self, place: Place, problem: Problem) -> ExperimentError {
        let (path, problem) = (self.path.into(), Box::new(problem));
        ExperimentError::Key { path, line: place.line, key: place.key, problem }
    }
}
