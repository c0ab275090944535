//! How does an archive become a model?
//!
//! The reward of a choice is that of its state plus its own, and, where branches have rewards, plus that of the branch,
//! which is then drawn together with the next state. Initial states start with the same probability each.

use std::collections::HashMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use tucrl::mdp::Mdp;
use tucrl::pulse::Pulse;
use tucrl::reward::RewardRange;

use super::super::foreign::{Labels, Laws, evenly, printed_sum, some_states, support};
use super::super::law::complaint;
use super::super::source::{Source, open_bytes};
use super::super::{FormatError, ReadOptions};
use super::archive::{Archive, Numbers, Offsets, Words};
use super::index::{Annotation, Index, Items, Parameters, ParametersVersion, System};
use super::{FORMAT_VERSION, INDEX, TOOL, VERSION};

/// Reads a model.
pub(in super::super) fn read(path: &Path, options: &ReadOptions) -> Result<Mdp, FormatError> {
    let mut limit = options.unpack_limit();
    let input = open_bytes(path, limit)?;
    if let Source::Plain(input) = &input {
        // What is not compressed may be as long as it is, and no longer: a sparse entry is.
        let metadata = input.get_ref().metadata();
        limit = limit.max(metadata.map_err(|error| FormatError::io(path, error))?.len());
    }
    let archive = Archive::read(input, path, limit)?;
    let index: Index = json(&archive, archive.bytes(INDEX)?)?;
    let parameters = parameters(&archive, &index)?;
    check_kind(&archive, &index)?;
    Reading::new(&archive, &index, options)?.model(parameters, options)
}

/// A part of the index.
fn json<T: DeserializeOwned>(archive: &Archive<'_>, text: &[u8]) -> Result<T, FormatError> {
    serde_json::from_slice(text).map_err(|error| {
        let place = format!("{INDEX}:{}:{}", error.line(), error.column());
        archive.wrong(&place, complaint(&error))
    })
}

/// What tucrl wrote beside the arrays; `None` in the file of another program.
fn parameters(archive: &Archive<'_>, index: &Index) -> Result<Option<Parameters>, FormatError> {
    if index.version != FORMAT_VERSION {
        return Err(archive.wrong(
            INDEX,
            format!(
                "version {} of UMB is not known: this program reads version {FORMAT_VERSION}, use a newer one",
                index.version
            ),
        ));
    }
    let (Some(TOOL), Some(given)) = (index.file.tool.as_deref(), &index.file.parameters) else {
        return Ok(None);
    };
    let wrong = |error: serde_json::Error| {
        archive.wrong(INDEX, format!("bad value of parameters: {}", complaint(&error)))
    };
    let found: ParametersVersion = serde_json::from_str(given.get()).map_err(wrong)?;
    if found.version != VERSION {
        return Err(archive.wrong(
            INDEX,
            format!(
                "version {} of tucrl's parameters is not known: this program reads version {VERSION}, use a newer one",
                found.version
            ),
        ));
    }
    serde_json::from_str(given.get()).map(Some).map_err(wrong)
}

/// Refuses what is not a finite MDP with known numbers.
fn check_kind(archive: &Archive<'_>, index: &Index) -> Result<(), FormatError> {
    let system = &index.system;
    let kind = match system {
        System { time, .. } if time != "discrete" => format!("{time}-time"),
        System { players, .. } if *players > 1 => format!("{players}-player"),
        System { observations, .. } if *observations > 0 => "partially observable".into(),
        _ => return Ok(()),
    };
    Err(unsupported(archive, &kind))
}

fn unsupported(archive: &Archive<'_>, kind: &str) -> FormatError {
    archive.wrong(
        INDEX,
        format!("{kind} models are not supported: give an MDP or a DTMC with fixed probabilities"),
    )
}

