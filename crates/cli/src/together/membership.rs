//! From the options of a process to its place among the others, with an exact word about whatever is missing.

use std::fs;
use std::path::Path;
use std::time::Duration;

use causet_base::Code;
use causet_flow::cluster::{Hosts, Membership, Secret};

use super::attached;
use crate::cli::together::Together;
use crate::failure::Failure;
use crate::secret;

/// The variable that holds the secret.
const VARIABLE: &str = "CAUSET_SECRET";

/// How long the others are waited for.
const PATIENCE: Duration = Duration::from_secs(8);

/// The place of this process among others, if there are to be others.
pub(super) fn of(
    options: &Together,
    workers: usize,
    job: [u8; 32],
) -> Result<Option<Membership>, Failure> {
    let Some((hosts, secret)) = hosts_and_secret(options)? else {
        return Ok(None);
    };
    let process = number(options, &hosts)?;
    Ok(Some(Membership {
        hosts,
        process,
        workers,
        secret,
        job,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        patience: options.wait.unwrap_or(PATIENCE),
    }))
}

fn hosts_and_secret(options: &Together) -> Result<Option<(Hosts, Secret)>, Failure> {
    if options.attached {
        let (secret, hosts) = attached::told()?;
        attached::listen()?;
        let hosts = Hosts::parse(&hosts)?;
        let secret = Secret::from_text(&secret)
            .map_err(|bad| Failure::refused(Code::BadHosts, bad.to_string()))?;
        return Ok(Some((hosts, secret)));
    }
    let Some(path) = &options.hosts else {
        return match lonely(options) {
            Some(flag) => Err(Failure::helped(
                Code::ArgumentsDoNotFit,
                format!("{flag} is about other processes, and there are none"),
                "name them in a file for --hosts, one `host:port` per line, or start them with `causet cluster run`",
            )),
            None => Ok(None),
        };
    };
    let hosts = hosts_in(path)?;
    number(options, &hosts)?;
    Ok(Some((hosts, secret(options)?)))
}

/// Which process this is.
fn number(options: &Together, hosts: &Hosts) -> Result<usize, Failure> {
    let last = hosts.len() - 1;
    match options.process {
        Some(process) if process <= last => Ok(process),
        Some(process) => Err(Failure::helped(
            Code::BadHosts,
            format!(
                "there is no process {process}: the host file has a line for each of 0 to {last}"
            ),
            "--process is the number of the line with the address of this process, from 0",
        )),
        None => Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "--hosts says where all processes are, but not which of them this is",
            "add --process: 0 for the first line of the host file, 1 for the second, and so on",
        )),
    }
}

/// An option that says nothing without a host file.
fn lonely(options: &Together) -> Option<&'static str> {
    let given = [
        (options.process.is_some(), "--process"),
        (options.secret_file.is_some(), "--secret-file"),
        (options.wait.is_some(), "--wait"),
    ];
    given
        .iter()
        .find(|(given, _)| *given)
        .map(|(_, flag)| *flag)
}

/// The hosts in a file.
pub(crate) fn hosts_in(path: &Path) -> Result<Hosts, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::io(
            Code::NotReadable,
            format!("{} cannot be read", path.display()),
            &error,
        )
    })?;
    Hosts::parse(&text).map_err(|mistake| {
        Failure::refused(Code::BadHosts, format!("{}: {mistake}", path.display()))
    })
}

fn secret(options: &Together) -> Result<Secret, Failure> {
    let same = "all processes need the same; `causet cluster secret` prints a new one";
    if let Some(path) = &options.secret_file {
        let shown = path.display();
        let bytes = secret::read(path)?;
        return Secret::from_bytes(&bytes)
            .map_err(|bad| Failure::helped(Code::NoSecret, format!("{shown}: {bad}"), same));
    }
    match std::env::var_os(VARIABLE) {
        Some(text) => Secret::from_bytes(text.as_encoded_bytes())
            .map_err(|bad| Failure::helped(Code::NoSecret, format!("{VARIABLE}: {bad}"), same)),
        None => Err(Failure::helped(
            Code::NoSecret,
            "there is no secret by which the processes know each other",
            format!(
                "put one into a file for --secret-file, or into the variable {VARIABLE}; {same}"
            ),
        )),
    }
}
