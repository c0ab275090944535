//! What cannot be done, and what is said about it, word for word.

use super::*;

/// Arguments (separated by blanks), exit code, and the standard error; `|` begins a new line.
#[rustfmt::skip]
const TABLE: &[(&str, i32, &str)] = &[
    // Names.
    ("inspect taxy", 1, "error: there is no world `taxy`: did you mean `taxi`?"),
    ("inspect three_state:delta=0", 1, "error: there is no world `three_state`: did you mean `three-state`?|  three_state:delta=0|  ^^^^^^^^^^^"),
    ("inspect bandit", 1, "error: there is no world `bandit`: `tucrl worlds` lists them, and a model file ends in .json or .drn"),
    ("worlds Taxi", 1, "error: there is no world `Taxi`: did you mean `taxi`?"),
    ("worlds taxi:map=v3", 1, "error: `worlds` takes a name without parameters: try `tucrl inspect taxi:map=v3`"),
    ("export garnett --to m.json", 1, "error: there is no world `garnett`: did you mean `garnet`?"),
    ("bench --only swep", 1, "error: there is no benchmark `swep`: did you mean `sweep`?"),
    ("bench --solve taxy", 1, "error: there is no world `taxy`: did you mean `taxi`?"),
    // Grammar.
    ("inspect :delta=1", 1, "error: a name is missing: write name:key=value,key=value"),
    ("inspect taxi:", 1, "error: nothing follows the colon: leave it out, or add key=value|  taxi:|      ^"),
    ("inspect taxi:map", 1, "error: `map` has no value: write map=value|  taxi:map|       ^^^"),
    ("inspect taxi:map=", 1, "error: `map` has no value: write map=value|  taxi:map=|       ^^^^"),
    ("inspect taxi:=v3", 1, "error: there is no key before the equals sign: write key=value|  taxi:=v3|       ^^^"),
    ("inspect taxi:map=v3,", 1, "error: there is a comma too many: write key=value,key=value|  taxi:map=v3,|             ^"),
    // Keys.
    ("inspect three-state:detla=0.1", 1, "error: three-state has no key `detla`: did you mean `delta`?|  three-state:detla=0.1|              ^^^^^"),
    ("inspect three-state:gamma=0.1", 1, "error: three-state has no key `gamma`: it accepts delta, rewards|  three-state:gamma=0.1|              ^^^^^"),
    ("inspect six-arms:n=6", 1, "error: six-arms has no key `n`: it takes no keys|  six-arms:n=6|           ^"),
    ("inspect taxi:map=v3,map=v3", 1, "error: `map` is given twice: keep one of them|  taxi:map=v3,map=v3|              ^^^"),
    ("inspect garnet:s=5,states=6", 1, "error: `states` is another spelling of `s`, which was given before: keep one of them|  garnet:s=5,states=6|             ^^^^^^"),
    // Values.
    ("inspect three-state:delta=small", 1, "error: `small` is not a number: `delta` accepts a number in [0, 1)|  three-state:delta=small|                    ^^^^^"),
    ("inspect three-state:delta=NaN", 1, "error: `NaN` is not a number: `delta` accepts a number in [0, 1)|  three-state:delta=NaN|                    ^^^"),
    ("inspect three-state:delta=1", 1, "error: three-state: `delta` = 1 is out of range: it accepts a number in [0, 1)|  three-state:delta=1|                    ^"),
    ("inspect river-swim:n=2.5", 1, "error: `2.5` is not an integer: `n` accepts an integer between 2 and 2^26|  river-swim:n=2.5|               ^^^"),
    ("inspect river-swim:n=-3", 1, "error: `-3` is not an integer: `n` accepts an integer between 2 and 2^26|  river-swim:n=-3|               ^^"),
    ("inspect river-swim:n=1e9", 1, "error: river-swim: `n` = 1000000000 is out of range: it accepts an integer between 2 and 2^26|  river-swim:n=1e9|               ^^^"),
    ("inspect mountain-car:nv=20", 1, "error: mountain-car: `nv` = 20 is out of range: it accepts an odd integer of at least 3|  mountain-car:nv=20|                  ^^"),
    ("inspect garnet:s=3", 1, "error: garnet: `b` = 5 is out of range: it accepts an integer between 1 and the number of states"),
    ("inspect breakout:w=9,h=9", 1, "error: breakout: `w` = 9 is out of range: it accepts a positive integer with 2^(width * height) * width at most 2^26|  breakout:w=9,h=9|             ^"),
    ("inspect taxi:junk=maybe", 1, "error: `maybe` is not accepted: `junk` accepts true, false or self-loop|  taxi:junk=maybe|            ^^^^^"),
    ("inspect taxi:map=V3", 1, "error: `V3` is not accepted: did you mean `v3`? `map` accepts 2018 or v3|  taxi:map=V3|           ^^"),
    ("inspect frozen-lake:map=4×4", 1, "error: `4×4` is not accepted: did you mean `4x4`? `map` accepts 4x4 or 8x8|  frozen-lake:map=4×4|                  ^^^"),
    // Options.
    ("inspect taxi --reward-model fuel", 1, "error: --reward-model is for DRN files, and taxi is not one: leave the option out"),
    ("inspect good.json --reward-model fuel", 1, "error: --reward-model is for DRN files, and good.json is not one: leave the option out"),
    ("inspect taxi --r-max 2", 1, "error: --r-max is for model files, and taxi is not one: leave the option out"),
    ("inspect good.json --r-max -1", 1, "error: good.json: r_max = -1 is not a positive finite number: it is the largest possible reward"),
    ("inspect good.json --r-max 0.5", 1, "error: good.json:2: state 0, action 0: reward between 1 and 1 leaves [0, 0.5]: widen reward_range, or raise r_max"),
    ("inspect taxi --policy --skip gain", 1, "error: --policy needs the gain: leave out --skip gain"),
    ("inspect taxi --all --skip diameter", 1, "error: --all and --skip diameter contradict each other: leave one out"),
    // Files.
    ("inspect missing.json", 1, "error: missing.json: no such file: check the name"),
    ("inspect folder", 1, "error: folder: the extension does not say which format this is: accepted are .json (tucrl's own) and .drn (Storm's explicit format)"),
    ("inspect folder/missing.drn", 1, "error: folder/missing.drn: no such file: check the name"),
    ("inspect empty.json", 1, "error: empty.json: the file is empty: a model has at least one state"),
    ("inspect broken.json", 1, "error: broken.json:1:10: the JSON ends too early: complete it"),
    ("inspect row.json", 1, "error: row.json:2: state 0, action 0: probabilities sum to 0.5, which is not 1 within 1e-9: correct or complete the row"),
    ("inspect ferry.drn", 1, "error: ferry.drn:9: the file has several reward models (tickets, fuel): choose one with --reward-model"),
    ("inspect ferry.drn --reward-model oil", 1, "error: ferry.drn: there is no reward model \"oil\": choose one of tickets, fuel"),
    ("export taxi --to taxi.txt", 1, "error: taxi.txt: the extension does not say which format this is: accepted are .json (tucrl's own) and .drn (Storm's explicit format)"),
    ("export taxi --to good.json", 1, "error: good.json: the file already exists: choose another name, or replace it with --force"),
    ("export taxi --to nowhere/taxi.json", 1, "error: nowhere/taxi.json: the folder nowhere does not exist: create it first"),
    // Usage, which clap words; the first line is enough.
    ("inspekt taxi", 2, "error: unrecognized subcommand 'inspekt'"),
    ("inspect", 2, "error: the following required arguments were not provided:"),
    ("inspect taxi --skip bias", 2, "error: invalid value 'bias' for '--skip <WHAT>'"),
    ("inspect taxi --jobs 0", 2, "error: invalid value '0' for '--jobs <N>': write a number of threads of at least 1, such as 4"),
    ("inspect taxi --jsn", 2, "error: unexpected argument '--jsn' found"),
    ("export taxi", 2, "error: the following required arguments were not provided:"),
];

#[test]
fn every_refusal_says_what_to_change() {
    let folder = folder();
    let write = |name: &str, content: &str| fs::write(folder.path().join(name), content).unwrap();
    let model = |row: &str| {
        format!(
            "{{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{{\"reward\":1,\"to\":{row}}}]]}}\n"
        )
    };
    write("good.json", &model("[[0,1]]"));
    write("row.json", &model("[[0,0.5]]"));
    write("broken.json", "{\"format\":");
    write("empty.json", "");
    write("ferry.drn", include_str!("../../../../tucrl-lab/tests/data/ferry.drn"));
    fs::create_dir(folder.path().join("folder")).unwrap();
    for &(arguments, code, expected) in TABLE {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = tucrl(&folder, &arguments).assert().code(code).get_output().clone();
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        match code {
            2 => assert_eq!(said.lines().next(), Some(expected), "{arguments:?}"),
            _ => assert_eq!(said, expected.replace('|', "\n") + "\n", "{arguments:?}"),
        }
    }
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 6, "a refusal leaves no file behind");
}
