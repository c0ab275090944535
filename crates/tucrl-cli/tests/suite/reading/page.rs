//! Does the page work in a browser: curves, switches, hovering, light and dark, wide and narrow, offline?

use serde_json::json;

use super::browser::Browser;
use super::reported;

const HELPERS: &str = r#"
    const world = document.querySelector("section[data-world]");
    const curves = () => [...world.querySelectorAll("path.curve")];
    const shape = () => curves().map((curve) => curve.getAttribute("d")).join();
    const ticks = () => [...world.querySelectorAll(".regret .x-tick")].map((tick) => tick.textContent);
    const press = (name, value) => {
        const button = [...world.querySelectorAll(`[data-switch=${name}] button`)]
            .find((button) => button.dataset.value === value);
        button.click();
        return button.getAttribute("aria-pressed");
    };
    const hover = (svg) => {
        const box = svg.getBoundingClientRect();
        svg.dispatchEvent(new PointerEvent("pointermove", {
            clientX: box.left + 0.6 * box.width, clientY: box.top + 0.5 * box.height, bubbles: true }));
        const tip = svg.parentNode.querySelector(".tip");
        return tip ? tip.textContent : "";
    };
"#;

#[test]
fn the_page_works_in_a_browser_and_asks_the_network_for_nothing() {
    let (folder, _) = reported();
    let page = folder.path().join("report/report.html");
    assert!(page.metadata().unwrap().len() < 250_000);
    let browser = Browser::open(&page);
    let run = |script: &str| browser.run(&format!("{HELPERS}{script}"));

    // Both worlds, every agent, with bands.
    assert_eq!(run("return document.querySelectorAll('section[data-world]').length"), 2);
    assert_eq!(run("return curves().length"), 3);
    assert_eq!(run("return curves().every((curve) => curve.getAttribute('d').length > 200)"), true);
    assert_eq!(run("return world.querySelectorAll('path.band').length"), 3);

    // Axes switch one by one.
    let logarithmic = run("return ticks()");
    assert!(logarithmic.as_array().unwrap().contains(&json!("10³")), "{logarithmic}");
    let changes = |name: &str, value: &str| {
        run(&format!(
            "const before = shape(); const is = press('{name}', '{value}');
             return is === 'true' && before !== shape() && curves().length === 3"
        ))
    };
    assert_eq!(changes("x", "linear"), true);
    let linear = run("return ticks()");
    assert!(linear.as_array().unwrap().contains(&json!("10k")), "{linear}");
    for (name, value) in
        [("y", "linear"), ("value", "pseudo"), ("line", "median"), ("y", "log"), ("x", "log")]
    {
        assert_eq!(changes(name, value), true, "{name} {value}");
    }
    assert_eq!(run("return ticks()"), logarithmic);
    assert_eq!(run("press('band', 'none'); return world.querySelectorAll('path.band').length"), 0);
    for band in ["bootstrap", "inner", "outer", "student"] {
        let count =
            format!("press('band', '{band}'); return world.querySelectorAll('path.band').length");
        assert_eq!(run(&count), 3, "{band}");
    }

    // Agents can be hidden and come back.
    let toggle = "const button = world.querySelector('button.agent'); button.click();
         return [curves().length, button.getAttribute('aria-pressed')]";
    assert_eq!(run(toggle), json!([2, "false"]));
    assert_eq!(run(toggle), json!([3, "true"]));

    // Values follow the pointer, and leave with it.
    let tip = run("return hover(world.querySelector('.regret svg'))");
    let tip = tip.as_str().unwrap();
    assert!(tip.contains("steps") && tip.contains("TUCRL") && tip.contains("chance"), "{tip}");
    let gone = "const svg = world.querySelector('.regret svg'); hover(svg);
         svg.dispatchEvent(new PointerEvent('pointerleave')); return !world.querySelector('.tip')";
    assert_eq!(run(gone), true);

    // The timeline.
    assert_eq!(run("return world.querySelectorAll('path.level').length"), 4);
    assert_eq!(run("return world.querySelectorAll('rect.shade').length >= 4"), true);
    assert_eq!(run("return world.querySelectorAll('line.end').length > 10"), true);
    let reasons =
        run("return [...world.querySelectorAll('.why')].map((why) => why.textContent).join()");
    assert!(reasons.as_str().unwrap().contains("pair doubled"), "{reasons}");
    assert!(reasons.as_str().unwrap().contains("1 × end of the run"), "{reasons}");
    let tip = run("return hover(world.querySelector('.episodes svg'))");
    assert!(tip.as_str().unwrap().contains("stopped by"), "{tip}");
    let other = r#"press("agent", 'UCRL, plain "old"'); return world.querySelector(".episodes svg").getAttribute("aria-label")"#;
    assert_eq!(run(other), "Episodes of UCRL, plain \"old\"");

    // Facts, provenance, and the tables of the second world.
    let text = run("return document.body.innerText");
    let text = text.as_str().unwrap();
    for words in ["optimal gain", "Provenance", "git revision", "d41c633", "river-swim", "verdict"]
    {
        assert!(text.contains(words), "{words}");
    }

    // Dark where the reader wants it so; nothing sticks out on a phone.
    let colour = "return getComputedStyle(document.body).backgroundColor";
    let features =
        |scheme: &str| json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
    browser.command("Emulation.setEmulatedMedia", features("light"));
    assert_eq!(run(colour), "rgb(255, 255, 255)");
    browser.command("Emulation.setEmulatedMedia", features("dark"));
    assert_eq!(run(colour), "rgb(22, 24, 28)");
    browser.command(
        "Emulation.setDeviceMetricsOverride",
        json!({ "width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": true }),
    );
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(run("return document.documentElement.scrollWidth"), 360);
    assert_eq!(run("return world.querySelector('.regret svg').viewBox.baseVal.width < 360"), true);
    assert_eq!(run("return curves().length"), 3);

    assert_eq!(browser.console(), Vec::<serde_json::Value>::new());
    let requests = browser.requests();
    assert!(requests.iter().any(|url| url.starts_with("file:")), "{requests:?}");
    for url in requests {
        assert!(
            url.starts_with("file:") && url.ends_with("report.html") || url == "data:,",
            "{url}"
        );
    }
}
