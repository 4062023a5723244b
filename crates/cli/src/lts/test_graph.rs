//! Who makes a complete test graph, and how: one thread, or several workers that solve the equations together.

use std::fs;
use std::path::PathBuf;

use causet_base::Code;
use causet_base::budget::Budget;
use causet_lts::conformance::direct::{Generated, direct};
use causet_lts::conformance::graph::Failures;
use causet_lts::conformance::lead::by_equations;
use causet_lts::conformance::product::Stored;
use causet_lts::conformance::purpose::Purpose;
use causet_lts::conformance::roles::Alphabet;
use causet_lts::conformance::workers::solve_together;
use causet_lts::model::Model;
use causet_solve::bes::Strategy;
use causet_solve::keeper::Keeper;
use causet_solve::space::Space;
use causet_solve::workers::{NotSolved, WorkerSummary};

use crate::cli::lts::{Method, Tests};
use crate::failure::Failure;
use crate::input::NotRead;
use crate::together::{Digest, Workforce, not_solved};

/// Refuses what several processes cannot do together.
pub(super) fn accept(arguments: &Tests) -> Result<(), Failure> {
    if !arguments.together.has_others() {
        return Ok(());
    }
    if arguments.method == Some(Method::Direct) {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "several processes make test graphs by the method `equations` only",
            "leave out --method, or --hosts",
        ));
    }
    if [&arguments.source.model, &arguments.purpose].contains(&&PathBuf::from("-")) {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "standard input is there only once, and every process must read everything",
            "put the model into a file",
        ));
    }
    Ok(())
}

/// Those who solve the equations, if that is not one thread alone. Other processes have joined when this returns.
pub(super) fn gather(arguments: &Tests) -> Result<Option<Workforce>, Failure> {
    accept(arguments)?;
    let asked = arguments.source.reading.asked_workers();
    let has_others = arguments.together.has_others();
    let threads = asked.unwrap_or(1);
    let is_together = match arguments.method {
        Some(Method::Direct) => false,
        Some(Method::Equations) => has_others || asked.is_some(),
        None => has_others || threads > 1,
    };
    let workforce = Workforce::gather(&arguments.together, threads, digest(arguments)?)?;
    Ok(is_together.then_some(workforce))
}

/// What all processes must be asked alike.
fn digest(arguments: &Tests) -> Result<Digest, Failure> {
    let mut digest = Digest::default();
    if !arguments.together.has_others() {
        return Ok(digest);
    }
    digest.add("lts tests");
    let (tau, interface) = (&arguments.source.reading.tau, &arguments.interface);
    digest.add(format!(
        "{tau:?} {:?} {:?}",
        interface.inputs, interface.outputs
    ));
    for path in [Some(&arguments.purpose), interface.io.as_ref()]
        .into_iter()
        .flatten()
    {
        let unreadable = |error| {
            Failure::io(
                Code::NotReadable,
                format!("{} cannot be read", path.display()),
                &error,
            )
        };
        digest.add(fs::read(path).map_err(unreadable)?);
    }
    Ok(digest)
}

/// What is to be generated for a specification, and by whom.
pub(super) struct Task<'a> {
    pub(super) arguments: &'a Tests,
    pub(super) workforce: Option<&'a Workforce>,
    pub(super) alphabet: &'a Alphabet,
    pub(super) purpose: &'a Purpose,
}

impl Task<'_> {
    /// The graph and what each worker did for it, unless another process makes it.
    pub(super) fn generate(
        &self,
        model: &Model,
        budget: &Budget<'_>,
    ) -> Result<Option<(Generated, Vec<WorkerSummary>)>, NotRead> {
        let heap = self.arguments.together.heap;
        match model {
            Model::Stored(lts) => {
                let stored = Stored(lts);
                self.generate_on(&stored, |workers| stored.keeper(workers, heap), budget)
            }
            Model::Composed(network) => self.generate_on(network, Keeper::by_hash, budget),
        }
    }

    fn generate_on<S: Space + Sync>(
        &self,
        specification: &S,
        keeper: impl FnOnce(usize) -> Keeper,
        budget: &Budget<'_>,
    ) -> Result<Option<(Generated, Vec<WorkerSummary>)>, NotRead> {
        let (alphabet, purpose) = (self.alphabet, self.purpose);
        let failures = match self.arguments.implicit_fail {
            true => Failures::Implicit,
            false => Failures::Explicit,
        };
        let Some(workforce) = self.workforce else {
            let generated = match self.arguments.method {
                Some(Method::Equations) => {
                    let how = (Strategy::Lean, failures);
                    by_equations(specification, alphabet, purpose, how, budget)?
                }
                _ => direct(specification, alphabet, purpose, failures, budget)?,
            };
            return Ok(Some((generated, Vec::new())));
        };
        let found = workforce.solve(|workers| {
            let help = (workers, keeper(workers.count()));
            solve_together(specification, alphabet, purpose, help, budget)
        });
        let found = found.map_err(not_generated)?;
        // The others have done their part.
        workforce.conclude(false);
        if !workforce.is_first() {
            return Ok(None);
        }
        let generated = found.graph(specification, alphabet, purpose, failures, budget)?;
        Ok(Some((generated, found.workers)))
    }
}

fn not_generated(not: NotSolved) -> NotRead {
    match not_solved(not) {
        Ok(spent) => spent.into(),
        Err(failure) => failure.into(),
    }
}
