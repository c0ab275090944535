//! What may an experiment's file say, as a JSON schema for editors?
//!
//! Names, keys and words of agents and worlds come from their options, so that an editor completes and checks specs
//! as the program does; ranges are checked when the file is read.

use serde_json::{Value, json};
use tucrl::options::{Described, OptionInfo};

use super::LONGEST;
use crate::catalogue::Catalogue;
use crate::names::shown;

/// The schema of experiment files with the agents and worlds of a catalogue.
pub fn schema(catalogue: &Catalogue) -> Value {
    let mut agents = Vec::new();
    let mut swept_agents = Vec::new();
    for kind in catalogue.agents() {
        let about = kind.about();
        let names = std::iter::once(about.name).chain(about.aliases.iter().copied()).collect();
        let own = spec(names, about.summary, about.example, kind.options());
        swept_agents.push((own.clone(), kind.options()));
        agents.push(own);
    }
    let mut worlds = Vec::new();
    let mut swept_worlds = Vec::new();
    for kind in catalogue.worlds() {
        let about = kind.about();
        let own = spec(vec![about.name], about.summary, about.example, kind.options());
        swept_worlds.push((own.clone(), kind.options()));
        worlds.push(own);
    }
    worlds.push(json!({
        "type": "string",
        "title": "a model file",
        "description": "A file in JSON or DRN.",
        "pattern": r"\.(json|drn|umb|tra|JSON|DRN|UMB|TRA)(\.gz|\.GZ)?$|^[^:]*[/\\]",
    }));
    let steps = json!({
        "description": "How many steps each run takes.",
        "type": "number", "minimum": 1, "maximum": LONGEST,
    });
    let group = json!({
        "description": "The heading under which a league counts it.",
        "type": "string", "maxLength": 80,
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tucrl experiment",
        "description": "Agents in worlds: `tucrl run FILE`.",
        "type": "object",
        "required": ["name", "seeds", "worlds", "agents"],
        "additionalProperties": false,
        "properties": {
            "name": {
                "description": "Becomes the name of the folder of the results.",
                "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
            },
            "description": { "description": "What it is about.", "type": "string" },
            "steps": steps,
            "seeds": {
                "description": "How many runs each agent makes in each world.",
                "type": "number", "minimum": 1, "maximum": 1_000_000,
            },
            "tune_seeds": {
                "description": "How many further runs choose the best values of agents with lists of values.",
                "type": "number", "minimum": 1, "maximum": 1_000_000,
            },
            "master_seed": {
                "description": "The seed that all runs draw from; 1 unless given.",
                "type": "number", "minimum": 0,
            },
            "checkpoints": {
                "description": "How many times per decade regret is written down, or at which steps.",
                "anyOf": [
                    { "type": "number", "minimum": 1, "maximum": 10_000 },
                    { "type": "array", "items": { "type": "number", "minimum": 1 }, "minItems": 1 },
                ],
            },
            "exploration": {
                "description": "Whether the loss after exploration times is measured; runs are slower.",
                "type": "boolean",
            },
            "not_run": {
                "description": "Agents that are not run in some worlds, and why.",
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["agents", "worlds", "why"],
                    "additionalProperties": false,
                    "properties": {
                        "agents": { "description": "Labels of agents or sweeps.", "type": "array", "items": { "type": "string" } },
                        "worlds": { "description": "Specs of worlds.", "type": "array", "items": { "type": "string" } },
                        "why": { "description": "Shown in league tables.", "type": "string", "maxLength": 80 },
                    },
                },
            },
            "worlds": list(&json!({ "$ref": "#/$defs/world" }), &swept_worlds, json!({
                "group": group,
                "steps": steps,
                "reward_range": {
                    "description": "The lowest and the highest reward of a model file; overrides the file.",
                    "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2,
                },
                "content": {
                    "description": "A hash of a world that a program made: another content is another world.",
                    "type": "string",
                },
            })),
            "agents": list(&json!({ "$ref": "#/$defs/agent" }), &swept_agents, json!({
                "group": group,
                "label": {
                    "description": "What the agent is called in tables and figures.",
                    "type": "string", "maxLength": 80,
                },
            })),
        },
        "$defs": {
            "agent": { "anyOf": agents },
            "world": { "anyOf": worlds },
        },
    })
}

