//! Is growth put in words only where the runs support them, and does the help recommend what learns?

use super::*;

/// The words of the row below the exponents and their intervals, by agent.
fn growth_words(page: &str, agents: usize) -> Vec<String> {
    let rows: Vec<&str> = page.lines().collect();
    let at = rows.iter().position(|row| row.starts_with("growth ")).unwrap();
    assert_eq!(rows[at + 1].matches(" to ").count(), agents, "{page}");
    let words = rows[at + 2].split("  ").map(str::trim).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(Into::into).collect();
    assert_eq!(words.len(), agents, "{page}");
    words
}

#[test]
fn words_do_not_contradict_theory_or_each_other() {
    let folder = folder();
    for steps in ["1e5", "3e5", "1e6"] {
        let page = answer(
            &folder,
            &format!(
                "learn three-state:delta=0 --steps {steps} --seeds 10 --agent tucrl:alpha=0.05 \
                 --agent ucrl:alpha=0.05 --agent random"
            ),
        );
        let words = growth_words(&page, 3);
        // Theory: a square root, linear, linear.
        assert!(["undecided", "a square root"].contains(&words[0].as_str()), "{page}");
        assert!(["undecided", "linear"].contains(&words[1].as_str()), "{page}");
        assert_eq!(words[2], "linear", "{page}");
    }
}

#[test]
fn one_run_has_no_word() {
    let folder = folder();
    let page = answer(&folder, "learn three-state:delta=0 --steps 1e5 --seeds 1 --agent random");
    let rows: Vec<&str> = page.lines().collect();
    let at = rows.iter().position(|row| row.starts_with("growth ")).unwrap();
    assert!(rows[at + 1].starts_with("reward/step "), "{page}");
}

/// The command of the help for taxi, with one run: never delivering earns 0.3 a step.
#[test]
fn the_agent_that_the_help_recommends_for_taxi_learns() {
    let folder = folder();
    let help = answer(&folder, "learn --help");
    let command = help.lines().find_map(|line| line.trim().strip_prefix("tucrl learn taxi "));
    let lines = lines(&folder, &format!("learn taxi {} --seeds 1", command.unwrap()));
    let regret = lines[0]["regret"].as_array().unwrap();
    let at = |time: u64| regret.iter().find(|entry| entry[0] == time).unwrap()[1].as_f64().unwrap();
    let gain = lines[0]["gain"].as_f64().unwrap();
    // After the first tenth of the run.
    let earned = gain - (at(100_000) - at(10_000)) / 9e4;
    assert!(earned > 0.33 && gain < 0.36, "{earned} of {gain}");
}

#[test]
fn numbers_are_read_as_people_type_them() {
    let folder = folder();
    let steps = |text: &str| {
        let command = format!("learn two-state --agent random --seeds 1 --steps {text}");
        lines(&folder, &command)[0]["steps"].as_u64().unwrap()
    };
    for text in ["10k", "10_000", "1e4", "10000", "0.01M"] {
        assert_eq!(steps(text), 10_000, "{text}");
    }
    let command =
        "learn junk:base=two-state,factor=5k --agent random --steps 1k --seeds 1_0 --jobs 1";
    let lines = lines(&folder, command);
    assert_eq!((lines.len(), &lines[0]["states"]), (10, &10_000.into()));
    assert_eq!(lines[0]["world"], "junk:base=two-state,factor=5000");
}
