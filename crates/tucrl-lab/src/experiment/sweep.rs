//! Which specs does an entry with lists of values stand for?
//!
//! `{ spec = "tucrl-plus", alpha = [0.01, 0.1] }` is two agents, `tucrl-plus:alpha=0.01` and `tucrl-plus:alpha=0.1`; several
//! lists make all combinations. A single value is an option like those in the spec. Worlds have lists too.

use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::read::{Reader, Value};
use super::{ExperimentAgent, ExperimentError, ExperimentProblem as Problem};
use crate::record::SweepPoint;

/// More combinations than this are a mistake rather than a plan.
const MOST_VARIANTS: usize = 1000;
const A_VALUE: &str = "a number, a text, true or false, or a list of them";

/// One of the specs.
#[derive(Debug, Clone)]
pub(super) struct Variant {
    pub(super) spec: String,
    /// The keys that have lists, with the values of this one.
    values: Vec<(String, String)>,
}

impl Variant {
    /// A label for this one.
    pub(super) fn named(&self, label: &str) -> String {
        let values = self.values.iter().map(|(key, value)| format!(", {key}={value}"));
        format!("{label}{}", values.collect::<String>())
    }

    /// A label for the best of all.
    pub(super) fn best(&self, spec: &str) -> String {
        let keys: Vec<&str> = self.values.iter().map(|(key, _)| key.as_str()).collect();
        format!("{spec}, best {}", keys.join(" and "))
    }

    /// Its place in the sweep; none if there is only one.
    pub(super) fn point(&self, group: &str, base: &str) -> Option<Arc<SweepPoint>> {
        let (group, base, values) = (group.to_owned(), base.to_owned(), self.values.clone());
        (!values.is_empty()).then(|| Arc::new(SweepPoint { group, base, values }))
    }
}

