//! Does every error in an experiment file name the line, the key and the remedy?

use super::{Lab, complaint};

/// Together an experiment.
const GOOD: [&str; 5] = [
    "name = \"first\"",
    "steps = 1e4",
    "seeds = 2",
    "worlds = [\"three-state:delta=0\"]",
    "agents = [\"tucrl:alpha=0.05\", \"random\"]",
];

/// A line of the good experiment that is replaced, by what, and what is said then.
const MISTAKES: &[(usize, &str, &str)] = &[
    (0, "# no name", "5: `name`: the key is missing: add it, as in `name = \"first\"`"),
    (
        0,
        "name = 7",
        "1: `name`: 7 is not accepted: write letters, digits, hyphens, underscores and points, beginning with a letter or a digit, at most 64 of them: it becomes the name of a folder",
    ),
    (
        0,
        "name = \"../up\"",
        "1: `name`: \"../up\" is not accepted: write letters, digits, hyphens, underscores and points, beginning with a letter or a digit, at most 64 of them: it becomes the name of a folder",
    ),
    (0, "name = \"first", "1: this is not TOML: invalid basic string, expected `\"`"),
    (0, "name = \"first\"\nname = \"again\"", "2: this is not TOML: duplicate key"),
    (0, "name = \"a\"\nagent = 1", "2: `agent`: there is no such key: did you mean `agents`?"),
    (
        0,
        "name = \"a\"\nzzz = 1",
        "2: `zzz`: there is no such key: accepted are name, description, steps, seeds, tune_seeds, master_seed, checkpoints, exploration, worlds, agents, not_run",
    ),
    (
        0,
        "name = \"a\"\nreward_range = [0, 1]",
        "2: `reward_range`: there is no such key here: it belongs to a world, as in `worlds = [{ spec = \"taxi\", reward_range = [-10, 20] }]`",
    ),
    (1, "", "5: `steps`: the key is missing: add it, as in `steps = 1e6`"),
    (
        1,
        "steps = 0",
        "2: `steps`: 0 is not accepted: write an integer between 1 and 1e10, such as 1e6",
    ),
    (
        1,
        "steps = 1.5",
        "2: `steps`: 1.5 is not accepted: write an integer between 1 and 1e10, such as 1e6",
    ),
    (
        1,
        "steps = -3",
        "2: `steps`: -3 is not accepted: write an integer between 1 and 1e10, such as 1e6",
    ),
    (
        1,
        "steps = 1e11",
        "2: `steps`: 1e11 is not accepted: write an integer between 1 and 1e10, such as 1e6",
    ),
    (
        1,
        "steps = \"1e6\"",
        "2: `steps`: \"1e6\" is not accepted: write an integer between 1 and 1e10, such as 1e6",
    ),
    (2, "seed = 2", "3: `seed`: there is no such key: did you mean `seeds`?"),
    (2, "seeds = []", "3: `seeds`: [] is not accepted: write an integer between 1 and 1e6"),
    (
        2,
        "seeds = 2\nmaster_seed = -1",
        "4: `master_seed`: -1 is not accepted: write an integer of at least 0",
    ),
    (
        2,
        "seeds = 2\ncheckpoints = 0",
        "4: `checkpoints`: 0 is not accepted: write how many a decade, between 1 and 10000, or a list of increasing steps from 1 on",
    ),
    (
        2,
        "seeds = 2\ncheckpoints = [1, 10, 10]",
        "4: `checkpoints[2]`: 10 is not accepted: write how many a decade, between 1 and 10000, or a list of increasing steps from 1 on",
    ),
    (
        2,
        "seeds = 2\ncheckpoints = []",
        "4: `checkpoints`: [] is not accepted: write how many a decade, between 1 and 10000, or a list of increasing steps from 1 on",
    ),
    (
        2,
        "seeds = 2\ndescription = 3",
        "4: `description`: 3 is not accepted: write a text in quotes",
    ),
    (
        3,
        "worlds = []",
        "4: `worlds`: [] is not accepted: write a list of worlds, such as [\"taxi\", {spec = \"three-state\", steps = 1e7}]",
    ),
    (
        3,
        "worlds = \"taxi\"",
        "4: `worlds`: \"taxi\" is not accepted: write a list of worlds, such as [\"taxi\", {spec = \"three-state\", steps = 1e7}]",
    ),
    (
        3,
        "worlds = [\"three-stat\"]",
        "4: `worlds[0]`: there is no world `three-stat`: did you mean `three-state`?",
    ),
    (
        3,
        "worlds = [\"three-state:detla=0\"]",
        "4: `worlds[0]`: three-state has no key `detla`: did you mean `delta`?\n  three-state:detla=0\n              ^^^^^",
    ),
    (
        3,
        "worlds = [\"three-state:delta=7\"]",
        "4: `worlds[0]`: three-state: `delta` = 7 is out of range: it accepts a number in [0, 1)\n  three-state:delta=7\n                    ^",
    ),
    (
        3,
        "worlds = [3]",
        "4: `worlds[0]`: 3 is not accepted: write a list of worlds, such as [\"taxi\", {spec = \"three-state\", steps = 1e7}]",
    ),
    (
        3,
        "worlds = [{steps = 5}]",
        "4: `worlds[0].spec`: the key is missing: add it, as in `spec = \"…\"`",
    ),
    (
        3,
        "worlds = [{spec = \"taxi\", step = 5}]",
        "4: `worlds[0].step`: there is no such key: did you mean `steps`?",
    ),
    (
        3,
        "worlds = [{spec = \"taxi\", steps = 0}]",
        "4: `worlds[0].steps`: 0 is not accepted: write an integer between 1 and 1e10, such as 1e6",
    ),
    (
        3,
        "worlds = [\"taxi\", \"taxi:junk=true\"]",
        "4: `worlds[1]`: the world taxi is given twice: keep one of them; other steps make another experiment",
    ),
    (3, "worlds = [\"absent.json\"]", "4: `worlds[0]`: absent.json: no such file: check the name"),
    (4, "agents = [\"tucl\"]", "5: `agents[0]`: there is no agent `tucl`: did you mean `tucrl`?"),
    (
        4,
        "agents = [\n  \"tucrl\",\n  \"scal:c=five\",\n]",
        "7: `agents[1]`: `five` is not a number: `c` accepts a number of at least 0, or inf or world\n  scal:c=five\n         ^^^^",
    ),
    (
        4,
        "agents = [\"tucrl\", \"tucrl:delta=0.05\"]",
        "5: `agents[1]`: the agent tucrl is given twice: keep one of them",
    ),
    (
        4,
        "agents = [\"tucrl:alpha=-1\"]",
        "5: `agents[0]`: tucrl: `alpha` = -1 is out of range: it accepts a number of at least 0\n  tucrl:alpha=-1\n              ^^",
    ),
    (
        4,
        "agents = [{spec = \"tucrl\", label = \"A\"}, {spec = \"ucrl\", label = \"A\"}]",
        "5: `agents[1]`: the label \"A\" is given twice: give each agent its own",
    ),
    (
        4,
        "agents = [{spec = \"tucrl\", label = \" \"}]",
        "5: `agents[0].label`: \" \" is not accepted: write a short text of one line",
    ),
    (
        4,
        "agents = [{spec = \"tucrl\", lable = \"A\"}]",
        "5: `agents[0].lable`: there is no such key: did you mean `label`?",
    ),
    (
        4,
        "[[agents]]\nlabel = \"A\"",
        "5: `agents[0].spec`: the key is missing: add it, as in `spec = \"…\"`",
    ),
    (4, "", "5: `agents`: the key is missing: add it, as in `agents = [\"tucrl:alpha=0.05\"]`"),
];