/// A list of specs, or of tables with a spec and more keys: those of the list, and the options of the named kind, each
/// with a value or a list of values.
fn list(spec: &Value, kinds: &[(Value, &Described)], keys: Value) -> Value {
    let table = |spec: Value, keys: Value| {
        let mut keys = keys;
        keys["spec"] = spec;
        json!({
            "type": "object",
            "required": ["spec"],
            "additionalProperties": false,
            "properties": keys,
        })
    };
    let mut ways = vec![spec.clone(), table(spec.clone(), keys.clone())];
    for (own, options) in kinds {
        let mut with = keys.clone();
        for option in options.list() {
            let value = option_value(option);
            let either = json!({
                "description": option.help,
                "anyOf": [value, { "type": "array", "minItems": 1, "items": value }],
            });
            for key in std::iter::once(&option.key).chain(&option.aliases) {
                // A key of the list comes first.
                if with.get(key.as_str()).is_none() {
                    with[key.as_str()] = either.clone();
                }
            }
        }
        // The name alone may lack an option that the table has.
        let pattern = own["pattern"].as_str().unwrap_or_default();
        let name = pattern.find("(?::").map_or(pattern, |end| &pattern[..end]);
        let mut own = own.clone();
        own["pattern"] = json!(format!("{}(?::.*)?$", name.trim_end_matches('$')));
        ways.push(table(own, with));
    }
    json!({ "type": "array", "minItems": 1, "items": { "anyOf": ways } })
}

/// A value of an option outside a spec.
fn option_value(option: &OptionInfo) -> Value {
    let accepts = &option.accepts;
    if accepts.numbers || accepts.integers || accepts.specs {
        return json!({ "type": ["number", "string", "boolean"] });
    }
    if accepts.data {
        return json!({ "type": ["string", "array"] });
    }
    let words: Vec<Value> = accepts
        .all_words()
        .into_iter()
        .map(|word| match word {
            "true" => json!(true),
            "false" => json!(false),
            word => json!(word),
        })
        .collect();
    json!({ "enum": words })
}

/// The specs of some names with the same options.
fn spec(names: Vec<&str>, summary: &str, example: &str, options: &Described) -> Value {
    let mut description = format!("{summary}\n");
    let mut pairs = Vec::new();
    for option in options.list() {
        let OptionInfo { key, default, accepts, help, .. } = option;
        let default = match option.is_required {
            true => " (must be given)".into(),
            false => format!("={}", shown(default, accepts.specs)),
        };
        description += &format!("\n{key}{default}: {help} (accepts {accepts})");
        let keys: Vec<String> =
            std::iter::once(key).chain(&option.aliases).map(|key| escaped(key)).collect();
        pairs.push(format!(r"(?:{})\s*=\s*{}", keys.join("|"), value_pattern(option)));
    }
    let names: Vec<String> = names.into_iter().map(escaped).collect();
    let pattern = match pairs.join("|") {
        pairs if pairs.is_empty() => format!("^(?:{})$", names.join("|")),
        pairs => {
            // A name that needs an option does not stand alone.
            let is_required = options.list().iter().any(|option| option.is_required);
            let (names, end) = (names.join("|"), if is_required { "" } else { "?" });
            format!(r"^(?:{names})(?::\s*(?:{pairs})(?:\s*,\s*(?:{pairs}))*\s*){end}$")
        }
    };
    json!({
        "type": "string",
        "title": example.split(':').next(),
        "description": description,
        "pattern": pattern,
        "examples": [example],
    })
}

fn value_pattern(option: &OptionInfo) -> String {
    let accepts = &option.accepts;
    let words: Vec<String> = accepts.all_words().into_iter().map(escaped).collect();
    let mut ways = words;
    if accepts.numbers || accepts.integers {
        ways.push(r"-?[0-9.][0-9._eE+\-]*[kKMG]?(?:/[0-9.eE+\-]+)?".into());
    }
    if accepts.specs {
        ways.push(r"\(.*\)|[^,()]+".into());
    }
    if accepts.data {
        ways.push(r"[^,()]+".into());
    }
    format!("(?:{})", ways.join("|"))
}

