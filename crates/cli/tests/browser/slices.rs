//! The sheets about many cuts at once: the slice of a property or of a predicate, and how many cuts there are where.

use serde_json::json;

use super::common::Folder;
use super::driver::{Browser, with_browser};
use super::{Server, election_report};

/// How many pixels of the diagram have about the colour of the lines of a slice, in the light style.
const LINES: &str = "
    const canvas = document.getElementById('diagram');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
        if (Math.abs(data[i] - 0x2f) + Math.abs(data[i + 1] - 0x62) + Math.abs(data[i + 2] - 0xa8) < 12) count++;
    }
    return count";

#[test]
fn a_report_shows_the_cuts_that_violate_a_property() {
    with_browser(
        "a_report_shows_the_cuts_that_violate_a_property",
        async |browser| {
            let folder = Folder::election();
            browser.open(&election_report(&folder)).await;
            let before = browser.ask(LINES).await.as_u64().expect("a number");
            browser.click("#tab-slice").await;
            let text = browser.text_of("#slice").await;
            assert!(text.contains("4 of 18 cuts violate the property"), "{text}");
            let bounds = "return [causet.slice.slice.bottom, causet.slice.slice.top].map((cut) => Array.from(cut))";
            assert_eq!(browser.ask(bounds).await, json!([[1, 2, 0], [1, 3, 1]]));
            let after = browser.ask(LINES).await.as_u64().expect("a number");
            assert!(after > before + 500, "two lines: {before}, {after}");
            browser.click(".property:nth-child(2)").await;
            let text = browser.text_of("#slice").await;
            assert!(text.contains("show that it holds"), "{text}");
            browser.click(".property:nth-child(3)").await;
            let text = browser.text_of("#slice").await;
            assert!(text.contains("None of 18 cuts violates"), "{text}");
            browser.click("#tab-why").await;
            let closed = browser.ask("return causet.slice.drawn()").await;
            assert_eq!(closed, json!(null));
            browser.is_clean().await;
        },
    );
}

