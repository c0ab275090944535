//! Bad files and what is said about them, word for word.

use super::*;

/// A file name, its content, and the message.
#[rustfmt::skip]
const TABLE: &[(&str, &str, &str)] = &[
    ("m.json", "{\"format\":",
     "m.json:1:10: the JSON ends too early: complete it"),
    ("m.json", "hello",
     "m.json:1:1: this is not JSON: expected a number, a list, an object or text in quotes"),
    ("m.json", "[1]",
     r#"m.json:1:1: invalid type: sequence, expected a model: {"format":"tucrl-mdp","version":1,...}"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":0,\"to\":[[0,1]]}]]}\nx",
     "m.json:3:1: text after the end of the JSON: remove it"),
    ("m.json", "{\"format\":\"other\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":0,\"to\":[[0,1]]}]]}\n",
     r#"m.json:1:18: the format is "other": this program reads "tucrl-mdp""#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":2,\"start\":0,\n\"states\":[[{\"reward\":0,\"to\":[[0,1]]}]]}\n",
     "m.json:1: tucrl-mdp version 2 is not known: this program reads version 1, use a newer one"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"start\":0,\n\"states\":[[{\"reward\":0,\"to\":[[0,1]]}]]}\n",
     r#"m.json:2:39: the key "version" is missing: add it"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0}",
     r#"m.json:1:44: the key "states" is missing: add it"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\"discount\":0.9,\n\"states\":[[{\"reward\":0,\"to\":[[0,1]]}]]}\n",
     r#"m.json:1:55: unknown key "discount": the keys of a model are format, version, r_max, reward_range, start, action_names, state_names, states"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\"start\":[[0,1]],\n\"states\":[[{\"reward\":0,\"to\":[[0,1]]}]]}\n",
     r#"m.json:1:52: the key "start" comes twice: keep one"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":\"home\",\n\"states\":[[{\"reward\":0,\"to\":[[0,1]]}]]}\n",
     r#"m.json:1:48: invalid type: string "home", expected a start: the number of a state, or [[state,probability],...]"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":3,\n\"states\":[[{\"reward\":0,\"to\":[[0,1]]}]]}\n",
     "m.json:1: start state 3 does not exist: states are numbered 0 to 0"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":[[0,0.5]],\n\"states\":[[{\"reward\":0,\"to\":[[0,1]]}]]}\n",
     "m.json:1: the start probabilities sum to 0.5, which is not 1 within 1e-9: correct the law"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\"r_max\":0,\n\"states\":[[{\"reward\":0,\"to\":[[0,1]]}]]}\n",
     "m.json:1: r_max = 0 is not a positive finite number: it is the largest possible reward"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"r_max\":1.7e308,\"states\":[[{\"reward\":1.7e308,\"to\":[[0,1]]}]]}\n",
     "m.json:2: r_max = 1.7e308 is more than 1e100, the largest accepted: sums and squares of such rewards overflow: divide the rewards by a constant"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\"state_names\":[\"a\",\"b\"],\n\"states\":[[{\"reward\":0,\"to\":[[0,1]]}]]}\n",
     "m.json:1: 2 state names for 1 states: name each of them, or none"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[\n[]\n]}\n",
     "m.json:3: state 0 has no actions: give it at least one (a self-loop if it is a dead end)"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[\n[{\"reward\":0,\"to\":[[0,1]]}],\n[{\"reward\":0,\"to\":[[0,0.5],[1,0.4]]}]]}\n",
     "m.json:4: state 1, action 0: probabilities sum to 0.9, which is not 1 within 1e-9: correct or complete the row"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[\n[{\"reward\":0,\"to\":[[7,1]]}]]}\n",
     "m.json:3: state 0, action 0: next state 7 does not exist: states are numbered 0 to 0"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":0,\"to\":[[-1,1]]}]]}\n",
     "m.json:2:33: invalid type: integer `-1`, expected the number of a state: 0, 1, 2, ..."),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":0,\"to\":[[0]]}]]}\n",
     "m.json:2:32: invalid length 1, expected [state,probability] or [state,probability,reward]"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":0,\"to\":[[0,1,0,0]]}]]}\n",
     "m.json:2:38: invalid length 4, expected [state,probability] or [state,probability,reward]"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":0,\"to\":[[0,1,1]]}]]}\n",
     r#"m.json:2:38: rewards in "reward" and also in "to": keep one of them"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"to\":[[0,1]]}]]}\n",
     r#"m.json:2:25: an action without a reward: add "reward", or a reward to every entry of "to""#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":0}]]}\n",
     r#"m.json:2:23: an action without next states: add "to":[[state,probability],...]"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":0,\"reward\":1,\"to\":[[0,1]]}]]}\n",
     r#"m.json:2:32: the key "reward" comes twice: keep one"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":0,\"too\":[[0,1]]}]]}\n",
     r#"m.json:2:29: unknown key "too": the keys of an action are reward, to"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":\"high\",\"to\":[[0,1]]}]]}\n",
     r#"m.json:2:27: invalid type: string "high", expected a reward: a number, or one of {"uniform":[low,high]}, {"bernoulli":[probability,value]}, {"discrete":[[value,probability],...]}"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":{\"normal\":[0,1]},\"to\":[[0,1]]}]]}\n",
     r#"m.json:2:31: unknown reward law "normal": the reward laws are uniform, bernoulli and discrete"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":{\"uniform\":[0]},\"to\":[[0,1]]}]]}\n",
     "m.json:2:35: invalid length 1, expected an array of length 2"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":{\"uniform\":[0,1],\"discrete\":[[0,1]]},\"to\":[[0,1]]}]]}\n",
     r#"m.json:2:49: a reward has one law, here are "uniform" and "discrete": keep one"#),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[\n[{\"reward\":{\"uniform\":[0.5,0.1]},\"to\":[[0,1]]}]]}\n",
     "m.json:3: state 0, action 0: bad reward law: uniform low end 0.5 lies above its high end 0.1: swap them"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[\n[{\"reward\":2.5,\"to\":[[0,1]]}]]}\n",
     "m.json:3: state 0, action 0: reward between 2.5 and 2.5 leaves [0, 1]: widen reward_range, or raise r_max"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":1e999,\"to\":[[0,1]]}]]}\n",
     "m.json:2:27: the number is too large: write a finite number"),
    ("m.json", "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\n\"states\":[[{\"reward\":0,\"to\":[[0,\"p\"]]}]]}\n",
     r#"m.json:2:35: invalid type: string "p", expected a number"#),
    ("m.drn", "hello\n",
     r#"m.drn:1: "hello" is not a header line of a DRN file: expected @type:, @value_type:, @parameters, @placeholders, @reward_models, @nr_states, @nr_choices or @model"#),
    ("m.drn", "@type: CTMC\n",
     "m.drn:1: CTMC models are not supported: give an MDP or a DTMC with fixed probabilities"),
    ("m.drn", "@type: POMDP\n",
     "m.drn:1: POMDP models are not supported: give an MDP or a DTMC with fixed probabilities"),
    ("m.drn", "@type: Markov Automaton\n",
     "m.drn:1: Markov Automaton models are not supported: give an MDP or a DTMC with fixed probabilities"),
    ("m.drn", "@type: MDP\n@value_type: double-interval\n",
     "m.drn:2: interval models are not supported: give an MDP or a DTMC with fixed probabilities"),
    ("m.drn", "@type: MDP\n@value_type: parametric\n",
     "m.drn:2: parametric models are not supported: give an MDP or a DTMC with fixed probabilities"),
    ("m.drn", "@type: MDP\n@parameters\np q\n",
     "m.drn:3: parametric models are not supported: give an MDP or a DTMC with fixed probabilities"),
    ("m.drn", "@type: MDP\n@type: MDP\n",
     "m.drn:2: @type comes twice: keep one"),
    ("m.drn", "@type: MDP\n@nr_states\nmany\n@model\n",
     r#"m.drn:3: "many" is not a count: write a whole number"#),
    ("m.drn", "@type: MDP\n@nr_states\n",
     "m.drn:2: the file ends after @nr_states: its value is missing"),
    ("m.drn", "@nr_states\n1\n@model\n",
     "m.drn:3: @model comes before @type: add @type"),
    ("m.drn", "@type: MDP\n@model\n",
     "m.drn:2: @model comes before @nr_states: add @nr_states"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n",
     "m.drn:3: the file ends before @model: the states must follow after it"),
    ("m.drn", "@type: MDP\n@placeholders\nx : 1\n@model\n",
     r#"m.drn:3: "x : 1" is not a placeholder: write $name : value"#),
    ("m.drn", "@type: MDP\n@nr_states\n4000000000\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:3: the header declares 4000000000 states, the file has 1: correct the header, or complete the file"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@nr_choices\n2\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:5: the header declares 2 choices, the file has 1: correct the header, or complete the file"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\n",
     "m.drn:3: the header declares 1 states, the file has 0: correct the header, or complete the file"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 1 init\n",
     "m.drn:5: state 1 stands where state 0 should: number the states 0, 1, 2, ... in order"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\naction 0\n",
     "m.drn:5: an action before the first state: begin with state 0"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\n\t0 : 1\n",
     "m.drn:5: a transition before the first state: begin with state 0"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 1\n",
     r#"m.drn:7: "0 1" is no line of a model: expected state N, action N, or next : probability"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : half\n",
     r#"m.drn:7: "half" is not a finite number: write 0.5, 1e-3 or 1/3"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1/0\n",
     r#"m.drn:7: "1/0" is not a finite number: write 0.5, 1e-3 or 1/3"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : $p\n",
     "m.drn:7: placeholder $p is unknown: define it in @placeholders"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : [0.4, 0.9]\n",
     "m.drn:7: interval models are not supported: give an MDP or a DTMC with fixed probabilities"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t5 : 1\n",
     "m.drn:7: next state 5 does not exist: @nr_states declares 1 states, numbered from 0"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : -1\n",
     "m.drn:7: probability -1 is not in [0, 1]"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 0.9\n",
     "m.drn:6: state 0, action 0: probabilities sum to 0.9, which is not 1 within 1e-9: correct or complete the row"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n",
     "m.drn:6: state 0, action 0 leads nowhere: list its next states and probabilities"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n",
     "m.drn:5: state 0 has no actions: give it at least one (a self-loop if it is a dead end)"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 start\n\taction 0\n\t\t0 : 1\n",
     "m.drn:5: from here on no state has the label init: add it to the line of the state where the process starts"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 [1 init\n",
     "m.drn:5: the list of rewards has no end: add ]"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0[1]\n\t\t0 : 1\n",
     r#"m.drn:6: "0[1]" is not the label of an action: write a label, a space, then [reward]"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0 [1] x\n\t\t0 : 1\n",
     r#"m.drn:6: unexpected "x" after the action: remove it"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 [-2] init\n\taction 0 [1]\n\t\t0 : 1\n",
     "m.drn:6: state 0, action 0 has the negative reward -1: give the lowest and the highest reward with `reward_range`"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0 [1, 2]\n\t\t0 : 1\n",
     "m.drn:6: the file has several reward models (rew0, rew1): choose one with `reward_model`"),
    ("m.drn", "@reward_models\ncost\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0 [1, 2]\n\t\t0 : 1\n",
     "m.drn:8: 2 rewards for 1 reward models: name them in @reward_models, or remove some"),
    ("m.drn", "@type: DTMC\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n\taction 1\n\t\t0 : 1\n",
     "m.drn:8: a second action in a DTMC: a DTMC has one action per state, or write @type: MDP"),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\t0 : 1\n\taction 0\n\t\t0 : 1\n",
     "m.drn:7: an action after transitions without one: put action 0 before the first of them"),
    ("m.drn", "//@tucrl version 2\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:1: //@tucrl version 2 is not known: this program reads version 1, use a newer one"),
    ("m.drn", "//@tucrl r_max 2\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:1: //@tucrl r_max before the version: begin with //@tucrl version 1"),
    ("m.drn", "//@tucrl version 1\n//@tucrl rmax 2\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     r#"m.drn:2: //@tucrl "rmax" is unknown before @model: known are version, r_max, reward_range, start, action_names"#),
    ("m.drn", "//@tucrl version 1\n//@tucrl r_max 2\n//@tucrl r_max 2\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:3: //@tucrl r_max comes twice: keep one"),
    ("m.drn", "//@tucrl version 1\n//@tucrl r_max two\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:2: bad value after //@tucrl r_max: this is not JSON: expected a number, a list, an object or text in quotes"),
    ("m.drn", "//@tucrl version 1\n//@tucrl r_max 0.5\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0 [1]\n\t\t0 : 1\n",
     "m.drn:8: state 0, action 0: reward between 1 and 1 leaves [0, 0.5]: widen reward_range, or raise r_max"),
    ("m.drn", "//@tucrl version 1\n//@tucrl start [[0,0.5],[1,0.5]]\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:2: the //@tucrl comment contradicts the model: it starts in states 0, 1, the label init is on state 0: correct one of them, or delete the comment"),
    ("m.drn", "//@tucrl version 1\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0 [0.7]\n//@tucrl reward {\"uniform\":[0,1]}\n\t\t0 : 1\n",
     "m.drn:8: the //@tucrl comment contradicts the model: its mean is 0.5, the reward of the action 0.7: correct one of them, or delete the comment"),
    ("m.drn", "//@tucrl version 1\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0 [0.5]\n//@tucrl rewards [0,1]\n\t\t0 : 1\n",
     "m.drn:8: the //@tucrl comment contradicts the model: 2 laws for 1 transitions: correct one of them, or delete the comment"),
    ("m.drn", "//@tucrl version 1\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0 [0.5]\n\t\t0 : 1\n//@tucrl reward {\"uniform\":[0,1]}\n",
     "m.drn:9: //@tucrl reward belongs right after the line of an action"),
    ("m.drn", "//@tucrl version 1\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n//@tucrl name \"x\"\n\t\t0 : 1\n",
     "m.drn:8: //@tucrl name belongs right after the line of a state"),
    ("m.drn", "//@tucrl version 1\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n//@tucrl name \"x\"\n//@tucrl name \"y\"\n\taction 0\n\t\t0 : 1\n",
     "m.drn:8: the //@tucrl comment contradicts the model: state 0 has two names: correct one of them, or delete the comment"),
    ("m.drn", "//@tucrl version 1\n@type: MDP\n@nr_states\n2\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\nstate 1\n//@tucrl name \"x\"\n\t0 : 1\n",
     "m.drn:10: the //@tucrl comment contradicts the model: state 1 has a name, state 0 has none: correct one of them, or delete the comment"),
    ("m.drn", "//@tucrl version 1\n@type: MDP\n@nr_states\n2\n@model\nstate 0 init\n//@tucrl name \"x\"\n\t0 : 1\nstate 1\n\t0 : 1\n",
     "m.drn:9: the //@tucrl comment contradicts the model: state 1 has no name, the states before it have one: correct one of them, or delete the comment"),
    ("m.drn", "//@tucrl version 1\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n//@tucrl gain 3\n",
     r#"m.drn:9: //@tucrl "gain" is unknown after @model: known are name, reward, rewards"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n//@tucrl name \"x\"\n",
     "m.drn:8: //@tucrl name without a version: put //@tucrl version 1 before @model"),
    ("m.drn", "//@tucrl version 1\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0 [0.5]\n//@tucrl reward {\"discrete\":[[0.5,0.7]]}\n\t\t0 : 1\n",
     "m.drn:7: state 0, action 0: bad reward law: outcome probabilities sum to 0.7, not to 1"),
    ("m.drn", "//@tucrl version 1\n//@tucrl start [[0,0.5]]\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:2: the start probabilities sum to 0.5, which is not 1 within 1e-9: correct the law"),
    ("m.drn", "//@tucrl version 1\n//@tucrl r_max -1\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:2: r_max = -1 is not a positive finite number: it is the largest possible reward"),
    ("m.drn", "//@tucrl version 1\n//@tucrl action_names [\"a\",\"b\"]\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:2: 2 action names for 1 actions: name each of them, or none"),
    ("m.drn", "//@tucrl version 1\n//@tucrl start\n@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:2: bad value after //@tucrl start: the JSON ends too early: complete it"),
    ("m.drn", "@type: MDP\n@nr_states\n2\n@model\nstate 0 init\n\taction 0 [1/inf]\n\t\t0 : 1\n\t\t1 : 5/inf\nstate 1\n\taction 0\n\t\t1 : 1\n",
     r#"m.drn:6: "1/inf" is not a finite number: write 0.5, 1e-3 or 1/3"#),
    ("m.drn", "@type: MDP\n@nr_states\n2\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n\t\t1 : 5/inf\nstate 1\n\taction 0\n\t\t1 : 1\n",
     r#"m.drn:8: "5/inf" is not a finite number: write 0.5, 1e-3 or 1/3"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0 [nan]\n\t\t0 : 1\n",
     r#"m.drn:6: "nan" is not a finite number: write 0.5, 1e-3 or 1/3"#),
    ("m.drn", "@type: MDP\n@nr_states\n+1\n@model\nstate +0 init\n\taction 0 [-0/3]\n\t\t+0 : -1/-1\n",
     r#"m.drn:3: "+1" is not a count: write a whole number"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate +0 init\n",
     r#"m.drn:5: "+0" is not the number of a state: write a whole number"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t+0 : 1\n",
     r#"m.drn:7: "+0" is not the number of a next state: write a whole number"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : -1/-1\n",
     r#"m.drn:7: "-1/-1" is not a finite number: write 0.5, 1e-3 or 1/3"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : +1\n",
     r#"m.drn:7: "+1" is not a finite number: write 0.5, 1e-3 or 1/3"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model\nstate 0 \"init\n\taction 0\n\t\t0 : 1\n",
     "m.drn:5: a quotation mark without its partner: add one, or remove it"),
    ("m.drn", "@type: MDP\n@nr_states: 7\n1\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     r#"m.drn:2: "@nr_states: 7" is not a header line of a DRN file: @nr_states stands alone on its line"#),
    ("m.drn", "@type: MDP\n@nr_states\n1\n@model: x\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
     r#"m.drn:4: "@model: x" is not a header line of a DRN file: @model stands alone on its line"#),
];

#[test]
fn every_malformed_file_gets_its_message() {
    let scratch = Scratch::new();
    let mut wrong = String::new();
    for (name, content, expected) in TABLE {
        let said = match read(&scratch.with(name, content)) {
            Ok(_) => "it was accepted".to_string(),
            Err(error) => scratch.message(&error),
        };
        if said != *expected {
            wrong += &format!("--- {content:?}\nexpected {expected:?}\nsaid     {said:?}\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// A file with a long piece of text, or one that a terminal would obey, in a place that messages quote.
fn with(piece: &str) -> Vec<(&'static str, String)> {
    let json = |start: &str| format!("{{\"format\":\"tucrl-mdp\",\"version\":1,{start}}}");
    let drn = |body: &str| format!("@type: MDP\n@nr_states\n1\n@model\nstate 0 init\n{body}\n");
    vec![
        ("m.json", json(&format!("\"start\":\"{piece}\""))),
        ("m.json", json(&format!("\"{piece}\":1"))),
        ("m.json", format!("{{\"format\":\"{piece}\"}}")),
        ("m.drn", piece.to_owned()),
        ("m.drn", format!("@type: {piece}\n")),
        ("m.drn", format!("//@tucrl version {piece}\n")),
        ("m.drn", format!("//@tucrl {piece} 1\n")),
        ("m.drn", format!("@placeholders\n{piece}\n")),
        ("m.drn", format!("@type: MDP\n@reward_models\na {piece}\n@nr_states\n1\n@model\n")),
        ("m.drn", drn(piece)),
        ("m.drn", drn(&format!("\taction 0 [{piece}]"))),
        ("m.drn", drn(&format!("\taction 0 [${piece}]"))),
        ("m.drn", drn(&format!("\taction 0 [1] {piece}"))),
        ("m.drn", drn(&format!("\taction 0\n\t\t{piece} : 1"))),
    ]
}

#[test]
fn messages_quote_a_little_and_nothing_that_a_terminal_obeys() {
    let scratch = Scratch::new();
    for (name, content) in with(&"x".repeat(100_000)) {
        let said = scratch.message(&read(&scratch.with(name, &content)).unwrap_err());
        assert!(said.chars().count() < 600, "{said}");
    }
    let many: String = (0..50_000).map(|name| format!("m{name} ")).collect();
    let content = format!("@type: MDP\n@reward_models\n{many}\n@nr_states\n1\n@model\n");
    let said = scratch.message(&read(&scratch.with("m.drn", content)).unwrap_err());
    assert!(said.contains("(m0, m1, ") && said.len() < 300, "{said}");
    let is_obeyed = |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}');
    for piece in ["a\u{1b}[31mb", "a\u{7f}b", "a\u{202e}b\u{2028}c", "a\u{9b}1mb"] {
        for (name, content) in with(piece) {
            let said = scratch.message(&read(&scratch.with(name, &content)).unwrap_err());
            assert!(!said.chars().any(is_obeyed), "{content:?}: {said:?}");
        }
        let said = read(Path::new(&format!("{piece}.json"))).unwrap_err().to_string();
        assert!(!said.chars().any(is_obeyed), "{said:?}");
    }
}

#[test]
fn a_line_without_an_end_is_not_read_to_its_end() {
    let scratch = Scratch::new();
    let long = " ".repeat((1 << 20) + 1);
    for content in [format!("{long}@type: MDP"), format!("@type: MDP\n//{long}\n")] {
        let said = scratch.message(&read(&scratch.with("m.drn", content)).unwrap_err());
        assert!(
            said.ends_with(
                "the line has 1.0 MB and more, which no line needs: check that this is a DRN file"
            ),
            "{said}"
        );
    }
    // Our own comments may name every state.
    let start: Vec<String> = (0..100_000).map(|state| format!("[{state},1e-5]")).collect();
    let content = format!("//@tucrl version 1\n//@tucrl start [{}]\nx\n", start.join(","));
    assert!(content.len() > 1 << 20);
    let said = scratch.message(&read(&scratch.with("m.drn", content)).unwrap_err());
    assert!(said.starts_with("m.drn:3: \"x\" is not a header line"), "{said}");
}

#[test]
fn a_quotation_mark_that_is_never_closed_does_not_bring_the_file_into_memory() {
    let scratch = Scratch::new();
    let said = |name: &str, length: usize| {
        let content = format!("{{\n\"{name}{}\":1}}", "x".repeat(length - name.len()));
        scratch.message(&read(&scratch.with("m.json", content)).unwrap_err())
    };
    let expected =
        "m.json:2: a text in quotes has more than 16 MB: close its quotation mark, or shorten it";
    assert_eq!(said("", 16_000_000), expected);
    let said_less = said("", 15_000_000);
    assert!(said_less.starts_with("m.json:2:1500000"), "{said_less}");
    assert!(said_less.contains("unknown key \"xxx") && said_less.len() < 600, "{said_less}");
    // A mark after a backslash closes nothing.
    assert_eq!(said(&"\\\"".repeat(1000), 16_000_000), expected);
}

/// The largest resident size so far, in kB.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A file of 4 GB that takes no room on the disk: zeros after its beginning.
#[cfg(target_os = "linux")]
#[test]
fn a_fault_at_the_beginning_of_a_huge_file_is_reported_at_once() {
    let scratch = Scratch::new();
    let before = peak_memory();
    for (name, beginning, expected) in [
        ("m.json", &b"{x"[..], "m.json:1:2: key must be a string"),
        (
            "m.json",
            b"{\"caf\xe9\":1",
            "m.json:1: the file is not UTF-8 text here: save it as UTF-8",
        ),
        (
            "m.drn",
            b"@type: MDP\n",
            "m.drn:2: the line has 1.0 MB and more, which no line needs: check that this is a DRN file",
        ),
    ] {
        let path = scratch.with(name, beginning);
        fs::File::options().write(true).open(&path).unwrap().set_len(4 << 30).unwrap();
        let clock = std::time::Instant::now();
        assert_eq!(scratch.message(&read(&path).unwrap_err()), expected);
        assert!(clock.elapsed() < std::time::Duration::from_secs(2), "{name}");
        fs::remove_file(path).unwrap();
    }
    // Other tests run beside this one.
    assert!(peak_memory() - before < 1_000_000, "{} kB", peak_memory() - before);
}
