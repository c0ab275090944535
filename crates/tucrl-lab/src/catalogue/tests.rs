mod agents;

use std::path::Path;

use tucrl::mdp::Mdp;
use tucrl::model::Model;

use super::*;
use crate::formats::ReadOptions;

fn built(text: &str) -> Arc<Mdp> {
    World::parse(text).unwrap().build(&ReadOptions::default()).unwrap()
}

fn opened(text: &str) -> Model {
    World::parse(text).unwrap().open(&ReadOptions::default()).unwrap()
}

/// The worlds that always have a table.
fn tables() -> impl Iterator<Item = &'static WorldKind> {
    worlds::kinds().iter().filter(|kind| kind.has_table())
}

#[test]
fn every_world_builds_with_its_defaults_and_has_the_listed_size() {
    for entry in Catalogue::default().worlds().iter().map(WorldKind::about) {
        let space = opened(entry.name).space();
        assert_eq!(
            (space.states(), space.max_actions() as usize),
            (entry.states, entry.actions),
            "{}",
            entry.name
        );
        opened(entry.example);
    }
}

#[test]
fn the_defaults_are_those_of_the_library() {
    let defaults = [
        worlds::ThreeState::default().build(),
        worlds::Taxi::default().build(),
        worlds::TwoState::default().build(),
        worlds::Theta::default().build(),
        worlds::MountainCar::default().build(),
        worlds::Breakout::default().build(),
        worlds::RiverSwim::default().build(),
        worlds::SixArms.build(),
        worlds::FourRooms::default().build(),
        worlds::FrozenLake::default().build(),
        worlds::CliffWalking::default().build(),
        worlds::Garnet::default().build(),
        worlds::Chain::default().build(),
        worlds::DeepSea::default().build(),
        worlds::Nasty::default().build(),
        worlds::AccessControl::default().build(),
        worlds::Inventory::default().build(),
        worlds::TwoRoom::default().build(),
        worlds::MinigridEmpty::default().build(),
        worlds::MinigridRooms::default().build(),
    ];
    let entries: Vec<_> = tables().map(WorldKind::about).collect();
    assert_eq!(entries.len(), defaults.len());
    for (entry, default) in entries.into_iter().zip(defaults) {
        assert_eq!(*built(entry.name), default.unwrap(), "{}", entry.name);
    }
}

#[test]
fn every_key_and_every_word_reaches_its_world() {
    let differ = [
        "three-state:delta=0.1",
        "three-state:rewards=bernoulli",
        "three-state:rewards=mean",
        "taxi:map=v3",
        "taxi:junk=false",
        "taxi:junk=self-loop",
        "two-state:eps=0.1",
        "two-state:loop=true",
        "theta:theta=0.2",
        "theta:theta_x=0.2",
        "theta:theta_y=0.2",
        "mountain-car:nx=21",
        "mountain-car:nv=23",
        "mountain-car:points=9",
        "mountain-car:frames=4",
        "breakout:w=2",
        "breakout:h=3",
        "breakout:q=0",
        "river-swim:n=7",
        "river-swim:ergodic=true",
        "four-rooms:slip=0",
        "frozen-lake:map=8x8",
        "frozen-lake:slippery=false",
        "cliff-walking:goal=-1",
        "garnet:s=99",
        "garnet:a=3",
        "garnet:b=4",
        "garnet:seed=1",
        "chain:n=6",
        "chain:slip=0",
        "deep-sea:n=9",
        "nasty:delta=0.01",
        "nasty:epsilon=0.1",
        "nasty:bernoulli=true",
        "access-control:servers=9",
        "access-control:free=0.1",
        "inventory:capacity=4",
        "two-room:rows=11",
        "two-room:columns=13",
        "two-room:slip=0",
        "minigrid-empty:size=5",
        "minigrid-empty:lazy=0.1",
        "minigrid-empty:random=0",
        "minigrid-rooms:rooms=3",
        "minigrid-rooms:size=4",
        "minigrid-rooms:lazy=0.1",
        "minigrid-rooms:random=0",
    ];
    for text in differ {
        let (name, _) = text.split_once(':').unwrap();
        assert_ne!(built(text), built(name), "{text}");
    }
    let keys = tables().flat_map(|kind| {
        kind.options().list().iter().map(|option| (kind.about().name, option.key.as_str()))
    });
    for (name, key) in keys.filter(|&(_, key)| key != "epsilon") {
        assert!(
            differ.iter().any(|text| text.starts_with(&format!("{name}:{key}="))),
            "{name} {key}"
        );
    }
}

#[test]
fn long_spellings_mean_the_same() {
    for (long, short) in [
        ("garnet:states=7,actions=2,branching=3", "garnet:s=7,a=2,b=3"),
        ("breakout:width=2,height=1,slip=0", "breakout:w=2,h=1,q=0"),
        (
            "mountain-car:positions=5,velocities=7,points_per_side=2",
            "mountain-car:nx=5,nv=7,points=2",
        ),
        ("chain:length=7", "chain:n=7"),
        ("river-swim:length=7", "river-swim:n=7"),
        ("deep-sea:size=7", "deep-sea:n=7"),
        ("two-state:eps=0.5,keep_loop_at_zero=true", "two-state:epsilon=0.5,loop=true"),
    ] {
        assert_eq!(World::parse(long).unwrap().to_string(), short);
    }
}

