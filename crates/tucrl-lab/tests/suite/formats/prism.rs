//! PRISM's explicit files: what they mean, and what is said about bad ones.

use super::*;

/// The example with some of its files replaced, or removed by an empty text.
fn ferry(scratch: &Scratch, changes: &[(&str, &str)]) -> PathBuf {
    for extension in ["tra", "sta", "lab", "srew", "trew"] {
        let name = format!("ferry.{extension}");
        match changes.iter().find(|change| change.0 == extension) {
            Some((_, "")) => {}
            Some((_, text)) => drop(scratch.with(&name, text)),
            None => drop(fs::copy(data(&format!("prism/{name}")), scratch.path(&name)).unwrap()),
        }
    }
    scratch.path("ferry.tra")
}

/// The example, written out: rewards of a state and of its transitions add up.
fn expected() -> Mdp {
    let mut builder = Mdp::builder();
    builder.r_max(3.0);
    builder
        .state()
        .joint_action([(0, 0.125, 2.0), (1, 0.625, 2.5), (2, 0.25, 0.0)])
        .action(0.0, [(0, 1.0)]);
    builder.state().joint_action([(0, 0.75, 3.0), (1, 0.25, 1.0)]).action(1.0, [(1, 1.0)]);
    builder.state().action(0.0, [(0, 1.0)]);
    builder.start_at(0).action_names(["cross", "wait"]);
    builder.state_names(["bank=0,broken=false", "bank=1,broken=false", "bank=0,broken=true"]);
    builder.build().unwrap()
}

#[test]
fn the_example_of_prism_reads_as_written_out() {
    let model = read(&data("prism/ferry.tra")).unwrap();
    assert_eq!(model, expected());
    assert_survives(&model);
    let scratch = Scratch::new();
    let bare = ferry(&scratch, &[("sta", ""), ("lab", ""), ("srew", ""), ("trew", "")]);
    let bare = read(&bare).unwrap();
    assert_eq!((bare.start().collect::<Vec<_>>(), bare.r_max()), (vec![(0, 1.0)], 1.0));
    assert!((0..5).all(|pair| bare.mean_reward(pair) == 0.0) && bare.state_names().is_empty());
}

#[test]
fn a_chain_has_one_choice_per_state_and_rewards_without_choices() {
    let scratch = Scratch::new();
    scratch.with("c.trew", "2 1\n0 1 0.5\n");
    scratch.with("c.lab", "0=\"init\"\n\n1: 0\n0: 0\n");
    let path = scratch.with("c.tra", "2 3\n0 0 0.333333\n0 1 0.666666\n1 0 1\n");
    let chain = read(&path).unwrap();
    assert_eq!(chain.start().collect::<Vec<_>>(), [(0, 0.5), (1, 0.5)]);
    assert_eq!((chain.states(), chain.pairs()), (2, 2));
    assert!((chain.mean_reward(0) - 1.0 / 3.0).abs() < 1e-6, "printed digits are corrected");
}

#[test]
fn compressed_files_of_prism_are_found_beside_each_other() {
    let scratch = Scratch::new();
    for extension in ["tra", "sta", "lab", "srew", "trew"] {
        let name = format!("ferry.{extension}");
        let text = fs::read(data(&format!("prism/{name}"))).unwrap();
        scratch.with(&format!("{name}.gz"), packed(&text));
    }
    assert_eq!(read(&scratch.path("ferry.tra.gz")).unwrap(), expected());
    let files = formats::files_of(&scratch.path("ferry.tra.gz"));
    assert_eq!(files.len(), 5, "{files:?}");
}

#[test]
fn several_reward_structures_are_chosen_by_their_number() {
    let scratch = Scratch::new();
    let path = ferry(&scratch, &[("srew", ""), ("trew", "")]);
    scratch.with("ferry1.srew", "3 1\n0 0.25\n");
    let asks =
        |name: &str| ReadOptions { reward_model: Some(name.into()), ..ReadOptions::default() };
    assert_eq!(read(&path).unwrap().mean_reward(1), 0.25, "the only one");
    scratch.with("ferry2.trew", "3 5 1\n0 1 0 4\n");
    let said = scratch.message(&read(&path).unwrap_err());
    assert_eq!(
        said,
        "ferry.tra: the file has several reward models (1, 2): choose one with `reward_model`"
    );
    let second = formats::read(&path, &asks("2")).unwrap();
    assert_eq!((second.mean_reward(1), second.r_max()), (4.0, 4.0));
    let said = scratch.message(&formats::read(&path, &asks("3")).unwrap_err());
    assert_eq!(said, "ferry.tra: there is no reward model \"3\": choose one of 1, 2");
    assert_eq!(formats::files_of(&path).len(), 5);
}

