//! Two threads and a mutex: the recording knows the lock only if it is told that one thread had it before the other.

use causet_record::{Recorder, Recording, Stamp};
use std::sync::Mutex;
use std::thread::scope;

/// Enters and leaves the critical section; what the lock guards goes with it from thread to thread.
fn work(lock: &Mutex<Option<Stamp>>, recorder: &mut Recorder, hands_over: bool) {
    let mut guard = lock.lock().expect("no panic");
    let enter = recorder.event("enter").set("inside", true);
    match guard.take() {
        Some(stamp) if hands_over => drop(enter.recv(&stamp).done()),
        _ => drop(enter.done()),
    }
    *guard = Some(recorder.event("leave").set("inside", false).send());
}

#[test]
fn the_lock_excludes_in_every_order() {
    let (recording, memory) = Recording::builder().to_memory();
    let lock = Mutex::new(None);
    scope(|scope| {
        for name in ["main", "worker"] {
            let mut recorder = recording.process(name);
            let lock = &lock;
            scope.spawn(move || work(lock, &mut recorder, true));
        }
    });
    causet::assert_all_orders!(memory, "AG !(main.inside && worker.inside)");
}

#[test]
#[should_panic = "main.inside was still true"]
fn an_order_without_the_lock_is_drawn() {
    let (recording, memory) = Recording::builder().to_memory();
    let lock = Mutex::new(None);
    work(&lock, &mut recording.process("main"), false);
    work(&lock, &mut recording.process("worker"), false);
    causet::assert_all_orders!(memory, "AG !(main.inside && worker.inside)");
}
