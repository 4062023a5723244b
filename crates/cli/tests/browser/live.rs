//! The page of a server that follows runs: verdicts turn up as they come, and names are text.

use serde_json::json;

use crate::common::Folder;
use crate::driver::with_browser;
use crate::served::{BOTH, HEADER, NEVER_BOTH, Served};

/// Nothing was refused, nothing failed, and nothing came from outside.
const CLEAN: &str = "return [seen.refused, seen.errors, seen.dialogs, window.hacked ?? null, \
    performance.getEntriesByType('resource').filter((entry) => !entry.name.startsWith(location.origin + '/')).length]";

#[test]
fn a_violation_turns_up_while_somebody_looks() {
    with_browser(
        "a_violation_turns_up_while_somebody_looks",
        async |browser| {
            let folder = Folder::new();
            let server = Served::start(&folder.path().join("runs"), &["--ctl", NEVER_BOTH]);
            browser.open(&format!("http://{}/", server.address)).await;
            assert!(browser.text_of("#state").await.starts_with("0 going on"));
            // One event waits for a message that nobody has sent.
            let waits = "{\"p\":\"a\",\"recv\":\"m\"}\n";
            let lines = format!("{HEADER}\n{{\"p\":\"a\",\"set\":{{\"x\":1}}}}\n{waits}");
            server.post("live", &lines).json(200);
            browser
                .until("return document.querySelectorAll('#runs tbody tr').length === 1")
                .await;
            browser.click("#runs tbody button").await;
            browser
                .until("return document.getElementById('processes').textContent.includes('a21')")
                .await;
            assert_eq!(browser.text_of("#missing").await, "a waits for message `m`");
            assert_eq!(
                browser
                    .ask("return document.querySelectorAll('#news li').length")
                    .await,
                json!(0)
            );
            server
                .post("live", "{\"p\":\"b\",\"set\":{\"y\":1}}\n")
                .json(200);
            browser
                .until("return document.querySelectorAll('#news .violated').length === 1")
                .await;
            let told = browser.text_of("#news li").await;
            assert!(told.contains("ctl-1 in live, after 3 events"), "{told}");
            browser.click("#news button").await;
            let inside = "const inside = document.getElementById('report').contentWindow; \
            return inside.document.documentElement.dataset.ready === 'yes'";
            browser.until(inside).await;
            let sentence = "return document.getElementById('report').contentDocument.querySelector('#sentence h1').textContent";
            let sentence = browser.text(sentence).await;
            assert!(
                sentence.contains("a.x was 1 when b.y became 1"),
                "{sentence}"
            );
            let cut = "return [...document.getElementById('report').contentDocument.querySelectorAll('.property')].map((item) => item.classList[1])";
            assert_eq!(browser.ask(cut).await, json!(["violated"]));
            let within = "const seen = document.getElementById('report').contentWindow.seen; return [seen.refused, seen.errors]";
            assert_eq!(browser.ask(within).await, json!([[], []]));
            assert_eq!(browser.ask(CLEAN).await, json!([[], [], 0, null, 0]));
        },
    );
}

#[test]
fn hostile_names_are_text() {
    with_browser("hostile_names_are_text", async |browser| {
        let folder = Folder::new();
        let server = Served::start(&folder.path().join("runs"), &["--ctl", NEVER_BOTH]);
        let script = "%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D1%3E%3C%2Ftd%3E%3Cscript%3Ewindow.hacked%3D1%3C%2Fscript%3E";
        let names = [
            "javascript%3Aalert%281%29",
            script,
            "%22%27%26%3C%21--",
            "__proto__",
        ];
        let process = r#"<img src=x onerror=window.hacked=1>"#;
        let header = HEADER.replace("[\"a\"", &format!("[\"{process}\",\"__proto__\",\"a\""));
        let lines = format!("{header}\n{{\"p\":\"{process}\",\"recv\":\"<b>\"}}\n{BOTH}");
        for name in names {
            server.post(name, &lines).json(200);
        }
        browser.open(&format!("http://{}/", server.address)).await;
        browser
            .until("return document.querySelectorAll('#news .violated').length === 4")
            .await;
        for row in 1..=4 {
            browser
                .click(&format!("#runs tbody tr:nth-child({row}) button"))
                .await;
            browser
                .until(
                    "return document.getElementById('processes').textContent.includes('onerror')",
                )
                .await;
            browser
                .click(&format!("#news li:nth-child({row}) button"))
                .await;
            browser
                .until("return document.getElementById('report').contentDocument?.documentElement.dataset.ready === 'yes'")
                .await;
            browser.click("#close").await;
        }
        let made = "return [...document.querySelectorAll('img, svg, b, script, object, embed')].map((item) => item.tagName)";
        assert_eq!(browser.ask(made).await, json!(["SCRIPT"]));
        assert_eq!(browser.ask(CLEAN).await, json!([[], [], 0, null, 0]));
    });
}

#[test]
fn a_token_is_asked_for() {
    with_browser("a_token_is_asked_for", async |browser| {
        let folder = Folder::new();
        let token = folder.write_secret("token", "secret\n");
        let token = token.to_str().expect("a path");
        let runs = folder.path().join("runs");
        let server = Served::start(&runs, &["--ctl", NEVER_BOTH, "--token", token]);
        let lines = format!("{HEADER}\n{BOTH}");
        let right = [("Authorization", "Bearer secret")];
        server
            .ask("POST", "/runs/r/events", &right, &lines)
            .json(200);
        let address = format!("http://{}/", server.address);
        browser.client.goto(&address).await.expect("the page opens");
        browser
            .until("return !document.getElementById('ask').hidden")
            .await;
        browser.type_into("#token", "guess\u{e007}").await;
        browser
            .until("return document.getElementById('state').textContent === 'a token is wanted'")
            .await;
        assert_eq!(
            browser
                .ask("return document.querySelectorAll('#news li').length")
                .await,
            json!(0)
        );
        browser
            .ask("document.getElementById('token').value = ''; return null")
            .await;
        browser.type_into("#token", "secret\u{e007}").await;
        browser
            .until("return document.querySelectorAll('#news .violated').length === 1")
            .await;
        browser.click("#news button").await;
        browser
            .until("return document.getElementById('report').contentDocument?.documentElement.dataset.ready === 'yes'")
            .await;
        assert_eq!(browser.ask(CLEAN).await, json!([[], [], 0, null, 0]));
    });
}
