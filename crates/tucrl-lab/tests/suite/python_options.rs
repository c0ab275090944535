//! Do the typed keywords of the Python package say what the options of the agents say?
//!
//! `TUCRL_WRITE_DOCS=1 cargo test -p tucrl-lab python_options` writes them anew.
// Helpers outside of test functions may unwrap as well.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;

use tucrl::agents::{self, AgentKind};
use tucrl::options::OptionInfo;
use tucrl_lab::names::shown;

const PACKAGE: &str = "../tucrl-py/python/tucrl";
const BEGIN: &str =
    "    # Overloads written by crates/tucrl-lab/tests/suite/python_options.rs; do not edit.\n";
const END: &str = "    # End of the overloads.\n";

/// Parameters of `Agent` itself.
const OWN: &[&str] =
    &["r_max", "reward_range", "steps", "seed", "run", "mask", "world", "states", "actions"];

const SIGNATURE: &str = "        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
";

fn options(kind: &AgentKind) -> Vec<&OptionInfo> {
    kind.options().list().iter().filter(|option| !OWN.contains(&option.key.as_str())).collect()
}

fn kinds() -> impl Iterator<Item = &'static AgentKind> {
    agents::kinds().iter().filter(|kind| !options(kind).is_empty())
}

fn class(name: &str) -> String {
    let part = |part: &str| part[..1].to_uppercase() + &part[1..];
    name.split('-').map(part).collect()
}

fn annotation(option: &OptionInfo) -> String {
    let accepts = &option.accepts;
    let words: Vec<String> = accepts.words.iter().map(|word| format!("{:?}", word.word)).collect();
    let mut ways = Vec::new();
    match (accepts.numbers, accepts.integers) {
        (true, _) => ways.push("float".to_owned()),
        (false, true) => ways.push("int".to_owned()),
        (false, false) => {}
    }
    if accepts.flags {
        ways.push("bool".into());
    }
    if !words.is_empty() {
        ways.push(format!("Literal[{}]", words.join(", ")));
    }
    ways.join(" | ")
}

fn module() -> String {
    let mut out = String::from(
        "\"\"\"The options of every agent, as typed keywords of ``Agent``.\n\n\
         Written by crates/tucrl-lab/tests/suite/python_options.rs from the options types; do not edit.\n\"\"\"\n\n\
         from typing import Literal, TypedDict\n\n__all__ = [\n",
    );
    let mut classes: Vec<String> = kinds().map(|kind| class(kind.about().name)).collect();
    classes.sort();
    classes.iter().for_each(|class| writeln!(out, "    \"{class}\",").unwrap());
    out += "]\n";
    for kind in kinds() {
        let about = kind.about();
        let (class, name, summary) = (class(about.name), about.name, about.summary);
        write!(out, "\n\nclass {class}(TypedDict, total=False):\n").unwrap();
        writeln!(out, "    \"\"\"Options of ``{name}``: {summary}.\"\"\"\n").unwrap();
        for option in options(kind) {
            let default = shown(&option.default, false);
            writeln!(out, "    {}: {}", option.key, annotation(option)).unwrap();
            let help = option.help.replace('"', "'");
            let unless = match option.is_required {
                true => "required".to_owned(),
                false => format!("{default} unless given"),
            };
            writeln!(out, "    \"\"\"{help}; {unless}.\"\"\"").unwrap();
            for alias in &option.aliases {
                writeln!(out, "    {alias}: {}", annotation(option)).unwrap();
                writeln!(out, "    \"\"\"the same as {}.\"\"\"", option.key).unwrap();
            }
        }
    }
    out
}

fn overloads() -> String {
    let mut out = BEGIN.to_owned();
    for kind in kinds() {
        let about = kind.about();
        let names: Vec<String> = std::iter::once(&about.name)
            .chain(about.aliases)
            .map(|name| format!("{name:?}"))
            .collect();
        let (names, class) = (names.join(", "), class(about.name));
        write!(
            out,
            "    @overload\n    def __new__(\n        cls,\n        spec: Literal[{names}],\n"
        )
        .unwrap();
        out += SIGNATURE;
        write!(out, "        **options: Unpack[_options.{class}],\n    ) -> Self: ...\n").unwrap();
    }
    out += "    @overload\n    def __new__(\n        cls,\n        spec: str,\n";
    out += SIGNATURE;
    out + "        **options: float | str | bool,\n    ) -> Self: ...\n" + END
}

fn assert_says(file: &str, expected: impl FnOnce(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PACKAGE).join(file);
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let expected = expected(&found);
    if std::env::var_os("TUCRL_WRITE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
        return;
    }
    assert!(
        found == expected,
        "{file} is stale: run TUCRL_WRITE_DOCS=1 cargo test -p tucrl-lab python_options"
    );
}

#[test]
fn the_module_of_options_is_that_of_the_options_types() {
    assert_says("options.py", |_| module());
}

#[test]
fn the_overloads_are_those_of_the_options_types() {
    assert_says("_native.pyi", |found| {
        let (before, rest) = found.split_once(BEGIN).unwrap();
        let (_, after) = rest.split_once(END).unwrap();
        format!("{before}{}{after}", overloads())
    });
}
