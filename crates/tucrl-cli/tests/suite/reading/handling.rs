//! Can the page be handled: zoom, sort, save, switches, with a pointer and with the keyboard alone?

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::browser::Browser;
use super::support::{sample, store};
use super::{answer, csv, reported};

const HELPERS: &str = r##"
    const world = document.querySelector("#world-0");
    const part = (name) => world.querySelector(`.${name}`);
    const svg = (name) => part(name).querySelector("svg");
    const ticks = () => [...svg("regret").querySelectorAll(".x-tick")].map((tick) => tick.textContent);
    const press = (name, id, value) => part(name).querySelector(`[data-switch=${id}] [data-value=${value}]`).click();
    const tool = (name, what) => part(name).querySelector(`[data-tool="${what}"]`);
    const spoken = (name) => part(name).querySelector("[aria-live]").textContent;
    const middle = (name) => {
        svg(name).scrollIntoView({ block: "center" });
        const box = svg(name).getBoundingClientRect();
        return [box.left, box.top, box.width, box.height];
    };
"##;

fn run(browser: &Browser, script: &str) -> Value {
    browser.run(&format!("{HELPERS}{script}"))
}

fn opened() -> (TempDir, Browser) {
    let (folder, _) = reported();
    let browser = Browser::open(&folder.path().join("report/report.html"));
    (folder, browser)
}

