//! `causet lts gen`: a transition system of a known family, of any size.

use std::io;
use std::path::Path;

use causet_base::Code;
use causet_workload::system::{Options, Range, Setting, System, find, systems};

use crate::cli::lts::Generate;
use crate::failure::{Failure, Status};
use crate::generate::{Writer, unknown};
use crate::output;

/// Runs the command.
pub(crate) fn run(arguments: &Generate) -> Result<Status, Failure> {
    let system = arguments.model.as_deref().map(family).transpose()?;
    let Some(system) = system.filter(|_| !arguments.list) else {
        output::to_stdout(listed(system).as_bytes())?;
        return Ok(Status::Fine);
    };
    let chosen = arguments.set.iter();
    let options = chosen.fold(Options::default(), |options, (name, value)| {
        options.with(name, value)
    });
    let fits = system.check(&options);
    fits.map_err(|unfit| Failure::helped(Code::ParametersDoNotFit, unfit.what, unfit.help))?;
    match (&arguments.network, &arguments.output) {
        (Some(folder), _) => write_network(system, &options, folder)?,
        (None, Some(path)) => write_file(system, &options, path)?,
        (None, None) => {
            output::stream_to_stdout(|out| system.write(&options, out).map(drop))?;
        }
    }
    Ok(Status::Fine)
}

fn family(name: &str) -> Result<&'static System, Failure> {
    let names = systems().iter().map(|system| system.name);
    find(name).ok_or_else(|| unknown("family of systems", name, names, "causet lts gen --list"))
}

fn write_file(system: &System, options: &Options, path: &Path) -> Result<(), Failure> {
    let written = output::replace(path, |file| {
        let mut writer = Writer::new(path, file)?;
        system.write(options, &mut writer)?;
        writer.finish()
    });
    written.map_err(|error| unwritable(path, &error))
}

fn write_network(system: &System, options: &Options, folder: &Path) -> Result<(), Failure> {
    let network = system.network(options);
    let network = network
        .map_err(|unfit| Failure::helped(Code::ParametersDoNotFit, unfit.what, unfit.help))?;
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    for part in network.components.iter().chain([&network.composition]) {
        let path = folder.join(&part.name);
        output::to_file(&path, |out| out.write_all(part.text.as_bytes()))?;
    }
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::io(
        Code::NotWritable,
        format!("{} cannot be written", path.display()),
        error,
    )
}

/// What one family or all of them are.
fn listed(only: Option<&System>) -> String {
    let wanted = systems()
        .iter()
        .filter(|system| only.is_none_or(|only| only.name == system.name));
    wanted.map(described).collect::<Vec<_>>().join("\n")
}

fn described(system: &System) -> String {
    let mut text = format!("{}\n  {}\n  {}\n", system.name, system.about, system.facts);
    for setting in system.settings {
        text += &format!("  --set {}={}\n", setting.name, choices(setting));
    }
    if system.has_network() {
        text += "  --network FOLDER  writes it as components\n";
    }
    text
}

fn choices(setting: &Setting) -> String {
    match setting.range {
        Range::Number { least, usual, most } => {
            format!("N  {} ({least} to {most}, usually {usual})", setting.about)
        }
        Range::Word(words) => format!("WORD  {} ({})", setting.about, words.join(", ")),
    }
}
