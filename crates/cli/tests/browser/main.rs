//! The report and the page in a real browser: what they show, what clicks and keys do, and that no log can make them do
//! anything else.

#[path = "../common/mod.rs"]
mod common;
mod driver;
mod live;
#[path = "../common/served.rs"]
mod served;
mod slices;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use common::Folder;
use driver::{Browser, with_browser};
use serde_json::json;

const PROPERTIES: &str = "\
property one-leader: ctl AG !(a.leader && b.leader)
property elected: possibly b.leader && b.term == 2
property quiet: ctl AG c.x <= 1
";

/// The report of the election, as the address of a file.
fn election_report(folder: &Folder) -> String {
    folder.write("p.props", PROPERTIES);
    let arguments = [
        "check", "t.jsonl", "--props", "p.props", "--html", "r.html", "-q",
    ];
    folder.run(&arguments).ends(1);
    format!("file://{}", folder.path().join("r.html").display())
}

#[test]
fn a_report_explains_a_violation() {
    with_browser("a_report_explains_a_violation", async |browser| {
        let folder = Folder::election();
        browser.open(&election_report(&folder)).await;
        let sentence = browser.text_of("#sentence h1").await;
        assert!(sentence.contains("leader"), "{sentence}");
        let classes =
            "return [...document.querySelectorAll('.property')].map((item) => item.classList[1])";
        assert_eq!(
            browser.ask(classes).await,
            json!(["violated", "satisfied", "satisfied"])
        );
        assert_eq!(
            browser.text_of("#figures").await,
            "3 processes, 6 events, 2 messages"
        );
        assert!(browser.text_of("#why").await.contains("a.leader"));
        swapped_events_stand_out(browser).await;
        the_stepper_moves_the_cut(browser).await;
        another_property_is_shown(browser).await;
        browser.is_clean().await;
    });
}

/// Both rows show the election, which nothing orders after the resignation.
async fn swapped_events_stand_out(browser: &Browser) {
    let titles = |kind: &str| {
        format!(
            "return [...document.querySelectorAll('.strips .box.{kind} title')].map((title) => title.textContent).join()"
        )
    };
    let swapped = browser.text(&titles("swapped")).await;
    assert!(
        swapped.contains("a: resign") && swapped.contains("b: elect"),
        "{swapped}"
    );
    let waiting = browser.text(&titles("waits")).await;
    assert!(
        waiting.contains("a: resign") && !waiting.contains("b: elect"),
        "{waiting}"
    );
}

async fn the_stepper_moves_the_cut(browser: &Browser) {
    let cut = "return Array.from(causet.cut).join()";
    assert_eq!(browser.text(cut).await, "1,2,0");
    let value = "return [...document.querySelectorAll('#why tr')].find((row) => row.cells[0].textContent === 'b.leader').cells[1].textContent";
    assert_eq!(browser.text(value).await, "true");
    browser
        .click(".controls button[title^='One step back']")
        .await;
    assert_eq!(browser.text(cut).await, "1,1,0");
    assert_eq!(browser.text(value).await, "false");
    browser
        .click(".controls button[title='To the beginning']")
        .await;
    assert_eq!(browser.text(cut).await, "0,0,0");
    browser.click(".controls .play").await;
    browser
        .until("return Array.from(causet.cut).join() === '1,2,0'")
        .await;
    assert_eq!(browser.text(value).await, "true");
}

async fn another_property_is_shown(browser: &Browser) {
    browser.click(".property:nth-child(2)").await;
    assert_eq!(
        browser
            .text("return document.getElementById('stepper').className")
            .await,
        "stepper story-example"
    );
    browser.click(".property:nth-child(3)").await;
    assert!(
        browser
            .text_of("#sentence h1")
            .await
            .contains("every order")
    );
    assert_eq!(
        browser
            .ask("return document.getElementById('stepper').hidden")
            .await,
        json!(true)
    );
    browser.click(".property:nth-child(1)").await;
    assert_eq!(
        browser
            .ask("return document.getElementById('stepper').hidden")
            .await,
        json!(false)
    );
}

