//! Does the explorable page show the runs of this program, and can everything in it be handled?
//!
//! The shipped page is opened in a browser; what its agents have learned is compared with `tucrl learn --json` to the last
//! digit. No WebAssembly is built here: the page carries the module.
// Helpers outside of test functions may unwrap as well.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::reading::browser::Browser;

fn tucrl(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tucrl")).args(arguments).output().unwrap()
}

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/explorable.html").canonicalize().unwrap()
}

/// What `tucrl learn` says of each agent.
fn native(world: &str, agents: &[&str], seed: u64, steps: u64) -> Vec<Value> {
    let (seed, steps) = (seed.to_string(), steps.to_string());
    let mut arguments = vec!["learn", world, "--seeds", "1", "--json", "--episodes"];
    arguments.extend(["--seed", &seed, "--steps", &steps]);
    arguments.extend(agents.iter().flat_map(|agent| ["--agent", agent]));
    let output = tucrl(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Compares the record of a run in the page with that of the program.
fn assert_same(record: &Value, line: &Value) {
    let about = format!("{} in {}", line["agent"], line["world"]);
    for key in ["steps", "seen", "z", "y", "sweeps", "gain"] {
        assert_eq!(record[key], line[key], "{key} of {about}");
    }
    for key in ["gap_regret", "regret", "pseudo_regret", "gain_lost"] {
        // Both write the powers of ten and the last step down, each also others.
        let points = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let theirs = points(&record[key]);
        let common: Vec<Value> = points(&line[key])
            .into_iter()
            .filter(|p| theirs.iter().any(|q| q[0] == p[0]))
            .collect();
        let ours: Vec<&Value> =
            theirs.iter().filter(|p| common.iter().any(|q| q[0] == p[0])).collect();
        assert_eq!(ours, common.iter().collect::<Vec<_>>(), "{key} of {about}");
        assert_eq!(points(&record[key]).last(), points(&line[key]).last(), "{key} of {about}");
        assert!(key == "gain_lost" || common.len() > 3, "{key} of {about}");
    }
    let episodes = line["episode_records"].as_array().unwrap();
    let theirs = record["episodes"].as_array().unwrap();
    assert_eq!(theirs.len(), episodes.len(), "episodes of {about}");
    for (their, our) in theirs.iter().zip(episodes) {
        for (key, value) in their[0].as_object().unwrap() {
            assert_eq!(*value, our[key], "{key} of episode {} of {about}", our["k"]);
        }
        assert_eq!(their[1], our["case"]);
    }
}

const HELPERS: &str = r##"
    const $ = (text) => document.querySelector(text);
    const all = (text) => [...document.querySelectorAll(text)];
    const press = (id) => $("#" + id).click();
    const enter = (input, value) => { input.value = value; input.dispatchEvent(new Event("input")); input.dispatchEvent(new Event("change")); };
    const taken = () => page.snapshot.taken;
    const records = () => page.description.agents.map((_, agent) => page.engine.scene.record(agent));
"##;

/// The page in a browser.
struct Played {
    browser: Browser,
    _folder: TempDir,
}

impl Played {
    /// The shipped page, with a fragment.
    fn open(fragment: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("explorable.html");
        fs::copy(shipped(), &path).unwrap();
        let browser = Browser::open(&PathBuf::from(format!("{}{fragment}", path.display())));
        let played = Self { browser, _folder: folder };
        played.wait("typeof page === 'object' && page.engine !== null");
        played.idle();
        played
    }

    fn run(&self, script: &str) -> Value {
        self.browser.run(&format!("{HELPERS}{script}"))
    }

    fn wait(&self, condition: &str) {
        let begin = Instant::now();
        while self.run(&format!("return {condition}")) != true {
            let problem = self.run("return document.querySelector('#problem').textContent");
            assert!(begin.elapsed() < Duration::from_secs(120), "{condition}; {problem}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Waits until nothing runs.
    fn idle(&self) {
        self.wait("page.job === null && !page.isPlaying");
    }

    fn problem(&self) -> String {
        self.run("return $('#problem').hidden ? '' : $('#problem').textContent")
            .as_str()
            .unwrap()
            .into()
    }

    /// The records of all agents, as the library in the page writes them.
    fn records(&self) -> Vec<Value> {
        let texts = self.run("return records()");
        let read = |text: &Value| serde_json::from_str(text.as_str().unwrap()).unwrap();
        texts.as_array().unwrap().iter().map(read).collect()
    }

    fn quiet(&self) {
        assert_eq!(self.browser.console(), Vec::<Value>::new());
        for url in self.browser.requests() {
            let is_page = url.starts_with("file:") && url.contains("explorable.html");
            assert!(is_page || url == "data:,", "{url}");
        }
    }
}

#[test]
fn the_shipped_page_is_the_one_that_the_command_writes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("play.html");
    let arguments = ["play", "--out", path.to_str().unwrap()];
    assert!(tucrl(&arguments).status.success());
    let written = fs::read(&path).unwrap();
    assert!(written.len() <= 1_500_000, "{} bytes", written.len());
    let advice =
        "docs/explorable.html is stale: cargo run -- play --out docs/explorable.html --force";
    assert!(written == fs::read(shipped()).unwrap(), "{advice}");
    let again = tucrl(&arguments);
    let message = String::from_utf8(again.stderr).unwrap();
    assert!(!again.status.success() && message.contains("exists"), "{message}");
    assert!(tucrl(&["play", "--force", "--out", path.to_str().unwrap()]).status.success());
}

#[test]
fn agents_in_the_page_make_the_runs_of_the_program_to_the_last_digit() {
    let played = Played::open("");
    let scenes: [(&str, &[&str], u64); 8] = [
        (
            "three-state:delta=0",
            &["tucrl:alpha=0.05", "ucrl:alpha=0.05", "scal:c=5,alpha=0.05"],
            100_000,
        ),
        ("three-state", &["tucrl-plus:alpha=0.05", "psrl", "tsde"], 20_000),
        ("two-state:epsilon=0.05", &["tucrl:alpha=0.05", "kl-ucrl:alpha=0.1", "ucrl3"], 10_000),
        ("river-swim", &["tucrl-plus:alpha=0.1", "optimistic-q", "ucrl2"], 20_000),
        ("six-arms", &["regal-c:h=5,alpha=0.1", "scal:c=5,alpha=0.1", "random"], 5000),
        ("frozen-lake", &["tucrl:alpha=0.05", "oracle", "optimistic-psrl"], 5000),
        ("four-rooms", &["tucrl:alpha=0.01", "ds-psrl"], 5000),
        // Large enough for sweeps that run on several threads elsewhere.
        ("taxi", &["tucrl:alpha=0.01", "ucrl:alpha=0.01"], 5000),
    ];
    for (world, agents, steps) in scenes {
        let ask =
            json!({ "world": { "spec": world }, "agents": agents, "seed": 3, "steps": steps });
        let script = format!("openScene({ask}); page.engine.scene.step({steps}); update(true);");
        played.run(&script);
        assert_eq!(played.problem(), "");
        let lines = native(world, agents, 3, steps);
        let records = played.records();
        assert_eq!(records.len(), lines.len());
        for (record, line) in records.iter().zip(&lines) {
            assert_same(record, line);
        }
    }
    played.quiet();
}

#[test]
fn every_control_leads_to_the_runs_of_the_program() {
    let played = Played::open(
        "#world=three-state:delta=0&agent=tucrl:alpha=0.05&agent=ucrl:alpha=0.05&seed=5&steps=4000",
    );
    let agents = ["tucrl:alpha=0.05", "ucrl:alpha=0.05"];
    // One step, one episode, an exploratory one.
    played.run("press('one-step'); press('one-step')");
    assert_eq!(played.run("return taken()"), 2);
    played.run("all('.node[data-state=\"2\"]')[0].dispatchEvent(new MouseEvent('click'))");
    assert_eq!(played.run("return [page.selected.agent, page.selected.state]"), json!([0, 2]));
    let episodes = |agent: u8| format!("return page.snapshot.agents[{agent}].episodes");
    let before = played.run(&episodes(0)).as_u64().unwrap();
    played.run("press('one-episode')");
    played.idle();
    assert_eq!(played.run(&episodes(0)).as_u64().unwrap(), before + 1);
    played.run("enter($('#speed'), '3.5'); press('play')");
    played.wait("taken() >= 1500");
    played.run("if (page.isPlaying) press('play')");
    let here = played.run("return taken()").as_u64().unwrap();
    assert!(here <= 4000, "{here}");
    // A checkpoint, and back to it: the same snapshot.
    played.run("press('store')");
    let stored = played.run("return page.engine.scene.snapshot()");
    played.run("press('one-step'); press('exploratory')");
    played.idle();
    assert!(played.run("return taken()").as_u64().unwrap() > here.min(3999));
    played.run("$('[data-checkpoint]').click()");
    assert_eq!(played.run("return page.engine.scene.snapshot()"), stored);
    // To the end, where play stops by itself.
    played.run("press('play')");
    played.wait("taken() === 4000");
    played.idle();
    let lines = native("three-state:delta=0", &agents, 5, 4000);
    for (record, line) in played.records().iter().zip(&lines) {
        assert_same(record, line);
    }
    // What is shown is what was learned.
    let shown = "return all('.numbers-now')[1].querySelector('dd').textContent";
    let regret = lines[1]["gap_regret"].as_array().unwrap().last().unwrap()[1].as_f64().unwrap();
    let digits = played.run(shown);
    let digits: String = digits.as_str().unwrap().replace('\u{202f}', "");
    assert!(
        (digits.parse::<f64>().unwrap() - regret).abs() <= 0.001 * regret,
        "{digits}, {regret}"
    );
    assert_eq!(
        played.run("return all('#chart path.curve').every((c) => c.getAttribute('d').length > 50)"),
        true
    );
    played.quiet();
}

#[test]
fn sliders_agents_and_worlds_change_the_scene_and_keep_its_step() {
    let played =
        Played::open("#world=three-state:delta=0&agent=tucrl:alpha=0.05&seed=1&steps=3000&at=1000");
    assert_eq!(played.run("return taken()"), 1000);
    played.run("enter($('[data-slider=alpha]'), '100')");
    played.idle();
    assert_eq!(
        played.run("return [page.description.agents[0], taken()]"),
        json!(["tucrl:alpha=1", 1000])
    );
    played.run("$('#agent-tools button').click()");
    played.idle();
    played.run("enter($('[data-pick=\"1\"]'), 'scal')");
    played.idle();
    assert_eq!(played.run("return page.description.agents[1]"), "scal:alpha=0.05,c=5");
    played.run("enter(all('[data-slider=c]')[0], '50'); ");
    played.idle();
    assert_eq!(played.run("return page.description.agents[1]"), "scal:alpha=0.05,c=3.2");
    played.run("enter($('[data-world-slider=delta]'), '0.25')");
    played.idle();
    played.run("page.engine.scene.step(2000); update(true)");
    let lines = native("three-state:delta=0.25", &["tucrl", "scal:alpha=0.05,c=3.2"], 1, 3000);
    for (record, line) in played.records().iter().zip(&lines) {
        assert_same(record, line);
    }
    // What the library refuses is said in its words, and the scene stays.
    played.run("enter($('[data-world-option=delta]'), '3')");
    assert!(played.problem().contains("a number in [0, 1)"), "{}", played.problem());
    played.run("enter($('[data-spec=\"0\"]'), 'tukrl')");
    assert!(played.problem().contains("did you mean"), "{}", played.problem());
    assert_eq!(played.run("return page.description.agents[0]"), "tucrl:alpha=1");
    for world in ["two-state", "river-swim", "six-arms", "frozen-lake", "four-rooms", "taxi"] {
        played.run(&format!(
            "enter($('#world'), '{world}'); page.engine.scene.step(300); update(true)"
        ));
        assert_eq!(played.problem(), "", "{world}");
        assert_eq!(played.run("return all('.panel')[0].querySelectorAll('.node').length === page.engine.model.states.length"), true);
    }
    played.quiet();
}

#[test]
fn an_edited_model_is_saved_and_learned_like_by_the_program() {
    let played = Played::open(
        "#world=three-state:delta=0&agent=tucrl:alpha=0.05&agent=psrl&seed=2&steps=2000",
    );
    let saved = TempDir::new().unwrap();
    played.browser.save_to(saved.path());
    played.run("$('[data-edit=\"add a junk state\"]').click()");
    played.run("$('[data-edit=\"add a junk state\"]').click()");
    assert_eq!(played.run("return page.engine.world.facts.states"), 5);
    assert_eq!(played.run("return page.engine.world.facts.reachable"), 2);
    // A row that does not sum to 1 is refused, with the library's message; the scene stays.
    let row = "const next = $('[data-next=\"2,0\"]'); const reward = $('[data-reward=\"2,0\"]');";
    played.run(&format!("{row} next.value = '0:0.5'; $('[data-edit=apply]').click()"));
    let message = played.run("return $('#edit .problem').textContent");
    assert!(message.as_str().unwrap().contains("sum"), "{message}");
    assert_eq!(played.run("return page.engine.world.facts.reachable"), 2);
    played.run(&format!(
        "{row} next.value = '0:3/4 1:0.25'; reward.value = '0.5'; $('[data-edit=apply]').click()"
    ));
    assert_eq!(played.run("return page.engine.world.facts.reachable"), 3);
    played.run("$('[data-edit=\"save JSON\"]').click()");
    let file = saved.path().join("model.json");
    let begin = Instant::now();
    while !file.exists() {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(200));
    // What was typed is in the file, and junk states stay where they are, at the largest reward.
    let model: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(model["states"][2][0], json!({ "reward": 0.5, "to": [[0, 0.75], [1, 0.25]] }));
    let stays = |state: usize| json!({ "reward": 1, "to": [[state, 1]] });
    for junk in [3, 4] {
        assert_eq!(model["states"][junk], json!([stays(junk), stays(junk)]));
    }
    played.run("page.engine.scene.step(2000); update(true)");
    let lines = native(file.to_str().unwrap(), &["tucrl:alpha=0.05", "psrl"], 2, 2000);
    let own = played.records();
    for (record, line) in own.iter().zip(&lines) {
        assert_same(record, line);
    }
    // The same from its file, and from its link.
    let text = serde_json::to_string(&fs::read_to_string(&file).unwrap()).unwrap();
    let loaded = format!(
        "const load = new DataTransfer(); load.items.add(new File([{text}], 'm.json'));
         const pick = $('input[type=file]'); pick.files = load.files; pick.dispatchEvent(new Event('change'))"
    );
    let link = played.run("return location.hash");
    played.run(&loaded);
    played.wait("taken() === 0");
    played.run("page.engine.scene.step(2000); update(true)");
    assert_eq!(played.records(), own);
    let other = Played::open(link.as_str().unwrap());
    assert_eq!(other.run("return taken()"), 2000);
    assert_eq!(other.records(), own);
    played.quiet();
    other.quiet();
}

#[test]
fn the_page_can_be_used_with_the_keyboard_and_read_as_a_table() {
    let played =
        Played::open("#world=three-state:delta=0&agent=tucrl:alpha=0.05&seed=1&steps=5000&at=200");
    played.run("document.activeElement.blur()");
    played.browser.key("s");
    assert_eq!(played.run("return taken()"), 201);
    // From state to state, explained, moved.
    played.run("$('.node[tabindex=\"0\"]').focus()");
    assert_eq!(played.run("return document.activeElement.dataset.state"), "0");
    played.browser.key("ArrowRight");
    played.browser.key("ArrowRight");
    assert_eq!(played.run("return document.activeElement.dataset.state"), "2");
    let label = played.run("return document.activeElement.getAttribute('aria-label')");
    assert!(label.as_str().unwrap().starts_with("s2: seen"), "{label}");
    played.browser.key("Enter");
    let explained = played.run("return $('#explain').textContent");
    let explained = explained.as_str().unwrap();
    assert!(
        explained.contains("about s2") && explained.contains("a0") && explained.contains("Width"),
        "{explained}"
    );
    let native = tucrl(&[
        "learn",
        "three-state:delta=0",
        "--agent",
        "tucrl:alpha=0.05",
        "--steps",
        "5000",
        "--seeds",
        "1",
        "--json",
        "--explain",
        "2",
    ]);
    played.run("page.engine.scene.step(1e6); update(true)");
    let line: Value = serde_json::from_slice(&native.stdout).unwrap();
    let own = played.run("return page.engine.scene.explain(0, 2)");
    assert_eq!(serde_json::from_str::<Value>(own.as_str().unwrap()).unwrap(), line["explained"]);
    // The table says what the diagram shows.
    played.run("const table = $('.panel details'); table.open = true; updateTable(0)");
    let rows = played.run("return all('.panel details tbody tr').map((row) => row.innerText)");
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 3);
    assert!(rows[1].as_str().unwrap().contains("never seen"), "{rows:?}");
    let classes = played.run("return all('.node').slice(0, 3).map((node) => node.classList[1])");
    assert_eq!(classes, json!(["seen", "given-up", "seen"]));
    assert_eq!(played.run("return all('.panel button, .panel input, .panel select').every((e) => e.textContent || e.getAttribute('aria-label'))"), true);
    played.quiet();
}

#[test]
fn a_dragged_state_stays_where_it_was_put_and_the_link_says_so() {
    let played = Played::open("#world=three-state:delta=0&agent=tucrl&seed=1&steps=100");
    let place = "const node = $('.node[data-state=\"1\"]'); node.scrollIntoView({ block: 'center' });
         const box = node.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]";
    let at = played.run(place);
    let (x, y) = (at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
    played.browser.drag(&[(x, y), (x + 10.0, y + 5.0), (x + 40.0, y + 30.0)]);
    let moved = played.run("return page.places[1]");
    assert!(moved[0].as_f64().unwrap() > 240.0 && moved[1].as_f64().unwrap() > 80.0, "{moved}");
    played.run("press('one-step')");
    let link = played.run("return location.hash");
    assert!(link.as_str().unwrap().contains("places="), "{link}");
    let other = Played::open(link.as_str().unwrap());
    let again = other.run("return page.places[1]");
    assert!((again[0].as_f64().unwrap() - moved[0].as_f64().unwrap()).abs() <= 0.5);
    assert_eq!(other.run("return taken()"), 1);
}

#[test]
fn every_tour_asks_first_and_answers_with_numbers_of_the_run() {
    let played = Played::open("");
    for tour in ["ucrl", "jumps", "lunch", "span"] {
        played.run(&format!("$('[data-tour-id={tour}]').click()"));
        loop {
            assert_eq!(played.run("return $('.tour .answer').hidden"), true, "{tour}");
            assert_eq!(played.run("return $('[data-tour=next]').disabled"), true, "{tour}");
            played.run("$('.tour [data-option]').click()");
            played.wait("!$('[data-tour=next]').disabled");
            assert_eq!(played.problem(), "");
            let answer = played.run("return $('.tour .answer').textContent");
            let answer = answer.as_str().unwrap();
            assert!(
                answer.len() > 80 && !answer.contains("NaN") && !answer.contains("undefined"),
                "{answer}"
            );
            let is_last =
                played.run("return $('[data-tour=next]').textContent") == "end of the tour";
            played.run("$('[data-tour=next]').click()");
            if is_last {
                break;
            }
        }
        assert_eq!(played.run("return $('#tour').hidden"), true);
    }
    played.quiet();
}

#[test]
fn the_page_is_light_or_dark_wide_or_narrow_and_says_what_it_needs() {
    let played = Played::open(
        "#world=three-state:delta=0&agent=tucrl:alpha=0.05&agent=ucrl:alpha=0.05&agent=psrl&steps=1e4&at=1e3",
    );
    let colour = "return getComputedStyle(document.body).backgroundColor";
    for (scheme, expected) in [("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 24, 28)")] {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        played.browser.command("Emulation.setEmulatedMedia", features);
        assert_eq!(played.run(colour), expected);
    }
    let still = json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
    played.browser.command("Emulation.setEmulatedMedia", still);
    assert_eq!(
        played.run(
            "return isStill() && getComputedStyle($('.hope') ?? $('#legend .hope')).animationName"
        ),
        "none"
    );
    let size = json!({ "width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": true });
    played.browser.command("Emulation.setDeviceMetricsOverride", size);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(played.run("return document.documentElement.scrollWidth"), 400);
    played.quiet();
    // Without WebAssembly the page says so.
    let missing = "const real = WebAssembly; $('#problem').hidden = true; window.WebAssembly = undefined; begin();
         window.WebAssembly = real; return $('#problem').textContent";
    assert!(played.run(missing).as_str().unwrap().contains("needs WebAssembly"));
}

#[test]
fn an_agent_that_is_removed_leaves_the_others_as_they_were() {
    let played = Played::open(
        "#world=three-state:delta=0&agent=tucrl:alpha=0.05&agent=psrl&agent=ucrl:alpha=0.05&seed=4&steps=3000&at=1000",
    );
    // The one that is explained goes, and with it the explanation.
    played.run("all('.node[data-state=\"2\"]')[0].dispatchEvent(new MouseEvent('click'))");
    for (gone, left) in [(1, vec!["psrl", "ucrl:alpha=0.05"]), (2, vec!["psrl"])] {
        played.run(&format!("$('[aria-label=\"Remove agent {gone}\"]').click()"));
        played.idle();
        assert_eq!(played.problem(), "");
        assert_eq!(played.run("return page.description.agents"), json!(left));
        let count = left.len();
        assert_eq!(played.run("return all('.panel').length"), count);
        assert_eq!(played.run("return all('#chart path.curve').length"), count);
        assert_eq!(played.run("return taken()"), 1000);
    }
    // The last one stays, and makes the run that it makes alone.
    assert_eq!(played.run("return all('[aria-label^=Remove]').length"), 0);
    played.run("page.engine.scene.step(2000); update(true)");
    assert_same(&played.records()[0], &native("three-state:delta=0", &["psrl"], 4, 3000)[0]);
    played.quiet();
}

/// Differences of pixels are proportional to differences of numbers, or of their logarithms.
fn assert_even(axis: &str, pixels: impl Iterator<Item = f64>, numbers: impl Iterator<Item = f64>) {
    let along = |value: f64| if axis == "log" { tucrl::math::ln(value) } else { value };
    let points: Vec<(f64, f64)> = pixels.zip(numbers.map(along)).collect();
    let (first, last) = (points[0], points[points.len() - 1]);
    for (pixel, number) in points {
        let share = (number - first.1) / (last.1 - first.1);
        let expected = first.0 + share * (last.0 - first.0);
        assert!((pixel - expected).abs() < 0.5, "{axis}: {pixel} and not {expected}");
    }
}

#[test]
fn the_axes_of_the_curves_are_linear_or_logarithmic() {
    let played = Played::open(
        "#world=three-state:delta=0&agent=ucrl:alpha=0.05&seed=1&steps=20000&at=20000",
    );
    let points = played.run("return page.engine.curve(0)");
    let points: Vec<(f64, f64)> = serde_json::from_value(points).unwrap();
    for (x, y) in [("log", "log"), ("linear", "log"), ("linear", "linear"), ("log", "linear")] {
        let switch = |id: &str, to: &str| {
            let button = format!("$('#chart [data-switch={id}] [data-value={to}]')");
            played.run(&format!("{button}.click()"));
            assert_eq!(played.run(&format!("return {button}.ariaPressed")), "true");
        };
        switch("x", x);
        switch("y", y);
        let drawn = "return $('#chart path.curve').getAttribute('d').match(/[^ML]+/g).map((at) => at.split(',').map(Number))";
        let drawn: Vec<(f64, f64)> = serde_json::from_value(played.run(drawn)).unwrap();
        let is_shown = |&(t, value): &(f64, f64)| {
            (x == "linear" || t >= 10.0) && (y == "linear" || value > 0.0)
        };
        let shown: Vec<(f64, f64)> = points.iter().copied().filter(is_shown).collect();
        assert_eq!(drawn.len(), shown.len(), "{x}, {y}");
        assert!(drawn.len() > 10, "{x}, {y}");
        assert_even(x, drawn.iter().map(|p| p.0), shown.iter().map(|p| p.0));
        assert_even(y, drawn.iter().map(|p| p.1), shown.iter().map(|p| p.1));
        // Slopes of powers are straight lines on two logarithmic axes only.
        let is_hidden = played.run("return $('#chart [data-switch=guides]').hidden");
        assert_eq!(is_hidden, x != "log" || y != "log");
    }
    played.quiet();
}

#[test]
fn a_cold_load_is_soon_interactive() {
    // A browser and a profile of its own each, and the best of five: other programs on the machine can only delay a load.
    let load = |_| {
        let played = Played::open("");
        let mark = "return performance.getEntriesByName('interactive')[0].startTime";
        let spent = played.run(mark).as_f64().unwrap();
        // It does what it says: the first step is taken.
        played.run("press('one-step')");
        assert_eq!(played.run("return taken()"), 1);
        spent
    };
    let loads: Vec<f64> = (0..5).map(load).collect();
    println!("cold loads until the page is interactive, in ms: {loads:.0?}");
    let best = loads.iter().copied().fold(f64::INFINITY, f64::min);
    // A second on an idle machine; the tests share theirs with a dozen browsers.
    assert!(best < 3000.0, "{loads:?} ms");
}

#[test]
fn a_million_steps_take_little_time() {
    let played =
        Played::open("#world=three-state:delta=0&agent=tucrl:alpha=0.05&seed=1&steps=1000000");
    // The best of three: 0.2 s beside other programs on two cores, when this was written.
    let spend = |_| {
        let script = "openScene(page.description); const begin = performance.now(); page.engine.scene.step(1e6); return performance.now() - begin";
        played.run(script).as_f64().unwrap()
    };
    let spent: Vec<f64> = (0..3).map(spend).collect();
    println!("a million steps of TUCRL in three-state, in ms: {spent:.0?}");
    // As above: 0.2 s on an idle machine.
    assert!(spent.iter().any(|&one| one < 3000.0), "{spent:?} ms");
    let line = &native("three-state:delta=0", &["tucrl:alpha=0.05"], 1, 1_000_000)[0];
    assert_same(&played.records()[0], line);
}
