//! Adapters that do not behave: each is named with what it did, nobody waits for ever, and nothing is left running.

use std::fs;
use std::path::Path;
use std::time::Duration;

use causet_base::budget::{Budget, Endless};
use causet_drive::adapter::{Adapter, Patience};
use causet_drive::system::{Observation, System, Trouble};

const PATIENCE: Patience = Patience {
    ready: Duration::from_secs(20),
    quiet: Duration::from_secs(20),
    write: Duration::from_secs(20),
    flood: 2000,
};

const BRIEF: Duration = Duration::from_millis(300);

/// Starts a script of the shell.
fn start(script: &str, patience: Patience) -> Result<Adapter, String> {
    let quoted = format!("'{}'", script.replace('\'', "'\\''"));
    let adapter = Adapter::start(&format!("sh -c {quoted}"), patience, &Budget::new(&Endless));
    adapter.map_err(|trouble| trouble.to_string())
}

/// What is wrong with an adapter when it is started, stimulated, watched and reset.
fn wrong(script: &str, patience: Patience) -> String {
    let budget = Budget::new(&Endless);
    let mut adapter = match start(script, patience) {
        Ok(adapter) => adapter,
        Err(what) => return what,
    };
    let mut use_it = || -> Result<(), Trouble> {
        adapter.stimulate("?coin", &budget)?;
        adapter.watch(&budget)?;
        adapter.reset(&budget)
    };
    let what = use_it().expect_err("an adapter that does not behave");
    what.to_string()
}

#[track_caller]
fn complains(what: &str, of: &[&str]) {
    for words in of {
        assert!(what.contains(words), "no `{words}` in: {what}");
    }
}

const READY: &str = "echo '{\"ready\":true}'; ";

#[test]
fn a_good_adapter_is_heard() {
    let budget = Budget::new(&Endless);
    let script = READY.to_owned()
        + "while read -r line; do case $line in *reset*) echo '{\"saw\":\"!late\"}'; echo '{\"ready\":true}';; \
           *) echo '{\"saw\":\"!tea\"}';; esac; done";
    let mut adapter = start(&script, PATIENCE).expect("an adapter");
    for _ in 0..3 {
        adapter.stimulate("?coin", &budget).expect("a stimulus");
        let tea = Observation::Output("!tea".to_owned());
        assert_eq!(adapter.watch(&budget), Ok(tea));
        adapter.reset(&budget).expect("a reset");
        assert_eq!(
            adapter.glance(&budget),
            Ok(None),
            "what it saw before the reset is over"
        );
    }
}

#[test]
fn silence_is_an_observation() {
    let patience = Patience {
        quiet: BRIEF,
        ..PATIENCE
    };
    let mut adapter = start(&(READY.to_owned() + "exec sleep 60"), patience).expect("an adapter");
    let seen = adapter.watch(&Budget::new(&Endless));
    assert_eq!(seen, Ok(Observation::Silence));
}

#[test]
fn an_output_that_takes_its_time_is_no_silence() {
    let patience = Patience {
        quiet: Duration::from_secs(4),
        ..PATIENCE
    };
    let script = READY.to_owned() + "sleep 2.4; echo '{\"saw\":\"!tea\"}'; exec sleep 60";
    let mut adapter = start(&script, patience).expect("an adapter");
    let tea = Observation::Output("!tea".to_owned());
    assert_eq!(adapter.watch(&Budget::new(&Endless)), Ok(tea));
}

#[test]
fn the_last_one_is_gone_before_the_next_is_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("last");
    let name = file.display();
    let script = format!(
        "if [ -e '{name}' ] && kill -0 $(cat '{name}'); then echo '{{\"error\":\"two at once\"}}'; exit 1; fi; \
         echo $$ > '{name}'; {READY} echo garbage; exec sleep 60"
    );
    let budget = Budget::new(&Endless);
    let mut adapter = start(&script, PATIENCE).expect("an adapter");
    assert!(!adapter.can_restart(), "nobody asked for that");
    adapter = adapter.restarting();
    assert!(adapter.can_restart());
    for _ in 0..3 {
        let what = adapter.watch(&budget).expect_err("garbage").to_string();
        complains(&what, &["`garbage`"]);
        assert_eq!(adapter.restart(&budget), Ok(()));
        assert!(adapter.can_restart());
    }
}

#[test]
fn one_that_cannot_be_started_is_named() {
    let budget = Budget::new(&Endless);
    for (command, of) in [
        (
            "/nowhere/adapter -x",
            "`/nowhere/adapter -x` cannot be started",
        ),
        ("say 'it", "does not end"),
        ("  ", "names no program"),
    ] {
        let started = Adapter::start(command, PATIENCE, &budget);
        complains(&started.err().expect("no adapter").to_string(), &[of]);
    }
}

#[test]
fn one_that_dies_is_quoted() {
    let what = wrong("echo out of water >&2; exit 7", PATIENCE);
    complains(&what, &["`sh -c", "exit status: 7", "out of water"]);
    let script = READY.to_owned() + "read line; echo '{\"saw\":\"!tea\"}'; kill -9 $$";
    let what = wrong(&script, PATIENCE);
    complains(&what, &["signal: 9", "that it saw !tea"]);
}

