//! `causet man`: the manual pages, made from the command line's own descriptions.

use causet_base::Code;
use clap::CommandFactory;

use crate::cli::{Cli, Man};
use crate::failure::{Failure, Status};
use crate::output;

/// Prints the page.
pub(crate) fn run(arguments: &Man) -> Result<Status, Failure> {
    let mut whole = Cli::command();
    whole.build();
    let command = match &arguments.command {
        None => whole,
        Some(name) => whole.find_subcommand(name).cloned().ok_or_else(|| {
            Failure::helped(
                Code::NoSuchName,
                format!("there is no command `{name}`"),
                "see `causet help` for the commands",
            )
        })?,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| Failure::io(Code::NotWritable, "the manual page", &error))?;
    output::to_stdout(&page)?;
    Ok(Status::Fine)
}
