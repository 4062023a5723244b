//! The human report, letter by letter, for the kinds of witness there are.

mod common;

use common::Folder;

/// Compares the report of one check with what a person should see.
#[track_caller]
fn shows(folder: &Folder, arguments: &[&str], code: i32, expected: &str) {
    let ran = folder
        .run(&[&["check", "t.jsonl"], arguments].concat())
        .ends(code);
    let (shown, expected) = (ran.stdout.as_str(), expected.trim_start_matches('\n'));
    assert!(
        shown == expected,
        "it printed\n{shown}\ninstead of\n{expected}"
    );
}

#[test]
fn a_cut_that_breaks_it() {
    let expected = r"
violated  ctl-1  AG !(a.leader && b.leader)
  In short: a.leader was still true when b.leader became true with b#2 (elect); nothing orders a#2 (resign) before b#2;
  with that order no order breaks the property.

  This order of the recorded events breaks it:

         a    b    c
    1    ●    │    │    a#1  elect  leader=true  sends m1  line 2
    2    ├───▶●    │    b#1  vote  receives m1             line 5  recorded as #4
    3    │    ●    │    b#2  elect  leader=true  term=2    line 6  recorded as #5
       ══╪════╪════╪══  the cut; still to come, though recorded earlier:
         │    │    ○    c#1  x=1                           line 3  recorded as #2
         ○    │    │    a#2  resign  leader=false          line 4  recorded as #3

  At its end `a.leader && b.leader` holds:
    process  done    variables (* named by the property)
    a        1 of 2  leader = true *
    b        2 of 3  leader = true *, term = 2
    c        0 of 1  x = 0 (unset)

  The recorded order does not show it: no test run in that order would have.

1 property: 1 violated, 0 hold, 0 unknown   (6 events)
";
    shows(
        &Folder::election(),
        &["--ctl", "AG !(a.leader && b.leader)"],
        1,
        expected,
    );
}

#[test]
fn a_whole_run_that_breaks_it() {
    let expected = r"
violated  definitely-1  definitely a.leader && c.x = 1
  In short: in this order of all 6 events `a.leader && c.x = 1` is never true: a.leader is over with a#2 (resign) before
  `c.x = 1` begins with c#1; nothing orders c#1 before a#2; with that order no order breaks the property.

  This order of all recorded events breaks it:

         a    b    c
    1    ●    │    │    a#1  elect  leader=true  sends m1  line 2
    2    ●    │    │    a#2  resign  leader=false          line 4  recorded as #3
    3    │    │    ●    c#1  x=1                           line 3  recorded as #2
    4    ├───▶●    │    b#1  vote  receives m1             line 5
    5    │    ●    │    b#2  elect  leader=true  term=2    line 6
    6    │    ●    │    b#3  sends m2                      line 7

  Nowhere along it does `a.leader && c.x = 1` hold.

  The recorded order does not show it: no test run in that order would have.

1 property: 1 violated, 0 hold, 0 unknown   (6 events)
";
    shows(
        &Folder::election(),
        &["--definitely", "a.leader && c.x = 1"],
        1,
        expected,
    );
}

#[test]
fn a_cut_and_how_it_goes_on() {
    let formula = "forall i in procs: AG (i.leader -> AF !i.leader)";
    let expected = r"
violated  ctl-1  forall i in procs: AG (i.leader -> AF !i.leader)
  In short: b.leader became true with b#2 (elect), and b.leader stays true from then on.

  For i = b, this order of the recorded events breaks it:

         a    b    c
    1    ●    │    │    a#1  elect  leader=true  sends m1  line 2
    2    │    │    ●    c#1  x=1                           line 3
    3    ●    │    │    a#2  resign  leader=false          line 4
    4    ├───▶●    │    b#1  vote  receives m1             line 5
    5    │    ●    │    b#2  elect  leader=true  term=2    line 6
       ══╪════╪════╪══  the cut

  At its end `b.leader -> AF !b.leader` is false:
    process  done    variables (* named by the property)
    a        2 of 2  leader = false
    b        2 of 3  leader = true *, term = 2
    c        1 of 1  x = 1

  From there it can go on like this, and `b.leader` holds all the way:

         a    b    c
    6    │    ●    │    b#3  sends m2  line 7

  The log's own order shows it.

1 property: 1 violated, 0 hold, 0 unknown   (6 events)
";
    shows(&Folder::election(), &["--ctl", formula], 1, expected);
}

