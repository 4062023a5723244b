//! What programs see of the library beside its examples: cancellation, errors, several properties, models.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use causet::{Model, Observer, Progress, Properties, Run, Session, Spent, Verdict};

const TWO: &str = "{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"b\",\"set\":{\"y\":1}}\n";

/// Ends every check as soon as it begins to decide, and counts what it hears.
#[derive(Default)]
struct Impatient {
    heard: AtomicUsize,
    deciding: AtomicUsize,
}

impl Observer for Impatient {
    fn progress(&self, progress: Progress<'_>) {
        self.heard.fetch_add(1, Ordering::Relaxed);
        if matches!(progress, Progress::Begins { doing, .. } if doing.starts_with("checking")) {
            self.deciding.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn stop(&self) -> Option<Spent> {
        (self.deciding.load(Ordering::Relaxed) > 0).then_some(Spent::Cancelled)
    }
}

#[test]
fn an_observer_ends_the_work_and_the_verdict_is_unknown() {
    // No engine decides this on many independent processes at once.
    let line = |p: usize, x: usize| {
        let x = 2 * ((p * p * 37 + 11 + x * 5) % 1009);
        format!("{{\"p\":\"p{p}\",\"set\":{{\"x\":{x}}},\"send\":\"m{p}-{x}\"}}\n")
    };
    let lines: String = (0..6)
        .flat_map(|x| (0..30).map(move |p| line(p, x)))
        .collect();
    let observer = Arc::new(Impatient::default());
    let session = Session::new().observer(Arc::<Impatient>::clone(&observer));
    let run = session.read(&lines).expect("a run");
    let hard = "AG (sum(i in procs: i.x) != 10001 || max(i in procs: i.x) % 3 = 5)";
    let properties = hard.parse().expect("a formula");
    let report = session.check(&run, &properties).expect("a report");
    assert!(!report.holds());
    let finding = &report.findings()[0];
    assert_eq!(finding.verdict, Verdict::Unknown);
    assert_eq!(finding.reason.as_deref(), Some("cancelled"));
    assert!(observer.heard.load(Ordering::Relaxed) > 2);
}

#[test]
fn all_that_is_wrong_with_formulas_is_one_error() {
    let run = Run::read(TWO).expect("a run");
    let mut properties = Properties::default();
    properties.add("AG a.z = 1").expect("a formula");
    properties.add("AG b.w = 1").expect("a formula");
    let error = Session::new().check(&run, &properties);
    let error = error.expect_err("there are no such variables");
    let codes: Vec<String> = error.messages().iter().map(causet::Message::code).collect();
    assert_eq!(codes, ["E0501", "E0501"]);
    assert_eq!(error.messages()[0].column(), Some(4));
    assert!(error.to_string().contains("a.z"), "{error}");
}

#[test]
fn a_predicate_alone_is_refused_with_the_choices() {
    let error = Run::read(TWO).expect("a run").check("a.x = 1 && b.y = 1");
    let error = error.expect_err("nothing says when it is to hold");
    assert_eq!(error.messages()[0].code(), "E0438");
    let help = error.messages()[0].help().expect("a way out");
    assert!(help.contains("AG (") && help.contains("possibly") && help.contains("definitely"));
}

#[test]
fn reports_can_be_shared_among_threads() {
    let run = Run::read(TWO).expect("a run");
    let report = run.check("possibly a.x = 0 && b.y = 1").expect("a report");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(report.to_string().contains("holds")));
        }
    });
    let json = serde_json::to_value(&report).expect("an object");
    assert_eq!(json["results"][0]["verdict"], "holds");
    assert_eq!(
        json["results"][0]["witness"]["run"],
        serde_json::json!([["b", 1]])
    );
}

#[test]
fn a_model_has_no_runs_and_a_run_no_actions_of_a_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stuck.aut");
    std::fs::write(&path, "des (0, 1, 2)\n(0, \"go\", 1)\n").expect("a file");
    let model = Model::open(&path).expect("a model");
    let report = model.check("[true*] <true> true").expect("a report");
    assert!(!report.holds());
    assert!(report.to_string().contains("violated"), "{report}");
    assert!(report.findings()[0].sentence.is_some(), "{report:?}");
    assert!(report.to_html().is_none());
    let error = Session::new().check_model(&model, &"AG a.x = 1".parse().expect("a formula"));
    let error = error.expect_err("a model has no variables");
    assert_eq!(error.messages()[0].code(), "E0917");
}

#[test]
fn a_report_says_the_same_whenever_it_is_made() {
    let session = Session::new().timeout(std::time::Duration::from_millis(500));
    let run = session.read(TWO).expect("a run");
    let formula = "possibly a.x = 0 && b.y = 1".parse().expect("a formula");
    let report = session.check(&run, &formula).expect("a report");
    let first = (report.to_string(), report.to_json(), report.to_html());
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_eq!(report.to_string(), first.0);
    let steady = |json: &str| {
        let mut json: serde_json::Value = serde_json::from_str(json).expect("an object");
        json["peak_bytes"].take();
        json
    };
    assert_eq!(steady(&report.to_json()), steady(&first.1));
    assert_eq!(report.to_html(), first.2);
}

#[test]
fn limits_may_be_as_large_as_numbers_are() {
    let session = Session::new().memory(u64::MAX).workers(usize::MAX);
    let session = session.timeout(std::time::Duration::MAX);
    let run = session.read(TWO).expect("a run");
    let formula = "possibly a.x = 0 && b.y = 1".parse().expect("a formula");
    let report = session.check(&run, &formula).expect("a report");
    assert!(report.holds() && report.to_html().is_some());
}

#[test]
fn nothing_is_not_checked() {
    let run = Run::read(TWO).expect("a run");
    let error = Session::new().check(&run, &Properties::default());
    assert_eq!(error.expect_err("nothing").messages()[0].code(), "E0903");
    assert!(causet::testing::check_all(TWO, &[]).is_err());
}

#[test]
fn a_formula_may_say_its_kind() {
    let names = |text: &str| {
        let properties: Properties = text.parse().expect("a formula");
        properties.names().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names("mu [true*] <true> true"), ["mu-1"]);
    assert_eq!(names("ctl AG a.x = 1"), ["ctl-1"]);
    assert_eq!(names("ltl G a.x = 1"), ["ltl-1"]);
}

#[test]
fn a_format_that_is_not_there_is_refused_for_texts_too() {
    let error = Session::new().format("nope").read(TWO);
    assert_eq!(error.expect_err("no format").messages()[0].code(), "E0906");
}

#[test]
fn many_errors_are_counted() {
    let error = "\u{1}".repeat(5000).parse::<Properties>();
    let error = error.expect_err("no formula");
    assert!(error.messages().len() > 1000);
    assert!(error.to_string().ends_with("more"), "{error}");
    assert_eq!(error.to_string(), format!("{error:?}"));
}

#[test]
fn a_model_that_promises_more_than_it_has_is_warned_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("short.aut");
    std::fs::write(&path, "des (0, 7, 2)\n(0, \"go\", 1)\n").expect("a file");
    let model = Model::open(&path).expect("a model");
    assert_eq!(model.warnings()[0].code(), "E1011");
}
