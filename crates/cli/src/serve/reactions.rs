//! What the server does about news, as it was asked to on its command line.

use std::sync::Arc;
use std::time::Duration;

use causet_base::Code;
use causet_serve::news::News;
use causet_serve::reactions::{Reaction, Say, command, webhook};

use crate::cli::serve::Serve;
use crate::diagnostics;
use crate::failure::Failure;
use crate::trust;

/// So long addresses are still called when the server ends.
const CALLING: Duration = Duration::from_secs(10);

/// Those who react.
#[derive(Default)]
pub(super) struct Reactions {
    webhook: Option<Reaction>,
    command: Option<Reaction>,
    /// How long a command may take.
    time: Duration,
}

impl Reactions {
    /// Starts those who were asked for.
    pub(super) fn start(arguments: &Serve) -> Result<Reactions, Failure> {
        let say: Say = Arc::new(|text| diagnostics::warning(Code::ReactionFailed, text, None));
        let failed =
            |error| Failure::io(Code::ReactionFailed, "a reaction cannot be started", &error);
        let webhook = arguments.webhook.as_deref().map(|text| {
            let address = webhook::Address::of(text, || trust::of(arguments.webhook_ca.as_deref()));
            let refused = |error| {
                Failure::refused(Code::ReactionFailed, format!("--webhook {text}: {error}"))
            };
            webhook::start(address.map_err(refused)?, Arc::clone(&say)).map_err(failed)
        });
        let command = arguments.on_violation.as_deref().map(|text| {
            let refused =
                |error| Failure::refused(Code::ReactionFailed, format!("--on-violation: {error}"));
            let words = command::words(text).map_err(refused)?;
            command::start(words, arguments.command_timeout, Arc::clone(&say)).map_err(failed)
        });
        Ok(Reactions {
            webhook: webhook.transpose()?,
            command: command.transpose()?,
            time: arguments.command_timeout,
        })
    }

    /// Has news reacted to; never waits.
    pub(super) fn react(&self, news: &News, line: &Arc<str>) {
        if let Some(webhook) = &self.webhook {
            webhook.react(line);
        }
        if let Some(command) = self.command.as_ref().filter(|_| news.verdict == "violated") {
            command.react(line);
        }
    }

    /// Lets them finish what they can.
    pub(super) fn end(self) {
        if let Some(command) = self.command {
            command.end(self.time + Duration::from_secs(1));
        }
        if let Some(webhook) = self.webhook {
            webhook.end(CALLING);
        }
    }
}
