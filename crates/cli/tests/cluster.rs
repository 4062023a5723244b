//! Several processes that decide together: real ones, which agree, are killed, are stopped and disagree.
//!
//! Nothing here depends on how fast a machine is, but a process that hangs is given up after a minute.

mod common;

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::{Folder, Ran};

/// Longer than anything takes that does not hang.
const LONG: Duration = Duration::from_secs(60);
const SECRET: &str = "a secret of these tests only";
const LIVE: &str = "[true*] <true> true";

/// A process that is ended with the test, whatever happens.
struct Started(Option<Child>);

impl Started {
    fn start(folder: &Folder, arguments: &[&str]) -> Started {
        let child = Command::new(env!("CARGO_BIN_EXE_causet"))
            .args(arguments)
            .current_dir(folder.path())
            .env("CAUSET_SECRET", SECRET)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Started(Some(child.expect("the binary starts")))
    }

    fn id(&self) -> u32 {
        self.0.as_ref().map_or(0, Child::id)
    }

    /// How it ends, which it must within a minute.
    #[track_caller]
    fn ends(mut self, code: i32) -> Ran {
        let mut child = self.0.take().expect("started once");
        let begun = Instant::now();
        while child.try_wait().expect("a child").is_none() {
            if begun.elapsed() > LONG {
                let _ = child.kill();
                let ran = Ran::of(&child.wait_with_output().expect("output"));
                panic!("it hangs: {ran:#?}");
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ran::of(&child.wait_with_output().expect("output")).ends(code)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Addresses that nobody uses, outside the range from which the system takes ports for connections.
fn addresses(count: usize) -> Vec<String> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let start = std::process::id() as usize * 64;
    let mut free = Vec::new();
    while free.len() < count {
        let next = start + NEXT.fetch_add(1, Ordering::Relaxed);
        let address = format!("127.0.0.1:{}", 20_000 + next % 12_000);
        if TcpListener::bind(&address).is_ok() {
            free.push(address);
        }
    }
    free
}

/// A folder with a host file for so many processes.
fn with_hosts(count: usize) -> Folder {
    let folder = Folder::new();
    folder.write("hosts", addresses(count).join("\n"));
    folder
}

/// The arguments of a process, with those of the others.
fn member<'a>(arguments: &[&'a str], process: &'a str) -> Vec<&'a str> {
    let mut all = arguments.to_vec();
    all.extend(["--hosts", "hosts", "--process", process, "--wait", "30s"]);
    all
}

/// Composed while it is explored, and too large to be explored.
fn endless(folder: &Folder) {
    let family = ["lts", "gen", "bitalt", "--set", "n=700"];
    let network = ["--network", "net"];
    folder.run(&[&family[..], &network[..]].concat()).ends(0);
}

const ENDLESS: [&str; 5] = ["lts", "check", "net/bitalt.exp", "--mu", LIVE];

/// The processes whose command line holds all of these.
fn processes_with(words: &[&str]) -> Vec<u32> {
    let entries = fs::read_dir("/proc")
        .expect("a table of processes")
        .flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| {
        let folder = PathBuf::from(format!("/proc/{id}"));
        let line = fs::read(folder.join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        words.iter().all(|word| line.contains(word))
    })
    .collect()
}

/// Waits until something is so.
#[track_caller]
fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn signal(signal: &str, id: u32) {
    let sent = Command::new("kill")
        .args([signal, &id.to_string()])
        .status();
    assert!(sent.is_ok_and(|status| status.success()), "kill {signal}");
}

/// A supervisor with two processes at work on something endless.
struct AtWork {
    supervisor: Started,
    /// What only the command lines of its processes hold.
    mark: String,
    children: Vec<u32>,
}

impl AtWork {
    fn start(folder: &Folder) -> AtWork {
        endless(folder);
        let model = folder.path().join("net/bitalt.exp");
        let model = model.to_str().expect("a path");
        let run = ["cluster", "run", "-p", "2", "--"];
        let check = ["lts", "check", model, "--mu", LIVE];
        let supervisor = Started::start(folder, &[&run[..], &check[..]].concat());
        let mark = model.to_owned();
        let children = || processes_with(&[&mark, "--attached"]);
        eventually("two processes", || children().len() == 2);
        // Both have joined when both have connections; a moment later they solve.
        thread::sleep(Duration::from_secs(1));
        let children = children();
        AtWork {
            supervisor,
            mark,
            children,
        }
    }

    /// The process with this number.
    fn child(&self, process: usize) -> u32 {
        let number = format!("--process {process}");
        let found = processes_with(&[&self.mark, "--attached", &number]);
        *found.first().expect("a process at work")
    }

    #[track_caller]
    fn ends(self, code: i32) -> Ran {
        let ran = self.supervisor.ends(code);
        for child in self.children {
            let gone = !fs::exists(format!("/proc/{child}")).unwrap_or(false);
            assert!(gone, "process {child} is left");
        }
        assert_eq!(processes_with(&[&self.mark, "--attached"]), [0; 0]);
        ran
    }
}

#[test]
fn several_processes_make_the_test_graph_that_one_makes() {
    let folder = Folder::new();
    let family = ["lts", "gen", "bitalt", "--set", "labels=offer"];
    for output in [["-o", "model.aut"], ["--network", "net"]] {
        folder.run(&[&family[..], &output].concat()).ends(0);
    }
    folder.write(
        "ten.aut",
        "des (0, 3, 3)\n(0, \"PUT.*\", 1)\n(1, \"GET.*\", 2)\n(2, ACCEPT, 2)\n",
    );
    folder.write(
        "never.aut",
        "des (0, 2, 2)\n(0, \"PUT !0; GET !1\", 1)\n(1, ACCEPT, 1)\n",
    );
    let cluster = ["cluster", "run", "--processes", "3", "--"];
    for model in ["model.aut", "net/bitalt.exp"] {
        let tests = ["lts", "tests", model, "--inputs", "PUT.*", "--purpose"];
        let alone = [&tests[..], &["ten.aut", "-o", "one.aut"]].concat();
        let one = folder.run(&alone).ends(0);
        let together = [&cluster[..], &tests, &["ten.aut", "-o", "many.aut"]].concat();
        assert_eq!(folder.run(&together).ends(0).stdout, one.stdout);
        folder
            .run(&["lts", "compare", "one.aut", "many.aut"])
            .ends(0);
        // Only the first process knows that there is no test.
        let none = [&cluster[..], &tests, &["never.aut"]].concat();
        let none = folder.run(&none).ends(1);
        assert!(none.stdout.contains("there is no test"), "{none:#?}");
        let direct = [&cluster[..], &tests, &["ten.aut", "--method", "direct"]].concat();
        let refused = folder.run(&direct).ends(2);
        assert!(refused.stderr.contains("equations"), "{refused:#?}");
    }
}

#[test]
fn two_processes_started_by_hand_say_what_one_says() {
    let folder = with_hosts(2);
    let generate = |arguments: &[&str]| {
        let all = [&["lts", "gen"], arguments].concat();
        folder.run(&all).ends(0);
    };
    generate(&["bitalt", "-o", "bitalt.aut"]);
    generate(&["bitalt", "--network", "net"]);
    generate(&["rank", "--set", "mode=deadlock", "-o", "dead.aut"]);
    generate(&["rank", "--set", "mode=livelock", "-o", "live.aut.gz"]);
    generate(&["random", "--set", "states=300", "-o", "random.aut"]);
    let fair = "[true* . \"put(1)\"] mu X. <true> true and [not \"get(1)\"] X";
    for (model, formula) in [
        ("bitalt.aut", LIVE),
        ("bitalt.aut", fair),
        ("bitalt.aut", "<true*> nu X. <tau> X"),
        ("net/bitalt.exp", LIVE),
        ("net/bitalt.exp", "[true* . \"get(0)\"] false"),
        ("dead.aut", LIVE),
        ("live.aut.gz", "[true*] mu X. [tau] X"),
        ("random.aut", LIVE),
        ("random.aut", "mu X. <true> X or <\"a1\"> <\"a2\"> true"),
    ] {
        let check = ["lts", "check", model, "--mu", formula, "--json", "--quiet"];
        let alone = folder.run(&check);
        let code = alone.code.expect("an exit status");
        let alone = alone.json();
        for workers in ["1", "2"] {
            let check = [&check[..], &["--workers", workers]].concat();
            let [first, second] = ["0", "1"].map(|process| member(&check, process));
            let second = Started::start(&folder, &second);
            let first = Started::start(&folder, &first).ends(code);
            let second = second.ends(code);
            assert_eq!((second.stdout.as_str(), second.stderr.as_str()), ("", ""));
            let both = first.json();
            for field in ["verdict", "formula", "engine"] {
                let [alone, both] = [&alone, &both].map(|one| &one["results"][0][field]);
                assert_eq!(alone, both, "{model} {formula}");
            }
            let is_shown = |one: &serde_json::Value| !one["results"][0]["witness"].is_null();
            assert_eq!(is_shown(&alone), is_shown(&both), "{model} {formula}");
            assert_eq!(alone["model"], both["model"]);
        }
    }
}

#[test]
fn the_figures_of_every_worker_are_told() {
    let folder = Folder::new();
    folder.run(&["lts", "gen", "bitalt", "-o", "m.aut"]).ends(0);
    let check = ["lts", "check", "m.aut", "--mu", LIVE, "--workers", "3"];
    let report = folder
        .run(&[&check[..], &["--json"]].concat())
        .ends(0)
        .json();
    let result = &report["results"][0];
    let workers = result["workers"].as_array().expect("workers");
    assert_eq!(workers.len(), 3);
    for field in ["variables", "operands", "crossing", "messages"] {
        let sum: u64 = workers.iter().filter_map(|one| one[field].as_u64()).sum();
        assert_eq!(result["stats"][field].as_u64(), Some(sum), "{field}");
    }
    let text = folder.run(&check).ends(0).stdout;
    assert!(text.contains("\n  3 workers: 668 variables, "), "{text}");
    let table = folder.run(&[&check[..], &["--explain"]].concat()).ends(0);
    assert!(
        table.stdout.contains("\n             all        668 "),
        "{}",
        table.stdout
    );
    let alone = folder.run(&["lts", "check", "m.aut", "--mu", LIVE, "--json"]);
    assert!(alone.json()["results"][0].get("workers").is_none());
}

#[test]
fn a_supervisor_starts_any_number_of_processes() {
    let folder = Folder::new();
    folder.run(&["lts", "gen", "bitalt", "-o", "m.aut"]).ends(0);
    let check = ["--", "lts", "check", "m.aut", "--mu", LIVE, "--mu"];
    for processes in ["1", "2", "3"] {
        for workers in ["1", "2"] {
            let run = ["cluster", "run", "-p", processes, "--workers", workers];
            let holds = [&run[..], &check[..], &["true"]].concat();
            let held = Started::start(&folder, &holds).ends(0);
            assert_eq!(held.stderr, "");
            let end =
                "2 properties: 0 violated, 2 hold, 0 unknown   (668 states, 2010 transitions)\n";
            assert!(held.stdout.ends_with(end), "{}", held.stdout);
            let violated = [&run[..], &check[..], &["[true*.\"put(1)\"] false"]].concat();
            let violated = Started::start(&folder, &violated).ends(1);
            assert!(
                violated.stdout.contains("Counterexample"),
                "{}",
                violated.stdout
            );
        }
    }
}

#[test]
fn runs_are_checked_together_as_well() {
    let folder = Folder::election();
    let never = "AG !(a.leader && b.leader)";
    let check = [
        "check", "t.jsonl", "--engine", "bes", "--ctl", never, "--json",
    ];
    let alone = folder.run(&check).ends(1).json();
    let run = ["cluster", "run", "-p", "2", "--workers", "2", "--"];
    let both = Started::start(&folder, &[&run[..], &check[..]].concat()).ends(1);
    let both = both.json();
    assert_eq!(both["results"][0]["verdict"], "violated");
    assert_eq!(
        both["results"][0]["workers"].as_array().map(Vec::len),
        Some(4)
    );
    let cut = |report: &serde_json::Value| report["results"][0]["witness"]["cut"].clone();
    assert!(cut(&alone).is_object() && cut(&both).is_object());
    folder
        .run(&[
            "cluster", "run", "-p", "2", "--", "check", "t.jsonl", "--ctl", never,
        ])
        .ends(2)
        .complains("only the engine bes decides with several processes");
}

#[test]
fn a_killed_process_ends_the_others_with_an_error() {
    let folder = Folder::new();
    let at_work = AtWork::start(&folder);
    signal("-KILL", at_work.child(1));
    let ran = at_work.ends(4);
    assert_eq!(ran.stdout, "");
    ran.complains("process 1 (127.0.0.1:")
        .complains("process 1 was ended by signal 9");
}

#[test]
fn the_first_process_may_be_killed_too() {
    let folder = Folder::new();
    let at_work = AtWork::start(&folder);
    signal("-KILL", at_work.child(0));
    at_work
        .ends(4)
        .complains("[process 1] error[E0920]: ")
        .complains("process 0 (127.0.0.1:")
        .complains("process 0 was ended by signal 9");
}

#[test]
fn a_stopped_process_is_noticed_and_killed() {
    let folder = Folder::new();
    let at_work = AtWork::start(&folder);
    signal("-STOP", at_work.child(1));
    at_work
        .ends(4)
        .complains("has not been heard of")
        .complains("process 1 did not end, and was killed");
}

#[test]
fn nobody_outlives_a_supervisor_that_was_killed() {
    let folder = Folder::new();
    let at_work = AtWork::start(&folder);
    signal("-KILL", at_work.supervisor.id());
    eventually("all processes are gone", || {
        processes_with(&[&at_work.mark, "--attached"]).is_empty()
    });
}

#[test]
fn an_interrupt_ends_all_with_what_is_known() {
    for which in ["-INT", "-TERM"] {
        let folder = Folder::new();
        let at_work = AtWork::start(&folder);
        signal(which, at_work.supervisor.id());
        let ran = at_work.ends(3);
        assert!(ran.stdout.starts_with("unknown   mu-1"), "{ran:#?}");
    }
}

#[test]
fn a_limit_that_one_process_reaches_holds_for_all() {
    let folder = with_hosts(2);
    endless(&folder);
    for limit in [["--memory", "60M"], ["--timeout", "2s"]] {
        let limited = [&ENDLESS[..], &limit[..]].concat();
        let second = Started::start(&folder, &member(&limited, "1"));
        let first = Started::start(&folder, &member(&ENDLESS, "0")).ends(3);
        second.ends(3);
        assert!(first.stdout.starts_with("unknown   mu-1"), "{first:#?}");
    }
    // While the model is being read as well.
    let limited = [&ENDLESS[..], &["--memory", "1M"]].concat();
    let second = Started::start(&folder, &member(&ENDLESS, "1"));
    Started::start(&folder, &member(&limited, "0")).ends(3);
    second.ends(3);
}

#[test]
fn addresses_can_be_used_again_at_once() {
    let folder = with_hosts(2);
    endless(&folder);
    let second = Started::start(&folder, &member(&ENDLESS, "1"));
    let first = Started::start(&folder, &member(&ENDLESS, "0"));
    thread::sleep(Duration::from_secs(1));
    signal("-KILL", second.id());
    first.ends(4).complains("process 1 (127.0.0.1:");
    folder.run(&["lts", "gen", "bitalt", "-o", "m.aut"]).ends(0);
    let check = ["lts", "check", "m.aut", "--mu", LIVE];
    let second = Started::start(&folder, &member(&check, "1"));
    Started::start(&folder, &member(&check, "0")).ends(0);
    let said = second.ends(0).stderr;
    assert_eq!(said, "process 1 of 2 is done; process 0 has the report\n");
}

#[test]
fn processes_that_do_not_belong_together_say_why() {
    let folder = with_hosts(2);
    folder.run(&["lts", "gen", "bitalt", "-o", "m.aut"]).ends(0);
    folder
        .run(&["lts", "gen", "rank", "-o", "other.aut"])
        .ends(0);
    folder.write_secret("secret", "another secret than the others have");
    let check = ["lts", "check", "m.aut", "--mu", LIVE];
    let against = |other: &[&str], codes: (i32, i32)| {
        let second = Started::start(&folder, &member(other, "1"));
        let first = Started::start(&folder, &member(&check, "0")).ends(codes.0);
        (first, second.ends(codes.1))
    };
    let (first, second) = against(&["lts", "check", "m.aut", "--mu", "true"], (4, 4));
    first.complains("is asked something else");
    second.complains("is asked something else");
    let (first, second) = against(&["lts", "check", "other.aut", "--mu", LIVE], (4, 4));
    let said = format!("{}{}", first.stderr, second.stderr);
    assert!(said.contains("read"), "{said}");
    let (first, second) = against(&["lts", "check", "missing.aut", "--mu", LIVE], (4, 2));
    first
        .complains("process 1 (127.0.0.1:")
        .complains("missing.aut cannot be opened");
    second.complains("missing.aut cannot be opened");
    let stranger = [&check[..], &["--secret-file", "secret"]].concat();
    let second = Started::start(&folder, &member(&stranger, "1"));
    let mut impatient = member(&check, "0");
    impatient.extend(["--wait", "2s"]);
    impatient.drain(impatient.len() - 4..impatient.len() - 2);
    let first = Started::start(&folder, &impatient).ends(4);
    first.complains("did not know the secret");
    second
        .ends(4)
        .complains("the secret is not that of process 0");
    Started::start(&folder, &impatient)
        .ends(4)
        .complains("there is still no word of process 1");
}

#[test]
fn mistakes_in_options_are_named_with_a_way_out() {
    let folder = with_hosts(2);
    folder.run(&["lts", "gen", "bitalt", "-o", "m.aut"]).ends(0);
    folder.write("bad", "127.0.0.1:4000\n0.0.0.0:4001\n");
    let check = ["lts", "check", "m.aut", "--mu", LIVE];
    for (options, complaint) in [
        (&["--hosts", "hosts"][..], "add --process"),
        (&["--process", "0"], "name them in a file for --hosts"),
        (&["--wait", "3s"], "--wait is about other processes"),
        (
            &["--hosts", "hosts", "--process", "2"],
            "there is no process 2",
        ),
        (
            &["--hosts", "hosts", "--process", "0"],
            "there is no secret",
        ),
        (
            &["--hosts", "bad", "--process", "0"],
            "stands for every interface",
        ),
        (
            &["--hosts", "none", "--process", "0"],
            "none cannot be read",
        ),
        (
            &["--hosts", "hosts", "--process", "0", "--strategy", "lean"],
            "leave out --strategy",
        ),
        (
            &["--hosts", "hosts", "--process", "0", "--bes", "b"],
            "leave out --hosts",
        ),
    ] {
        let all = [&check[..], options].concat();
        folder.run(&all).ends(2).complains(complaint);
    }
    for (command, complaint) in [
        (&["lts", "info", "m.aut"][..], "only `lts check`"),
        (&["lts", "check", "m.aut", "--mu", "<"], "error"),
        (
            &["lts", "check", "-", "--mu", LIVE],
            "put the model into a file",
        ),
        (
            &["lts", "check", "m.aut", "--mu", LIVE, "--process", "1"],
            "said before `--`",
        ),
        (
            &["lts", "check", "none.aut", "--mu", LIVE],
            "none.aut cannot be opened",
        ),
    ] {
        let all = [&["cluster", "run", "-p", "2", "--"][..], command].concat();
        Started::start(&folder, &all).ends(2).complains(complaint);
    }
}

#[test]
fn other_hosts_are_reached_by_a_command_and_told_the_secret_in_private() {
    let folder = with_hosts(2);
    folder.run(&["lts", "gen", "bitalt", "-o", "m.aut"]).ends(0);
    let program = env!("CARGO_BIN_EXE_causet");
    let run = [
        "cluster",
        "run",
        "--hosts",
        "hosts",
        "--launch",
        "sh -c",
        "--program",
        program,
    ];
    let check = [
        "--",
        "lts",
        "check",
        "m.aut",
        "--mu",
        "[true* . \"it's\"] false",
    ];
    let ran = Started::start(&folder, &[&run[..], &check[..]].concat()).ends(0);
    assert!(
        ran.stdout.contains("1 property: 0 violated, 1 holds"),
        "{ran:#?}"
    );
    let broken = [
        "cluster",
        "run",
        "--hosts",
        "hosts",
        "--launch",
        "no-such-command-here",
    ];
    let ran = Started::start(&folder, &[&broken[..], &check[..]].concat()).ends(4);
    ran.complains("cannot be started by no-such-command-here");
    let fresh = || folder.run(&["cluster", "secret"]).ends(0).stdout;
    assert_ne!(fresh(), fresh());
    assert_eq!(fresh().trim_end().len(), 64);
}
