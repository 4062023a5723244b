//! Journals that cannot be read: they are set aside and named, and everything else goes on.

use std::path::Path;

use causet_serve::client;
use causet_serve::keeping::folder_of;

use super::served::{BOTH, HEADER, NEVER_BOTH, Served};
use super::{checked, folder, line, wait_for};

const PROPERTIES: [&str; 2] = ["--ctl", NEVER_BOTH];

/// Ends without a word, with two runs of several frames each that go on.
fn killed_with_two_runs(data: &Path) {
    let server = Served::start(data, &PROPERTIES);
    for run in ["good", "bad"] {
        server
            .post(run, &format!("{HEADER}\n{{\"p\":\"b\"}}\n"))
            .json(200);
        let lines = "{\"from\":{\"b\":2}}\n{\"p\":\"b\"}\n";
        server.post(run, lines).json(200);
    }
    server.kill();
}

#[test]
fn a_damaged_journal_is_set_aside_and_the_others_go_on() {
    // A flipped byte of an event, and one of a length that then leads beyond the end.
    for at in [20, 6] {
        let data = folder();
        killed_with_two_runs(data.path());
        let kept = folder_of(data.path(), "bad");
        let (journal, aside) = (kept.join("events.journal"), kept.join("events.damaged"));
        let mut bytes = std::fs::read(&journal).expect("a journal");
        bytes[at] ^= 1;
        std::fs::write(&journal, &bytes).expect("it is damaged");
        for _ in 0..2 {
            let server = Served::start(data.path(), &PROPERTIES);
            let told = server.until(|said| said["damaged"].is_string());
            assert_eq!(told["run"], "bad");
            let complaint = server.complains("run `bad`");
            assert!(complaint.contains("damaged"), "{complaint}");
            let health = server.get("/health").json(200);
            assert_eq!(health["ok"], true);
            assert_eq!(health["damaged"][0]["run"], "bad");
            let kept = health["damaged"][0]["kept"].as_str().expect("a path");
            assert_eq!(Path::new(kept), aside);
            let refused = server.post("bad", "{\"p\":\"b\"}\n").json(409);
            let refused = refused["error"].as_str().expect("a reason");
            assert!(refused.contains("events.damaged"), "{refused}");
            server.kill();
        }
        assert_eq!(
            std::fs::read(&aside).ok(),
            Some(bytes),
            "nothing is deleted"
        );
        assert!(!journal.exists(), "it does not begin from nothing");
        let server = Served::start(data.path(), &PROPERTIES);
        server
            .post("good", &format!("{{\"from\":{{\"b\":3}}}}\n{BOTH}"))
            .json(200);
        assert_eq!(server.next()["run"], "good");
    }
}

#[test]
fn the_end_of_a_journal_that_is_damaged_is_told_and_sent_again() {
    let data = folder();
    killed_with_two_runs(data.path());
    let kept = folder_of(data.path(), "bad");
    let journal = kept.join("events.journal");
    let mut bytes = std::fs::read(&journal).expect("a journal");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&journal, &bytes).expect("it is damaged");
    let path = kept.to_str().expect("a path");
    let checked = super::common::Folder::new().run(&["check", path, "--possibly", "initial"]);
    checked
        .ends(0)
        .complains("the last 18 bytes of the journal are no whole frame");
    let server = Served::start(data.path(), &PROPERTIES);
    let told = server.until(|said| said["damaged"].is_string());
    assert_eq!(
        (&told["run"], &told["goes_on"]),
        (&"bad".into(), &true.into())
    );
    let complaint = server.complains("run `bad`");
    assert!(
        complaint.contains("bytes of the journal are no whole frame"),
        "{complaint}"
    );
    assert_eq!(server.get("/health").json(200)["damaged"][0]["run"], "bad");
    let cut = std::fs::read(kept.join("events.cut")).expect("what was cut off");
    assert!(bytes.ends_with(&cut) && cut.len() == 8 + 10, "{cut:?}");
    assert_eq!(server.get("/runs/bad").json(200)["have"]["b"], 1);
    let again = "{\"from\":{\"b\":2}}\n{\"p\":\"b\"}\n";
    assert_eq!(server.post("bad", again).json(200)["ack"]["b"], 2);
    server.kill();
    let server = Served::start(data.path(), &PROPERTIES);
    assert_eq!(server.get("/runs/bad").json(200)["have"]["b"], 2);
    assert!(server.get("/health").json(200)["damaged"].is_null());
}

#[test]
fn a_journal_that_is_gone_is_told_and_its_run_begins_again() {
    let data = folder();
    killed_with_two_runs(data.path());
    let kept = folder_of(data.path(), "bad");
    std::fs::remove_file(kept.join("events.journal")).expect("it is removed");
    let server = Served::start(data.path(), &PROPERTIES);
    let told = server.until(|said| said["damaged"].is_string());
    assert_eq!(
        (&told["run"], &told["goes_on"]),
        (&"bad".into(), &true.into())
    );
    let complaint = server.complains("run `bad`");
    assert!(
        complaint.contains("the journal of the run is missing"),
        "{complaint}"
    );
    assert_eq!(
        server.get("/runs/bad").json(200)["have"],
        serde_json::json!({})
    );
    let all = format!("{HEADER}\n{BOTH}");
    assert_eq!(server.post("bad", &all).json(200)["ack"]["b"], 1);
    assert_eq!(server.next()["run"], "bad");
}

