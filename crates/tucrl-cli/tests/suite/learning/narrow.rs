//! Does a narrow terminal never break a word?

use super::*;

/// What a command prints on a terminal of some width.
fn on(folder: &TempDir, command: &str, columns: usize) -> String {
    let arguments: Vec<&str> = command.split(' ').collect();
    let mut command = tucrl(folder, &arguments);
    let output = command.env("COLUMNS", columns.to_string()).output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// Every line fits, unless it is one word that does not.
fn assert_fits(page: &str, columns: usize) {
    for line in page.lines() {
        let is_one_word = line.trim().split(' ').count() == 1;
        assert!(line.chars().count() <= columns || is_one_word, "{line}\n\n{page}");
    }
}

#[test]
fn nothing_is_wider_than_sixty_columns() {
    let folder = folder();
    let mut commands: Vec<String> = vec![
        "--help".into(),
        "agents".into(),
        "worlds".into(),
        "inspect taxi --skip diameter".into(),
        "inspect river-swim --policy".into(),
        "explore breakout-game".into(),
        "bound three-state:delta=0".into(),
        "learn three-state:delta=0 --steps 20000 --agent tucrl --agent ucrl --agent random".into(),
        "learn taxi --steps 10000 --seeds 1".into(),
        "learn taxi --agent scal".into(),
        "run small.toml".into(),
        "status out/small".into(),
        "report out/small".into(),
        "compare out/small out/small".into(),
        "reproduce --plan".into(),
        "import curves.csv --label mine --world three-state --into out/small".into(),
        "merge out/small --into out/merged".into(),
        "doctor".into(),
        "play --out page.html".into(),
        "man --out pages".into(),
        // What clap says.
        "lern".into(),
        "learn".into(),
        "learn taxi --steps -5".into(),
        "learn taxi --agnet tucrl".into(),
        "import curves.csv".into(),
        "cluster slurm small.toml".into(),
        "cluster slurm small.toml --out out --tasks 2 --time soon".into(),
        "completions tcsh".into(),
    ];
    let verbs =
        ["reproduce", "worlds", "inspect", "explore", "export", "agents", "schema", "learn"];
    let more = ["bound", "run", "league", "status", "report", "compare", "bench", "import"];
    let tools = ["merge", "cluster", "cluster slurm", "play", "doctor", "completions", "man"];
    let all = verbs.iter().chain(&more).chain(&tools);
    commands.extend(all.map(|verb| format!("{verb} --help")));
    commands.extend(kinds().iter().map(|kind| format!("agents {}", kind.about().name)));
    let worlds = tucrl::worlds::kinds();
    commands.extend(worlds.iter().map(|kind| format!("worlds {}", kind.about().name)));
    fs::write(folder.path().join("small.toml"), LEAGUE).unwrap();
    for command in &commands {
        assert_fits(&on(&folder, command, 60), 60);
    }
    // Narrower still, and the words are the same as on a wide one.
    for command in ["agents tucrl", "worlds taxi", "agents", "bound three-state:delta=0"] {
        let (narrow, wide) = (on(&folder, command, 40), on(&folder, command, 200));
        assert_fits(&narrow, 40);
        assert!(narrow.split_whitespace().eq(wide.split_whitespace()), "{narrow}");
    }
}

#[test]
fn what_programs_read_is_not_folded() {
    let folder = folder();
    for command in ["agents --json", "worlds taxi --json", "inspect two-state --json", "schema"] {
        assert_eq!(on(&folder, command, 40), on(&folder, command, 200), "{command}");
    }
}
