//! A model of the time, fitted to what was measured, and asked about more workers than there were cores.
//!
//! With `P` workers each meets `V / P` variables and deals with `M(P) / P` messages, and all wait for each other `R`
//! times. So the time is `a V / P + b M(P) / P + c R`: one worker gives `a`, two workers give `b`, and the time of an empty
//! round gives `c`. A share `x(P)` of the operands crosses, which grows with `(P - 1) / P` when states are dealt evenly; so
//! `M(P)` is taken from two workers and scaled.

use super::Measured;

/// An empty round of two threads, and of two processes on loopback: from the measurements behind the choice of the engine.
const ROUND: f64 = 6e-6;
/// The same between machines, with a network of fifty microseconds each way.
const FAR_ROUND: f64 = 120e-6;

/// What the model says, as text.
pub(super) fn report(measured: &[Measured]) -> String {
    let mut text = String::from(
        "## More workers than cores: a model\n\n\
         Time = a V/P + b M(P)/P + c R, with a from one worker, b from two, c the time of an empty round.\n\n\
         | what | a (ns/variable) | b (ns/message) | 4 workers on 4 cores | 16 | 64 | 64 on many machines |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for two in measured.iter().filter(|row| row.workers == 2) {
        let same = |row: &&Measured| row.case == two.case && row.workers == 1;
        if let Some(one) = measured.iter().find(same) {
            text += &row(one, two);
        }
    }
    text += "\nThe last columns are speed-ups over one worker.\n\n";
    text
}

fn row(one: &Measured, two: &Measured) -> String {
    let a = one.check / one.variables;
    let b = ((two.check * 2.0 - a * two.variables) / two.messages).max(0.0);
    let messages = |workers: f64| two.messages * 2.0 * (workers - 1.0) / workers;
    let time = |workers: f64, round: f64| {
        (a * two.variables + b * messages(workers)) / workers + round * two.rounds
    };
    let speed_up = |workers, round| format!("{:.1}", one.check / time(workers, round));
    format!(
        "| {} | {:.1} | {:.1} | {} | {} | {} | {} |\n",
        two.case,
        a * 1e9,
        b * 1e9,
        speed_up(4.0, ROUND),
        speed_up(16.0, ROUND),
        speed_up(64.0, ROUND),
        speed_up(64.0, FAR_ROUND)
    )
}