impl Reader<'_> {
    /// The keys of the options of the agent or world that a table names; of a name that does not exist every key, because
    /// the name is the mistake to report.
    pub(super) fn option_keys(&self, table: &DeTable<'_>, known: &[&str]) -> Vec<String> {
        let Some(DeValue::String(spec)) = table.get("spec").map(|spec| spec.get_ref()) else {
            return Vec::new();
        };
        let name = spec.split(':').next().unwrap_or_default().trim();
        let is_agent = known.contains(&"label");
        let options = match is_agent {
            true => {
                let named =
                    |about: &tucrl::About| about.name == name || about.aliases.contains(&name);
                let kind = self.catalogue.agents().iter().find(|kind| named(kind.about()));
                kind.map(|kind| kind.options())
            }
            false => {
                let kind = self.catalogue.worlds().iter().find(|kind| kind.about().name == name);
                kind.map(|kind| kind.options())
            }
        };
        match options {
            Some(options) => {
                let keys = options.list().iter();
                keys.flat_map(|option| std::iter::once(&option.key).chain(&option.aliases))
                    .map(ToString::to_string)
                    .collect()
            }
            None if is_agent => table.keys().map(|key| key.get_ref().to_string()).collect(),
            None => Vec::new(),
        }
    }

    /// The specs that an entry stands for.
    pub(super) fn variants(
        &self,
        spec: &str,
        table: Option<&DeTable<'_>>,
        key: &str,
        known: &[&str],
    ) -> Result<Vec<Variant>, ExperimentError> {
        let mut variants = vec![Variant { spec: spec.to_owned(), values: Vec::new() }];
        let Some(table) = table else { return Ok(variants) };
        let mut options: Vec<_> = table.iter().collect();
        options.retain(|(name, _)| !known.contains(&name.get_ref().as_ref()));
        options.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in options {
            let (name, place) = (name.get_ref().as_ref(), format!("{key}.{}", name.get_ref()));
            let values: Vec<String> = match value.get_ref() {
                DeValue::Array(list) if !list.is_empty() => {
                    list.iter().map(|item| self.scalar(item, &place)).collect::<Result<_, _>>()?
                }
                _ => vec![self.scalar(value, &place)?],
            };
            let is_list = matches!(value.get_ref(), DeValue::Array(_));
            let combinations = variants.len() * values.len();
            if combinations > MOST_VARIANTS {
                let problem =
                    Problem::TooManyVariants { variants: combinations, most: MOST_VARIANTS };
                return Err(self.at(self.place(value.span(), &place), problem));
            }
            let with = |variant: &Variant, value: &String| {
                let mut next = variant.clone();
                next.spec.push(if next.spec.contains(':') { ',' } else { ':' });
                let is_nested = value.contains([',', ':', '=']) && !value.starts_with('(');
                next.spec += &match is_nested {
                    true => format!("{name}=({value})"),
                    false => format!("{name}={value}"),
                };
                if is_list {
                    next.values.push((name.to_owned(), value.clone()));
                }
                next
            };
            variants = variants
                .iter()
                .flat_map(|variant| values.iter().map(move |value| with(variant, value)))
                .collect();
        }
        Ok(variants)
    }

    /// A value as it would stand in a spec.
    fn scalar(&self, value: &Value<'_>, key: &str) -> Result<String, ExperimentError> {
        match value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => Ok(text.to_string()),
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) => {
                Ok(self.text.get(value.span()).unwrap_or_default().to_owned())
            }
            _ => Err(self.not(value, key, A_VALUE)),
        }
    }

    /// The best of a sweep is shown under the name of the sweep, which must not be that of an agent.
    pub(super) fn check_groups(&self, agents: &[ExperimentAgent]) -> Result<(), ExperimentError> {
        for (index, agent) in agents.iter().enumerate() {
            let Some(point) = &agent.sweep else { continue };
            let is_other = |other: &ExperimentAgent| match &other.sweep {
                Some(theirs) => !Arc::ptr_eq(theirs, point) && other.label == point.group,
                None => other.label == point.group,
            };
            // Entries of one sweep have the same line and key.
            let is_again = |other: &ExperimentAgent| {
                let theirs = other.sweep.as_ref().map(|theirs| &theirs.group);
                theirs == Some(&point.group) && other.place.key != agent.place.key
            };
            if agents.iter().any(is_other) || agents[..index].iter().any(is_again) {
                let (what, change) =
                    (format!("the label {:?}", point.group), "give each sweep and agent its own");
                return Err(self.at(agent.place.clone(), Problem::Twice { what, change }));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::catalogue::Catalogue;
    use crate::experiment::Experiment;

    fn read(worlds: &str, agents: &str, more: &str) -> Result<Experiment, String> {
        let text = format!(
            "name = \"a\"\nseeds = 2\nsteps = 1e3\n{more}worlds = [{worlds}]\nagents = [{agents}]\n"
        );
        let read = Experiment::parse(Path::new("a.toml"), text, &Catalogue::default());
        read.map_err(|error| error.to_string())
    }

    fn agents(agents: &str) -> Vec<String> {
        let experiment = read("\"taxi\"", agents, "").unwrap();
        experiment.agents.iter().map(|agent| agent.agent.to_string()).collect()
    }

    #[test]
    fn lists_are_all_combinations_in_the_order_of_the_file() {
        assert_eq!(agents("{ spec = \"tucrl\", alpha = 0.5 }"), ["tucrl:alpha=0.5"]);
        assert_eq!(
            agents(
                "{ spec = \"tucrl:delta=0.2\", shrink = [\"log\", \"linear\"], alpha = [0.5, 1e-2] }"
            ),
            [
                "tucrl:delta=0.2,alpha=0.5,shrink=log",
                "tucrl:delta=0.2,alpha=0.01,shrink=log",
                "tucrl:delta=0.2,alpha=0.5",
                "tucrl:delta=0.2,alpha=0.01",
            ]
        );
        let worlds = "{ spec = \"junk\", base = [\"three-state:delta=0\", \"taxi\"], factor = 10 }";
        let experiment = read(worlds, "\"tucrl\"", "").unwrap();
        let worlds: Vec<String> =
            experiment.worlds.iter().map(|world| world.world.to_string()).collect();
        // The first is the default.
        assert_eq!(worlds, ["junk:factor=10", "junk:base=taxi,factor=10"]);
    }

    #[test]
    fn labels_of_a_sweep_have_their_values() {
        let swept = "{ spec = \"tucrl\", label = \"T\", alpha = [0.5, 1] }";
        let experiment = read("\"taxi\"", swept, "tune_seeds = 3\n").unwrap();
        let labels: Vec<&str> =
            experiment.agents.iter().map(|agent| agent.label.as_str()).collect();
        assert_eq!(labels, ["T, alpha=0.5", "T, alpha=1"]);
        assert_eq!(experiment.agents[0].sweep.as_ref().unwrap().group, "T");
        let cells = experiment.cells();
        let tuning: Vec<bool> =
            cells.iter().map(|cell| cell.id.sweep().unwrap().is_tuning).collect();
        assert_eq!(tuning, [false, false, true, true, true, false, false, true, true, true]);
    }

    #[test]
    fn a_sweep_changes_no_name_of_a_cell() {
        let alone = read("\"taxi\"", "\"tucrl:alpha=0.5\", \"tucrl\"", "").unwrap();
        let swept = read("\"taxi\"", "{ spec = \"tucrl\", alpha = [0.5, 1] }", "").unwrap();
        let stems = |of: &Experiment| -> Vec<String> {
            of.cells().iter().map(|cell| cell.id.stem()).collect()
        };
        assert_eq!(stems(&alone), stems(&swept));
    }

    #[test]
    fn what_is_wrong_with_a_list_is_said() {
        let many: Vec<String> = (1..=40).map(|i| format!("{}", f64::from(i) / 100.0)).collect();
        let many = many.join(", ");
        for (agents, more, expected) in [
            ("{ spec = \"tucrl\", alpa = [1] }", "", "did you mean `alpha`?"),
            (
                "{ spec = \"tucrl\", alpha = [] }",
                "",
                "a number, a text, true or false, or a list of them",
            ),
            ("{ spec = \"tucrl\", alpha = [[1]] }", "", "or a list of them"),
            ("{ spec = \"tucrl\", alpha = [1, 1] }", "", "given twice"),
            ("{ spec = \"tucrl\", alpha = [-1] }", "", "alpha"),
            ("{ spec = \"tucl\", alpha = [1] }", "", "tucl"),
            ("\"tucrl\"", "tune_seeds = 2\n", "no agent has a list of values"),
            ("{ spec = \"tucrl\", alpha = [1, 2] }", "tune_seeds = 0\n", "between 1 and 1e6"),
            (
                &format!("{{ spec = \"tucrl\", alpha = [{many}], delta = [{many}] }}"),
                "",
                "1600 combinations of values are too many",
            ),
            (
                "{ spec = \"tucrl\", label = \"T\", alpha = [1, 0.5] }, { spec = \"ucrl\", label = \"T\" }",
                "",
                "the label \"T\" is given twice",
            ),
        ] {
            let said = read("\"taxi\"", agents, more).unwrap_err();
            assert!(said.contains(expected), "{agents}: {said}");
        }
    }
}
