//! A conference over TCP on loopback: a server that is right, twenty that are wrong, and the adapter that tests them.
//!
//! ```text
//! chat server  [--mutant NAME]      listens on 127.0.0.1 and tells its port on standard output
//! chat adapter [--mutant NAME]      what `causet test` speaks to; it starts the server and the users
//! chat mutants                      what can be wrong with the server
//! chat member                       the component of conference.exp
//! chat table   --causet FILE [-o FILE]   which tests find which mutant
//! ```
//!
//! Who stands where when the server is tested:
//!
//! ```text
//!                  JSON lines               TCP, a connection for each user
//! causet test <-----------------> adapter <--------- ann ---------> server
//!  conference.exp    do, saw              <--------- bob --------->   room: the rules, right or wrong
//!                                         <--------- cyd --------->
//! ```

mod adapter;
mod member;
mod mutant;
mod room;
mod server;
mod table;

use std::env;
use std::error::Error;
use std::process::ExitCode;

use crate::mutant::Mutant;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const USAGE: &str = "usage: chat (server | adapter) [--mutant NAME] | chat mutants | chat member | chat table --causet FILE [-o FILE]";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Outcome<()> {
    match words {
        ["server", rest @ ..] => server::run(mutant(rest)?),
        ["adapter", rest @ ..] => adapter::run(mutant(rest)?),
        ["mutants"] => {
            for mutant in Mutant::ALL {
                println!("{:12}  {}", mutant.name(), mutant.sentence());
            }
            Ok(())
        }
        ["member"] => {
            print!("{}", member::text());
            Ok(())
        }
        ["table", "--causet", causet] => table::run(causet, None),
        ["table", "--causet", causet, "-o", path] => table::run(causet, Some(path)),
        _ => Err(USAGE.into()),
    }
}

fn mutant(words: &[&str]) -> Outcome<Option<Mutant>> {
    match words {
        [] => Ok(None),
        ["--mutant", name] => match Mutant::named(name) {
            Some(mutant) => Ok(Some(mutant)),
            None => Err(format!("there is no mutant `{name}`; chat mutants lists them").into()),
        },
        _ => Err(USAGE.into()),
    }
}
