//! Is a scene the same run as the library's, however it is driven?

use serde_json::Value;

use super::*;

const AGENTS: [&str; 3] = ["tucrl:alpha=0.05", "ucrl:alpha=0.05", "psrl"];

fn scene(world: &str, agents: &[&str], steps: u64) -> Scene {
    let world = json!({ "spec": world });
    let ask = json!({ "world": world, "agents": agents, "seed": 7, "steps": steps });
    Scene::new(&ask.to_string()).unwrap()
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The record of a run made in one go.
fn unwatched(world: &str, agent: &str, steps: u64) -> Value {
    let model = World::parse(world).unwrap().open(&ReadOptions::default()).unwrap();
    let truth = Arc::new(Truth::of(&model).unwrap());
    let mut times = Checkpoints::PerDecade(PER_DECADE).times(steps);
    times.extend(Checkpoints::Even(EVEN).times(steps));
    let checkpoints = Checkpoints::at(times);
    let spec = RunSpec { steps, checkpoints, master_seed: 7, run: 0 };
    let algorithm = Arc::clone(Catalogue::default().agent(agent).unwrap().algorithm());
    let mut run = Run::new(spec, algorithm, &model, truth).unwrap();
    run.advance(steps).unwrap();
    serde_json::to_value(run.record()).unwrap()
}

#[test]
fn a_scene_driven_in_pieces_ends_with_the_record_of_one_run() {
    for world in ["three-state:delta=0", "river-swim", "frozen-lake"] {
        let mut scene = scene(world, &AGENTS, 20_000);
        scene.step(1.0).unwrap();
        scene.step(999.0).unwrap();
        assert!(scene.seek_episode(0, false, 1e6).unwrap());
        scene.step(12.0).unwrap();
        let saved = scene.save().unwrap();
        scene.step(500.0).unwrap();
        scene.restore(&saved).unwrap();
        scene.step(1e9).unwrap();
        for (index, agent) in AGENTS.iter().enumerate() {
            let record = read(&scene.record(index).unwrap());
            assert!(record == unwatched(world, agent, 20_000), "{agent} in {world}");
            let curve = read(&scene.curve(index).unwrap());
            let last = curve.as_array().unwrap().last().unwrap().clone();
            assert_eq!(last, record["gap_regret"].as_array().unwrap().last().unwrap().clone());
        }
    }
}

#[test]
fn a_model_gives_the_runs_of_the_world_that_it_was_written_from() {
    let mut named = scene("three-state:delta=0", &AGENTS, 5000);
    let model = read(&named.world())["model"].clone();
    let ask = json!({ "world": { "model": model }, "agents": AGENTS, "seed": 7, "steps": 5000 });
    let mut own = Scene::new(&ask.to_string()).unwrap();
    named.step(5000.0).unwrap();
    own.step(5000.0).unwrap();
    assert_eq!(named.snapshot(), own.snapshot());
}

#[test]
fn a_search_ends_after_the_first_step_of_an_episode_that_plans_on_unseen_states() {
    let mut scene =
        scene("three-state:delta=0", &["tucrl:alpha=0.05", "ucrl:alpha=0.05"], 1_000_000);
    scene.step(5000.0).unwrap();
    let before = read(&scene.snapshot());
    assert_eq!(before["agents"][0]["plan"]["plansUnseen"], false, "s1 is given up by now");
    assert!(scene.seek_episode(0, true, 1e6).unwrap());
    let now = read(&scene.snapshot());
    let agent = &now["agents"][0];
    assert_eq!(agent["plan"]["plansUnseen"], true);
    assert_eq!(agent["present"], now["taken"], "the episode has taken one step");
    assert_eq!(agent["taken"], now["agents"][1]["taken"], "the others go on to the same step");
    let episodes = read(&scene.episodes(0, 0).unwrap());
    let between = episodes.as_array().unwrap().iter().filter(|episode| {
        episode["start"].as_u64() > before["taken"].as_u64() && episode["planned_unseen"] == true
    });
    assert_eq!(between.count(), 1, "it is the next one");
}

#[test]
fn what_cannot_be_shown_is_refused_in_the_words_of_the_library() {
    let refused = |world: Value, agents: &[&str]| {
        let ask = json!({ "world": world, "agents": agents, "seed": 1, "steps": 10 });
        Scene::new(&ask.to_string()).unwrap_err()
    };
    let known = json!({ "spec": "three-state" });
    for (world, agents, part) in [
        (json!({ "spec": "three-stat" }), &["tucrl"][..], "three-state"),
        (json!({ "spec": "three-state:delta=2" }), &["tucrl"][..], "a number in [0, 1)"),
        (known.clone(), &["tukrl"][..], "tucrl"),
        (known.clone(), &["tucrl:alpha=-1"][..], "alpha"),
        (known, &["scal"][..], "c"),
        (json!({ "spec": "model.json" }), &["tucrl"][..], "button"),
        (json!({ "spec": "junk" }), &["tucrl"][..], "3000000 states"),
        (json!({ "model": "{}" }), &["tucrl"][..], "\"format\" is missing"),
        (json!({ "model": "" }), &["tucrl"][..], "empty"),
    ] {
        let message = refused(world, agents);
        assert!(message.contains(part), "{message}");
    }
    let mut random = scene("three-state", &["random"], 100);
    assert!(random.seek_episode(0, false, 10.0).unwrap_err().contains("no episodes"));
    assert!(random.explain(1, 0.0).unwrap_err().contains("no agent 1"));
    assert!(random.restore("{\"agents\":[],\"states\":[]}").unwrap_err().contains("other agents"));
}
