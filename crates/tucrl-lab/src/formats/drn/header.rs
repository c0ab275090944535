//! What does the header of a DRN file say?
//!
//! Keys start with `@`. `@type:` and `@value_type:` carry their value on the same line, the others
//! on the next one, where no comment may stand. `@type`, `@nr_states` and `@model` are required.
//! Models with parameters, intervals or continuous time are refused here.

use std::collections::HashMap;
use std::io::BufRead;

use super::super::FormatError;
use super::super::lines::Lines;
use super::notes::Notes;

/// The keys whose value stands on the next line, or that have none.
const KEYS_ALONE: [&str; 6] =
    ["@parameters", "@placeholders", "@reward_models", "@nr_states", "@nr_choices", "@model"];

/// The lines before `@model`.
pub(super) struct Header {
    /// A DTMC: one action per state.
    pub(super) is_chain: bool,
    pub(super) reward_models: Vec<String>,
    pub(super) reward_models_line: usize,
    pub(super) states: usize,
    pub(super) states_line: usize,
    /// The number of choices and its line, when declared.
    pub(super) choices: Option<(usize, usize)>,
    pub(super) placeholders: HashMap<String, f64>,
    pub(super) notes: Notes,
}

/// Reads up to and including `@model`.
pub(super) fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<Header, FormatError> {
    let mut is_chain = None;
    let mut reward_models: Option<(usize, Vec<String>)> = None;
    let (mut states, mut choices) = (None, None);
    let mut placeholders = HashMap::new();
    let mut seen: Vec<String> = Vec::new();
    let mut notes = Notes::default();
    while lines.advance()? {
        let line = lines.text().trim();
        if line.is_empty() {
            continue;
        }
        if line.starts_with("//") {
            notes.take(lines)?;
            continue;
        }
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let (key, value) = (key.trim_end().to_string(), value.trim());
        if seen.contains(&key) {
            return Err(lines.syntax(format!("{key} comes twice: keep one")));
        }
        let is_alone = KEYS_ALONE.contains(&key.as_str());
        if is_alone && line.contains(':') {
            return Err(lines.syntax(format!(
                "{line:?} is not a header line of a DRN file: {key} stands alone on its line"
            )));
        }
        match key.as_str() {
            "@type" => {
                is_chain = match value {
                    "MDP" | "mdp" => Some(false),
                    "DTMC" | "dtmc" => Some(true),
                    _ => return Err(lines.unsupported(value)),
                }
            }
            "@value_type" => match value {
                "double" | "rational" => {}
                "double-interval" | "rational-interval" => {
                    return Err(lines.unsupported("interval"));
                }
                _ => return Err(lines.unsupported(value)),
            },
            "@parameters" => {
                if !following(lines, &key)?.trim().is_empty() {
                    return Err(lines.unsupported("parametric"));
                }
            }
            "@placeholders" => read_placeholders(lines, &mut placeholders)?,
            "@reward_models" => {
                let names = following(lines, &key)?.split_whitespace().map(Into::into).collect();
                reward_models = Some((lines.number(), names));
            }
            "@nr_states" | "@nr_choices" => {
                following(lines, &key)?;
                let what = if key == "@nr_states" { &mut states } else { &mut choices };
                *what = Some((lines.count(lines.text(), "a count")?, lines.number()));
            }
            "@model" => {
                let missing = |key| lines.syntax(format!("@model comes before {key}: add {key}"));
                let is_chain = is_chain.ok_or_else(|| missing("@type"))?;
                let (states, states_line) = states.ok_or_else(|| missing("@nr_states"))?;
                let (reward_models_line, reward_models) = reward_models.unwrap_or((1, vec![]));
                return Ok(Header {
                    is_chain,
                    reward_models,
                    reward_models_line,
                    states,
                    states_line,
                    choices,
                    placeholders,
                    notes,
                });
            }
            _ => {
                return Err(lines.syntax(format!(
                    "{line:?} is not a header line of a DRN file: expected @type:, @value_type:, \
                     @parameters, @placeholders, @reward_models, @nr_states, @nr_choices or @model"
                )));
            }
        }
        seen.push(key);
    }
    Err(lines.syntax("the file ends before @model: the states must follow after it"))
}

/// The line that belongs to a key.
fn following<'l, R: BufRead>(lines: &'l mut Lines<R>, key: &str) -> Result<&'l str, FormatError> {
    if !lines.advance()? {
        return Err(lines.syntax(format!("the file ends after {key}: its value is missing")));
    }
    Ok(lines.text())
}

fn read_placeholders<R: BufRead>(
    lines: &mut Lines<R>,
    placeholders: &mut HashMap<String, f64>,
) -> Result<(), FormatError> {
    while lines.advance()? {
        let line = lines.text().trim();
        if line.starts_with('@') {
            lines.hold();
            return Ok(());
        }
        let entry = line.split_once(':').and_then(|(name, value)| {
            Some((name.trim().strip_prefix('$')?.to_string(), value.trim()))
        });
        let Some((name, value)) = entry else {
            return Err(lines.syntax(format!("{line:?} is not a placeholder: write $name : value")));
        };
        let value = lines.value(value, placeholders)?;
        if placeholders.insert(name.clone(), value).is_some() {
            return Err(lines.syntax(format!("placeholder ${name} comes twice: keep one")));
        }
    }
    Ok(())
}
