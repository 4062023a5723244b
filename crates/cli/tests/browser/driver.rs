//! A real browser, driven through its driver: Chromium without a window, a session for each test.
//!
//! Before any script of a page runs, another one counts what the content security policy refused, errors and dialogs, so
//! that a test can ask for them at its end.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use axum::http::Method;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value as Json, json};
use url::Url;

/// Counts what must not happen. Dialogs would stop the page, so they are counted instead of shown.
const WATCH: &str = "
    window.seen = { refused: [], errors: [], dialogs: 0 };
    document.addEventListener('securitypolicyviolation', (event) => seen.refused.push(event.violatedDirective));
    window.addEventListener('error', (event) => seen.errors.push(String(event.message)));
    window.addEventListener('unhandledrejection', (event) => seen.errors.push(String(event.reason)));
    window.alert = window.confirm = window.prompt = () => { seen.dialogs++; };
";

/// Runs a test in a browser, or says loudly that it did not.
pub(crate) fn with_browser(name: &str, test: impl AsyncFnOnce(&Browser)) {
    if let Err(reason) = installed() {
        // Not by a macro: those are captured, and nobody would know.
        let _ = writeln!(
            std::io::stderr(),
            "\n*** SKIPPED: {name}: {reason}. Install the packages chromium and chromium-driver. ***\n"
        );
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let browser = Browser::start().await;
        test(&browser).await;
        browser.client.close().await.expect("the session ends");
    });
}

/// Whether there is a browser and its driver, perhaps after installing them.
fn installed() -> Result<(), String> {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            if is_there() {
                return Ok(());
            }
            install()?;
            match is_there() {
                true => Ok(()),
                false => Err("the packages hold no chromedriver".to_owned()),
            }
        })
        .clone()
}

fn is_there() -> bool {
    let runs = |program: &str| succeeds(Command::new(program).arg("--version"));
    runs("chromedriver") && runs("chromium")
}

/// Installs the packages where this user may do that.
fn install() -> Result<(), String> {
    let user = Command::new("id").arg("-u").output();
    let is_root = user.is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if !is_root || !succeeds(Command::new("apt-get").arg("--version")) {
        return Err("there is no browser, and this user may not install one".to_owned());
    }
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        succeeds(
            command
                .args(arguments)
                .env("DEBIAN_FRONTEND", "noninteractive"),
        )
    };
    let wanted = [
        "install",
        "-y",
        "-qq",
        "--no-install-recommends",
        "chromium",
        "chromium-driver",
    ];
    match apt(&wanted) || (apt(&["update", "-qq"]) && apt(&wanted)) {
        true => Ok(()),
        false => Err("there is no browser, and apt-get could not install one".to_owned()),
    }
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// A browser with one page.
pub(crate) struct Browser {
    pub(crate) client: Client,
    _driver: Driver,
}