#[test]
fn the_diagram_is_reached_by_keys_and_search() {
    with_browser(
        "the_diagram_is_reached_by_keys_and_search",
        async |browser| {
            let folder = Folder::election();
            browser.open(&election_report(&folder)).await;
            let spoken = "return document.getElementById('spoken').textContent";
            browser.type_into("#query", "resign\u{e007}").await;
            browser
                .until("return document.getElementById('hits').textContent === '1/1'")
                .await;
            assert!(browser.text(spoken).await.starts_with("a: resign"));
            browser.type_into("#diagram", "\u{e012}").await;
            assert_eq!(
                browser.text(spoken).await,
                "a: elect, a#1, before a: resign"
            );
            browser.type_into("#diagram", "m").await;
            assert_eq!(browser.text(spoken).await, "b: vote, b#1, after a: elect");
            assert!(browser.text_of("#event .relation").await.contains("after"));
            browser
                .type_into(
                    "#query",
                    "\u{e003}\u{e003}\u{e003}\u{e003}\u{e003}\u{e003}resign\u{e007}",
                )
                .await;
            browser
                .until(
                    "return document.getElementById('spoken').textContent.startsWith('a: resign')",
                )
                .await;
            assert!(
                browser
                    .text_of("#event .relation")
                    .await
                    .contains("concurrent")
            );
            assert!(browser.text_of("#event").await.contains("a.leader"));
            browser.is_clean().await;
        },
    );
}

#[test]
fn the_diagram_can_be_arranged() {
    with_browser("the_diagram_can_be_arranged", async |browser| {
        let folder = Folder::election();
        browser.open(&election_report(&folder)).await;
        a_click_chooses_an_event(browser).await;
        let columns = "return Array.from(causet.x).map(Math.round).join()";
        let before = browser.text(columns).await;
        browser.click("#arrange option[value='order']").await;
        browser.until("return causet.x[2] === 4").await;
        assert_ne!(browser.text(columns).await, before);
        browser.click("#fold").await;
        browser
            .until("return causet.folds && Math.max(...causet.x) < 5")
            .await;
        browser
            .ask("document.querySelector('.lane button[title=Hide]').click(); return null")
            .await;
        browser
            .until("return document.querySelectorAll('.lane').length === 2")
            .await;
        browser.click("#unhide").await;
        browser
            .until("return document.querySelectorAll('.lane').length === 3")
            .await;
        let order = "return [...document.querySelectorAll('.lane .name')].map((name) => name.textContent).join('')";
        browser
            .ask(
                "document.querySelector('.lane button[title^=\"Move down\"]').click(); return null",
            )
            .await;
        browser
            .until("return document.querySelector('.lane .name').textContent === 'b'")
            .await;
        assert_eq!(browser.text(order).await, "bac");
        browser.click("#tab-cuts").await;
        assert!(browser.text_of("#cuts").await.contains("cuts:"));
        browser.is_clean().await;
    });
}

/// Clicks where the painter says the second event of the first lane is.
async fn a_click_chooses_an_event(browser: &Browser) {
    let press = "
        const canvas = document.getElementById('diagram');
        const box = canvas.getBoundingClientRect();
        const event = causet.run.chain[causet.run.start[0] + 1];
        const at = { clientX: box.left + causet.diagram.painter.eventX(event), clientY: box.top + causet.diagram.painter.laneY(0), bubbles: true, pointerId: 1, button: 0 };
        canvas.setPointerCapture = () => {};
        canvas.dispatchEvent(new PointerEvent('pointermove', at));
        const tip = document.getElementById('tip').textContent;
        canvas.dispatchEvent(new PointerEvent('pointerdown', at));
        canvas.dispatchEvent(new PointerEvent('pointerup', at));
        return tip";
    let tip = browser.text(press).await;
    assert!(tip.contains("resign") && tip.contains("a#2"), "{tip}");
    assert_eq!(browser.text_of("#event h3").await, "resign");
}

