//! Worlds that cannot be prepared, and worlds whose gain is uncertain.

use super::*;

const SMALL: &str = "{\"format\":\"tucrl-mdp\",\"version\":1,\"start\":0,\"states\":[\n";

/// Corridors with "stay or go on" and two ends.
fn corridor(cells: usize) -> String {
    let cell = |cell: usize| {
        format!("[{{\"reward\":0,\"to\":[[{cell},1]]}},{{\"reward\":0,\"to\":[[{},1]]}}]", cell + 1)
    };
    let rows: Vec<String> = (0..cells).map(cell).collect();
    let end = |state: usize, reward: f64| format!("[{{\"reward\":{reward},\"to\":[[{state},1]]}}]");
    format!("{SMALL}{},\n{},\n{}]}}", rows.join(",\n"), end(cells, 1.0), end(cells + 1, 0.3))
}

#[test]
fn one_bad_world_fails_alone() {
    let experiment = |worlds: &str| {
        format!(
            "name = \"bad\"\nsteps = 1e3\nseeds = 2\nworlds = [{worlds}]\nagents = [\"random\"]\n"
        )
    };
    let lab = Lab::with(&experiment("\"two-state\", \"broken.json\", \"line.json\""));
    fs::write(lab.path("broken.json"), format!("{SMALL}[{{\"reward\":0,\"to\":[[0,0.5]]}}]]}}"))
        .unwrap();
    fs::write(lab.path("line.json"), corridor(1_199)).unwrap();
    let output = lab.said("run exp.toml");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "out/bad: 4 of 6 runs done, 2 failed\nnext  tucrl report out/bad\n"
    );
    let said = complaint(&output);
    let why = "the world could not be prepared: exp.toml:4: `worlds[1]`: broken.json:2: state 0, action 0: \
               probabilities sum to 0.5";
    for run in 0..2 {
        assert!(said.contains(&format!("error: broken.json random #{run}: {why}")), "{said}");
    }
    let report = lab.answer("report out/bad");
    assert!(report.starts_with("bad: 6 runs, 2 failed\n"), "{report}");
    let page = fs::read_to_string(lab.path("out/bad/report/report.md")).unwrap();
    assert!(page.contains("probabilities sum to 0"), "{page}");

    // Where there is no other world, and where the file is wrong, nothing is run.
    for (worlds, why) in [
        ("\"broken.json\"", "exp.toml:4: `worlds[0]`: broken.json:2: state 0, action 0"),
        (
            "\"two-state\", \"deep-sea:n=0\"",
            "exp.toml:4: `worlds[1]`: deep-sea: `n` = 0 is out of range",
        ),
    ] {
        let lab = Lab::with(&experiment(worlds));
        fs::write(
            lab.path("broken.json"),
            format!("{SMALL}[{{\"reward\":0,\"to\":[[0,0.5]]}}]]}}"),
        )
        .unwrap();
        let output = lab.said("run exp.toml");
        assert!(!output.status.success());
        let said = complaint(&output);
        assert!(said.contains(why), "{said}");
        assert_eq!(lab.files("out/bad", ".run"), Vec::<PathBuf>::new());
    }
}

#[test]
fn an_uncertain_gain_is_told_wherever_regret_is_shown() {
    let lab = Lab::with(
        "name = \"rare\"\nsteps = 1e3\nseeds = 2\nworlds = [\"rare.json\"]\nagents = [\"random\", \"tucrl\"]\n",
    );
    // The gain is 1/3, but times of 1e323 steps cannot be computed with.
    let rare =
        "[{\"reward\":0,\"to\":[[0,1],[1,5e-324]]}],[{\"reward\":1,\"to\":[[1,1],[0,1e-323]]}]]}";
    fs::write(lab.path("rare.json"), format!("{SMALL}{rare}")).unwrap();
    let warning = "the optimal gain is certified only to ± 5e-1, so regret after\n  \
                   1000 steps is uncertain by ± 5e2.\n  \
                   Compare rewards, or the regrets of two agents: their difference does not\n  \
                   depend on the gain.\n";
    let output = lab.said("learn rare.json --steps 1000 --seeds 1 --agent random");
    let (page, said) = (String::from_utf8_lossy(&output.stdout).into_owned(), complaint(&output));
    assert!(said.contains(&format!("warning: {warning}")), "{said}");
    assert!(page.contains("optimal gain 0.5 ± 5e-1, 2 of 2 states reachable"), "{page}");
    let said = complaint(&lab.said("run exp.toml"));
    assert!(said.contains(&format!("warning: rare.json: {warning}")), "{said}");
    for command in ["report out/rare", "report out/rare --json", "compare out/rare out/rare"] {
        let said = complaint(&lab.said(command));
        assert_eq!(said, format!("warning: rare.json: {warning}"), "{command}");
    }
    let line = warning.split_whitespace().collect::<Vec<_>>().join(" ");
    for (file, mark) in [("report.md", "**Warning:** "), ("report.html", "<b>Warning:</b> ")] {
        let text = fs::read_to_string(lab.path("out/rare/report").join(file)).unwrap();
        assert!(text.contains(&format!("{mark}{line}")), "{file}");
    }
    // Certain gains are used without a word.
    assert_eq!(complaint(&lab.said("learn river-swim --steps 1000 --seeds 1 --agent random")), "");
}