/// Two processes that count to three, each for itself.
fn steps() -> String {
    let head = json!({ "causet": 1, "processes": ["a", "b"], "init": { "a.x": 0, "b.y": 0 } });
    let steps = (1..=3).flat_map(|n| {
        [
            json!({ "p": "a", "set": { "x": n } }),
            json!({ "p": "b", "set": { "y": n } }),
        ]
    });
    std::iter::once(head)
        .chain(steps)
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn any_predicate_is_sliced_for_while_served() {
    with_browser(
        "any_predicate_is_sliced_for_while_served",
        async |browser| {
            let folder = Folder::new();
            folder.write("t.jsonl", steps());
            let server = Server::start(&folder, &["t.jsonl"]);
            browser.open(&server.address).await;
            browser.click("#tab-slice").await;
            assert!(browser.text_of("#slice").await.contains("Type a predicate"));
            let field = "#slice input";
            let says = |words: &str| {
                format!("return document.getElementById('slice').textContent.includes('{words}')")
            };
            browser
                .type_into(field, "a.x - b.y <= 0 && b.y - a.x <= 0\u{e007}")
                .await;
            browser.until(&says("4 of 16 cuts satisfy")).await;
            let groups = "return causet.slice.slice.groups.map((group) => group.events.length)";
            assert_eq!(browser.ask(groups).await, json!([2, 2, 2]));
            assert!(browser.text_of("#slice").await.contains("ONLY TOGETHER"));
            browser
                .ask("document.querySelector('#slice input').value = ''; return null")
                .await;
            browser.type_into(field, "b.y - a.x <= 0\u{e007}").await;
            browser.until(&says("10 of 16 cuts satisfy")).await;
            assert_eq!(
                browser.ask("return causet.slice.slice.arrows.length").await,
                json!(3)
            );
            browser
                .ask("document.querySelector('#slice input').value = ''; return null")
                .await;
            browser.type_into(field, "a.z == <b>\u{e007}").await;
            browser
                .until("return document.querySelector('#slice .wrong') !== null")
                .await;
            browser.is_clean().await;
        },
    );
}

#[test]
fn a_slice_is_a_page_of_its_own() {
    with_browser("a_slice_is_a_page_of_its_own", async |browser| {
        let folder = Folder::election();
        let arguments = [
            "slice",
            "t.jsonl",
            "-p",
            "a.leader && b.leader",
            "--html",
            "s.html",
        ];
        let summary = folder.run(&arguments).ends(0).stdout;
        assert!(
            summary.starts_with("cuts    18 in the run, 4 in the slice"),
            "{summary}"
        );
        let page = folder.path().join("s.html");
        browser.open(&format!("file://{}", page.display())).await;
        let text = browser.text_of("#slice").await;
        assert!(text.contains("a.leader && b.leader"), "{text}");
        assert!(
            text.contains("4 of 18 cuts satisfy the predicate"),
            "{text}"
        );
        browser.is_clean().await;
    });
}

/// A run of so many processes and events, with a property that is violated.
fn many_cuts(folder: &Folder, processes: &str, events: &str) {
    let shape = ["--procs", processes, "--events", events, "--seed", "5"];
    let files = ["-o", "t.jsonl", "--props", "p.props", "--faulty"];
    folder
        .run(&[&["gen", "token-ring"], &shape[..], &files].concat())
        .ends(0);
    let check = [
        "check", "t.jsonl", "--props", "p.props", "--html", "r.html", "-q",
    ];
    folder.run(&check).ends(1);
}

#[test]
fn a_report_says_how_many_cuts_there_are_on_each_level() {
    with_browser(
        "a_report_says_how_many_cuts_there_are_on_each_level",
        async |browser| {
            let folder = Folder::new();
            many_cuts(&folder, "6", "400");
            let page = folder.path().join("r.html");
            browser.open(&format!("file://{}", page.display())).await;
            browser.click("#tab-cuts").await;
            let text = browser.text_of("#cuts").await;
            assert!(text.contains("Every number is exact"), "{text}");
            assert!(text.contains("the cut shown, after"), "{text}");
            let first_and_last = "const { points } = causet.lattice.density.data; return [points[0][1], points[points.length - 1][1]]";
            assert_eq!(browser.ask(first_and_last).await, json!([0, 0]));
            let colours = browser.colours().await;
            assert!(colours.len() > 100, "{} colours", colours.len());
            browser
                .ask(
                    "causet.lattice.density.point(150); causet.lattice.density.pick(); return null",
                )
                .await;
            let level = "return causet.cut.reduce((sum, count) => sum + count, 0) === causet.lattice.density.data.points[causet.lattice.density.pointedAt][0]";
            assert_eq!(browser.ask(level).await, json!(true));
            browser.is_clean().await;
        },
    );
}

#[test]
fn the_cuts_of_a_large_run_are_estimated() {
    with_browser("the_cuts_of_a_large_run_are_estimated", async |browser| {
        let folder = Folder::new();
        let large = [
            "gen", "random", "--procs", "12", "--events", "60000", "-o", "t.jsonl",
        ];
        folder.run(&large).ends(0);
        let server = Server::start(&folder, &["t.jsonl"]);
        browser.open(&server.address).await;
        browser.click("#tab-cuts").await;
        browser
            .until("return document.getElementById('cuts').textContent.includes('drawn at random')")
            .await;
        let highest =
            "return Math.max(...causet.lattice.density.data.points.map((point) => point[1])) > 3";
        assert_eq!(browser.ask(highest).await, json!(true));
        browser.is_clean().await;
    });
}

const IMG: &str = "<img src=x onerror=hacked=1>";
const REVERSED: &str = "\u{202e}txet";

/// Two processes that take the same steps, each with names that try to be more than text.
fn hostile_steps() -> String {
    let mut init = serde_json::Map::new();
    for process in [IMG, REVERSED] {
        init.insert(format!("{process}.n"), json!(0));
    }
    let long = "x".repeat(10_000);
    let lines = [
        json!({ "causet": 1, "processes": [IMG, REVERSED], "init": init }),
        json!({ "p": IMG, "ev": "</script><script>hacked=1;alert(1)</script>", "set": { "n": 1 } }),
        json!({ "p": REVERSED, "ev": "{script}{data}\u{2028}'\"`${alert(1)}", "set": { "n": 1 } }),
        json!({ "p": IMG, "ev": long, "set": { "n": 2 } }),
        json!({ "p": REVERSED, "ev": "<svg onload=alert(1)>", "set": { "n": 2 } }),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Both have taken the same number of steps, so that their steps happen only together.
fn hostile_predicate() -> String {
    format!("`{IMG}`.n - `{REVERSED}`.n <= 0 && `{REVERSED}`.n - `{IMG}`.n <= 0")
}

/// That all of it is shown, as text, and did nothing.
async fn hostile_names_are_text(browser: &Browser) {
    let text = browser.text_of("#slice").await;
    assert!(text.contains("3 of 9 cuts satisfy the predicate"), "{text}");
    for name in [
        "</script><script>hacked=1;",
        "{script}{data}\\u{2028}",
        "<svg onload",
    ] {
        assert!(text.contains(name), "{name} is shown as text: {text}");
    }
    assert!(text.chars().count() < 3000, "long names are cut");
    only_text(browser).await;
}

async fn only_text(browser: &Browser) {
    let hacked = browser.ask("return window.hacked ?? null").await;
    assert_eq!(hacked, json!(null));
    let foreign = "return document.querySelectorAll('#slice :is(img, svg, script, b, a)').length";
    assert_eq!(browser.ask(foreign).await, json!(0));
    let turned = "return /[\\u202a-\\u202e]/.test(document.getElementById('slice').textContent)";
    assert_eq!(browser.ask(turned).await, json!(false));
    browser.is_clean().await;
}

#[test]
fn hostile_names_in_a_slice_do_nothing() {
    with_browser("hostile_names_in_a_slice_do_nothing", async |browser| {
        let folder = Folder::new();
        folder.write("t.jsonl", hostile_steps());
        let predicate = hostile_predicate();
        let page = ["slice", "t.jsonl", "-p", &predicate, "--html", "s.html"];
        folder.run(&page).ends(0);
        let page = folder.path().join("s.html");
        browser.open(&format!("file://{}", page.display())).await;
        let text = browser.text_of("#slice").await;
        assert!(text.contains(IMG) && text.contains("\\u{202e}"), "{text}");
        hostile_names_are_text(browser).await;

        let server = Server::start(&folder, &["t.jsonl"]);
        browser.open(&server.address).await;
        browser.click("#tab-slice").await;
        let ask = |predicate: &str| {
            let predicate = json!(predicate);
            format!(
                "document.querySelector('#slice input').value = {predicate}; \
                 document.querySelector('#slice form').requestSubmit(); return null"
            )
        };
        browser.ask(&ask(&predicate)).await;
        browser
            .until("return document.querySelector('#slice .slice-count') !== null")
            .await;
        hostile_names_are_text(browser).await;

        browser.ask(&ask(&format!("`{IMG}`.m == 1"))).await;
        browser
            .until("return document.querySelector('#slice .wrong') !== null")
            .await;
        let told = browser.text_of("#slice .wrong").await;
        assert!(told.contains(IMG), "{told}");
        only_text(browser).await;
    });
}
