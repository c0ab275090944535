//! Everything that is refused, with its exact words.

use super::*;

/// Arguments, the exit code, and what is said; `|` is a line break.
const TABLE: &[(&str, i32, &str)] = &[
    // Names.
    ("agents tucr", 1, "error: there is no agent `tucr`: did you mean `tucrl`?"),
    ("agents UCRL", 1, "error: there is no agent `UCRL`: did you mean `ucrl`?"),
    (
        "agents scal:c=5",
        1,
        "error: `agents` takes a name without options: try `tucrl learn WORLD --agent scal:c=5`",
    ),
    ("learn taxi --agent dqn", 1, "error: there is no agent `dqn`: `tucrl agents` lists them"),
    ("learn taxy --agent tucrl", 1, "error: there is no world `taxy`: did you mean `taxi`?"),
    (
        "learn taxi --agent tucrl --agent tucrl:alpha=1",
        1,
        "error: the agent tucrl is given twice: keep one of them",
    ),
    (
        "learn taxi --agent ucrl --agent ucrl2b",
        1,
        "error: the agent ucrl is given twice: keep one of them",
    ),
    // Grammar.
    (
        "learn taxi --agent scal:",
        1,
        "error: nothing follows the colon: leave it out, or add key=value|  scal:|      ^",
    ),
    ("learn taxi --agent scal:c", 1, "error: `c` has no value: write c=value|  scal:c|       ^"),
    (
        "learn taxi --agent scal:c=5,,alpha=1",
        1,
        "error: there is a comma too many: write key=value,key=value|  scal:c=5,,alpha=1|          ^",
    ),
    ("learn taxi --agent :c=5", 1, "error: a name is missing: write name:key=value,key=value"),
    // Keys.
    (
        "learn taxi --agent tucrl:alhpa=0.1",
        1,
        "error: tucrl has no key `alhpa`: did you mean `alpha`?|  tucrl:alhpa=0.1|        ^^^^^",
    ),
    (
        "learn taxi --agent scal:planner=plain",
        1,
        "error: scal has no key `planner`: it accepts c, mode, operator, augment, set, rule, f, delta, alpha, alpha_r, alpha_p, shrink, variance, ties, known_rewards, aperiodicity, r_max, sa, sweeps|  scal:planner=plain|       ^^^^^^^",
    ),
    (
        "learn taxi --agent random:seed=1",
        1,
        "error: random has no key `seed`: it takes no keys|  random:seed=1|         ^^^^",
    ),
    (
        "learn taxi --agent tucrl:alpha=1,alpha=2",
        1,
        "error: `alpha` is given twice: keep one of them|  tucrl:alpha=1,alpha=2|                ^^^^^",
    ),
    // Values.
    (
        "learn taxi --agent tucrl:alpha=small",
        1,
        "error: `small` is not a number: `alpha` accepts a number of at least 0|  tucrl:alpha=small|              ^^^^^",
    ),
    (
        "learn taxi --agent tucrl:delta=sqrt",
        1,
        "error: `sqrt` is not a number: `delta` accepts a number in (0, 1], or inv-sqrt|  tucrl:delta=sqrt|              ^^^^",
    ),
    (
        "learn taxi --agent tucrl:delta=inv_sqrt",
        1,
        "error: `inv_sqrt` is not accepted: did you mean `inv-sqrt`? `delta` accepts a number in (0, 1], or inv-sqrt|  tucrl:delta=inv_sqrt|              ^^^^^^^^",
    ),
    (
        "learn taxi --agent ucrl:planner=fast",
        1,
        "error: `fast` is not accepted: `planner` accepts plain or accelerated|  ucrl:planner=fast|               ^^^^",
    ),
    (
        "learn taxi --agent ucrl:sweeps=0.5",
        1,
        "error: `0.5` is not an integer: `sweeps` accepts an integer of at least 1|  ucrl:sweeps=0.5|              ^^^",
    ),
    // Ranges.
    (
        "learn chain --agent tucrl:delta=0",
        1,
        "error: tucrl: `delta` = 0 is out of range: it accepts a number in (0, 1], or inv-sqrt|  tucrl:delta=0|              ^",
    ),
    (
        "learn chain --agent tucrl:delta=1.5",
        1,
        "error: tucrl: `delta` = 1.5 is out of range: it accepts a number in (0, 1], or inv-sqrt|  tucrl:delta=1.5|              ^^^",
    ),
    (
        "learn chain --agent ucrl:alpha=-1",
        1,
        "error: ucrl: `alpha` = -1 is out of range: it accepts a number of at least 0|  ucrl:alpha=-1|             ^^",
    ),
    (
        "learn chain --agent ucrl:alpha=1,alpha_p=-0.5",
        1,
        "error: ucrl: `alpha_p` = -0.5 is out of range: it accepts a number of at least 0, or alpha|  ucrl:alpha=1,alpha_p=-0.5|                       ^^^^",
    ),
    (
        "learn chain --agent ucrl2:r_max=0",
        1,
        "error: ucrl2: `r_max` = 0 is out of range: it accepts a positive number, or world|  ucrl2:r_max=0|              ^",
    ),
    (
        "learn chain --agent ucrl2:sa=0",
        1,
        "error: ucrl2: `sa` = 0 is out of range: it accepts a number of at least 1, or nominal|  ucrl2:sa=0|           ^",
    ),
    (
        "learn chain --agent ucrl2:sweeps=0",
        1,
        "error: ucrl2: `sweeps` = 0 is out of range: it accepts an integer of at least 1|  ucrl2:sweeps=0|               ^",
    ),
    (
        "learn chain --agent scal:c=-1",
        1,
        "error: scal: `c` = -1 is out of range: it accepts a number of at least 0, or inf or world|  scal:c=-1|         ^^",
    ),
    (
        "learn chain --agent scal:c=inf,mode=theory",
        1,
        "error: scal: `c` = inf is out of range: it accepts a positive finite span bound with mode=theory|  scal:c=inf,mode=theory|         ^^^",
    ),
    (
        "learn chain --agent scal:c=1,aperiodicity=2",
        1,
        "error: scal: `aperiodicity` = 2 is out of range: it accepts a number in (0, 1]|  scal:c=1,aperiodicity=2|                        ^",
    ),
    (
        "learn chain --agent optimistic-q:horizon=1",
        1,
        "error: optimistic-q: `horizon` = 1 is out of range: it accepts a number of at least 2, or theory|  optimistic-q:horizon=1|                       ^",
    ),
    (
        "learn chain --agent optimistic-q:span=0",
        1,
        "error: optimistic-q: `span` = 0 is out of range: it accepts a positive number|  optimistic-q:span=0|                    ^",
    ),
    (
        "learn chain --agent ucrl2:r_max=0.5",
        1,
        "error: ucrl2: `r_max` = 0.5 is out of range: it accepts at least the largest reward of the world, counted from its smallest|  ucrl2:r_max=0.5|              ^^^",
    ),
    // What an agent cannot do is not an option.
    (
        "learn chain --agent tucrl:set=kl",
        1,
        "error: tucrl has no key `set`: it accepts relaxation, delta, alpha, alpha_r, alpha_p, shrink, variance, ties, known_rewards, warm_start, planner, aperiodicity, r_max, sa, sweeps|  tucrl:set=kl|        ^^^",
    ),
    (
        "learn chain --agent regal:set=ucrl3",
        1,
        "error: `ucrl3` is not accepted: `set` accepts bernstein, bernstein-2020, l1 or kl|  regal:set=ucrl3|            ^^^^^",
    ),
    (
        "learn chain --agent scal:c=1,rule=powers-of-two",
        1,
        "error: `powers-of-two` is not accepted: `rule` accepts doubling, new-state, tsde or vm|  scal:c=1,rule=powers-of-two|                ^^^^^^^^^^^^^",
    ),
    // A bound on the span has no default: without one these agents would be another.
    (
        "learn three-state --agent tucrl --agent scal",
        1,
        "error: scal needs c, an upper bound on the bias span; the span of this world is 1.005: try c=2",
    ),
    (
        "learn three-state --agent scal:alpha=0.05",
        1,
        "error: scal needs c, an upper bound on the bias span; the span of this world is 1.005: try c=2",
    ),
    (
        "learn three-state --agent regal-c",
        1,
        "error: regal-c needs h, an upper bound on the bias span; the span of this world is 1.005: try h=2",
    ),
    (
        "learn three-state --agent scal+:c=2",
        1,
        "error: the agent scal+ is gone: FOCUS is its successor, and stored runs of it are still reported: write focus:h=number with twice the bound on the span, or scal:c=number with the bound|  scal+:c=2|  ^^^^^",
    ),
    // What would hit every run is said once.
    (
        "learn theta --agent random --agent heuristic",
        1,
        "error: in theta: heuristic: this algorithm needs a rule of thumb, which this world does not provide: choose another world or algorithm",
    ),
    (
        "learn taxi --agent tucrl,ucrl",
        1,
        "error: --agent takes one agent: write --agent tucrl --agent ucrl",
    ),
    (
        "learn taxi,river-swim",
        1,
        "error: there is no world `taxi,river-swim`: give each world its own spec, taxi and river-swim",
    ),
    // Flags, which clap words; the first line is enough.
    (
        "learn taxi --steps 0",
        2,
        "error: invalid value '0' for '--steps <T>': write a number of steps from 1 to 1e10, such as 1e6, 1M or 500k",
    ),
    (
        "learn taxi --steps 1e11",
        2,
        "error: invalid value '1e11' for '--steps <T>': write a number of steps from 1 to 1e10, such as 1e6, 1M or 500k",
    ),
    (
        "learn taxi --steps 1.5",
        2,
        "error: invalid value '1.5' for '--steps <T>': write a number of steps from 1 to 1e10, such as 1e6, 1M or 500k",
    ),
    (
        "learn taxi --seeds 0",
        2,
        "error: invalid value '0' for '--seeds <N>': write the number of runs per agent, from 1 to 1e6, such as 4",
    ),
    (
        "learn taxi --steps -5",
        2,
        "error: invalid value '-5' for '--steps <T>': write a number of steps from 1 to 1e10, such as 1e6, 1M or 500k",
    ),
    (
        "learn taxi --steps 10m",
        2,
        "error: invalid value '10m' for '--steps <T>': write a number of steps from 1 to 1e10, such as 1e6, 1M or 500k",
    ),
    (
        "learn taxi --jobs 0",
        2,
        "error: invalid value '0' for '--jobs <N>': write a number of threads of at least 1, such as 4",
    ),
    (
        "learn taxi --checkpoints 0",
        2,
        "error: invalid value '0' for '--checkpoints <N>': write a number from 1 to 10000, such as 10",
    ),
    (
        "learn taxi --seed -1",
        2,
        "error: invalid value '-1' for '--seed <M>': write an integer of at least 0, such as 1",
    ),
    ("learn taxi --episodes", 2, "error: the following required arguments were not provided:"),
    ("learn", 2, "error: the following required arguments were not provided:"),
    (
        "bound taxi --delta 0",
        2,
        "error: invalid value '0' for '--delta <P>': write a number in (0, 1], such as 0.05",
    ),
    (
        "bound taxi --steps many",
        2,
        "error: invalid value 'many' for '--steps <T>': write a number of steps of at least 1, such as 1e6, 1M or 500k",
    ),
    (
        "bound chain:n=30000",
        1,
        "error: the bounds need the diameter, which for 30000 reachable states would take long: choose a world with at most 20000",
    ),
];

#[test]
fn every_refusal_says_what_to_change() {
    let folder = folder();
    for &(command, code, expected) in TABLE {
        let output = said(&folder, command);
        assert_eq!(output.status.code(), Some(code), "{command}");
        assert!(output.stdout.is_empty(), "{command}");
        let said = String::from_utf8(output.stderr).unwrap();
        match code {
            2 => assert_eq!(said.lines().next(), Some(expected), "{command}"),
            _ => assert_eq!(said, expected.replace('|', "\n") + "\n", "{command}"),
        }
    }
}
