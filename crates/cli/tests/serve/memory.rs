//! Many runs that take as much memory as they can, and honest ones beside them.
//!
//! `cargo test -p causet-cli --test serve -- --ignored hostile` plays it; `CAUSET_ROUNDS=n` has other than 64 hostile runs.

use super::served::{BOTH, HEADER, NEVER_BOTH, Served};
use super::{folder, from_environment};

/// A run of 10,000 processes, each of which sends a message that is never received.
fn hostile() -> String {
    let names: Vec<String> = (0..10_000).map(|number| format!("p{number}")).collect();
    let header = serde_json::json!({"causet": 1, "processes": names});
    let send = |name: &String| format!("{{\"p\":\"{name}\",\"send\":\"from {name}\"}}\n");
    let events: String = names.iter().map(send).collect();
    format!("{header}\n{events}")
}

#[test]
#[ignore = "it takes a minute and a gigabyte"]
fn hostile_runs_do_not_keep_honest_ones_from_their_verdict() {
    let data = folder();
    let never = "AG count(i in procs: i.x = 1) <= 1";
    let properties = ["--ctl", NEVER_BOTH, "--ctl", never, "--memory", "1G"];
    let server = Served::start(data.path(), &properties);
    let hostile = hostile();
    for round in 0..from_environment("CAUSET_ROUNDS").unwrap_or(64) {
        let answer = server.post(&format!("hostile-{round}"), &hostile);
        assert!([200, 409].contains(&answer.status), "{answer:?}");
        let honest = format!("honest-{round}");
        server.post(&honest, &format!("{HEADER}\n{BOTH}")).json(200);
        let told = server.until(|said| said["run"] == honest && said["verdict"].is_string());
        assert_eq!(told["verdict"], "violated");
    }
}
