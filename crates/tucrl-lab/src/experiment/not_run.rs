//! Which agents are not run in which worlds?
//!
//! `not_run = [{ agents = ["UCRL3"], worlds = ["garnet"], why = "cost" }]`: by label, that of a sweep for all its values, and by
//! spec. Such pairs are no cells of the experiment; a league lists them with the reason.

use std::fmt;

use toml::de::DeValue;

use super::read::{Reader, Value};
use super::{
    Experiment, ExperimentAgent, ExperimentError, ExperimentProblem as Problem, ExperimentWorld,
};
use crate::text::printable;

const KEYS: &[&str] = &["agents", "worlds", "why"];
const EXPECTED: &str =
    "a list such as [{ agents = [\"UCRL3\"], worlds = [\"garnet\"], why = \"cost\" }]";

/// Some agents that are not run in some worlds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRun {
    /// Indices of the agents.
    pub agents: Vec<usize>,
    /// Indices of the worlds.
    pub worlds: Vec<usize>,
    /// Why.
    pub why: String,
}

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "agents {:?} in worlds {:?}: {}", self.agents, self.worlds, self.why)
    }
}

impl Experiment {
    /// Why an agent is not run in a world, if it is not.
    pub fn why_not(&self, world: usize, agent: usize) -> Option<&str> {
        let meant = |one: &&NotRun| one.worlds.contains(&world) && one.agents.contains(&agent);
        self.not_run.iter().find(meant).map(|one| one.why.as_str())
    }
}

impl Reader<'_> {
    pub(super) fn not_run(
        &self,
        value: &Value<'_>,
        worlds: &[ExperimentWorld],
        agents: &[ExperimentAgent],
    ) -> Result<Vec<NotRun>, ExperimentError> {
        let mut all = Vec::new();
        for (index, item) in self.list(value, "not_run", EXPECTED)?.enumerate() {
            let key = format!("not_run[{index}]");
            let DeValue::Table(table) = item.get_ref() else {
                return Err(self.not(item, &key, EXPECTED));
            };
            self.only(table, KEYS, &[], &format!("{key}."))?;
            let part = |name: &str| table.get(name).ok_or_else(|| self.not(item, &key, EXPECTED));
            let texts = |name: &str| -> Result<Vec<(String, &Value<'_>)>, ExperimentError> {
                let key = format!("{key}.{name}");
                let list = self.list(part(name)?, &key, EXPECTED)?;
                list.map(|one| Ok((self.string(one, &key, EXPECTED, |_| true)?, one))).collect()
            };
            let nowhere = |what, name: String, value: &Value<'_>| {
                let place = self.place(value.span(), &format!("{key}.{what}s"));
                self.at(place, Problem::NotHere { what, name })
            };
            let (mut of_agents, mut of_worlds) = (Vec::new(), Vec::new());
            for (name, value) in texts("agents")? {
                let is_meant = |agent: &ExperimentAgent| {
                    let group = agent.sweep.as_ref().map(|point| point.group.as_str());
                    agent.label == name || group == Some(&name)
                };
                let found: Vec<usize> =
                    (0..agents.len()).filter(|&index| is_meant(&agents[index])).collect();
                if found.is_empty() {
                    return Err(nowhere("agent", name, value));
                }
                of_agents.extend(found);
            }
            for (name, value) in texts("worlds")? {
                let meant = self.catalogue.world(&name).map(|world| world.to_string());
                let is_meant =
                    |world: &ExperimentWorld| meant.as_ref() == Ok(&world.world.to_string());
                match worlds.iter().position(is_meant) {
                    Some(index) => of_worlds.push(index),
                    None => return Err(nowhere("world", name, value)),
                }
            }
            let is_text = |text: &str| !text.trim().is_empty() && text.len() <= 80;
            let why = self.string(part("why")?, &format!("{key}.why"), EXPECTED, is_text)?;
            all.push(NotRun { agents: of_agents, worlds: of_worlds, why: printable(&why) });
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::catalogue::Catalogue;
    use crate::experiment::Experiment;

    fn read(not_run: &str) -> Result<Experiment, String> {
        let text = format!(
            "name = \"a\"\nseeds = 2\nsteps = 1e3\nworlds = [\"taxi\", {{ spec = \"garnet\", s = [10, 100] }}]\n\
             agents = [\"random\", {{ spec = \"ucrl\", label = \"U\", alpha = [0.1, 1] }}]\n{not_run}"
        );
        let read = Experiment::parse(Path::new("a.toml"), text, &Catalogue::default());
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn pairs_that_are_not_run_are_no_cells() {
        let experiment = read(
            "not_run = [{ agents = [\"U\"], worlds = [\"garnet:s=100,a=4\"], why = \"cost\" }, \
             { agents = [\"random\"], worlds = [\"taxi\"], why = \"dull\" }]\n",
        );
        let experiment = experiment.unwrap();
        let pairs: Vec<(usize, usize)> =
            experiment.cells().iter().map(|cell| (cell.world, cell.agent)).collect();
        let mut kept = vec![(0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0)];
        kept = kept.into_iter().flat_map(|pair| [pair, pair]).collect();
        assert_eq!(pairs, kept);
        assert_eq!(experiment.why_not(2, 2), Some("cost"));
        assert_eq!(experiment.why_not(1, 2), None);
        // Another choice is another experiment.
        let (key, _, _) = experiment.difference(&read("").unwrap()).unwrap();
        assert_eq!(key, "not_run");
    }

    #[test]
    fn what_is_not_in_the_experiment_is_refused() {
        for (not_run, expected) in [
            (
                "not_run = [{ agents = [\"V\"], worlds = [\"taxi\"], why = \"a\" }]",
                "there is no agent \"V\"",
            ),
            (
                "not_run = [{ agents = [\"U\"], worlds = [\"chain\"], why = \"a\" }]",
                "there is no world \"chain\"",
            ),
            ("not_run = [{ agents = [\"U\"], worlds = [\"taxi\"] }]", "why = "),
            (
                "not_run = [{ agents = [\"U\"], world = [\"taxi\"], why = \"a\" }]",
                "did you mean `worlds`?",
            ),
            (
                "not_run = [{ agents = \"U\", worlds = [\"taxi\"], why = \"a\" }]",
                "write a list such as",
            ),
            ("not_run = []", "write a list such as"),
        ] {
            let said = read(not_run).unwrap_err();
            assert!(said.contains(expected), "{not_run}: {said}");
        }
    }
}