#[test]
fn a_picture_is_drawn_in_light_and_dark() {
    with_browser("a_picture_is_drawn_in_light_and_dark", async |browser| {
        let folder = Folder::election();
        browser.open(&election_report(&folder)).await;
        let light = browser.colours().await;
        browser.click("#theme").await;
        assert_eq!(
            browser
                .text("return document.documentElement.dataset.theme")
                .await,
            "dark"
        );
        let dark = browser.colours().await;
        // The paper of either style is what most of the window is.
        for (colours, paper) in [(&light, [0xfb, 0xfa, 0xf7]), (&dark, [0x14, 0x18, 0x1e])] {
            assert!(colours.len() > 100, "{} colours", colours.len());
            let most = colours.iter().max_by_key(|(_, count)| **count);
            assert_eq!(most.map(|(colour, _)| *colour), Some(paper));
        }
        browser.is_clean().await;
    });
}

#[test]
fn a_hostile_log_does_nothing() {
    with_browser("a_hostile_log_does_nothing", async |browser| {
        let folder = Folder::new();
        folder.write("t.jsonl", hostile_log());
        let property = [
            "check",
            "t.jsonl",
            "--ctl",
            "AG !(sum(i in procs: i.n) >= 2)",
            "--html",
            "r.html",
            "-q",
        ];
        folder.run(&property).ends(1);
        browser
            .open(&format!(
                "file://{}",
                folder.path().join("r.html").display()
            ))
            .await;
        for tab in ["#tab-event", "#tab-cuts", "#tab-slice", "#tab-why"] {
            browser.click(tab).await;
        }
        let visit = "for (let event = 0; event < causet.run.size; event++) { causet.select(event, true); causet.hover(event, 40, 40); } return causet.run.size";
        assert_eq!(browser.ask(visit).await, json!(6));
        browser.type_into("#query", "<script>").await;
        browser
            .until("return document.getElementById('hits').textContent === '2'")
            .await;
        browser
            .until("return document.getElementById('tip').textContent.length > 0")
            .await;
        let lanes = browser
            .text("return document.getElementById('lanes').textContent")
            .await;
        assert!(
            lanes.contains("<img src=x onerror="),
            "shown as text: {lanes}"
        );
        assert!(
            lanes.contains("\\u{202e}"),
            "writing is not reversed: {lanes}"
        );
        assert_eq!(
            browser.ask("return window.hacked ?? null").await,
            json!(null)
        );
        assert_eq!(
            browser.ask("return ({}).polluted ?? null").await,
            json!(null)
        );
        let long = "return [...document.querySelectorAll('body *:not(script, style)')].filter((item) => item.children.length === 0 && item.textContent.length > 600).map((item) => item.parentElement.className + ' ' + item.textContent.length)";
        assert_eq!(browser.ask(long).await, json!([]), "long names are cut");
        browser.is_clean().await;
    });
}

