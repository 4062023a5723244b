//! Threads and tokio tasks: what a process does comes after its spawning and before its joining, whatever happens to it.

use causet_formats::native::{Part, ReadOptions, read};
use causet_record::{Memory, Recording, sync, tokio as tasks};
use causet_trace::notation::draw;

#[track_caller]
fn check(memory: &Memory, expected: &str) {
    let text = memory.text();
    let parts = vec![Part::new("run", text.as_bytes())];
    let reading = read(parts, &ReadOptions::default(), &());
    let trace = reading.unwrap_or_else(|error| panic!("{error}")).trace;
    // Columns depend on who was faster.
    let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let drawn: Vec<String> = draw(&trace).lines().map(squeezed).collect();
    assert_eq!(drawn.join("\n"), expected, "{text}");
}

#[test]
fn a_thread_lies_between_spawn_and_join() {
    let (recording, memory) = Recording::builder().to_memory();
    let mut main = recording.process("main");
    let handle = sync::spawn(&mut main, "child", |mut child| {
        child.event("work").done();
        child.end();
        5
    });
    main.step();
    assert_eq!(handle.join(&mut main).expect("no panic"), 5);
    check(
        &memory,
        "main: @spawn child . <child.2,@join child\nchild: <main.1,@start @work",
    );
}

#[test]
fn a_thread_that_panics_is_joined_after_its_last_event() {
    let (recording, memory) = Recording::builder().to_memory();
    let mut main = recording.process("main");
    let handle = sync::spawn(&mut main, "child", |mut child| {
        child.event("last words").done();
        panic!("on purpose");
    });
    let result: Result<(), _> = handle.join(&mut main);
    assert!(result.is_err());
    check(
        &memory,
        "main: @spawn child <child.2,@join child\nchild: <main.1,@start @last words",
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_ring_of_tasks_passes_a_token() {
    const TASKS: usize = 8;
    let (recording, memory) = Recording::builder().to_memory();
    let mut main = recording.process("main");
    let names: Vec<String> = (0..TASKS).map(|number| format!("t{number}")).collect();
    let channels = names.iter().map(|name| tasks::channel_to::<usize>(name));
    let (senders, receivers): (Vec<_>, Vec<_>) = channels.unzip();
    let mut handles = Vec::new();
    for (own, mut receiver) in receivers.into_iter().enumerate() {
        let next = senders[(own + 1) % TASKS].clone();
        let body = async move |mut recorder| {
            while let Some(token) = receiver.recv(&mut recorder).await {
                // The last round is passed on to a task that may be gone.
                let _ = next.send(&mut recorder, token + 1);
                if token >= 10 * TASKS {
                    break;
                }
                tokio::task::yield_now().await;
            }
        };
        handles.push(tasks::spawn(&mut main, &names[own], body));
    }
    senders[0].send(&mut main, 0).expect("the task waits");
    for handle in handles {
        handle.join(&mut main).await.expect("no panic");
    }
    let text = memory.text();
    let parts = vec![Part::new("run", text.as_bytes())];
    let trace = read(parts, &ReadOptions::default(), &())
        .expect("a run")
        .trace;
    // Each task starts and is joined; every token up to the last of each task is received and passed on.
    let received = trace.events().filter(|&e| !trace.receives(e).is_empty());
    assert_eq!(received.count(), 11 * TASKS);
}

#[tokio::test]
async fn an_aborted_task_is_joined_after_its_last_event() {
    let (recording, memory) = Recording::builder().to_memory();
    let mut main = recording.process("main");
    let (sender, mut receiver) = tasks::channel::<u8>();
    let handle = tasks::spawn(&mut main, "child", async move |mut child| {
        receiver.recv(&mut child).await;
        receiver.recv(&mut child).await;
    });
    sender.send(&mut main, 1).expect("the task waits");
    tokio::task::yield_now().await;
    handle.abort();
    assert!(handle.join(&mut main).await.is_err());
    check(
        &memory,
        "main: @spawn child main:2!,@send <child.2,@join child\n\
         child: <main.1,@start main:2?,<main.2,@receive",
    );
}