#[test]
fn negative_rewards_need_a_range_and_keep_it() {
    let scratch = Scratch::new();
    let path = ferry(&scratch, &[("srew", "3 1\n1 -1\n"), ("trew", "")]);
    let said = scratch.message(&read(&path).unwrap_err());
    assert_eq!(
        said,
        "ferry.tra:6: state 1, action 0 has the negative reward -1: give the lowest and the highest reward with \
         `reward_range`"
    );
    let range = RewardRange::new(-2.0, 5.0).unwrap();
    let options = ReadOptions { reward_range: Some(range), ..ReadOptions::default() };
    let model = formats::read(&path, &options).unwrap();
    assert_eq!((model.reward_range(), model.mean_paid(2)), (range, -1.0));
    assert_survives(&model);
}

#[test]
fn files_of_prism_are_only_read() {
    let scratch = Scratch::new();
    let error =
        formats::write(&rich_model(), &scratch.path("m.tra"), IfExists::Refuse).unwrap_err();
    assert_eq!(
        scratch.message(&error),
        "m.tra: files of PRISM are only read: write .umb, .drn or .json"
    );
}

/// A file with its new text, and what is said.
const BAD: &[(&str, &str, &str)] = &[
    (
        "tra",
        "# nothing\n",
        "ferry.tra:1: the file ends before its first line: write the numbers of states, choices and transitions",
    ),
    (
        "tra",
        "mdp\n0 0 0 1\n",
        "ferry.tra:1: \"mdp\" begins a file of MRMC or Storm: PRISM's begin with the numbers of states, of choices and of transitions, or of states and transitions for a chain",
    ),
    (
        "tra",
        "3 5 8 1\n",
        "ferry.tra:1: \"3 5 8 1\" is not the numbers of states, of choices and of transitions, or of states and transitions for a chain: write 3 of them",
    ),
    ("tra", "3 five 8\n", "ferry.tra:1: \"five\" is not a count: write a whole number"),
    (
        "tra",
        "3 5 8\n0 0 0\n",
        "ferry.tra:2: \"0 0 0\" is not a transition: write state choice next probability, and at most one label after it",
    ),
    (
        "tra",
        "3 5 8\n0 0 0 1 a b\n",
        "ferry.tra:2: \"0 0 0 1 a b\" is not a transition: write state choice next probability, and at most one label after it",
    ),
    (
        "tra",
        "3 5 8\n0 0 3 1\n",
        "ferry.tra:2: state 3 does not exist: the first line declares 3, numbered from 0",
    ),
    ("tra", "3 5 8\n0 0 0 1.5\n", "ferry.tra:2: probability 1.5 is not in [0, 1]"),
    (
        "tra",
        "3 5 8\n0 0 0 nan\n",
        "ferry.tra:2: \"nan\" is not a finite number: write 0.5, 1e-3 or 1/3",
    ),
    (
        "tra",
        "3 5 8\n0 0 0 [0.1,0.2]\n",
        "ferry.tra:2: interval models are not supported: give an MDP or a DTMC with fixed probabilities",
    ),
    (
        "tra",
        "3 5 8\n1 0 0 1\n",
        "ferry.tra:2: state 1, choice 0 stands where state 0, choice 0 should: sort the lines, and give a state without transitions one to itself",
    ),
    (
        "tra",
        "3 5 8\n0 0 0 1\n2 0 0 1\n",
        "ferry.tra:3: state 2, choice 0 stands where state 0, choice 1, or state 1, choice 0 should: sort the lines, and give a state without transitions one to itself",
    ),
    (
        "tra",
        "3 5 8\n0 0 0 1\n0 18446744073709551615 0 1\n",
        "ferry.tra:3: state 0, choice 18446744073709551615 stands where state 0, choice 1, or state 1, choice 0 should: sort the lines, and give a state without transitions one to itself",
    ),
    (
        "tra",
        "3 2 2\n0 0 0 1\n1 0 0 1\n",
        "ferry.tra:1: the header declares 3 states, the file has 2: correct the header, or complete the file",
    ),
    (
        "tra",
        "3 4 3\n0 0 0 1\n1 0 0 1\n2 0 0 1\n",
        "ferry.tra:1: the header declares 4 choices, the file has 3: correct the header, or complete the file",
    ),
    (
        "tra",
        "3 3 4\n0 0 0 1\n1 0 0 1\n2 0 0 1\n",
        "ferry.tra:1: the header declares 4 transitions, the file has 3: correct the header, or complete the file",
    ),
    (
        "tra",
        "3 3 3\n0 0 0 1\n1 0 0 0.5\n2 0 0 1\n",
        "ferry.tra:3: state 1, action 0: probabilities sum to 0.5, which is not 1 within 1e-9: correct or complete the row",
    ),
    (
        "lab",
        "init\n0: 0\n",
        "ferry.lab:1: \"init\" is not a label: write 0=\"init\" 1=\"deadlock\"",
    ),
    (
        "lab",
        "0=\"init\"\n0 0\n",
        "ferry.lab:2: a line without \":\": write state: labels, such as 0: 0 2",
    ),
    (
        "lab",
        "0=\"init\"\n7: 0\n",
        "ferry.lab:2: state 7 does not exist: there are 3, numbered from 0",
    ),
    (
        "lab",
        "0=\"init\" 1=\"x\"\n0: 1\n",
        "ferry.lab:1: no state has the label init: add it to the line of the state where the process starts",
    ),
    (
        "sta",
        "(a)\n1:(0)\n",
        "ferry.sta:2: state 1 stands where state 0 should: number the states 0, 1, 2, ... in order",
    ),
    (
        "sta",
        "(a)\n0:(0,1)\n",
        "ferry.sta:2: 2 values for 1 variables: write one value per variable",
    ),
    ("sta", "a\n", "ferry.sta:1: \"a\" is not a list in parentheses: write (0,1)"),
    (
        "sta",
        "(a)\n0:(0)\n",
        "ferry.sta:1: the header declares 3 states, the file has 1: correct the header, or complete the file",
    ),
    (
        "srew",
        "4 1\n0 1\n",
        "ferry.srew:1: the header declares 4 states, the file has 3: correct the header, or complete the file",
    ),
    (
        "srew",
        "3 2\n0 1\n",
        "ferry.srew:1: the header declares 2 rewards, the file has 1: correct the header, or complete the file",
    ),
    ("srew", "3 1\n3 1\n", "ferry.srew:2: state 3 does not exist: there are 3, numbered from 0"),
    ("srew", "3 2\n0 1\n0 1\n", "ferry.srew:3: a second reward of the same: keep one"),
    (
        "trew",
        "3 5 1\n0 1 2 1\n",
        "ferry.trew:2: a reward from state 0, choice 1 to state 2, and no such transition: remove the reward",
    ),
    (
        "trew",
        "3 5 1\n2 1 0 1\n",
        "ferry.trew:2: a reward from state 2, choice 1 to state 0, and no such transition: remove the reward",
    ),
    (
        "trew",
        "3 5 1\n18446744073709551615 18446744073709551615 0 1\n",
        "ferry.trew:2: a reward from state 18446744073709551615, choice 18446744073709551615 to state 0, and no such transition: remove the reward",
    ),
    (
        "trew",
        "3 1\n0 1 2\n",
        "ferry.trew:1: \"3 1\" is not the numbers of states, of choices and of rewards: write 3 of them",
    ),
];

#[test]
fn bad_files_of_prism_are_refused_with_their_place() {
    for (extension, text, expected) in BAD {
        let scratch = Scratch::new();
        // Rewards refer to transitions, which these texts replace.
        let others: &[(&str, &str)] = match *extension {
            "tra" => &[("tra", text), ("srew", ""), ("trew", "")],
            _ => &[(extension, text)],
        };
        let path = ferry(&scratch, others);
        let said = match read(&path) {
            Ok(model) => panic!("{extension} was read: {text:?}: {model:?}"),
            Err(error) => scratch.message(&error),
        };
        assert_eq!(said, *expected, "{text:?}");
    }
}

#[test]
fn counts_in_headers_do_not_allocate() {
    let scratch = Scratch::new();
    let huge = "18446744073709551615";
    let path = scratch.with("m.tra", format!("{huge} {huge} {huge}\n0 0 0 1\n"));
    scratch.with("m.srew", format!("{huge} {huge}\n0 1\n"));
    let said = scratch.message(&read(&path).unwrap_err());
    assert_eq!(
        said,
        format!(
            "m.srew:1: the header declares {huge} rewards, the file has 1: correct the header, or complete the file"
        )
    );
}
