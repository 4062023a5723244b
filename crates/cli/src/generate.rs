//! `causet gen`: a run of a known protocol, seeded, right or faulty.
//!
//! The recorder keeps its writer for itself, so a compressed file is shared with it and closed after it: an error at the
//! very end is an error too.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use causet_base::Code;
use causet_base::nearest;
use causet_workload::{Request, Workload, all, find, generate};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::cli::Generate;
use crate::failure::{Failure, Status};
use crate::output;

/// Runs the command.
pub(crate) fn run(arguments: &Generate) -> Result<Status, Failure> {
    let workload = arguments.model.as_deref().map(model).transpose()?;
    let Some(workload) = workload.filter(|_| !arguments.list) else {
        output::to_stdout(listed(workload).as_bytes())?;
        return Ok(Status::Fine);
    };
    let request = request(arguments)?;
    match &arguments.output {
        Some(path) => to_file(workload, &request, path)?,
        None => to_stdout(workload, &request)?,
    }
    if let Some(path) = &arguments.props {
        output::to_file(path, |out| out.write_all(workload.properties.as_bytes()))?;
    }
    Ok(Status::Fine)
}

/// The workload with a name, or the nearest name.
fn model(name: &str) -> Result<&'static Workload, Failure> {
    let names = all().iter().map(|workload| workload.name);
    find(name).ok_or_else(|| unknown("workload", name, names, "causet gen --list"))
}

/// There is nothing of that kind with a name; perhaps a near one was meant.
pub(crate) fn unknown(
    kind: &str,
    name: &str,
    names: impl Iterator<Item = &'static str>,
    list: &str,
) -> Failure {
    let help = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`? `{list}` describes all"),
        None => format!("`{list}` describes all"),
    };
    Failure::helped(
        Code::NoSuchName,
        format!("there is no {kind} `{name}`"),
        help,
    )
}

fn request(arguments: &Generate) -> Result<Request, Failure> {
    let mut knobs = BTreeMap::new();
    for (name, value) in &arguments.set {
        if knobs.insert(name.clone(), *value).is_some() {
            return Err(Failure::refused(
                Code::Usage,
                format!("--set {name} is given twice"),
            ));
        }
    }
    Ok(Request {
        procs: arguments.procs,
        events: arguments.events,
        seed: arguments.seed,
        faulty: arguments.faulty,
        knobs,
    })
}

fn to_stdout(workload: &Workload, request: &Request) -> Result<(), Failure> {
    match generate(workload, request, io::stdout()) {
        // Whoever reads has read enough.
        Err(causet_workload::Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(())
        }
        ended => ended.map_err(|failure| refused(failure, "standard output")),
    }
}

fn to_file(workload: &Workload, request: &Request, path: &Path) -> Result<(), Failure> {
    let name = path.display().to_string();
    let mut unfit = None;
    let written = output::replace(path, |file| {
        let writer = Writer::new(path, file)?;
        match generate(workload, request, writer.clone()) {
            Ok(()) => writer.finish(),
            Err(causet_workload::Failure::Io(error)) => Err(error),
            Err(failure) => {
                unfit = Some(failure);
                Err(io::ErrorKind::InvalidInput.into())
            }
        }
    });
    match (unfit, written) {
        (Some(failure), _) => Err(refused(failure, &name)),
        (None, Err(error)) => Err(Failure::io(
            Code::NotWritable,
            format!("{name} cannot be written"),
            &error,
        )),
        (None, Ok(())) => Ok(()),
    }
}

fn refused(failure: causet_workload::Failure, place: &str) -> Failure {
    match failure {
        causet_workload::Failure::Unfit(unfit) => {
            Failure::helped(Code::ParametersDoNotFit, unfit.what, unfit.help)
        }
        causet_workload::Failure::Io(error) => Failure::io(
            Code::NotWritable,
            format!("{place} cannot be written"),
            &error,
        ),
    }
}

/// A file, compressed as its name says, that outlives whoever writes it.
#[derive(Clone)]
pub(crate) struct Writer(Arc<Mutex<Squeeze>>);

enum Squeeze {
    Plain(File),
    Gzip(GzEncoder<File>),
    Zstd(zstd::Encoder<'static, File>),
}

impl Writer {
    /// A file to be written under this name in the end.
    pub(crate) fn new(path: &Path, file: File) -> io::Result<Writer> {
        let squeeze = match path.extension().and_then(OsStr::to_str) {
            Some("gz") => Squeeze::Gzip(GzEncoder::new(file, Compression::default())),
            Some("zst") => Squeeze::Zstd(zstd::Encoder::new(file, 0)?),
            _ => Squeeze::Plain(file),
        };
        Ok(Writer(Arc::new(Mutex::new(squeeze))))
    }

    /// Writes what a compressor still holds.
    pub(crate) fn finish(self) -> io::Result<()> {
        let squeeze = Arc::into_inner(self.0).ok_or(io::ErrorKind::Other)?;
        match squeeze.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Squeeze::Plain(_) => Ok(()),
            Squeeze::Gzip(encoder) => encoder.finish().map(drop),
            Squeeze::Zstd(encoder) => encoder.finish().map(drop),
        }
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut squeeze = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *squeeze {
            Squeeze::Plain(file) => file.write(bytes),
            Squeeze::Gzip(encoder) => encoder.write(bytes),
            Squeeze::Zstd(encoder) => encoder.write(bytes),
        }
    }

    /// Nothing to do for a file; a compressor that is flushed often compresses badly, and is finished in the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What one workload or all of them are.
fn listed(only: Option<&Workload>) -> String {
    let wanted = all()
        .iter()
        .filter(|workload| only.is_none_or(|only| only.name == workload.name));
    wanted.map(described).collect::<Vec<_>>().join("\n")
}

fn described(workload: &Workload) -> String {
    let procs = workload.procs;
    let range = if procs.least == procs.most {
        procs.usual.to_string()
    } else {
        format!("{} to {}, usually {}", procs.least, procs.most, procs.usual)
    };
    let mut text = format!(
        "{}\n  {}\n  faulty     {}\n  processes  {range}\n",
        workload.name, workload.about, workload.fault
    );
    for knob in workload.knobs {
        text += &format!(
            "  --set {}=N  {} (0 to {}, usually {})\n",
            knob.name, knob.about, knob.most, knob.usual
        );
    }
    text
}
