//! Processes that find each other, lose each other and end together.
//!
//! Most of them are threads of one process here, which differ in nothing that the cluster can see. Those that must be
//! killed or stopped are processes of their own: this test program, started again.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use causet_flow::cluster::{
    Cluster, Difference, Figures, Hosts, How, Lost, Membership, NotJoined, Secret, Timing, Watch,
    join, join_with,
};

/// Longer than anything takes that is waited for.
const LONG: Duration = Duration::from_secs(60);

/// A host file with ports that nobody uses, neither now nor in another test.
fn hosts(count: usize) -> Hosts {
    static USED: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let mut lines = Vec::new();
    while lines.len() < count {
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = free.local_addr().expect("a bound address");
        if USED.lock().expect("no panic").insert(address.port()) {
            lines.push(address.to_string());
        }
    }
    Hosts::parse(&lines.join("\n")).expect("good addresses")
}

fn membership(hosts: &Hosts, process: usize) -> Membership {
    Membership {
        hosts: hosts.clone(),
        process,
        workers: 2,
        secret: Secret::from_text("the secret of all these tests").expect("long enough"),
        job: [7; 32],
        version: "1.2.3".to_owned(),
        patience: LONG,
    }
}

/// Lets processes join at the same time.
fn join_all(memberships: Vec<Membership>) -> Vec<Result<Cluster, NotJoined>> {
    let threads: Vec<_> = memberships
        .into_iter()
        .map(|membership| thread::spawn(move || join(membership)))
        .collect();
    threads
        .into_iter()
        .map(|thread| thread.join().expect("no panic"))
        .collect()
}

fn joined(hosts: &Hosts) -> Vec<Cluster> {
    let all = (0..hosts.len()).map(|process| membership(hosts, process));
    join_all(all.collect())
        .into_iter()
        .map(|outcome| outcome.unwrap_or_else(|why| panic!("not joined: {why}")))
        .collect()
}

fn finish_all(clusters: &[Cluster]) {
    for cluster in clusters {
        cluster.watch().finish();
    }
}

fn lost(watch: &Watch) -> Lost {
    watch.wait_lost(LONG).expect("a loss is noticed")
}

/// Two processes of which the second was told something else, and what both say.
fn quarrel(change: impl Fn(&mut Membership)) -> [NotJoined; 2] {
    let hosts = hosts(2);
    let mut second = membership(&hosts, 1);
    change(&mut second);
    let outcomes = join_all(vec![membership(&hosts, 0), second]);
    let refusals: Vec<NotJoined> = outcomes.into_iter().filter_map(Result::err).collect();
    refusals.try_into().expect("both refuse")
}

fn difference(not_joined: &NotJoined) -> &Difference {
    match not_joined {
        NotJoined::Differs { what, .. } => what,
        other => panic!("another reason: {other}"),
    }
}

#[test]
fn processes_join_and_hear_each_others_figures() {
    for count in [1, 2, 3] {
        let clusters = joined(&hosts(count));
        let figures = |process: usize| {
            let worker = |worker: u64| Figures {
                variables: 10 * process as u64 + worker,
                idle_permille: 999,
                ..Figures::default()
            };
            vec![worker(0), worker(1)]
        };
        let expected: Vec<Vec<Figures>> = (0..count).map(figures).collect();
        for (process, cluster) in clusters.iter().enumerate() {
            assert_eq!((cluster.process(), cluster.processes()), (process, count));
            cluster.watch().report(figures(process));
        }
        for cluster in &clusters {
            let begun = Instant::now();
            while cluster.watch().heard() != expected && begun.elapsed() < LONG {
                thread::sleep(Duration::from_millis(5));
            }
            assert_eq!(cluster.watch().heard(), expected);
            assert_eq!(cluster.watch().lost(), None);
        }
        finish_all(&clusters);
    }
}

