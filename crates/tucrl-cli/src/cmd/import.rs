//! `tucrl import`: how do curves of other programs come into the tables of an experiment?

use anyhow::bail;
use serde_json::json;
use tucrl_lab::Catalogue;
use tucrl_lab::store::{Import, Store, read_curves};
use tucrl_lab::text::{counted, printable};

use crate::cli::Import as Ask;

pub(super) fn run(ask: &Ask, catalogue: &Catalogue) -> anyhow::Result<String> {
    let (store, experiment) = Store::open(&ask.into, catalogue)?;
    let asked = catalogue.world(&ask.world)?.to_string();
    let place = experiment.worlds.iter().position(|world| world.world.to_string() == asked);
    let Some(place) = place else {
        let known: Vec<String> =
            experiment.worlds.iter().map(|world| world.world.to_string()).collect();
        bail!("{asked} is no world of {}: its worlds are {}", experiment.name, known.join(", "));
    };
    let label = printable(ask.label.trim());
    if label.is_empty() || label.len() > 80 {
        bail!("--label is empty or longer than 80 bytes: it stands in tables and figures");
    }
    let names = |agent: &tucrl_lab::experiment::ExperimentAgent| {
        let group = agent.sweep.as_ref().map(|sweep| sweep.group.clone());
        agent.label == label || group.is_some_and(|group| group == label)
    };
    if experiment.agents.iter().any(names) {
        bail!("{label:?} is an agent of the experiment: choose another --label");
    }
    let world = printable(&asked);
    if store.has_import(&label, &world) && !ask.overwrite {
        bail!("curves of {label:?} in {world} are there already: pass --overwrite to replace them");
    }
    let prepared = experiment.prepare(place, &())?;
    let import = Import {
        path: &ask.curves,
        experiment: &experiment.name,
        world: &world,
        steps: experiment.worlds[place].steps,
        facts: prepared.truth.facts(),
        label: &label,
        note: ask.note.as_deref(),
    };
    let runs = read_curves(&import)?;
    let path = store.write_import(&label, &world, &runs)?;
    if ask.json {
        return super::json(&json!({
            "label": label,
            "world": world,
            "runs": runs.len(),
            "file": path,
            "imported": runs.first().and_then(|run| run.imported.clone()),
        }));
    }
    let shown = ask.into.display();
    Ok(format!(
        "{label}: {} in {world} imported\nread  tucrl report {shown}\n",
        counted(runs.len(), "run")
    ))
}