#[test]
fn mistakes_are_named() {
    for (line, replacement, message) in MISTAKES {
        let mut lines = GOOD;
        lines[*line] = replacement;
        let lab = Lab::with(&(lines.join("\n") + "\n"));
        let output = lab.said("run exp.toml");
        assert_eq!(output.status.code(), Some(1), "{replacement}");
        assert_eq!(complaint(&output), format!("error: exp.toml:{message}\n"), "{replacement}");
        assert!(!lab.files("out/first", ".run").iter().any(|_| true), "{replacement}");
    }
    assert!(MISTAKES.len() >= 20);
}

#[test]
fn a_mistake_that_is_corrected_is_forgotten() {
    let lab = Lab::with(&GOOD.join("\n").replace("delta=0", "delta=7"));
    assert_eq!(lab.said("run exp.toml").status.code(), Some(1));
    std::fs::write(lab.path("exp.toml"), GOOD.join("\n")).unwrap();
    assert_eq!(
        lab.answer("run exp.toml"),
        "out/first: 4 of 4 runs done\nnext  tucrl report out/first\n"
    );
}

#[test]
fn files_that_are_no_experiment_are_named() {
    let lab = Lab::with("");
    let said = |command: &str| complaint(&lab.said(command));
    assert_eq!(said("run absent.toml"), "error: absent.toml: no such file: check the name\n");
    assert_eq!(said("run ."), "error: .: this is a folder: name a file\n");
    std::fs::write(lab.path("exp.toml"), b"name = \"a\"\n# \xff\n").unwrap();
    assert_eq!(
        said("run exp.toml"),
        "error: exp.toml:2: the file is not UTF-8 text here: save it as UTF-8\n"
    );
}