#[test]
fn strangers_do_not_disturb() {
    let hosts = hosts(2);
    let listening = hosts.addresses()[0].clone();
    let first = membership(&hosts, 0);
    let first = thread::spawn(move || join(first));
    let silent = connect(&listening);
    let mut garbage = connect(&listening);
    garbage.write_all(&[b'x'; 5000]).expect("it is listened to");
    let mut polite = connect(&listening);
    polite
        .write_all(b"causet\r\n\x00\x01")
        .expect("it is listened to");
    polite.write_all(&[0xff; 4000]).expect("it is listened to");
    let mut thief = membership(&hosts, 1);
    thief.secret = Secret::from_text("another secret of some length").expect("long enough");
    let refusal = join(thief).err().expect("a thief is refused");
    let address = listening.clone();
    assert_eq!(
        refusal,
        NotJoined::WrongSecret {
            process: 0,
            address
        }
    );
    let second = join(membership(&hosts, 1)).expect("the second joins");
    let first = first.join().expect("no panic").expect("the first joins");
    assert_eq!(first.watch().lost(), None);
    drop(silent);
    finish_all(&[first, second]);
}

fn connect(address: &str) -> TcpStream {
    loop {
        match TcpStream::connect(address) {
            Ok(stream) => return stream,
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[test]
fn somebody_else_on_the_port_is_not_taken_for_a_process() {
    let hosts = hosts(2);
    let other = TcpListener::bind(&hosts.addresses()[0]).expect("a free port");
    thread::spawn(move || {
        for stream in other.incoming().flatten() {
            let _ = (&stream).write_all(b"220 mail.example ready, what can I do for you\r\n");
            let _ = (&stream).read(&mut [0; 1000]);
        }
    });
    let mut second = membership(&hosts, 1);
    second.patience = Duration::from_millis(300);
    let said = join(second).err().expect("nobody is there").to_string();
    assert!(
        said.contains("somebody else answers: it speaks another protocol"),
        "{said}"
    );
}

#[test]
fn another_version_is_refused_by_both() {
    let [first, second] = quarrel(|second| second.version = "9.9.9".to_owned());
    let version = |ours: &str, theirs: &str| Difference::Version {
        ours: ours.to_owned(),
        theirs: theirs.to_owned(),
    };
    assert_eq!(difference(&first), &version("1.2.3", "9.9.9"));
    assert_eq!(difference(&second), &version("9.9.9", "1.2.3"));
    assert!(
        second.to_string().contains("process 0 (127.0.0.1:"),
        "{second}"
    );
    assert!(
        second
            .to_string()
            .contains("runs version 1.2.3, this one 9.9.9"),
        "{second}"
    );
}

#[test]
fn another_job_is_refused_by_both() {
    let [first, second] = quarrel(|second| second.job = [8; 32]);
    assert_eq!(difference(&first), &Difference::Job);
    assert_eq!(difference(&second), &Difference::Job);
    assert!(first.to_string().contains("process 1"), "{first}");
    assert!(
        first.to_string().contains("is asked something else"),
        "{first}"
    );
}

#[test]
fn another_number_of_workers_or_hosts_is_refused_by_both() {
    let [first, second] = quarrel(|second| second.workers = 3);
    assert_eq!(
        difference(&first),
        &Difference::Workers { ours: 2, theirs: 3 }
    );
    assert_eq!(
        difference(&second),
        &Difference::Workers { ours: 3, theirs: 2 }
    );
    let [first, second] = quarrel(|second| {
        let text = second.hosts.addresses().join("\n") + "\n127.0.0.1:1";
        second.hosts = Hosts::parse(&text).expect("good addresses");
    });
    assert_eq!(
        difference(&first),
        &Difference::Hosts { ours: 2, theirs: 3 }
    );
    assert_eq!(
        difference(&second),
        &Difference::Hosts { ours: 3, theirs: 2 }
    );
}

#[test]
fn a_third_process_learns_of_a_quarrel_it_has_no_part_in() {
    let hosts = hosts(3);
    let first = membership(&hosts, 0);
    let first = thread::spawn(move || join(first));
    // From here on the others can reach it.
    drop(connect(&hosts.addresses()[0]));
    let mut last = membership(&hosts, 2);
    last.job = [9; 32];
    let mut outcomes = join_all(vec![membership(&hosts, 1), last]);
    outcomes.push(first.join().expect("no panic"));
    for outcome in outcomes {
        let said = outcome.err().expect("nobody joins").to_string();
        assert!(said.contains("is asked something else"), "{said}");
    }
}

#[test]
fn the_wrong_secret_is_named_by_the_one_and_counted_by_the_other() {
    let hosts = hosts(2);
    let (mut first, mut second) = (membership(&hosts, 0), membership(&hosts, 1));
    first.patience = Duration::from_secs(1);
    second.secret = Secret::random().expect("random numbers");
    let outcomes = join_all(vec![first, second]);
    let said: Vec<String> = outcomes
        .into_iter()
        .map(|outcome| outcome.err().expect("nobody joins").to_string())
        .collect();
    let expected = "1 connection was refused because it did not know the secret";
    assert!(said[0].contains(expected), "{}", said[0]);
    assert!(
        said[0].contains("no word of process 1 (127.0.0.1:"),
        "{}",
        said[0]
    );
    assert!(
        said[1].contains("the secret is not that of process 0"),
        "{}",
        said[1]
    );
}

#[test]
fn other_host_files_are_noticed() {
    let hosts = hosts(2);
    let first = thread::spawn({
        let mut first = membership(&hosts, 0);
        first.patience = Duration::from_secs(1);
        move || join(first)
    });
    // The second has the address of the first on another line.
    let others = self::hosts(2);
    let [before, after] = [&others.addresses()[0], &others.addresses()[1]];
    let lines = format!("{before}\n{}\n{after}", hosts.addresses()[0]);
    let second = membership(&Hosts::parse(&lines).expect("good addresses"), 2);
    match join(second).err() {
        Some(NotJoined::OtherProcess {
            expected, found, ..
        }) => assert_eq!((expected, found), (1, 0)),
        other => panic!("{other:?}"),
    }
    assert!(first.join().expect("no panic").is_err());
}

#[test]
fn missing_processes_are_named() {
    let hosts = hosts(3);
    let mut second = membership(&hosts, 1);
    second.patience = Duration::from_millis(300);
    match join(second).err() {
        Some(NotJoined::Missing {
            missing, refused, ..
        }) => {
            assert_eq!(refused, 0);
            assert_eq!((missing[0].process, missing[1].process), (0, 2));
            assert_eq!(missing[1].address, hosts.addresses()[2]);
            assert!(missing[0].why.is_some() && missing[1].why.is_none());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn impossible_memberships_are_refused() {
    let hosts = hosts(2);
    let refused = |membership| join(membership).err().expect("refused");
    assert_eq!(
        refused(membership(&hosts, 2)),
        NotJoined::OutOfRange {
            process: 2,
            hosts: 2
        }
    );
    let mut idle = membership(&hosts, 1);
    idle.workers = 0;
    assert_eq!(refused(idle), NotJoined::Workers(0));
    let _taken = TcpListener::bind(&hosts.addresses()[0]).expect("a free port");
    let said = refused(membership(&hosts, 0)).to_string();
    let expected = format!("cannot listen on {}", hosts.addresses()[0]);
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn a_process_that_goes_without_a_word_is_lost_to_all() {
    let hosts = hosts(3);
    let mut clusters = joined(&hosts);
    drop(clusters.remove(1));
    for cluster in &clusters {
        let lost = lost(&cluster.watch());
        assert_eq!((lost.process, &lost.how), (1, &How::Closed), "{lost}");
        assert_eq!(lost.address, hosts.addresses()[1]);
        let expected = format!("process 1 ({}) closed its links", hosts.addresses()[1]);
        assert!(lost.to_string().starts_with(&expected), "{lost}");
    }
}

#[test]
fn a_process_that_stops_to_pulse_is_silent() {
    let hosts = hosts(2);
    let silence = Duration::from_secs(1);
    let timing = move |pulse| Timing { pulse, silence };
    let mute = thread::spawn({
        let mute = membership(&hosts, 1);
        move || join_with(mute, timing(LONG))
    });
    let first = join_with(membership(&hosts, 0), timing(Duration::from_millis(50)));
    let first = first.expect("the first joins");
    let mute = mute.join().expect("no panic").expect("the mute joins");
    let lost = lost(&first.watch());
    assert_eq!((lost.process, &lost.how), (1, &How::Silent(silence)));
    let expected = "has not been heard of for 1 s: it hangs, or the link to it is cut";
    assert!(lost.to_string().contains(expected), "{lost}");
    // It hears that the other gave up on it.
    let own = self::lost(&mute.watch());
    assert_eq!((own.process, own.noticed_by), (1, 0), "{own}");
    assert!(
        own.to_string().starts_with("process 0 gave up on this one"),
        "{own}"
    );
}

#[test]
fn after_the_end_nothing_is_lost() {
    let mut clusters = joined(&hosts(3));
    let watches: Vec<Watch> = clusters.iter().map(Cluster::watch).collect();
    watches[0].finish();
    drop(clusters.remove(0));
    // The others hear the goodbye before they could hear this.
    watches[1].report(vec![Figures {
        steps: 1,
        ..Figures::default()
    }]);
    while watches[2].heard()[1].is_empty() {
        assert_eq!(watches[2].lost(), None);
        thread::sleep(Duration::from_millis(5));
    }
    watches[1].finish();
    watches[2].finish();
    drop(clusters);
    for watch in &watches {
        assert_eq!(watch.wait_lost(Duration::from_millis(50)), None);
    }
}

#[test]
fn the_others_learn_why_a_process_gave_up() {
    let mut clusters = joined(&hosts(3));
    let last = clusters.remove(2);
    last.watch().fail("the model has no states".to_owned());
    drop(last);
    for cluster in &clusters {
        let lost = lost(&cluster.watch());
        assert_eq!(lost.process, 2);
        assert_eq!(lost.how, How::Failed("the model has no states".to_owned()));
        assert!(
            lost.to_string()
                .ends_with("gave up: the model has no states"),
            "{lost}"
        );
        assert_eq!(
            cluster.watch().wait_lost(LONG),
            Some(lost),
            "the first loss stays"
        );
    }
}

#[test]
fn a_loss_is_passed_on_with_the_first_culprit() {
    let hosts = hosts(3);
    let silence = Duration::from_secs(1);
    // Only the second can notice that the third is silent; the first is patient.
    let timings = [(50, LONG), (50, silence), (60_000, LONG)];
    let threads: Vec<_> = timings
        .into_iter()
        .enumerate()
        .map(|(process, (pulse, silence))| {
            let membership = membership(&hosts, process);
            let pulse = Duration::from_millis(pulse);
            thread::spawn(move || join_with(membership, Timing { pulse, silence }))
        })
        .collect();
    let mut clusters: Vec<Cluster> = threads
        .into_iter()
        .map(|thread| thread.join().expect("no panic").expect("joined"))
        .collect();
    let second = clusters.remove(1);
    let noticed = lost(&second.watch());
    // It ends as soon as it knows, and must not be taken for the culprit.
    drop(second);
    let told = lost(&clusters[0].watch());
    assert_eq!((told.process, told.noticed_by), (2, 1), "{told}");
    assert_eq!(told.how, noticed.how);
    assert!(told.to_string().ends_with("(process 1 says so)"), "{told}");
}

#[test]
fn ports_can_be_used_again_at_once() {
    let hosts = hosts(3);
    for round in 0..3 {
        let clusters = joined(&hosts);
        match round {
            0 => finish_all(&clusters),
            1 => drop(clusters),
            _ => clusters[1].watch().fail("no reason".to_owned()),
        }
    }
    finish_all(&joined(&hosts));
}

#[test]
fn processes_agree_on_what_they_read() {
    let agree = |inputs: [u8; 3]| {
        let threads: Vec<_> = joined(&hosts(3))
            .into_iter()
            .zip(inputs)
            .map(|(cluster, input)| {
                thread::spawn(move || {
                    let agreed = cluster.agree([input; 32]).map_err(|why| why.to_string());
                    match &agreed {
                        Ok(()) => cluster.watch().finish(),
                        Err(why) => cluster.watch().fail(why.clone()),
                    }
                    agreed
                })
            })
            .collect();
        let outcomes = threads.into_iter().map(thread::JoinHandle::join);
        outcomes
            .map(|outcome| outcome.expect("no panic"))
            .collect::<Vec<_>>()
    };
    for _ in 0..20 {
        // Whoever knows that all agree goes at once, which must not keep the others waiting.
        assert_eq!(agree([7, 7, 7]), [Ok(()), Ok(()), Ok(())]);
    }
    for outcome in agree([7, 7, 8]) {
        let why = outcome.expect_err("one has read something else");
        assert!(why.contains("has read something else"), "{why}");
    }
}

mod dataflow {
    //! Real dataflows over the links.

    use timely::WorkerConfig;
    use timely::container::CapacityContainerBuilder;
    use timely::dataflow::operators::{Exchange, Input, Inspect, Probe};
    use timely::dataflow::{InputHandle, ProbeHandle};
    use timely::worker::Worker;

    use super::{Arc, AtomicU64, Cluster, Ordering, Watch, hosts, joined, thread};

    /// Each worker sends numbers around; the numbers that arrive here are summed.
    pub(super) fn run(cluster: Cluster, rounds: u64) -> (Cluster, u64) {
        let (builders, guard) = cluster.allocators().expect("they are there");
        let sum = Arc::new(AtomicU64::new(0));
        let watch = cluster.watch();
        let work = {
            let sum = Arc::clone(&sum);
            move |worker: &mut Worker| send_around(worker, &sum, &watch, rounds)
        };
        let guards = timely::execute::execute_from(builders, guard, WorkerConfig::default(), work);
        for worker in guards.expect("threads start").join() {
            worker.expect("no panic");
        }
        (cluster, sum.load(Ordering::Relaxed))
    }

    fn send_around(worker: &mut Worker, sum: &Arc<AtomicU64>, watch: &Watch, rounds: u64) {
        let mut input = InputHandle::<u64, CapacityContainerBuilder<Vec<u64>>>::new();
        let probe = ProbeHandle::new();
        let sum = Arc::clone(sum);
        worker.dataflow(|scope| {
            scope
                .input_from(&mut input)
                .exchange(|number: &u64| *number)
                .inspect(move |number: &u64| {
                    sum.fetch_add(*number, Ordering::Relaxed);
                })
                .probe_with(&probe);
        });
        let mut round = 0;
        while round < rounds && watch.lost().is_none() {
            (0..1000).for_each(|number| input.send(number));
            round += 1;
            input.advance_to(round);
            while probe.less_than(input.time()) && watch.lost().is_none() {
                worker.step_or_park(Some(std::time::Duration::from_millis(10)));
            }
        }
        if watch.lost().is_some() {
            for dataflow in worker.installed_dataflows() {
                worker.drop_dataflow(dataflow);
            }
        }
    }

    #[test]
    fn messages_arrive_and_the_end_is_no_loss() {
        for count in [1, 2, 3] {
            let threads: Vec<_> = joined(&hosts(count))
                .into_iter()
                .map(|cluster| {
                    thread::spawn(move || {
                        // One dataflow after another, each on new connections.
                        let (cluster, first) = run(cluster, 5);
                        let (cluster, second) = run(cluster, 15);
                        (cluster, first + second)
                    })
                })
                .collect();
            let mut total = 0;
            for thread in threads {
                let (cluster, sum) = thread.join().expect("no panic");
                assert!(sum > 0, "every process has a share");
                assert_eq!(cluster.watch().lost(), None);
                cluster.watch().finish();
                total += sum;
            }
            assert_eq!(total, count as u64 * 2 * 20 * (999 * 1000 / 2));
        }
    }
}

#[cfg(unix)]
mod processes {
    //! Processes of their own, which can be killed and stopped.

    use std::io::{BufRead, BufReader, Read};
    use std::process::{Child, ChildStdout, Command, Stdio};

    use super::{
        Cluster, Duration, Hosts, LONG, Timing, dataflow, hosts, join_with, lost, membership,
        thread,
    };

    fn timing() -> Timing {
        Timing {
            pulse: Duration::from_millis(100),
            silence: Duration::from_secs(2),
        }
    }

    /// This test program, started again as one process of a run. Killed at the end whatever happens.
    struct Member {
        child: Child,
        output: BufReader<ChildStdout>,
    }

    impl Member {
        fn start(hosts: &Hosts, process: usize, task: &str) -> Member {
            let program = std::env::current_exe().expect("this program has a path");
            let mut child = Command::new(program)
                .args(["--exact", "processes::a_member", "--ignored", "--nocapture"])
                .env("CLUSTER_HOSTS", hosts.addresses().join("\n"))
                .env("CLUSTER_PROCESS", process.to_string())
                .env("CLUSTER_TASK", task)
                .stdout(Stdio::piped())
                .spawn()
                .expect("this program can be started");
            let output = BufReader::new(child.stdout.take().expect("it has an output"));
            Member { child, output }
        }

        /// The rest of the line that begins with the word.
        fn line(&mut self, word: &str) -> String {
            let mut lines = self.output.by_ref().lines().map_while(Result::ok);
            let found = lines.find_map(|line| line.strip_prefix(word).map(str::to_owned));
            found.unwrap_or_else(|| panic!("the member said nothing of `{word}`"))
        }

        fn signal(&self, name: &str) {
            let pid = self.child.id().to_string();
            let sent = Command::new("kill").args([name, &pid]).status();
            assert!(sent.expect("kill can be started").success());
        }
    }

    impl Drop for Member {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    /// Not a test by itself: what the other processes do.
    #[test]
    #[ignore = "started by other tests, as a process of its own"]
    fn a_member() {
        let variable = |name| std::env::var(name).expect("started by another test");
        let hosts = Hosts::parse(&variable("CLUSTER_HOSTS")).expect("good addresses");
        let process = variable("CLUSTER_PROCESS").parse().expect("a number");
        let cluster = join_with(membership(&hosts, process), timing()).expect("joined");
        println!("\njoined");
        let cluster = match variable("CLUSTER_TASK").as_str() {
            "dataflow" => dataflow::run(cluster, u64::MAX).0,
            _ => cluster,
        };
        println!("\nlost: {}", lost(&cluster.watch()));
    }

    fn start(count: usize, task: &'static str) -> (Cluster, Vec<Member>) {
        let hosts = hosts(count);
        let first = membership(&hosts, 0);
        let first = thread::spawn(move || join_with(first, timing()));
        let mut members: Vec<Member> = (1..count)
            .map(|process| Member::start(&hosts, process, task))
            .collect();
        for member in &mut members {
            member.line("joined");
        }
        let first = first.join().expect("no panic").expect("the first joins");
        (first, members)
    }

    #[test]
    fn a_killed_process_is_lost_to_all() {
        let (first, mut members) = start(3, "wait");
        members[0].signal("-KILL");
        let lost = lost(&first.watch());
        assert_eq!(lost.process, 1, "{lost}");
        let said = members[1].line("lost: ");
        assert!(said.contains("process 1 ("), "{said}");
    }

    #[test]
    fn a_stopped_process_is_lost_and_learns_of_it_when_it_goes_on() {
        let (first, mut members) = start(3, "wait");
        members[0].signal("-STOP");
        let lost = lost(&first.watch());
        assert_eq!(lost.process, 1, "{lost}");
        let said = members[1].line("lost: ");
        assert!(said.contains("process 1 ("), "{said}");
        drop(first);
        members[0].signal("-CONT");
        let said = members[0].line("lost: ");
        assert!(said.contains("gave up on this one, process 1"), "{said}");
    }

    #[test]
    fn a_process_killed_in_the_middle_of_a_dataflow_ends_it_everywhere() {
        let (first, mut members) = start(3, "dataflow");
        let running = thread::spawn(move || dataflow::run(first, u64::MAX).0);
        thread::sleep(Duration::from_millis(200));
        members[1].signal("-KILL");
        let first = running.join().expect("no panic");
        let lost = first.watch().wait_lost(LONG).expect("a loss");
        assert_eq!(lost.process, 2, "{lost}");
        let said = members[0].line("lost: ");
        assert!(said.contains("process 2 ("), "{said}");
    }
}
