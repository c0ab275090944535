//! Are agents and worlds that a program adds found by their names, in every verb?
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::unwrap_used)]

use std::fs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tempfile::TempDir;
use tucrl::{
    ActionId, AgentKind, Learner, Mdp, Model, PlanError, StateId, WorldKind, own_agent, own_world,
};
use tucrl_lab::{Catalogue, Store};

/// Plays the actions in turn.
struct InTurn(u32, u32);

impl Learner for InTurn {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        Ok(self.0 % self.1)
    }
    fn observe(&mut self, _: f64, _: StateId) {
        self.0 += 1;
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct First {
    /// the first action
    first: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Coin {
    /// the probability of changing sides
    #[schemars(extend("minimum" = 0.0, "maximum" = 1.0))]
    flip: f64,
}

impl Default for Coin {
    fn default() -> Self {
        Self { flip: 0.5 }
    }
}

fn agent(name: &'static str) -> AgentKind {
    own_agent(name, "plays the actions in turn", |start, options: First| {
        Ok(InTurn(options.first, start.setting.space.max_actions()))
    })
}

/// Heads pays 1, and action 1 always turns the coin.
fn world(name: &'static str) -> WorldKind {
    own_world(name, "heads pays 1", |Coin { flip }| {
        let mut builder = Mdp::builder();
        builder.state().action(1.0, [(0, 1.0 - flip), (1, flip)]).action(1.0, [(1, 1.0)]);
        builder.state().action(0.0, [(1, 1.0 - flip), (0, flip)]).action(0.0, [(0, 1.0)]);
        builder.start_at(0);
        Ok(Model::from(builder.build()?))
    })
}

fn code(words: &str) -> u8 {
    let words = std::iter::once("tucrl").chain(words.split(' ')).map(Into::into);
    tucrl_cli::exit_code(words, [agent("in-turn")], [world("coin")])
}

#[test]
fn every_verb_knows_them_by_their_names() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    assert_eq!(code("agents in-turn"), 0);
    assert_eq!(code("worlds coin --json"), 0);
    assert_eq!(code("inspect coin:flip=0.25"), 0);
    for verb in ["completions zsh", "man learn", "learn coin --steps 9 --agent mine=in-turn"] {
        assert_eq!(code(verb), 0, "{verb}");
    }
    // Those of the library are there as well, and own and known ones go together.
    let learn = "learn coin:flip=0.25 --steps 100 --seeds 2 --agent in-turn:first=1 --agent tucrl";
    assert_eq!(code(&format!("{learn} --json")), 0);
    assert_eq!(code("learn junk:base=(coin:flip=0.25),factor=10 --steps 100 --agent in-turn"), 0);
    let mistakes = ["learn coin:flip=2", "learn coin --agent in-turn:last=1", "learn coins"];
    assert_eq!(mistakes.map(code), [1; 3]);

    let experiment = "name = \"own\"\nsteps = 100\nseeds = 2\nworlds = [\"coin:flip=0.25\", \"theta\"]\n\
                      agents = [\"in-turn:first=1\", \"random\"]\n";
    fs::write(path("own.toml"), experiment).unwrap();
    let run = format!("run {} --out {}", path("own.toml"), path("out"));
    assert_eq!((code(&run), code(&run), code(&format!("{run} --resume"))), (0, 1, 0));
    for verb in ["status", "report"] {
        assert_eq!(code(&format!("{verb} {}", path("out"))), 0, "{verb}");
    }
    let catalogue = Catalogue::with([agent("in-turn")], [world("coin")]).unwrap();
    let (store, experiment) = Store::open(&folder.path().join("out"), &catalogue).unwrap();
    let cells = experiment.cells();
    let (_, found) = store.run(&cells[0].id).unwrap().unwrap();
    assert_eq!((found.world.as_str(), found.agent.as_str()), ("coin:flip=0.25", "in-turn:first=1"));
    assert_eq!((&found.options, found.error), (&json!({ "first": 1 }), None));
    assert_eq!((found.record.steps, found.facts.states), (100, 2));
    // Without them the directory belongs to names that are not known.
    assert!(Store::open(&folder.path().join("out"), &Catalogue::default()).is_err());
}

#[test]
fn a_name_that_is_taken_is_an_error() {
    let taken = |agents: &[&'static str], worlds: &[&'static str]| {
        let agents: Vec<AgentKind> = agents.iter().map(|name| agent(name)).collect();
        let worlds: Vec<WorldKind> = worlds.iter().map(|name| world(name)).collect();
        let words = ["tucrl", "worlds"].map(Into::into);
        let code = tucrl_cli::exit_code(words, agents.clone(), worlds.clone());
        let error = Catalogue::with(agents, worlds).map(drop).map_err(|error| error.to_string());
        assert_eq!(code, u8::from(error.is_err()));
        error
    };
    let said = |what: &str, name: &str| {
        Err(format!("there are two {what}s called `{name}`: give yours another name"))
    };
    assert_eq!(taken(&["tucrl"], &[]), said("agent", "tucrl"));
    assert_eq!(taken(&["ucrl2b"], &[]), said("agent", "ucrl2b"), "an alias of ucrl");
    assert_eq!(taken(&["mine", "mine"], &[]), said("agent", "mine"));
    assert_eq!(taken(&[], &["taxi"]), said("world", "taxi"));
    assert_eq!(taken(&[], &["mine", "mine"]), said("world", "mine"));
    // An agent and a world may share a name.
    assert_eq!(taken(&["taxi", "mine"], &["tucrl", "mine"]), Ok(()));
}