#[test]
fn a_run_whose_name_is_gone_goes_on_when_a_client_says_it() {
    let data = folder();
    killed_with_two_runs(data.path());
    let kept = folder_of(data.path(), "bad");
    std::fs::remove_file(kept.join("name.txt")).expect("it is removed");
    let server = Served::start(data.path(), &PROPERTIES);
    let told = server.until(|said| said["damaged"].is_string());
    assert_eq!(told["run"], kept.to_str().expect("a path"));
    let complaint = server.complains("name.txt is missing");
    assert!(
        complaint.contains("when a client says its name"),
        "{complaint}"
    );
    let lines = format!("{{\"from\":{{\"b\":3}}}}\n{BOTH}");
    assert_eq!(server.post("bad", &lines).json(200)["ack"]["b"], 3);
    assert_eq!(server.next()["run"], "bad");
    assert_eq!(
        std::fs::read_to_string(kept.join("name.txt"))
            .ok()
            .as_deref(),
        Some("bad")
    );
}

#[test]
fn damage_within_the_journal_of_a_run_that_is_over_is_an_error() {
    let data = folder();
    let server = Served::start(data.path(), &PROPERTIES);
    let lines = format!("{HEADER}\n{BOTH}");
    server.post("r", &lines).json(200);
    server
        .post("r", "{\"from\":{\"b\":2}}\n{\"p\":\"b\"}\n")
        .json(200);
    server.post("r", "{\"over\":true}\n").json(200);
    let kept = folder_of(data.path(), "r");
    wait_for(&kept.join("told.txt"));
    server.kill();
    let journal = kept.join("events.journal");
    let whole = std::fs::read(&journal).expect("a journal");
    let property = ["--possibly", "steps(b) = 2"];
    assert_eq!(checked(&kept, &property), ["holds"]);
    let last = whole.len() - 18;
    let mut flipped = whole.clone();
    flipped[whole.len() - 1] ^= 1;
    // As a loss of power leaves the last frame.
    let zeros = [&whole[..last], &[0; 18][..]].concat();
    let folder = super::common::Folder::new();
    for (bytes, complaint) in [
        (flipped, "damaged after byte"),
        (zeros, "damaged after byte"),
    ] {
        std::fs::write(&journal, &bytes).expect("it is damaged");
        for path in [&kept, &journal] {
            let check = [
                "check",
                path.to_str().expect("a path"),
                property[0],
                property[1],
            ];
            folder.run(&check).ends(2).complains(complaint);
            let lenient = [&check[..], &["--lenient"]].concat();
            folder.run(&lenient).ends(1).complains(complaint);
        }
    }
    std::fs::write(&journal, &whole).expect("it is mended");
    let over = std::fs::read_to_string(kept.join("over.txt")).expect("counts");
    let more = over.replace("\"b\":2", "\"b\":3");
    std::fs::write(kept.join("over.txt"), more).expect("it is written");
    let check = [
        "check",
        kept.to_str().expect("a path"),
        property[0],
        property[1],
    ];
    folder
        .run(&check)
        .ends(2)
        .complains("has 3 events, of 4 when it was over");
}

#[test]
fn a_journal_that_was_cut_after_its_run_was_over_is_noticed() {
    let data = folder();
    let server = Served::start(data.path(), &PROPERTIES);
    for number in 0..3 {
        let from = format!("{{\"from\":{{\"b\":{}}}}}\n{{\"p\":\"b\"}}\n", number + 1);
        server.post("r", &from).json(200);
    }
    let end = line("b", "{\"p\":\"b\",\"end\":true}".to_owned());
    client::send(&server.errand("r"), &[end], true).expect("it is sent");
    let kept = folder_of(data.path(), "r");
    wait_for(&kept.join("told.txt"));
    server.kill();
    assert_eq!(checked(&kept, &["--possibly", "initial"]), ["holds"]);
    let journal = kept.join("events.journal");
    let bytes = std::fs::read(&journal).expect("a journal");
    std::fs::write(&journal, &bytes[..bytes.len() - 30]).expect("it is cut");
    for is_told in [true, false] {
        let server = Served::start(data.path(), &PROPERTIES);
        let told = server.until(|said| said["damaged"].is_string());
        assert_eq!(told["run"], "r");
        let complaint = server.complains("run `r`");
        assert!(complaint.contains("when it was over"), "{complaint}");
        if !is_told {
            // The last word is that there is none.
            assert_eq!(server.next()["verdict"], "refused");
        }
        server.kill();
        // From here on it is as if the server had been killed before the last word.
        let _ = std::fs::remove_file(kept.join("told.txt"));
        let _ = std::fs::remove_file(kept.join("verdicts.txt"));
    }
    let folder = super::common::Folder::new();
    let path = kept.to_str().expect("a path");
    let check = ["check", path, "--possibly", "initial"];
    folder.run(&check).ends(2).complains("when it was over");
    let lenient = [&check[..], &["--lenient"]].concat();
    folder.run(&lenient).ends(0).complains("when it was over");
}