/// A text as a pattern that matches it.
fn escaped(text: &str) -> String {
    let special = |c: char| !c.is_alphanumeric() && c != '_' && c != '-';
    text.chars().map(|c| if special(c) { format!("\\{c}") } else { c.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_valid(experiment: &str) -> bool {
        let value: Value = toml::from_str(experiment).unwrap();
        jsonschema::validator_for(&schema(&Catalogue::default())).unwrap().is_valid(&value)
    }

    fn with(agent: &str, world: &str) -> String {
        format!("name = \"a\"\nseeds = 2\nsteps = 1e3\nworlds = [{world}]\nagents = [{agent}]\n")
    }

    #[test]
    fn what_the_program_reads_is_valid_and_what_it_refuses_is_not() {
        let agents = [
            "\"tucrl\"",
            "\"tucrl:alpha=0.05,shrink=log\"",
            "\"scal:c=1/3\"",
            "{ spec = \"scal:c=inf\", label = \"SCAL\" }",
            "\"regal-c:c=5\"",
            "\"random\"",
            "{ spec = \"tucrl\", alpha = [0.01, 0.1], shrink = \"log\" }",
            "{ spec = \"scal\", c = [1, \"inf\"] }",
        ];
        for agent in agents {
            assert!(is_valid(&with(agent, "\"taxi\"")), "{agent}");
        }
        for agent in [
            "\"tucl\"",
            "\"tucrl:alfa=1\"",
            "\"tucrl:shrink=lin\"",
            "\"tucrl:set=kl\"",
            "\"scal\"",
            "\"random:alpha=1\"",
            "{ label = \"x\" }",
            "{ spec = \"tucrl\", alfa = [0.01] }",
            "{ spec = \"tucrl\", alpha = [] }",
            "{ spec = \"tucrl\", shrink = [\"lin\"] }",
            "7",
        ] {
            assert!(!is_valid(&with(agent, "\"taxi\"")), "{agent}");
        }
        for world in [
            "\"three-state:delta=0\"",
            "\"junk:base=(three-state:delta=0),factor=1e6\"",
            "\"junk:base=taxi,factor=1_000k\"",
            "\"models/a.drn\"",
            "{ spec = \"garnet:s=1e5\", steps = 1e7 }",
            "\"taxi:map=2018\"",
            "{ spec = \"river-swim\", length = [4, 6], steps = 100 }",
        ] {
            assert!(is_valid(&with("\"tucrl\"", world)), "{world}");
        }
        for world in [
            "\"three-state:eta=0\"",
            "\"taxi:map=v9\"",
            "{ spec = \"taxi\", step = 3 }",
            "\"three-state:eta=1/3\"",
        ] {
            assert!(!is_valid(&with("\"tucrl\"", world)), "{world}");
        }
        assert!(!is_valid("name = \"a\"\nseeds = 2\nworlds = []\nagents = [\"tucrl\"]\n"));
        assert!(!is_valid(&with("\"tucrl\"", "\"taxi\"").replace("seeds", "seed")));
    }

    #[test]
    fn every_experiment_and_every_example_in_the_repository_is_valid() {
        let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let mut files = 0;
        let folders = ["../experiments", "tucrl-paper/experiments"];
        let mut open = folders.map(|folder| std::path::Path::new(crates).join(folder)).to_vec();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.extension() {
                    _ if path.is_dir() => open.push(path),
                    Some(extension) if extension == "toml" => {
                        let text = std::fs::read_to_string(&path).unwrap();
                        assert!(is_valid(&text), "{}", path.display());
                        files += 1;
                    }
                    _ => {}
                }
            }
        }
        assert!(files > 30, "{files}");
        let catalogue = Catalogue::default();
        for kind in catalogue.agents() {
            assert!(
                is_valid(&with(&format!("{:?}", kind.about().example), "\"taxi\"")),
                "{kind:?}"
            );
        }
        for kind in catalogue.worlds() {
            let world = format!("{:?}", kind.about().example);
            assert!(is_valid(&with("\"tucrl\"", &world)), "{world}");
        }
    }
}
