//! Does `learn --explain` say what run 0 of every agent assumes?

use super::*;

#[test]
fn agents_explain_what_they_have_given_up() {
    let folder = folder();
    let command = "learn three-state:delta=0 --steps 3000 --seeds 2 --agent tucrl-plus --agent tucrl:alpha=0.05 \
                   --agent random";
    let page = answer(&folder, &format!("{command} --explain 2"));
    for line in [
        "tucrl-plus, run 0, about state 2\n",
        "  action 1, played by the present plan: ",
        "it may not lead to unseen states;\n    reconsidered from step ",
        "all next states never observed: at most 0.",
        "tucrl:alpha=0.05, run 0, about state 2\n",
        "random, run 0, about state 2\n  it keeps no counts, so it has nothing to say\n",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    let unseen = answer(&folder, &format!("{command} --explain 1,0"));
    assert!(unseen.contains("it has not seen this state"), "{unseen}");
    let told = lines(&folder, &format!("{command} --explain 2,1"));
    let explained: Vec<&Value> = told.iter().map(|line| &line["explained"]).collect();
    let [plus, later, tucrl, .., random, _] = explained.as_slice() else { panic!("{explained:?}") };
    assert!(later.is_null() && random.is_null(), "run 0 only, and not of agents without counts");
    for (of, states) in [(plus, 2), (tucrl, 3)] {
        let [pair] = of.as_array().unwrap().as_slice() else { panic!("{of}") };
        assert_eq!(pair["action"], 1);
        let (visits, since) = (pair["visits"].as_u64().unwrap(), pair["given_up_since"].as_u64());
        assert!(visits > 100 && since.unwrap() <= 3000);
        // N±² S_k A with two seen states, or N±² S A with three.
        let from = (visits - 1) * (visits - 1) * 2 * states;
        assert_eq!(pair["reconsidered_from"].as_u64(), Some(from));
    }
    // All states seen and every pair tried often: nothing is said about leading to unseen states now.
    let seen = answer(
        &folder,
        "learn river-swim --steps 20000 --seeds 1 --agent tucrl-plus --explain 0,1",
    );
    let sentence = "visits: no plan from now on would let it lead to unseen states";
    assert!(seen.contains(sentence) && !seen.contains("it may lead"), "{seen}");
    let refused = said(&folder, "learn three-state --explain s1");
    let complaint = String::from_utf8_lossy(&refused.stderr).into_owned();
    let expected = "`s1` is no number of a state or an action: write 3 or 3,1";
    assert!(complaint.contains(expected), "{complaint}");
}

#[test]
fn the_bound_of_tucrl_plus_stands_beside_that_of_the_paper() {
    let folder = folder();
    let json: Value =
        serde_json::from_str(&answer(&folder, "bound taxi --steps 1e9 --json")).unwrap();
    let number = |value: &Value| value.as_f64().unwrap();
    let plus = &json["tucrl_plus"];
    for set in ["tight", "bernstein", "tight_discovery", "bernstein_discovery"] {
        let phase = number(&plus[set]["exploratory_phase"]);
        assert!(phase > 1e12 && phase < 1e13, "{set}: {phase}");
        assert_eq!(plus[set]["failed_sets"], 0.0);
    }
    // The half step changes the lower-order term only.
    let (mass, paper) = (&json["tucrl_mass"], &json["tucrl"]);
    assert_eq!(mass["exploratory_phase"], paper["exploratory_phase"]);
    assert!(number(&mass["estimation_lower_order"]) <= number(&paper["estimation_lower_order"]));
    let page = answer(&folder, "bound river-swim");
    assert!(page.contains("tucrl+") && page.contains(" failed confidence sets"), "{page}");
}

/// Worlds whose bias is known to an error larger than their gaps, or not at all.
#[test]
fn what_is_not_known_of_a_world_is_not_claimed() {
    let folder = folder();
    let write = |name: &str, states: &str| {
        let head = "{\"format\":\"tucrl-mdp\",\"version\":1,\"r_max\":1.0,\"start\":0,\"states\":[";
        std::fs::write(folder.path().join(name), format!("{head}{states}]}}\n")).unwrap();
    };
    write(
        "rare.json",
        "[{\"reward\":0.5,\"to\":[[0,1.0]]},{\"reward\":0.0,\"to\":[[0,0.99999999999999],[1,1e-14]]}],\
         [{\"reward\":1.0,\"to\":[[1,1.0]]}]",
    );
    let page = answer(&folder, "inspect rare.json");
    assert!(page.contains("smallest gap       undecided: gaps are known to ± "), "{page}");
    assert!(!page.contains("every action is optimal"), "{page}");
    // Two spans of fifteen digits, in columns of their own.
    let span = page.lines().find(|line| line.trim_start().starts_with("span ")).unwrap();
    assert_eq!(span.split_whitespace().nth(1), span.split_whitespace().nth(2), "{span}");
    write(
        "denormal.json",
        "[{\"reward\":0.0,\"to\":[[0,1.0],[1,5e-324]]}],[{\"reward\":1.0,\"to\":[[1,1.0],[0,1e-323]]}]",
    );
    let page = answer(&folder, "inspect denormal.json");
    assert!(page.contains("unique and perhaps not unichain"), "{page}");
    let refused = said(&folder, "learn denormal.json --agent scal --steps 100");
    let complaint = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(complaint.contains("scal needs c") && !complaint.contains("try c="), "{complaint}");
}