/// The driver's process, which ends with the test.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Browser {
    async fn start() -> Browser {
        let (driver, port) = start_driver();
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1360,860",
        ];
        let capabilities = json!({
            "goog:chromeOptions": { "args": arguments },
            "unhandledPromptBehavior": "ignore",
        });
        let capabilities: Capabilities = serde_json::from_value(capabilities).expect("an object");
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .expect("a session");
        let browser = Browser {
            client,
            _driver: driver,
        };
        browser
            .cdp(
                "Page.addScriptToEvaluateOnNewDocument",
                json!({ "source": WATCH }),
            )
            .await;
        browser
    }

    /// A command of the browser's own protocol.
    pub(crate) async fn cdp(&self, command: &'static str, parameters: Json) {
        let cdp = Cdp {
            command,
            parameters,
        };
        self.client.issue_cmd(cdp).await.expect("the browser obeys");
    }

    /// Opens a page and waits until it is drawn.
    pub(crate) async fn open(&self, address: &str) {
        self.client.goto(address).await.expect("the page opens");
        self.until("return document.documentElement.dataset.ready === 'yes'")
            .await;
        self.two_frames().await;
    }

    /// Waits until something is true; it must become so within a generous time.
    pub(crate) async fn until(&self, script: &str) {
        for _ in 0..600 {
            if self.ask(script).await == Json::Bool(true) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!(
            "never true: {script}\n{}",
            self.ask("return JSON.stringify(window.seen)").await
        );
    }

    async fn two_frames(&self) {
        let script = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)))";
        self.client
            .execute_async(script, Vec::new())
            .await
            .expect("frames");
    }

    /// What a script answers.
    pub(crate) async fn ask(&self, script: &str) -> Json {
        self.client
            .execute(script, Vec::new())
            .await
            .expect("a script")
    }

    /// The same, as text.
    pub(crate) async fn text(&self, script: &str) -> String {
        self.ask(script).await.as_str().expect("a text").to_owned()
    }

    /// The text of an element.
    pub(crate) async fn text_of(&self, selector: &str) -> String {
        let element = self
            .client
            .find(Locator::Css(selector))
            .await
            .expect(selector);
        element.text().await.expect("its text")
    }

    /// Clicks an element; once more if the page has drawn it anew between the search and the click, as live pages do.
    pub(crate) async fn click(&self, selector: &str) {
        loop {
            let element = self
                .client
                .find(Locator::Css(selector))
                .await
                .expect(selector);
            match element.click().await {
                Err(error) if error.is_stale_element_reference() => {}
                clicked => break clicked.expect("a click"),
            }
        }
        self.two_frames().await;
    }

    /// Types into an element.
    pub(crate) async fn type_into(&self, selector: &str, keys: &str) {
        let element = self
            .client
            .find(Locator::Css(selector))
            .await
            .expect(selector);
        element.send_keys(keys).await.expect("keys");
        self.two_frames().await;
    }

    /// Fails if the policy refused something, a script failed, a dialog came up, or something was fetched from outside.
    pub(crate) async fn is_clean(&self) {
        let seen = self.ask("return seen").await;
        assert_eq!(seen, json!({ "refused": [], "errors": [], "dialogs": 0 }));
        let fetched = self.ask(
            "return performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => \
             !name.startsWith('data:') && (location.protocol === 'file:' || !name.startsWith(location.origin + '/')))",
        );
        assert_eq!(fetched.await, json!([]));
        let scripts = "return [...document.querySelectorAll('script, img, iframe, object, embed, base, form[action]')].length";
        assert_eq!(self.ask(scripts).await, json!(2), "the data and the script");
    }

    /// The colours of the window as it is now, and how many pixels have each.
    pub(crate) async fn colours(&self) -> HashMap<[u8; 3], usize> {
        let bytes = self.client.screenshot().await.expect("a picture");
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let mut reader = decoder.read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("pixels");
        let mut colours = HashMap::new();
        for pixel in pixels.chunks_exact(info.color_type.samples()) {
            *colours.entry([pixel[0], pixel[1], pixel[2]]).or_insert(0) += 1;
        }
        colours
    }
}

/// Starts a driver. It takes the same port of two kinds of addresses, and gives up when another has one of them already.
fn start_driver() -> (Driver, u16) {
    let started = std::iter::repeat_with(try_driver).take(10).flatten().next();
    started.expect("the driver starts and says its port")
}

fn try_driver() -> Option<(Driver, u16)> {
    let mut child = Command::new("chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the driver starts");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let driver = Driver(child);
    let port = output.lines().map_while(Result::ok).find_map(|line| {
        let rest = line.split_once("started successfully on port ")?.1;
        rest.trim_end_matches('.').parse().ok()
    });
    Some((driver, port?))
}

#[derive(Debug)]
struct Cdp {
    command: &'static str,
    parameters: Json,
}

impl WebDriverCompatibleCommand for Cdp {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, url::ParseError> {
        base.join(&format!(
            "session/{}/goog/cdp/execute",
            session.unwrap_or_default()
        ))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        let body = json!({ "cmd": self.command, "params": self.parameters });
        (Method::POST, Some(body.to_string()))
    }
}
