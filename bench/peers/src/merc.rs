//! merc: a formula by way of a parity game, and the quotient by strong bisimulation, with its own reader of `.aut`.

use std::fs::File;

use merc_lts::{LTS, LabelledTransitionSystem, read_mcrl2_aut};
use merc_reduction::{Equivalence, reduce_lts};
use merc_syntax::UntypedStateFrmSpec;
use merc_utilities::Timing;
use merc_vpg::{PG, solve_zielonka, translate};

use crate::{Found, timed, verdict};

/// Decides a formula: one player of the game wants to show it, the other to refute it.
pub(crate) fn formula(file: &str, formula: &str) -> Result<Found, String> {
    let formula = UntypedStateFrmSpec::parse(formula).map_err(|error| error.to_string())?;
    let (system, seconds) = timed(|| open(file));
    let system = system?;
    let (won, check) = timed(|| {
        let game = translate(&system, &formula.formula).map_err(|error| error.to_string())?;
        let (won, _) = solve_zielonka(&game, false);
        Ok::<_, String>((won[0][*game.initial_vertex()], game.num_of_vertices()))
    });
    let (holds, looked_at) = won?;
    Ok(Found {
        verdict: verdict(holds),
        looked_at,
        read: seconds,
        check,
    })
}

/// Reduces a system.
pub(crate) fn reduce(file: &str) -> Result<Found, String> {
    let (system, read) = timed(|| open(file));
    let system = system?;
    let looked_at = system.num_of_states();
    let timing = Timing::new();
    let (reduced, check) = timed(|| reduce_lts(system, Equivalence::StrongBisim, false, &timing));
    Ok(Found {
        verdict: format!(
            "{} states, {} transitions",
            reduced.num_of_states(),
            reduced.num_of_transitions()
        ),
        looked_at,
        read,
        check,
    })
}

fn open(file: &str) -> Result<LabelledTransitionSystem<String>, String> {
    let reader = File::open(file).map_err(|error| format!("{file}: {error}"))?;
    read_mcrl2_aut(reader).map_err(|error| format!("{file}: {error}"))
}
