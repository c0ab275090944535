use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tucrl::options::{NumberOr, Spec as WorldSpec};

use super::*;

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-inherits" = "c"))]
enum C {
    #[default]
    #[serde(rename = "c")]
    Word,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    #[default]
    Slow,
    Fast,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Options {
    #[schemars(extend("x-aliases" = ["span", "bound"]))]
    c: f64,
    d: NumberOr<C>,
    n: u64,
    mode: Mode,
}

impl Default for Options {
    fn default() -> Self {
        Self { c: 2.0, d: NumberOr::default(), n: 1000, mode: Mode::default() }
    }
}

fn bound(text: &str) -> Arguments {
    Spec::parse(text).unwrap().bind(&Described::of::<Options>()).unwrap()
}

fn read_back(text: &str) -> Options {
    let all = Described::of::<Options>().complete(bound(text).given()).unwrap();
    tucrl::options::read(all).unwrap()
}

fn message(text: &str) -> String {
    let described = Described::of::<Options>();
    Spec::parse(text).and_then(|spec| spec.bind(&described)).unwrap_err().to_string()
}

#[test]
fn values_are_read_and_the_rest_are_defaults() {
    let given = read_back("scal:c=1/4,n=2e6,mode=fast");
    assert_eq!((given.c, given.d.or(given.c), given.n), (0.25, 0.25, 2_000_000), "d follows c");
    assert_eq!(given.mode, Mode::Fast);
    let given = read_back("scal");
    assert_eq!((given.c, given.n, given.mode), (2.0, 1000, Mode::Slow));
    let given = read_back(" scal : bound = -0 , d = 1.5e-3 ");
    assert_eq!((given.c, given.d), (0.0, NumberOr::Number(0.0015)));
    assert_eq!(read_back("scal:n=18446744073709551615").n, u64::MAX);
}

#[test]
fn the_shortest_form_names_what_is_not_default_and_means_the_same() {
    let shortest = [
        ("scal", "scal"),
        ("scal:c=2.0,d=2,n=1000,mode=slow", "scal"),
        ("scal:mode=fast,span=3", "scal:c=3,mode=fast"),
        ("scal:c=3,d=3", "scal:c=3"),
        ("scal:c=3,d=c", "scal:c=3"),
        ("scal:c=3,d=2", "scal:c=3,d=2"),
        ("scal:c=1/3", "scal:c=0.3333333333333333"),
        ("scal:c=1e-7,d=1e300", "scal:c=1e-7,d=1e300"),
        ("scal:c=-0", "scal:c=0"),
    ];
    for (long, short) in shortest {
        assert_eq!(bound(long).to_string(), short);
        assert_eq!(bound(short).to_string(), short);
        let (long, short) = (read_back(long), read_back(short));
        assert_eq!((long.c, long.d.or(long.c), long.n), (short.c, short.d.or(short.c), short.n));
        assert_eq!(long.mode, short.mode);
    }
}

#[test]
fn every_fault_is_named_and_pointed_at() {
    let faults = [
        ("", "a name is missing: write name:key=value,key=value"),
        (":c=1", "a name is missing: write name:key=value,key=value"),
        ("scal:", "nothing follows the colon: leave it out, or add key=value\n  scal:\n      ^"),
        ("scal:c", "`c` has no value: write c=value\n  scal:c\n       ^"),
        ("scal:c=", "`c` has no value: write c=value\n  scal:c=\n       ^^"),
        (
            "scal:=5",
            "there is no key before the equals sign: write key=value\n  scal:=5\n       ^^",
        ),
        (
            "scal:c=1,,d=2",
            "there is a comma too many: write key=value,key=value\n  scal:c=1,,d=2\n          ^",
        ),
        (
            "scal:c=1,",
            "there is a comma too many: write key=value,key=value\n  scal:c=1,\n          ^",
        ),
        ("scal:δ=1", "scal has no key `δ`: it accepts c, d, n, mode\n  scal:δ=1\n       ^"),
        ("scal:spam=1", "scal has no key `spam`: did you mean `span`?\n  scal:spam=1\n       ^^^^"),
        ("scal:c=1,c=2", "`c` is given twice: keep one of them\n  scal:c=1,c=2\n           ^"),
        (
            "scal:c=1,span=2",
            "`span` is another spelling of `c`, which was given before: keep one of them\n  \
             scal:c=1,span=2\n           ^^^^",
        ),
        ("scal:c=two", "`two` is not a number: `c` accepts a number\n  scal:c=two\n         ^^^"),
        ("scal:c=1/0", "`1/0` is not a number: `c` accepts a number\n  scal:c=1/0\n         ^^^"),
        ("scal:c=inf", "`inf` is not a number: `c` accepts a number\n  scal:c=inf\n         ^^^"),
        (
            "scal:n=1.5",
            "`1.5` is not an integer: `n` accepts an integer of at least 0\n  scal:n=1.5\n         ^^^",
        ),
        (
            "scal:n=-1",
            "`-1` is not an integer: `n` accepts an integer of at least 0\n  scal:n=-1\n         ^^",
        ),
        (
            "scal:mode=Fast",
            "`Fast` is not accepted: did you mean `fast`? `mode` accepts slow or fast\n  \
             scal:mode=Fast\n            ^^^^",
        ),
        (
            "scal:mode=1",
            "`1` is not accepted: `mode` accepts slow or fast\n  scal:mode=1\n            ^",
        ),
    ];
    for (text, expected) in faults {
        assert_eq!(message(text), expected, "{text}");
    }
    assert_eq!(message("scal:\n=1"), Problem::NoKey.to_string(), "no picture of broken lines");
}

#[test]
fn near_words_are_found_and_far_ones_are_not() {
    let names = ["three-state", "taxi", "two-state", "s"];
    for (word, meant) in [
        ("taxy", Some("taxi")),
        ("Taxi", Some("taxi")),
        ("taxi-v3", Some("taxi")),
        ("three", Some("three-state")),
        ("three_state", Some("three-state")),
        ("twostate", Some("two-state")),
        ("S", Some("s")),
        ("x", None),
        ("bandit", None),
        ("", None),
    ] {
        assert_eq!(nearest(word, names), meant, "{word}");
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Junk {
    base: WorldSpec,
    factor: u64,
}

impl Default for Junk {
    fn default() -> Self {
        Self { base: WorldSpec("taxi".into()), factor: 1 }
    }
}

#[test]
fn a_spec_with_keys_stands_in_parentheses() {
    let bound = |text: &str| Spec::parse(text).unwrap().bind(&Described::of::<Junk>()).unwrap();
    let shown = [
        ("junk:base=taxi,factor=3", "taxi", "junk:factor=3"),
        ("junk:base=(taxi)", "taxi", "junk"),
        ("junk:base=( taxi:map=v3,junk=false ),factor=3", "taxi:map=v3,junk=false", ""),
        ("junk:base=(junk:base=(taxi:map=v3),factor=2)", "junk:base=(taxi:map=v3),factor=2", ""),
    ];
    for (text, base, shortest) in shown {
        let arguments = bound(text);
        assert_eq!(arguments.specs(), [base]);
        let shortest =
            if shortest.is_empty() { text.replace(['(', ' '], "") } else { shortest.into() };
        assert_eq!(arguments.to_string().replace('(', ""), shortest);
    }
    let dots = bound("junk:base=(taxi:map=2018)")
        .shortened(|spec| spec.split(':').next().map(Into::into).ok_or(()));
    assert_eq!(dots.unwrap().to_string(), "junk", "shortened, it is the default");
    for text in ["junk:base=(taxi", "junk:base=taxi),factor=1", "junk:base=((taxi)"] {
        assert_eq!(*Spec::parse(text).unwrap_err().problem, Problem::Parentheses, "{text}");
    }
}

#[test]
fn what_is_quoted_is_short_and_printable() {
    let long = "x".repeat(100_000);
    for text in [
        format!("scal:c={long}"),
        format!("scal:{long}=1"),
        format!("scal:{long}"),
        format!("scal:mode={long}"),
        format!("scal:c=1,c={long}"),
    ] {
        let said = message(&text);
        assert!(said.chars().count() < 300 && !said.contains('\n'), "{said}");
    }
    let unknown = Spec::parse(&long).unwrap().unknown_name("world", ["taxi"]).to_string();
    assert!(unknown.starts_with("there is no world `xxx") && unknown.len() < 300, "{unknown}");
    for text in
        ["scal:c=\u{1b}[31m", "scal:\u{1b}]0;t\u{7}=1", "scal:c=a\u{202e}b", "scal:mode=a\nb"]
    {
        let said = message(text);
        assert!(!said.chars().any(crate::text::is_hidden), "{said:?}");
    }
    assert_eq!(message("scal:c=\u{1b}[31m"), "`\\u{1b}[31m` is not a number: `c` accepts a number");
}

#[test]
fn a_long_word_is_compared_with_nothing_that_is_short() {
    // The table of the distance would have a million times eleven entries for each name.
    let long = "y".repeat(1_000_000);
    assert_eq!(nearest(&long, ["three-state"; 100]), None);
    assert_eq!(nearest(&format!("taxi{long}"), ["three-state", "taxi"]), Some("taxi"));
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Open {
    id: tucrl::options::First,
    class: tucrl::options::Text,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[test]
fn an_open_type_takes_any_key_and_a_first_text_without_one() {
    let open = Described::of::<Open>();
    let bind = |text: &str| Spec::parse(text).unwrap().bind(&open);
    let text = "gym:FrozenLake-v1,class=a.b.C,size=-3,alpha=0.5,is_slippery=false,map=8x8";
    let given = bind(text).unwrap();
    let expected = serde_json::json!({
        "id": "FrozenLake-v1", "class": "a.b.C", "size": -3, "alpha": 0.5, "is_slippery": false, "map": "8x8",
    });
    assert_eq!(Value::Object(given.given().clone()), expected);
    assert_eq!(given.to_string(), text);
    let all = open.complete(given.given()).unwrap();
    let read: Open = tucrl::options::read(all).unwrap();
    assert_eq!((read.id.0.as_str(), read.rest.len()), ("FrozenLake-v1", 4));
    assert_eq!(bind("gym:id=FrozenLake-v1").unwrap().to_string(), "gym:FrozenLake-v1");
    let twice = bind("gym:FrozenLake-v1,id=Taxi-v3").unwrap_err().to_string();
    assert!(twice.contains("id"), "{twice}");
    // A second piece without a key, and a first one where no option comes first, are errors as before.
    assert!(Spec::parse("gym:FrozenLake-v1,fast").is_err());
    let closed = Spec::parse("scal:fast").unwrap().bind(&Described::of::<Options>());
    assert!(closed.unwrap_err().to_string().contains("fast"));
}
