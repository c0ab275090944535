//! What an options type says of itself, and which values it refuses.

// The macro declares public words.
#![allow(unreachable_pub)]

use serde::Deserialize;

use super::*;

word! {
    /// Grows with time.
    Growing = "growing"
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    /// The first.
    #[default]
    FirstOne,
    /// The second.
    Second,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Inner {
    /// A weight.
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1.0))]
    weight: f64,
    /// A flag.
    flag: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Example {
    /// Which way,
    /// on two lines.
    mode: Mode,
    #[serde(flatten)]
    inner: Inner,
    /// How many.
    #[schemars(range(min = 1), extend("x-aliases" = ["count"]))]
    many: u64,
    /// A rate.
    #[schemars(extend("minimum" = 0.0))]
    rate: NumberOr<Growing>,
    /// Must be said.
    bound: Required<f64>,
    /// How many samples.
    #[schemars(extend("minimum" = 1))]
    samples: IntegerOr<Growing>,
    /// One's own.
    own: Inherited,
}

impl Default for Example {
    fn default() -> Self {
        let inner = Inner { weight: 0.5, flag: true };
        let (rate, samples) = (NumberOr::default(), IntegerOr::default());
        Self {
            mode: Mode::default(),
            inner,
            many: 3,
            rate,
            bound: Required(None),
            samples,
            own: Inherited::default(),
        }
    }
}

#[test]
fn everything_is_read_off_the_type_in_the_order_of_its_fields() {
    let options = Described::of::<Example>();
    let seen: Vec<String> = options
        .list()
        .iter()
        .map(|o| format!("{}={} ({}): {}", o.key, o.default, o.accepts, o.help))
        .collect();
    assert_eq!(
        seen,
        [
            "mode=\"first-one\" (first-one or second): Which way, on two lines.",
            "weight=0.5 (a number in (0, 1]): A weight.",
            "flag=true (true or false): A flag.",
            "many=3 (an integer of at least 1): How many.",
            "rate=\"growing\" (a number of at least 0, or growing): A rate.",
            "bound=null (a number): Must be said.",
            "samples=\"growing\" (an integer of at least 1, or growing): How many samples.",
            "own=\"alpha\" (a number, or alpha): One's own.",
        ]
    );
    assert!(options.list()[3].answers_to("count"));
    let required = options.list().iter().filter(|option| option.is_required);
    assert_eq!(required.map(|option| &option.key).collect::<Vec<_>>(), ["bound"]);
    let inherits = options.list().iter().filter_map(|option| option.inherits.as_deref());
    assert_eq!(inherits.collect::<Vec<_>>(), ["alpha"]);
    assert_eq!(options.list()[0].accepts.words[1].help, "The second.");
}

fn map(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn values_are_completed_checked_and_read() {
    let options = Described::of::<Example>().default("many", 4).fixed("flag", false);
    let given = map(serde_json::json!({ "bound": 2.0, "rate": 1 }));
    let read: Example = read(options.complete(&given).unwrap()).unwrap();
    assert_eq!((read.many, read.inner.flag, read.bound), (4, false, 2.0.into()));
    assert_eq!(read.rate, NumberOr::Number(1.0));
    assert!(options.list().iter().all(|option| option.key != "flag"));

    let missing = options.complete(&map(serde_json::json!({}))).unwrap_err();
    assert!(matches!(&missing, OptionError::Required { option, .. } if option == "bound"));
    let refused =
        [("many", 0.into()), ("weight", 0.0.into()), ("rate", (-1).into()), ("samples", 0.into())];
    for (key, value) in refused {
        let mut given = map(serde_json::json!({ "bound": 1 }));
        given.insert(key.into(), value);
        assert_eq!(options.complete(&given).unwrap_err().option(), key);
    }
}

#[test]
fn a_key_that_is_unknown_or_fixed_is_an_error_and_not_ignored() {
    let options = Described::of::<Example>().fixed("flag", false);
    for key in ["bounds", "flag"] {
        let given = map(serde_json::json!({ "bound": 2.0, key: true }));
        let error = options.complete(&given).unwrap_err();
        assert!(matches!(&error, OptionError::Unknown { option, .. } if option == key), "{error}");
        assert!(error.to_string().ends_with("bound, samples, own"), "{error}");
    }
}

#[test]
#[should_panic(expected = "there is no option bounds")]
fn a_default_for_an_option_that_does_not_exist_is_a_bug() {
    let _ = Described::of::<Example>().default("bounds", 1.0);
}

#[test]
fn a_value_set_in_code_is_checked_against_the_same_range() {
    let mut example = Example { bound: 1.0.into(), ..Example::default() };
    assert_eq!(check_ranges(&example), Ok(()));
    let refusal = check_ranges(&Example::default()).unwrap_err();
    assert!(matches!(&refusal, OptionError::Required { option, .. } if option == "bound"));
    example.inner.weight = f64::NAN;
    let refusal = check_ranges(&example).unwrap_err();
    assert_eq!(refusal.option(), "weight");
    assert!(refusal.to_string().ends_with("it accepts a number in (0, 1]"), "{refusal}");
}