#[test]
fn what_a_text_names_is_decided_by_its_form() {
    assert!(matches!(World::parse("taxi.json"), Ok(World::File(_))));
    assert!(matches!(World::parse("a:b=c.DRN"), Ok(World::File(_))));
    assert!(matches!(World::parse("models/taxi"), Ok(World::File(_))));
    assert!(matches!(World::parse("four-rooms:slip=1/3"), Ok(World::Named { .. })));
    for text in ["junk:base=m.json", "junk:base=(m.json)", "junk:factor=1e6,base=m.json"] {
        let world = World::parse(text).unwrap();
        assert_eq!(world.to_string(), "junk:base=(m.json)", "{text}");
        assert_eq!(world.files(), [Path::new("m.json")]);
    }
    let nested = World::parse("junk:base=(junk:base=(dir/m.drn),kind=chain)").unwrap();
    assert_eq!(nested.files(), [Path::new("dir/m.drn")]);
    assert!(World::parse("junk").unwrap().files().is_empty());
    // The tests run in the folder of the crate: `src` exists and is no world.
    assert!(matches!(World::parse("src"), Ok(World::File(_))));
}

#[test]
fn a_base_is_shortened_and_may_be_anything() {
    let shown = |text: &str| World::parse(text).unwrap().to_string();
    assert_eq!(shown("junk:base=(three-state:delta=0)"), "junk", "the default");
    assert_eq!(shown("junk:base=(taxi:map=2018),factor=1e9"), "junk:base=taxi,factor=1000000000");
    let nested = "junk:base=(junk:base=(taxi:map=v3),factor=7),kind=chain";
    assert_eq!(shown(nested), nested);
    assert_eq!(opened(nested).space().states(), 500 * 7 * 1_000_000);
    let table = built("junk:base=river-swim,factor=1e12");
    let plain = built("river-swim");
    assert_eq!((table.states(), table.pairs()), (plain.states(), plain.pairs()));
    // A mistake inside is shown as one.
    let message = World::parse("junk:base=(taxi:mop=v3)").unwrap_err().to_string();
    assert!(message.starts_with("taxi has no key `mop`: did you mean `map`?"), "{message}");
    let world = World::parse("junk:factor=1e15,base=(junk:factor=1e15)").unwrap();
    let message = world.open(&ReadOptions::default()).unwrap_err().to_string();
    assert!(message.starts_with("junk: `factor` = 1000000000000000 is out of range"), "{message}");
}

#[test]
fn every_key_and_every_word_reaches_its_world_without_a_table() {
    use tucrl::generator::{Outcomes, list};
    // What a world does in its first and its last states, and how many it has.
    let behaviour = |text: &str| {
        let Model::Generated(generator) = opened(text) else { panic!("{text} has a table") };
        let states = generator.space().states();
        let mut all = Vec::new();
        let (first, last) = (states.min(60), states.saturating_sub(60));
        for state in (0..first).chain(last..states).chain(generator.start().iter().map(|s| s.0)) {
            for action in 0..generator.space().actions(state) {
                let mut outcomes = Outcomes::default();
                list(&*generator, state, action, &mut outcomes).unwrap();
                all.push(outcomes);
            }
        }
        (states, all)
    };
    let differ = [
        "breakout-game:rows=4",
        "breakout-game:columns=4",
        "breakout-game:width=1",
        "breakout-game:lives=2",
        "breakout-game:gap=3",
        "cart-pole:nx=7",
        "cart-pole:nv=7",
        "cart-pole:na=7",
        "cart-pole:nw=7",
        "cart-pole:points=3",
        "cart-pole:frames=3",
        "queues:queues=3",
        "queues:capacity=8",
        "queues:pool=8",
        "queues:arrival=0.2",
        "queues:service=0.5",
        "warehouse:rows=4",
        "warehouse:columns=3",
        "warehouse:robots=1",
        "warehouse:slip=0",
        "junk:base=taxi",
        "junk:factor=7",
        "junk:kind=transient",
        "junk:kind=chain",
    ];
    for text in differ {
        let (name, _) = text.split_once(':').unwrap();
        assert_ne!(behaviour(text), behaviour(name), "{text}");
    }
    for kind in worlds::kinds().iter().filter(|kind| !kind.has_table()) {
        for key in kind.options().list().iter().map(|option| &option.key) {
            let start = format!("{}:{key}=", kind.about().name);
            assert!(differ.iter().any(|text| text.starts_with(&start)), "{start}");
        }
    }
}

#[test]
fn a_large_mountain_car_has_no_table_and_is_no_other_world() {
    assert!(matches!(opened("mountain-car:nx=100,nv=99"), Model::Table(_)));
    assert!(matches!(opened("mountain-car:nx=1001,nv=1001"), Model::Generated(_)));
    let vast = opened("mountain-car:nx=1e4,nv=10001,points=2").space();
    assert_eq!(vast.states(), 100_010_000);
    let message = World::parse("mountain-car:nx=1e4,nv=1000").unwrap();
    let message = message.open(&ReadOptions::default()).unwrap_err().to_string();
    assert!(message.starts_with("mountain-car: `nv` = 1000 is out of range"), "{message}");
}

#[test]
fn worlds_stand_inside_each_other_up_to_a_depth() {
    let nested = |depth: usize, open: &str, close: &str| {
        format!("{}taxi{}", format!("junk:base={open}").repeat(depth - 1), close.repeat(depth - 1))
    };
    for (open, close) in [("(", ")"), ("", "")] {
        let deepest = World::parse(&nested(16, open, close)).unwrap().to_string();
        assert_eq!(World::parse(&deepest).unwrap().to_string(), deepest);
        // Before there was a limit, 1000 took ten seconds and 20 000 all memory.
        for depth in [17, 1000, 200_000] {
            let clock = std::time::Instant::now();
            let error = World::parse(&nested(depth, open, close)).unwrap_err();
            assert_eq!(
                error.to_string(),
                "worlds stand in worlds more than 16 deep: name a world with fewer worlds inside it"
            );
            assert!(clock.elapsed() < std::time::Duration::from_secs(5), "{depth}");
        }
    }
}