#[test]
fn a_cut_that_shows_it() {
    let expected = r"
holds     possibly-1  possibly inflight(b -> c) = 1 && a.leader
  In short: a.leader was still true when `inflight(b -> c) = 1` became true with b#3; nothing orders a#2 (resign) before
  b#3; with that order the property does not hold.

  This order of the recorded events shows it:

         a    b    c
    1    ●    │    │    a#1  elect  leader=true  sends m1  line 2
    2    ├───▶●    │    b#1  vote  receives m1             line 5  recorded as #4
    3    │    ●    │    b#2  elect  leader=true  term=2    line 6  recorded as #5
    4    │    ●    │    b#3  sends m2                      line 7  recorded as #6
       ══╪════╪════╪══  the cut; still to come, though recorded earlier:
         │    │    ○    c#1  x=1                           line 3  recorded as #2
         ○    │    │    a#2  resign  leader=false          line 4  recorded as #3

  At its end `inflight(b -> c) = 1 && a.leader` holds:
    process  done    variables (* named by the property)
    a        1 of 2  leader = true *
    b        3 of 3  leader = true, term = 2
    c        0 of 1  x = 0 (unset)
    1 message in flight: m2

  The recorded order does not show it.

1 property: 0 violated, 1 holds, 0 unknown   (6 events)
";
    shows(
        &Folder::election(),
        &["--possibly", "inflight(b -> c) = 1 && a.leader"],
        0,
        expected,
    );
}

#[test]
fn verdicts_without_a_picture_take_a_line_each() {
    let arguments = [
        "--ctl",
        "AG c.x >= 0",
        "--ctl",
        "EF b.term = 7",
        "--ctl",
        "AF b.leader",
    ];
    let expected = r"
holds     ctl-1  AG c.x >= 0

violated  ctl-2  EF b.term = 7
  No single order shows this: it is about all of them together.

holds     ctl-3  AF b.leader

3 properties: 1 violated, 2 hold, 0 unknown   (6 events)
";
    shows(&Folder::election(), &arguments, 1, expected);
}

#[test]
fn a_long_run_shows_what_matters() {
    let folder = Folder::new();
    let mut log = String::from("{\"causet\":1,\"processes\":[\"a\",\"b\"]}\n");
    for number in 1..=40 {
        log.push_str(&format!("{{\"p\":\"a\",\"set\":{{\"n\":{number}}}}}\n"));
        if number == 20 {
            log.push_str("{\"p\":\"a\",\"ev\":\"go\",\"send\":\"m\",\"set\":{\"ready\":true}}\n");
        }
    }
    log.push_str("{\"p\":\"b\",\"recv\":\"m\",\"set\":{\"ready\":true}}\n");
    folder.write("t.jsonl", log);
    let expected = r"
holds     possibly-1  possibly b.ready && a.ready && done(a)
  In short: done(a) was true and a.ready was true when b.ready became true with b#1.

  This order of the recorded events shows it:

         a    b
    1    ●    │    a#1   n=1                      line 2
    2    ●    │    a#2   n=2                      line 3
    3    ●    │    a#3   n=3                      line 4
    ⋮    ┊    ┊    17 other events
   21    ●    │    a#21  go  ready=true  sends m  line 22
    ⋮    ┊    ┊    16 other events
   38    ●    │    a#38  n=37                     line 39
   39    ●    │    a#39  n=38                     line 40
   40    ●    │    a#40  n=39                     line 41
   41    ●    │    a#41  n=40                     line 42
   42    ├───▶●    b#1   receives m  ready=true   line 43
       ══╪════╪══  the cut

  At its end `b.ready && a.ready && done(a)` holds:
    process  done      variables (* named by the property)
    a        41 of 41  ready = true *, n = 40
    b        1 of 1    ready = true *

  The log's own order shows it.

1 property: 0 violated, 1 holds, 0 unknown   (42 events)
";
    shows(
        &folder,
        &["--possibly", "b.ready && a.ready && done(a)"],
        0,
        expected,
    );
}
