//! Brings a question of a gateway to the inbox; whoever stops waiting takes it back.

use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::visible::visible;
use tokio::sync::oneshot;

use sayso_runtime::ask_inbox;
use sayso_runtime::inbox_client::client::{Client, Trouble};
use sayso_runtime::inbox_client::wire;

/// A question without an end of its own is open so long.
pub(crate) const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Asks in the inbox, on a thread of its own; whoever stops waiting takes the question back.
pub async fn in_inbox(state: &Path, prompt: Arc<Prompt>, starts: bool) -> Ended {
    let (tell, told) = oneshot::channel();
    let line = Arc::new(Line::default());
    let (connection, state) = (Arc::clone(&line), state.to_owned());
    let spawned = std::thread::Builder::new()
        .name("inbox".to_owned())
        .spawn(move || drop(tell.send(put(&state, &prompt, starts, &connection))));
    if let Err(error) = spawned {
        return Ended::Failed(format!("nobody could be asked: {error}"));
    }
    let _cut = Cut(line);
    told.await
        .unwrap_or_else(|_| Ended::Failed("nobody could be asked".to_owned()))
}

/// The connection of a question, or that it is not wanted any more.
#[derive(Default)]
struct Line(Mutex<(bool, Option<UnixStream>)>);

struct Cut(Arc<Line>);

impl Drop for Cut {
    fn drop(&mut self) {
        let mut line = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        line.0 = true;
        if let Some(stream) = line.1.take() {
            // If it is closed already, that is what was wanted.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn put(state: &Path, prompt: &Prompt, starts: bool, line: &Line) -> Ended {
    let reason = prompt
        .verdict
        .reasons
        .first()
        .map(|reason| visible(&reason.text()).into_owned())
        .unwrap_or_default();
    let failed = |why: String| {
        Ended::Failed(format!(
            "a person has to be asked: {reason}; and {why}; or allow it with a rule"
        ))
    };
    match ask_inbox::is_there(state) {
        Ok(_) => {}
        Err(Trouble::NotThere) if starts => {
            if let Err(why) = ask_inbox::start(state) {
                return failed(why.to_string());
            }
        }
        Err(trouble) => return failed(trouble.words()),
    }
    let client = match Client::new(state) {
        Ok(Some(client)) => client,
        Ok(None) => return failed(Trouble::NotThere.words()),
        Err(why) => return failed(why.to_string()),
    };
    let left = prompt.timeout.map_or(LONGEST, Duration::from_secs);
    let hand = |stream: UnixStream| {
        let mut line = line.0.lock().unwrap_or_else(PoisonError::into_inner);
        if line.0 {
            let _ = stream.shutdown(Shutdown::Both);
        } else {
            line.1 = Some(stream);
        }
    };
    match client.hold(
        "/v1/prompts",
        &wire::question(prompt, left.as_secs()),
        Instant::now() + left,
        hand,
    ) {
        Ok(answer) if answer.is_done() => wire::read_ended(&answer.body)
            .unwrap_or_else(|why| Ended::Failed(format!("the inbox said: {why}"))),
        Ok(answer) => Ended::Failed(answer.problem_on_one_line()),
        Err(Trouble::TooSlow) => Ended::TimedOut,
        Err(trouble) => Ended::Failed(trouble.words()),
    }
}