/// Names that try to end a block, to run a script, to fetch, to reverse the text, to be very long, to be a prototype.
fn hostile_log() -> String {
    let img = "<img src=x onerror=window.hacked=1>";
    let reversed = "\u{202e}txet";
    let long = "x".repeat(10_000);
    let lines = [
        json!({ "causet": 1, "processes": [img, reversed, long] }),
        json!({ "p": img, "ev": "</script><script>window.hacked=1;alert(1)</script>", "set": { "n": 1 }, "send": "<!--<script>", "to": reversed }),
        json!({ "p": reversed, "ev": "{script}{data}\u{2028}'\"`${alert(1)}", "recv": "<!--<script>", "set": { "n": 1, "__proto__": "x", "constructor": "<b>" } }),
        json!({ "p": long, "ev": long, "set": { "n": 0, "<svg onload=alert(1)>": "javascript:alert(1)" } }),
        json!({ "p": img, "ev": "__proto__", "set": { "n": 0 } }),
        json!({ "p": long, "ev": "\u{0}\u{7}\u{1b}[31m", "set": { "n": 0 } }),
        json!({ "p": reversed, "ev": "مرحبا <a href=//evil.example>עולם</a>", "set": { "n": 0 } }),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_report_of_a_large_run_keeps_what_matters() {
    with_browser(
        "a_report_of_a_large_run_keeps_what_matters",
        async |browser| {
            let folder = Folder::new();
            let large = [
                "gen",
                "token-ring",
                "--procs",
                "8",
                "--events",
                "200000",
                "--seed",
                "1",
                "--faulty",
                "-o",
                "t.jsonl",
                "--props",
                "p.props",
            ];
            folder.run(&large).ends(0);
            folder
                .run(&[
                    "check", "t.jsonl", "--props", "p.props", "--html", "r.html", "-q",
                ])
                .ends(1);
            let size = std::fs::metadata(folder.path().join("r.html"))
                .expect("a file")
                .len();
            assert!(size < 5_000_000, "{size} bytes");
            browser
                .open(&format!(
                    "file://{}",
                    folder.path().join("r.html").display()
                ))
                .await;
            assert!(browser.text_of("#sentence .note").await.contains("of 200"));
            assert!(browser.ask("return causet.run.size").await.as_u64() <= Some(4000));
            assert!(browser.text_of("#why").await.contains("token"));
            browser.click("#fit").await;
            assert!(browser.colours().await.len() > 100);
            browser.is_clean().await;
        },
    );
}

/// `causet view`, ended with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(folder: &Folder, arguments: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_causet"))
            .arg("view")
            .args(arguments)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut address = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        output.read_line(&mut address).expect("an address");
        Server {
            child,
            address: address.trim().to_owned(),
        }
    }

    /// The first line of the answer to a request that names a host.
    fn status(&self, host: &str, path: &str) -> String {
        let place = self
            .address
            .trim_start_matches("http://")
            .trim_end_matches('/');
        let mut stream = TcpStream::connect(place).expect("a connection");
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        String::from_utf8_lossy(&answer)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_served_run_is_asked_for_what_is_looked_at() {
    with_browser(
        "a_served_run_is_asked_for_what_is_looked_at",
        async |browser| {
            let folder = Folder::election();
            folder.write("p.props", PROPERTIES);
            let server = Server::start(&folder, &["t.jsonl", "--props", "p.props"]);
            browser.open(&server.address).await;
            assert!(browser.text_of("#sentence h1").await.contains("leader"));
            browser.type_into("#query", "? c.x == 1\u{e007}").await;
            browser
                .until("return document.getElementById('hits').textContent === '1/1'")
                .await;
            browser
                .until("return document.getElementById('event').textContent.includes('c.x')")
                .await;
            browser.type_into("#query", "\u{e00c}").await;
            browser.type_into("#query", "? nonsense").await;
            browser
                .until("return document.getElementById('hits').textContent === '✗'")
                .await;
            browser.is_clean().await;
        },
    );
}

#[test]
fn a_run_without_properties_is_served_too() {
    with_browser("a_run_without_properties_is_served_too", async |browser| {
        let folder = Folder::new();
        folder
            .run(&[
                "gen", "random", "--procs", "12", "--events", "100000", "-o", "t.jsonl",
            ])
            .ends(0);
        let server = Server::start(&folder, &["t.jsonl"]);
        browser.open(&server.address).await;
        assert_eq!(browser.ask("return causet.run.size").await, json!(100_000));
        assert!(browser.colours().await.len() > 60);
        browser.click("#tab-cuts").await;
        browser
            .until("return document.querySelector('#cuts canvas') !== null")
            .await;
        browser.ask("causet.select(50000, true); return null").await;
        browser
            .until("return document.querySelectorAll('#event tr').length > 2")
            .await;
        browser.is_clean().await;
    });
}

#[test]
fn the_server_answers_its_own_page_only() {
    let folder = Folder::election();
    let server = Server::start(&folder, &["t.jsonl"]);
    let own = server
        .address
        .trim_start_matches("http://")
        .trim_end_matches('/')
        .to_owned();
    assert!(own.starts_with("127.0.0.1:"), "{own}");
    assert_eq!(server.status(&own, "/event/0"), "HTTP/1.1 200 OK");
    assert_eq!(server.status(&own, "/event/6"), "HTTP/1.1 404 Not Found");
    assert_eq!(server.status(&own, "/event/x"), "HTTP/1.1 400 Bad Request");
    assert_eq!(server.status("evil.example", "/"), "HTTP/1.1 403 Forbidden");
    assert_eq!(
        server.status("evil.example", "/run.bin"),
        "HTTP/1.1 403 Forbidden"
    );
}
