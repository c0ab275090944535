//! How is a page opened in a real browser, without a library? Chromium, driven by chromedriver over HTTP.

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
];

/// A browser with one page; it is closed when it is dropped.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

/// A program on the path, by any of its names.
fn program(names: &[&str]) -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|file| file.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "{} is not installed, and the page must be opened in a browser. On Debian: \
             apt-get install chromium chromium-driver (.ci/run does so)",
            names[0]
        )
    })
}

impl Browser {
    pub fn open(page: &Path) -> Self {
        let chromium = program(&["chromium", "chromium-browser", "google-chrome"]);
        let mut driver = Command::new(program(&["chromedriver"]))
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines
            .by_ref()
            .map(Result::unwrap)
            .find_map(|line| {
                let (_, port) = line.split_once("successfully on port ")?;
                port.trim_end_matches('.').parse().ok()
            })
            .expect("chromedriver says its port");
        // The rest is not needed, but a closed pipe would end chromedriver.
        std::thread::spawn(move || lines.for_each(drop));
        let profile = TempDir::new().unwrap();
        let mut browser = Self { driver, port, session: String::new(), _profile: profile };
        let folder = format!("--user-data-dir={}", browser._profile.path().display());
        let flags: Vec<&str> = FLAGS.iter().copied().chain([folder.as_str()]).collect();
        let answer = browser.post(
            "session",
            &json!({ "capabilities": { "alwaysMatch": {
                "goog:chromeOptions": { "binary": chromium, "args": flags },
                "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
            }}}),
        );
        browser.session = answer["sessionId"].as_str().unwrap().into();
        browser.ask("url", &json!({ "url": format!("file://{}", page.display()) }));
        browser
    }

    /// What a script returns.
    pub fn run(&self, script: &str) -> Value {
        self.ask("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Presses the pointer at the first place, moves it over the others and releases it at the last.
    pub fn drag(&self, places: &[(f64, f64)]) {
        let mouse = |kind: &str, (x, y): (f64, f64), buttons: u8| {
            let button = if kind == "mouseMoved" && buttons == 0 { "none" } else { "left" };
            let event = json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1 });
            self.command("Input.dispatchMouseEvent", event);
        };
        let (first, last) = (places[0], places[places.len() - 1]);
        mouse("mouseMoved", first, 0);
        mouse("mousePressed", first, 1);
        places.iter().for_each(|&place| mouse("mouseMoved", place, 1));
        mouse("mouseReleased", last, 0);
    }

    /// Presses a key, by its name.
    pub fn key(&self, key: &str) {
        let (text, code) = match key {
            "Enter" => ("\r", 13),
            _ if key.chars().count() == 1 => (key, 0),
            _ => ("", 0),
        };
        for kind in ["keyDown", "keyUp"] {
            let event =
                json!({ "type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code });
            self.command("Input.dispatchKeyEvent", event);
        }
    }

    /// Files that the page lets the reader save go to this folder.
    pub fn save_to(&self, folder: &Path) {
        let to = json!({ "behavior": "allow", "downloadPath": folder });
        self.command("Browser.setDownloadBehavior", to);
    }

    /// A command of the DevTools protocol.
    pub fn command(&self, name: &str, parameters: Value) {
        self.ask("goog/cdp/execute", &json!({ "cmd": name, "params": parameters }));
    }

    /// Everything that was written to the console, errors of the page among it.
    pub fn console(&self) -> Vec<Value> {
        self.log("browser")
    }

    /// The addresses of everything that was asked for.
    pub fn requests(&self) -> Vec<String> {
        let events = self.log("performance").into_iter().map(|entry| {
            serde_json::from_str::<Value>(entry["message"].as_str().unwrap()).unwrap()
        });
        let url = |event: Value| {
            let message = &event["message"];
            // The browser's own first page asks the browser itself for its style.
            let is_own = message["params"]["documentURL"]
                .as_str()
                .is_some_and(|url| url.starts_with("chrome"));
            let is_request = message["method"] == "Network.requestWillBeSent" && !is_own;
            is_request.then(|| message["params"]["request"]["url"].as_str().unwrap().to_owned())
        };
        events.filter_map(url).collect()
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        self.ask("se/log", &json!({ "type": kind })).as_array().unwrap().clone()
    }

    fn ask(&self, what: &str, body: &Value) -> Value {
        self.post(&format!("session/{}/{what}", self.session), body)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.http("POST", path, &body.to_string()).unwrap()
    }

    fn http(&self, method: &str, path: &str, body: &str) -> std::io::Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        // Much longer than needed: other tests may keep the machine busy.
        stream.set_read_timeout(Some(Duration::from_secs(180)))?;
        let length = body.len();
        write!(
            stream,
            "{method} /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )?;
        let mut reader = BufReader::new(stream);
        let mut size = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                size = value.trim().parse().unwrap();
            }
        }
        let mut answer = vec![0; size];
        reader.read_exact(&mut answer)?;
        let answer: Value = serde_json::from_slice(&answer)?;
        assert!(answer["value"]["error"].is_null(), "{path}: {answer}");
        Ok(answer["value"].clone())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = self.http("DELETE", &format!("session/{}", self.session), "");
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
