//! Asks in the inbox: the call is held until somebody answers or the time of the hook is up.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use sayso_core::prompt::{Ended, Prompt};
use sayso_gate::ports::{Ask, Later};

use super::deadline;
use sayso_runtime::inbox_client::client::{Client, Trouble};
use sayso_runtime::inbox_client::wire;

/// Asks in the inbox.
pub(crate) struct Inbox {
    state: PathBuf,
}

impl Inbox {
    pub(crate) fn new(state: &Path) -> Inbox {
        Inbox {
            state: state.to_owned(),
        }
    }

    fn put(&self, prompt: &Prompt) -> Ended {
        let until = deadline::for_people();
        let left = until.saturating_duration_since(Instant::now()).as_secs();
        let question = wire::question(prompt, left);
        let client = match Client::new(&self.state) {
            Ok(Some(client)) => client,
            Ok(None) => return Ended::Failed(Trouble::NotThere.words()),
            Err(why) => return Ended::Failed(why.to_string()),
        };
        let asked =
            deadline::with_people(|| client.request("POST", "/v1/prompts", Some(&question), until));
        let answered = match asked {
            Ok(answered) => answered,
            Err(error) => return Ended::Failed(error.to_string()),
        };
        match answered {
            Ok(answer) if answer.is_done() => wire::read_ended(&answer.body)
                .unwrap_or_else(|why| Ended::Failed(format!("the inbox said: {why}"))),
            Ok(answer) => Ended::Failed(answer.problem_on_one_line()),
            Err(Trouble::TooSlow) => Ended::TimedOut,
            Err(trouble) => Ended::Failed(trouble.words()),
        }
    }
}

impl Ask for Inbox {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        // A hook has nothing else to do meanwhile.
        Box::pin(async move { self.put(&prompt) })
    }
}