/// A rectangle of a chart, in shares of its width and height, as places on the screen.
fn across(browser: &Browser, chart: &str, from: (f64, f64), to: (f64, f64)) -> [(f64, f64); 3] {
    let view = run(browser, &format!("return middle('{chart}')"));
    let view: Vec<f64> = view.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    let place = |(x, y): (f64, f64)| (view[0] + x * view[2], view[1] + y * view[3]);
    [place(from), place(((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0)), place(to)]
}

#[test]
fn dragging_zooms_and_the_button_and_a_double_click_show_everything_again() {
    let (_folder, browser) = opened();
    let run = |script: &str| run(&browser, script);
    let all = run("return ticks()");
    assert!(all.as_array().unwrap().contains(&json!("10⁴")), "{all}");
    assert_eq!(run("return tool('regret', 'reset zoom').disabled"), true);
    browser.drag(&across(&browser, "regret", (0.4, 0.3), (0.6, 0.7)));
    let some = run("return ticks()");
    assert!(some != all && some.as_array().unwrap().contains(&json!("500")), "{some}");
    // What is outside of the panel is cut off.
    assert_eq!(
        run("return svg('regret').querySelector('path.curve').closest('[clip-path]') !== null"),
        true
    );
    run("tool('regret', 'reset zoom').click()");
    assert_eq!(run("return ticks()"), all);
    browser.drag(&across(&browser, "regret", (0.4, 0.5), (0.6, 0.5)));
    assert_ne!(run("return ticks()"), all);
    run("svg('regret').dispatchEvent(new MouseEvent('dblclick'))");
    assert_eq!(run("return ticks()"), all);
    let wheel = "const [left, top, width, height] = middle('regret');
         const event = new WheelEvent('wheel', { deltaY: -100, ctrlKey: CTRL, cancelable: true,
             clientX: left + width / 2, clientY: top + height / 2 });
         svg('regret').dispatchEvent(event); return event.defaultPrevented";
    assert_eq!(run(&wheel.replace("CTRL", "false")), false, "the page scrolls");
    assert_eq!(run("return ticks()"), all);
    assert_eq!(run(&wheel.replace("CTRL", "true")), true);
    assert_ne!(run("return ticks()"), all);

    // The timeline zooms in time.
    let level = "return svg('episodes').querySelector('path.level').getAttribute('d')";
    let before = run(level);
    browser.drag(&across(&browser, "episodes", (0.3, 0.3), (0.7, 0.4)));
    assert_ne!(run(level), before);
    run("tool('episodes', 'reset zoom').click()");
    assert_eq!(run(level), before);
    assert_eq!(browser.console(), Vec::<Value>::new());
}

#[test]
fn the_keyboard_reads_values_and_zooms() {
    let (_folder, browser) = opened();
    let run = |script: &str| run(&browser, script);
    let all = run("return ticks()");
    run("svg('regret').focus()");
    assert_eq!(run("return document.activeElement === svg('regret')"), true);
    browser.key("End");
    let last = run("return spoken('regret')");
    let last = last.as_str().unwrap();
    assert!(last.starts_with("20\u{202f}000 steps: ") && last.contains("TUCRL "), "{last}");
    assert_eq!(
        run(
            "return part('regret').querySelector('.tip').textContent.startsWith('20\u{202f}000 steps')"
        ),
        true
    );
    browser.key("ArrowLeft");
    let before = run("return spoken('regret')");
    assert!(before != last && !before.as_str().unwrap().starts_with("20\u{202f}000"), "{before}");
    browser.key("ArrowRight");
    assert_eq!(run("return spoken('regret')"), last);
    for _ in 0..3 {
        browser.key("+");
    }
    let close = run("return ticks()");
    assert_ne!(close, all);
    // The view follows the cross-hair.
    browser.key("Home");
    assert!(run("return spoken('regret')").as_str().unwrap().starts_with("10 steps"));
    assert_ne!(run("return ticks()"), close);
    browser.key("0");
    assert_eq!(run("return ticks()"), all);
    browser.key("+");
    browser.key("-");
    assert_eq!(run("return tool('regret', 'reset zoom').disabled"), true);
    run("svg('regret').blur()");
    assert_eq!(run("return part('regret').querySelector('.tip')"), Value::Null);

    run("svg('episodes').focus()");
    browser.key("ArrowRight");
    browser.key("ArrowRight");
    let spoken = run("return spoken('episodes')");
    assert!(spoken.as_str().unwrap().starts_with("episode 1: steps "), "{spoken}");
    assert!(spoken.as_str().unwrap().contains("states seen"), "{spoken}");
    assert_eq!(browser.console(), Vec::<Value>::new());
}

#[test]
fn switches_have_names_and_show_runs_and_guides() {
    let (_folder, browser) = opened();
    let run = |script: &str| run(&browser, script);
    let names = run(
        "return [...part('regret').querySelectorAll('[role=group]')].map((group) => group.ariaLabel)",
    );
    assert_eq!(
        names,
        json!(["x axis", "y axis", "regret", "line", "band", "single runs", "guides"])
    );
    let count =
        |what: &str| run(&format!("return part('regret').querySelectorAll('{what}').length"));
    assert_eq!(count("path.run"), 0);
    run("press('regret', 'runs', 'all')");
    // Three agents with four runs each.
    assert_eq!(count("path.run"), 12);
    let differ = "const shapes = [...part('regret').querySelectorAll('path.run')].map((run) => run.getAttribute('d'));
         return new Set(shapes).size > 6";
    assert_eq!(run(differ), true);
    let guides =
        "return [...part('regret').querySelectorAll('.guide')].map((guide) => guide.dataset.guide)";
    assert_eq!(run(guides), json!(["T", "√T", "ln T"]));
    run("press('regret', 'guides', 'off')");
    assert_eq!(count(".guide"), 0);
    run("press('regret', 'guides', 'on'); press('regret', 'y', 'linear')");
    assert_eq!(count(".guide"), 0, "guides belong to logarithmic axes");
    let note = "return part('regret').querySelector('.note').textContent";
    assert!(run(note).as_str().unwrap().starts_with("Gap regret: the sum"));
    run("press('regret', 'value', 'realised')");
    assert!(run(note).as_str().unwrap().starts_with("Realised regret: "));
    assert_eq!(browser.console(), Vec::<Value>::new());
}

#[test]
fn values_that_a_logarithmic_axis_cannot_show_are_named() {
    let folder = TempDir::new().unwrap();
    let mut all = sample();
    for run in all.iter_mut().filter(|run| run.label == "chance") {
        run.record.gap_regret.iter_mut().flatten().for_each(|point| point.1 = 0.0);
    }
    store(folder.path(), &all);
    answer(&["report", folder.path().to_str().unwrap()]);
    let browser = Browser::open(&folder.path().join("report/report.html"));
    let note = || run(&browser, "return part('regret').querySelector('.lost').textContent");
    let said = note();
    assert!(said.as_str().unwrap().contains("≤ 0: chance (all checkpoints)"), "{said}");
    run(&browser, "press('regret', 'y', 'linear')");
    assert_eq!(note(), "");
    let figure =
        |name: &str| fs::read_to_string(folder.path().join("report/figures").join(name)).unwrap();
    let words = "Values ≤ 0 are not drawn on the logarithmic axis: chance";
    assert!(figure("regret-three-state-delta-0-log.svg").contains(words));
    assert!(!figure("regret-three-state-delta-0.svg").contains(words));
}

#[test]
fn tables_sort_by_number_and_by_text() {
    let (_folder, browser) = opened();
    let sort = |column: usize, by: &str| {
        let script = format!(
            "const table = world.querySelector('table.numbers'), head = table.tHead.rows[0].cells[{column}];
             const button = head.querySelector('button'); button.focus(); {by};
             return [head.getAttribute('aria-sort'), [...table.tBodies[0].rows].map((row) => row.cells[{column}].textContent),
                 table.querySelectorAll('[aria-sort]').length]"
        );
        let found = run(&browser, &script);
        assert!(found[2].as_u64().unwrap() <= 1, "one column decides: {found}");
        let cells: Vec<String> =
            found[1].as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().into()).collect();
        (found[0].clone(), cells)
    };
    let number = |cell: &String| -> f64 {
        cell.split(" ±").next().unwrap().replace('\u{202f}', "").replace('−', "-").parse().unwrap()
    };
    let (order, cells) = sort(3, "button.click()");
    assert_eq!((order, cells.len()), (json!("ascending"), 3));
    assert!(cells.is_sorted_by_key(number), "{cells:?}");
    let (order, cells) = sort(3, "button.click()");
    assert_eq!(order, "descending");
    assert!(cells.iter().rev().is_sorted_by_key(number), "{cells:?}");
    let (_, cells) = sort(1, "button.click()");
    assert_eq!(cells, ["chance", "TUCRL", "UCRL, plain \"old\""]);
    // With the keyboard.
    let _ = sort(1, "");
    browser.key("Enter");
    let (order, cells) = sort(1, "");
    assert_eq!((order, cells[0].as_str()), (json!("descending"), "UCRL, plain \"old\""));
    // "chance" has no episodes: its cell is the last in both orders.
    for _ in 0..2 {
        assert_eq!(sort(7, "button.click()").1[2], "–");
    }
    // The digits of a column end at the same place.
    let ends = "const cells = [...world.querySelector('table.numbers').querySelectorAll('tbody tr td:nth-child(4) span:first-child')];
         return new Set(cells.map((cell) => Math.round(cell.getBoundingClientRect().left))).size";
    assert_eq!(run(&browser, ends), 1);
    assert_eq!(browser.console(), Vec::<Value>::new());
}