/// The arrays of a model, checked against the counts of the index.
struct Reading<'a> {
    archive: &'a Archive<'a>,
    system: &'a System,
    choices: Offsets<'a>,
    branches: Offsets<'a>,
    target: Words<'a>,
    probability: Numbers<'a>,
    rewards: Vec<(Items, Numbers<'a>)>,
    /// The strings of actions, and which of them a choice has; `None`: the first.
    actions: Option<(Vec<String>, Option<Words<'a>>)>,
}

/// An action that is being read.
#[derive(Default)]
struct Row {
    entries: Vec<(usize, f64)>,
    /// The reward of each entry, where branches have their own.
    rewards: Vec<f64>,
    /// The mean reward.
    mean: f64,
}

impl<'a> Reading<'a> {
    fn new(
        archive: &'a Archive<'a>,
        index: &'a Index,
        options: &ReadOptions,
    ) -> Result<Self, FormatError> {
        let system = &index.system;
        let Some(kind) = system.probability else {
            return Err(unsupported(archive, "non-probabilistic"));
        };
        let target = ("state", system.states);
        Ok(Self {
            archive,
            system,
            choices: archive.offsets("state-to-choices.bin", system.states, system.choices)?,
            branches: archive.offsets("choice-to-branches.bin", system.choices, system.branches)?,
            target: archive.words("branch-to-target.bin", (system.branches, 8), target)?,
            probability: archive.numbers("branch-to-probability.bin", kind, system.branches)?,
            rewards: rewards(archive, index, options)?,
            actions: actions(archive, system)?,
        })
    }

    fn model(&self, ours: Option<Parameters>, options: &ReadOptions) -> Result<Mdp, FormatError> {
        let start = self.start(ours.as_ref())?;
        let is_ours = ours.is_some();
        let Parameters { r_max, reward_range, state_names, rewards, joint_rewards, .. } =
            ours.unwrap_or_default();
        let stated = reward_range.or(r_max.map(RewardRange::up_to));
        let range = options.range().or(stated);
        let mut laws: HashMap<usize, Laws> = HashMap::new();
        laws.extend(rewards.into_iter().map(|(choice, law)| (choice, Laws::One(law.0))));
        laws.extend(joint_rewards.into_iter().map(|(choice, laws)| {
            (choice, Laws::Each(laws.into_iter().map(|law| law.0).collect()))
        }));
        let mut builder = Mdp::builder();
        let mut labels = Labels::default();
        let mut largest: f64 = 1.0;
        let mut row = Row::default();
        for state in 0..self.system.states as usize {
            if Pulse::is_stopped() {
                // The builder refuses what is incomplete.
                break;
            }
            builder.state();
            for (action, choice) in self.choices.of(state).enumerate() {
                self.fill(&mut row, state, choice, is_ours);
                let paid = if row.rewards.is_empty() {
                    std::slice::from_ref(&row.mean)
                } else {
                    &row.rewards
                };
                if let Some(&reward) = paid.iter().find(|&&reward| reward < 0.0 && range.is_none())
                {
                    let path = self.archive.path().into();
                    return Err(FormatError::NegativeReward {
                        path,
                        line: None,
                        state,
                        action,
                        reward,
                    });
                }
                largest = paid.iter().fold(largest, |largest, &reward| largest.max(reward));
                if let Some((names, of)) = &self.actions {
                    let name = of.as_ref().map_or(0, |of| of.at(choice));
                    labels.see(action, &names[name]);
                }
                if let Some(laws) = laws.remove(&choice) {
                    let added = laws.add(&mut builder, &row.entries, row.mean);
                    added
                        .map_err(|what| self.contradiction(&format!("choice {choice}: {what}")))?;
                } else if row.rewards.is_empty() {
                    builder.action(row.mean, row.entries.iter().copied());
                } else {
                    let outcomes = row.entries.iter().zip(&row.rewards);
                    builder
                        .joint_action(outcomes.map(|(entry, &reward)| (entry.0, entry.1, reward)));
                }
            }
        }
        if let Some(choice) = laws.keys().next().filter(|_| !Pulse::is_stopped()) {
            return Err(self.contradiction(&format!("there is no choice {choice}")));
        }
        let names = match &self.actions {
            Some((names, _)) if is_ours => Some(names.clone()),
            _ => labels.names(),
        };
        builder.start_law(start).state_names(state_names.unwrap_or_default());
        builder.action_names(names.unwrap_or_default());
        builder.reward_range(range.unwrap_or(RewardRange::up_to(largest)));
        let built = builder.build();
        built.map_err(|defect| FormatError::model(self.archive.path(), defect, |_| None))
    }

    /// Reads the branches of a choice.
    fn fill(&self, row: &mut Row, state: usize, choice: usize, is_ours: bool) {
        let branches = self.branches.of(choice);
        row.entries.clear();
        row.rewards.clear();
        let entries =
            branches.clone().map(|branch| (self.target.at(branch), self.probability.at(branch)));
        row.entries.extend(entries);
        if let Some(sum) = printed_sum(row.entries.iter().map(|entry| entry.1)).filter(|_| !is_ours)
        {
            row.entries.iter_mut().for_each(|entry| entry.1 /= sum);
        }
        let of = |items: Items, index: usize| -> f64 {
            let chosen = self.rewards.iter().filter(|reward| reward.0 == items);
            chosen.map(|reward| reward.1.at(index)).sum()
        };
        // Adding 0 turns -0 into 0.
        row.mean = of(Items::States, state) + of(Items::Choices, choice) + 0.0;
        if self.rewards.iter().any(|reward| reward.0 == Items::Branches) {
            let reward = row.mean;
            row.rewards.extend(branches.map(|branch| reward + of(Items::Branches, branch)));
            row.mean =
                row.entries.iter().zip(&row.rewards).map(|(entry, reward)| entry.1 * reward).sum();
        }
    }

    /// The initial law: that of our parameters, or the same probability for every initial state.
    fn start(&self, ours: Option<&Parameters>) -> Result<Vec<(usize, f64)>, FormatError> {
        const ENTRY: &str = "state-is-initial.bin";
        let initial = self.archive.set_bits(ENTRY, self.system.states)?;
        if initial.len() as u64 != self.system.initial || initial.is_empty() {
            let what = format!(
                "{} states are initial, and the index declares {}: correct one of them; at least one is needed",
                initial.len(),
                self.system.initial
            );
            return Err(self.archive.wrong(ENTRY, what));
        }
        let Some(start) = ours.and_then(|ours| ours.start.as_ref()) else {
            return Ok(evenly(&initial));
        };
        let support = support(&start.0);
        if support != initial {
            let (starts, initial) = (some_states(&support), some_states(&initial));
            return Err(self.contradiction(&format!("start in {starts}, and initial: {initial}")));
        }
        Ok(start.0.clone())
    }

    /// Our parameters contradict the arrays.
    fn contradiction(&self, what: &str) -> FormatError {
        let what = format!(
            "the parameters of tucrl contradict the model: {what}: correct one of them, or delete the parameters"
        );
        self.archive.wrong(INDEX, what)
    }
}

/// The strings of actions, and which of them a choice has.
#[allow(clippy::type_complexity)]
fn actions<'a>(
    archive: &'a Archive<'_>,
    system: &System,
) -> Result<Option<(Vec<String>, Option<Words<'a>>)>, FormatError> {
    const FOLDER: &str = "actions/choices";
    if system.actions == 0 || !archive.has(&format!("{FOLDER}/string-mapping.bin")) {
        return Ok(None);
    }
    let names = archive.texts(FOLDER)?;
    if names.len() as u64 != system.actions {
        let what = format!(
            "{} texts where the index declares {} actions: correct one of them",
            names.len(),
            system.actions
        );
        return Err(archive.wrong(&format!("{FOLDER}/string-mapping.bin"), what));
    }
    let values = format!("{FOLDER}/values.bin");
    let of = match archive.has(&values) {
        true => Some(archive.words(&values, (system.choices, 4), ("action", system.actions))?),
        false => None,
    };
    Ok(Some((names, of)))
}