#[test]
fn last_words_are_waited_for_but_not_for_ever() {
    // They come after its end, from a child that goes on.
    let script = "(exec >&-; sleep 0.1; echo no water >&2) & exit 3";
    complains(&wrong(script, PATIENCE), &["exit status: 3", "no water"]);
    complains(
        &wrong("sleep 60 >&- & exit 3", PATIENCE),
        &["exit status: 3"],
    );
}

#[test]
fn one_that_gives_up_says_why() {
    let script = READY.to_owned() + "read line; echo '{\"error\":\"no beans\"}'";
    complains(&wrong(&script, PATIENCE), &["gave up: no beans"]);
}

#[test]
fn one_that_hangs_is_not_waited_for() {
    let patience = Patience {
        ready: BRIEF,
        quiet: BRIEF,
        ..PATIENCE
    };
    complains(
        &wrong("exec sleep 60", patience),
        &["was not ready within", "started"],
    );
    let script = READY.to_owned() + "while read line; do echo '{\"saw\":\"!tea\"}'; done";
    complains(
        &wrong(&script, patience),
        &["was not ready within", "reset", "!tea"],
    );
}

#[test]
fn one_that_floods_is_stopped() {
    let script = READY.to_owned() + "read line; while :; do echo '{\"saw\":\"!tea\"}'; done";
    complains(&wrong(&script, PATIENCE), &["more than 2000 things"]);
    // What counts for nothing counts as something said.
    let script = READY.to_owned() + "read line; while :; do echo '{\"ready\":false}'; done";
    let budget = Budget::new(&Endless);
    let mut adapter = start(&script, PATIENCE).expect("an adapter");
    let what = adapter.reset(&budget).expect_err("a flood").to_string();
    complains(&what, &["more than 2000 things", "that it is not ready"]);
}

#[test]
fn one_that_is_ready_unasked_is_named() {
    for word in ["true", "false"] {
        let script = format!("{READY} echo '{{\"ready\":{word}}}'; exec sleep 60");
        let mut adapter = start(&script, PATIENCE).expect("an adapter");
        let what = adapter
            .watch(&Budget::new(&Endless))
            .expect_err("out of place");
        complains(&what.to_string(), &["without having been reset"]);
    }
}

#[test]
fn times_that_no_clock_can_count_are_no_limit() {
    let patience = Patience {
        ready: Duration::MAX,
        quiet: Duration::MAX,
        write: Duration::MAX,
        ..PATIENCE
    };
    let script = READY.to_owned() + "read line; echo '{\"saw\":\"!tea\"}'; exec sleep 60";
    let budget = Budget::new(&Endless);
    let mut adapter = start(&script, patience).expect("an adapter");
    adapter.stimulate("?coin", &budget).expect("a stimulus");
    let tea = Observation::Output("!tea".to_owned());
    assert_eq!(adapter.watch(&budget), Ok(tea));
}

#[test]
fn one_that_writes_garbage_is_quoted() {
    complains(
        &wrong("echo hello", PATIENCE),
        &["no adapter should say: `hello`"],
    );
    let script = READY.to_owned() + "read line; head -c 100000 /dev/zero; sleep 60";
    complains(
        &wrong(&script, PATIENCE),
        &["a line of more than 65536 bytes"],
    );
    let script = READY.to_owned() + "read line; echo '{\"saw\":\"delta\"}'; sleep 60";
    complains(&wrong(&script, PATIENCE), &["`delta` as an observation"]);
}

#[test]
fn one_that_closes_its_output_is_noticed() {
    let script = READY.to_owned() + "exec >&-; exec sleep 60";
    complains(&wrong(&script, PATIENCE), &["closed its output"]);
}

#[test]
fn one_that_takes_no_orders_is_not_waited_for() {
    let patience = Patience {
        write: BRIEF,
        ..PATIENCE
    };
    let mut adapter = start(&(READY.to_owned() + "exec sleep 60"), patience).expect("an adapter");
    let label = "x".repeat(1 << 20);
    let told = adapter.stimulate(&label, &Budget::new(&Endless));
    complains(
        &told.expect_err("nobody reads").to_string(),
        &["did not take an order"],
    );
}

#[test]
fn nothing_is_left_running() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("child");
    let script = format!(
        "sleep 300 & echo $! > '{}'; {READY} read line; wait",
        file.display()
    );
    let adapter = start(&script, PATIENCE).expect("an adapter");
    let child = fs::read_to_string(&file).expect("a number");
    let leader = adapter.process_id();
    assert!(is_running(child.trim()) && is_running(&leader.to_string()));
    drop(adapter);
    assert!(!is_running(&leader.to_string()));
    // Whoever takes it over has to wait for it; it has been told to end.
    for _ in 0..200 {
        if !is_running(child.trim()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("process {child} is still there");
}

/// Whether a process is there and has not ended.
fn is_running(number: &str) -> bool {
    let stat = Path::new("/proc").join(number).join("stat");
    let text = fs::read_to_string(stat).unwrap_or_default();
    let state = text
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}