/// The content of a file that the browser saves, when it is complete.
fn saved(path: &Path) -> String {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        if let Ok(text) = fs::read_to_string(path)
            && !text.is_empty()
        {
            return text;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{} was not saved", path.display());
}

#[test]
fn files_saved_from_the_page_have_what_it_shows() {
    let (folder, browser) = opened();
    let saves = TempDir::new().unwrap();
    browser.save_to(saves.path());
    let save = |chart: &str, what: &str, name: &str| -> PathBuf {
        run(&browser, &format!("tool('{chart}', 'save {what}').click()"));
        let path = saves.path().join(name);
        saved(&path);
        path
    };
    let drawing = save("regret", "SVG", "regret-in-three-state-delta-0.svg");
    let text = fs::read_to_string(&drawing).unwrap();
    assert!(text.starts_with("<?xml") && text.trim_end().ends_with("</svg>"));
    for word in [
        "Regret in three-state:delta=0",
        "TUCRL",
        "UCRL, plain \"old\"",
        "chance",
        "steps",
        "stroke=\"rgb",
    ] {
        assert!(text.contains(word), "{word}");
    }
    assert!(!text.contains("var(--"), "colours are resolved");
    let rows = csv(&save("regret", "CSV", "regret-in-three-state-delta-0.csv"));
    let all = csv(&folder.path().join("report/means.csv"));
    let all: Vec<_> = all.iter().filter(|row| row["world"] == "three-state:delta=0").collect();
    assert_eq!(rows.len(), all.len());
    for (row, exact) in rows.iter().zip(all) {
        assert_eq!(
            (&row["label"], &row["t"], &row["regret"]),
            (&exact["label"], &exact["t"], &exact["regret"])
        );
        for column in ["mean", "median", "student_low", "bootstrap_high", "q05", "q75"] {
            let value = |row: &super::Row| row[column].parse::<f64>().unwrap();
            assert!(
                (value(row) - value(exact)).abs() <= 1e-5 * value(exact).abs(),
                "{column}: {row:?} {exact:?}"
            );
        }
    }
    let episodes = csv(&save("episodes", "CSV", "episodes-of-tucrl-in-three-state-delta-0.csv"));
    assert!(
        episodes.len() > 10 && episodes[0]["start"] == "1" && episodes[0]["stop"] == "new state",
        "{:?}",
        episodes[0]
    );
    save("episodes", "SVG", "episodes-of-tucrl-in-three-state-delta-0.svg");
    run(&browser, "world.querySelector('.wide + .tools button').click()");
    let table = saves.path().join("final-results-three-state-delta-0.csv");
    saved(&table);
    assert_eq!(csv(&table).len(), 3);
    assert_eq!(browser.console(), Vec::<Value>::new());
    drop(browser);
    // A browser draws the saved file: it is well-formed.
    let browser = Browser::open(&drawing);
    assert_eq!(browser.run("return document.querySelectorAll('path.curve').length"), 3);
    let outside = "const box = document.documentElement.getBoundingClientRect();
         return [...document.querySelectorAll('text')].filter((text) => text.getBoundingClientRect().right > box.right + 1).length";
    assert_eq!(browser.run(outside), 0);
    assert_eq!(browser.console(), Vec::<Value>::new());
}

#[test]
fn losses_after_exploration_times_are_a_chart_of_the_page() {
    let folder = TempDir::new().unwrap();
    let experiment = "name = 'e'\nsteps = 2e4\nseeds = 2\nexploration = true\n\
                      worlds = ['three-state:delta=0']\nagents = ['ucrl:alpha=0.05', 'random']\n";
    fs::write(folder.path().join("e.toml"), experiment).unwrap();
    let mut make = Command::new(env!("CARGO_BIN_EXE_tucrl"));
    make.current_dir(folder.path()).args(["run", "e.toml"]);
    assert!(make.output().unwrap().status.success());
    let out = folder.path().join("out/e");
    answer(&["report", out.to_str().unwrap()]);
    let browser = Browser::open(&out.join("report/report.html"));
    let run = |script: &str| run(&browser, script);
    // Random play has no episodes, and so no exploration times.
    let curves = "return [...part('exploration').querySelectorAll('path.curve')].map((curve) => curve.dataset.agent)";
    assert_eq!(run(curves), json!(["ucrl:alpha=0.05"]));
    run("svg('exploration').focus()");
    browser.key("End");
    let spoken = |kind: &str| {
        let rows = csv(&out.join("report/exploration.csv"));
        let last =
            rows.iter().filter(|row| row["window"] == "1000" && row["label"] == "ucrl:alpha=0.05");
        let losses: Vec<f64> = last.map(|row| row[kind].parse().unwrap()).collect();
        assert_eq!(losses.len(), 2);
        let mean = (losses[0] + losses[1]) / 2.0;
        assert!(mean > 100.0, "{mean}");
        format!("1\u{202f}000 steps after an exploration time: ucrl:alpha=0.05 {mean:.1}")
    };
    assert_eq!(run("return spoken('exploration')"), spoken("worst"));
    run("press('exploration', 'value', 'mean'); svg('exploration').focus()");
    browser.key("End");
    assert_eq!(run("return spoken('exploration')"), spoken("mean"));
    assert_eq!(browser.console(), Vec::<Value>::new());
}

#[test]
fn the_page_has_contents_definitions_options_and_the_experiment() {
    let (_folder, browser) = opened();
    let links = browser.run(
        "return [...document.querySelectorAll('nav a')].map((link) => [link.textContent,
             document.querySelector(link.getAttribute('href')).querySelector('h2').textContent])",
    );
    let links: Vec<(&str, &str)> = links
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap()))
        .collect();
    assert!(links.iter().all(|(link, title)| link == title), "{links:?}");
    let titles: Vec<&str> = links.iter().map(|(_, title)| *title).collect();
    let all = [
        "three-state:delta=0",
        "river-swim",
        "All worlds",
        "Agents and their options",
        "Experiment file",
        "Provenance",
    ];
    assert_eq!(titles, all);
    let text = |place: &str| {
        let text = browser.run(&format!("return document.querySelector('{place}').textContent"));
        text.as_str().unwrap().to_owned()
    };
    assert!(
        text("#experiment pre").contains("label = 'UCRL, plain \"old\"'"),
        "{}",
        text("#experiment pre")
    );
    let options = text("#agents");
    for word in ["tucrl:alpha=0.05", "relaxation", "delta0.05", "No options."] {
        assert!(options.contains(word), "{word}: {options}");
    }
    for (place, word) in [
        ("#world-0 .words", "growth"),
        ("#world-0 details .words", "corrected p"),
        ("#all-worlds .words", "(IQM)"),
    ] {
        assert!(text(place).contains(word), "{word}: {}", text(place));
    }
    // The profiles: a curve and a band for every agent.
    let counts = "const host = document.querySelector('.profiles');
         return [host.querySelectorAll('path.curve').length, host.querySelectorAll('path.band').length]";
    assert_eq!(browser.run(counts), json!([3, 3]));
    // An agent looks the same everywhere.
    let looks = "return ['#world-0 .regret', '#world-1 .regret', '.profiles'].map((place) =>
         document.querySelector(`${place} path.curve[data-agent=chance]`).getAttribute('style'))";
    let looks = browser.run(looks);
    assert!(looks[0] == looks[1] && looks[1] == looks[2] && !looks[0].is_null(), "{looks}");
}

#[test]
fn the_page_fits_a_narrow_screen_and_does_not_move() {
    let (_folder, browser) = opened();
    let features = json!([{ "name": "prefers-reduced-motion", "value": "reduce" }]);
    browser.command("Emulation.setEmulatedMedia", json!({ "features": features }));
    let size = json!({ "width": 400, "height": 800, "deviceScaleFactor": 2, "mobile": true });
    browser.command("Emulation.setDeviceMetricsOverride", size);
    browser.run("for (const details of document.querySelectorAll('details')) details.open = true");
    assert_eq!(browser.run("return document.documentElement.scrollWidth"), 400);
    let moving = "return [...document.querySelectorAll('*')].filter((node) => {
         const style = getComputedStyle(node);
         return style.transitionDuration !== '0s' || style.animationName !== 'none' || style.scrollBehavior === 'smooth';
     }).length";
    assert_eq!(browser.run(moving), 0);
    assert_eq!(browser.console(), Vec::<Value>::new());
}