/// The arrays of the chosen rewards; none in a file without rewards.
fn rewards<'a>(
    archive: &'a Archive<'_>,
    index: &Index,
    options: &ReadOptions,
) -> Result<Vec<(Items, Numbers<'a>)>, FormatError> {
    let known = &index.annotations.rewards;
    let shown = |(name, annotation): (&String, &Annotation)| {
        annotation.alias.as_ref().unwrap_or(name).clone()
    };
    let names = || known.iter().map(shown).collect();
    let path = archive.path();
    let (name, annotation) = match &options.reward_model {
        Some(asked) => {
            let found = known.iter().find(|(name, annotation)| {
                *name == asked || annotation.alias.as_ref() == Some(asked)
            });
            found.ok_or_else(|| FormatError::NoSuchRewardModel {
                path: path.into(),
                asked: asked.clone(),
                names: names(),
            })?
        }
        None if known.len() > 1 => {
            return Err(FormatError::SeveralRewardModels {
                path: path.into(),
                line: None,
                names: names(),
            });
        }
        None => match known.iter().next() {
            Some(only) => only,
            None => return Ok(Vec::new()),
        },
    };
    if annotation.probability.is_some() {
        let what = format!("the rewards {name} are random: give their means");
        return Err(archive.wrong(INDEX, what));
    }
    let mut found: Vec<(Items, Numbers<'a>)> = Vec::new();
    for &items in &annotation.applies_to {
        let count = match items {
            Items::States => index.system.states,
            Items::Choices => index.system.choices,
            Items::Branches => index.system.branches,
        };
        let entry = format!("annotations/rewards/{name}/{}/values.bin", items.word());
        if found.iter().any(|earlier| earlier.0 == items) {
            let what = format!("the rewards {name} apply twice to {}: keep one", items.word());
            return Err(archive.wrong(INDEX, what));
        }
        found.push((items, archive.numbers(&entry, annotation.of, count)?));
    }
    Ok(found)
}
