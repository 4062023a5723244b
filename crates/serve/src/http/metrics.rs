//! `GET /metrics`: figures in the text format of Prometheus.
//!
//! Names of runs come from outside, so there are figures for a limited number of runs only, always the first by name;
//! how many go without is a figure too. Properties come from the command line, so there are as many as there are.

use std::fmt::{Display, Write};
use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::Site;
use crate::status::Status;

/// There are figures for so many runs.
const RUNS: usize = 200;

/// All figures.
pub(super) async fn metrics(State(site): State<Arc<Site>>) -> Response {
    let text = [(
        header::CONTENT_TYPE,
        "text/plain; version=0.0.4; charset=utf-8",
    )];
    let status = site.desk.status().await;
    (text, written(&site, &status)).into_response()
}

fn written(site: &Site, status: &[Status]) -> String {
    let mut page = Page::default();
    let counts = site.desk.counts();
    page.counter(
        "events_total",
        "Events that were taken.",
        counts.events.get(),
    );
    page.counter(
        "flushes_total",
        "Flushes of journals.",
        counts.flushes.get(),
    );
    page.counter(
        "received_bytes_total",
        "Bytes that arrived.",
        counts.bytes.get(),
    );
    page.title(
        "connections_total",
        "counter",
        "Connections that were begun, by what they speak.",
    );
    page.line(
        "connections_total",
        &[("speaks", "lines")],
        counts.links.get(),
    );
    page.line(
        "connections_total",
        &[("speaks", "http")],
        counts.sites.get(),
    );
    page.gauge("connections", "Connections that are open.", counts.open());
    page.gauge("runs", "Runs that go on.", status.len());
    page.gauge(
        "runs_without_series",
        "Runs that go on and are not listed one by one.",
        status.len().saturating_sub(RUNS),
    );
    page.title("verdicts_total", "counter", "Verdicts that were told.");
    for ((property, verdict), count) in site.board.verdicts() {
        let labels = [("property", property.as_str()), ("verdict", verdict)];
        page.line("verdicts_total", &labels, count);
    }
    for (name, help, of) in BY_RUN {
        page.title(name, "gauge", help);
        for status in &status[..status.len().min(RUNS)] {
            page.line(name, &[("run", status.run.as_str())], of(status));
        }
    }
    page.0
}

/// A figure of a run: its name, what it is, how it is found.
type ByRun = (&'static str, &'static str, fn(&Status) -> f64);

const BY_RUN: [ByRun; 6] = [
    ("run_events", "Events that were taken.", |run| {
        run.events as f64
    }),
    (
        "run_waiting",
        "Events that wait for others that have not come.",
        |run| run.waiting as f64,
    ),
    (
        "run_held",
        "Lines that are ahead of their process.",
        |run| run.held as f64,
    ),
    (
        "run_again",
        "Events that arrived again after they were taken.",
        |run| run.again as f64,
    ),
    (
        "run_lag_events",
        "Events that wait of the process of which most do.",
        |run| f64::from(run.lag),
    ),
    (
        "run_quiet_seconds",
        "Seconds since something was taken.",
        |run| run.quiet,
    ),
];

/// The page as far as it is written.
#[derive(Default)]
struct Page(String);

impl Page {
    fn title(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a text does not fail.
        let _ = writeln!(
            self.0,
            "# HELP causet_{name} {help}\n# TYPE causet_{name} {kind}"
        );
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> = labels
            .iter()
            .map(|(label, value)| format!("{label}=\"{}\"", escaped(value)))
            .collect();
        let _ = match labels.is_empty() {
            true => writeln!(self.0, "causet_{name} {value}"),
            false => writeln!(self.0, "causet_{name}{{{}}} {value}", labels.join(",")),
        };
    }

    fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.title(name, "counter", help);
        self.line(name, &[], value);
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.title(name, "gauge", help);
        self.line(name, &[], value);
    }
}

/// A label value between its quotes.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_its_label() {
        let mut page = Page::default();
        page.line("run_events", &[("run", "a\"} 1\nevil{x=\"\\")], 7);
        assert_eq!(
            page.0,
            "causet_run_events{run=\"a\\\"} 1\\nevil{x=\\\"\\\\\"} 7\n"
        );
    }
}
