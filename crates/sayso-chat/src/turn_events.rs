//! What a turn tells the screen, over a channel: the turn works on a thread of its own, and the screen stays alive.

use std::io::{self, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::answer::explain;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::prompt::{Ended, Position, Prompt};
use sayso_core::text::visible::visible;
use sayso_gate::approved::Approved;
use sayso_gate::batch::Step;
use sayso_gate::finished::{self, Finished};
use sayso_gate::ports::{Ask, Later};

use super::conversation::Said;
use super::model::{Piece, Usage};
use super::session::Session;
use super::turn;
use super::turn::{Happens, Watch};
use sayso_runtime::runner::Told;
use sayso_tools::terminal::Stream;

/// What happens.
pub enum News {
    /// The model says something.
    Piece(Piece),
    /// Its words are whole.
    Answered(Usage, bool),
    /// It wanted something that is no call.
    Refused(String, String),
    /// The turn of a call comes.
    Starts(Position, String),
    /// It runs; words for the person where one said yes.
    Runs(Vec<String>),
    /// It printed something.
    Output(String),
    /// It has its end.
    Ends(Box<Finished>),
    /// Somebody is asked.
    Asked(Arc<Prompt>, SyncSender<Ended>),
    /// This goes on.
    Doing(String),
    /// This is missing.
    Missing(String),
    /// Which sandbox this machine has.
    Sandbox(String),
    /// The turn is over.
    Over(Box<turn::Ended>, Vec<Said>),
}

/// So much news waits at most; a command that prints more waits until the screen has heard it.
const MOST_WAITING: usize = 1024;

/// The way to the screen.
#[derive(Clone)]
pub struct ToScreen(Arc<Mutex<(SyncSender<News>, UnixStream)>>);

impl ToScreen {
    /// A new one that wakes with this, and its other end.
    pub fn new(waker: UnixStream) -> (ToScreen, Receiver<News>) {
        let (to, from) = sync_channel(MOST_WAITING);
        (ToScreen(Arc::new(Mutex::new((to, waker)))), from)
    }

    /// Tells something; whether anybody hears it.
    pub fn tell(&self, news: News) -> bool {
        let mut way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let heard = way.0.send(news).is_ok();
        // Where the pipe is full, the screen wakes up anyway.
        let _ = way.1.write(&[0]);
        heard
    }

    /// Somebody who is told what runs.
    pub fn told(&self) -> Told {
        let (start, output) = (self.clone(), self.clone());
        let halves: Arc<Mutex<[Half; 2]>> = Arc::default();
        let fresh = Arc::clone(&halves);
        Told {
            // Nobody may be there to hear it any more.
            start: Box::new(move |approved| {
                *fresh.lock().unwrap_or_else(PoisonError::into_inner) = Default::default();
                start.tell(News::Runs(approval(approved)));
            }),
            output: Box::new(move |stream, bytes| {
                let mut halves = halves.lock().unwrap_or_else(PoisonError::into_inner);
                let [out, error] = &mut *halves;
                let text = if stream == Stream::Out { out } else { error }.text(bytes);
                drop(halves);
                output.tell(News::Output(text));
            }),
        }
    }
}

/// The beginning of a letter whose other bytes have not come yet.
#[derive(Default)]
struct Half(Vec<u8>);

impl Half {
    /// The text that is whole by now.
    fn text(&mut self, bytes: &[u8]) -> String {
        self.0.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.0) {
            // What is cut off has no length; what is wrong has one.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(error) => self
                .0
                .get(error.valid_up_to()..)
                .map_or(self.0.len(), |rest| self.0.len() - tail(rest)),
            Ok(_) => self.0.len(),
        };
        let rest = self.0.split_off(whole);
        String::from_utf8_lossy(&std::mem::replace(&mut self.0, rest)).into_owned()
    }
}

/// How many bytes at the end begin a letter that is not whole.
fn tail(bytes: &[u8]) -> usize {
    let ends = (1..=3).filter_map(|count| bytes.get(bytes.len().checked_sub(count)?..));
    let begins = |end: &&[u8]| {
        std::str::from_utf8(end)
            .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    ends.filter(begins)
        .map(<[u8]>::len)
        .max()
        .unwrap_or_default()
}

/// What is said after a yes: what was approved, and what was kept of it (U-16, U-17).
fn approval(approved: &Approved) -> Vec<String> {
    let Some(yes) = approved.yes() else {
        return Vec::new();
    };
    let mut out = vec![finished::echo(approved.operation(), Some(yes))];
    if let Some((_, words)) = yes.kept.as_deref().filter(|_| yes.scope >= Scope::Batch) {
        out.push(visible(words).into_owned());
    }
    out
}

impl Ask for ToScreen {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(async move {
            let (to, from) = sync_channel(1);
            let gone = || Ended::Failed("the screen is gone".to_owned());
            if !self.tell(News::Asked(prompt, to)) {
                return gone();
            }
            from.recv().unwrap_or_else(|_| gone())
        })
    }
}

/// Tells the screen of a turn, and keeps what is said.
pub struct Reporter {
    /// The way to the screen.
    pub to: ToScreen,
    /// Where it is kept.
    pub session: Arc<Session>,
}

impl Watch for Reporter {
    fn happens(&self, what: Happens<'_>) {
        self.to.tell(match what {
            Happens::Piece(piece) => News::Piece(piece),
            Happens::Answered(usage, is_cut) => News::Answered(*usage, is_cut),
            Happens::Refused(wanted, why) => News::Refused(wanted.tool.clone(), why.to_owned()),
            Happens::Step(Step::Starts(place, call)) => News::Starts(place, subject(call)),
            Happens::Step(Step::Ends(_, finished)) => News::Ends(Box::new(finished.clone())),
        });
    }

    fn keep(&self, said: &Said) -> io::Result<()> {
        self.session.keep(said)
    }
}

/// What a call is about, as people read it.
fn subject(call: &Call) -> String {
    let named = || format!("{} (malformed)", visible(&call.tool));
    match call.is_too_deep() {
        true => named(),
        false => Operation::freeze(call.clone())
            .map_or_else(|_| named(), |operation| explain::subject(&operation)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_come_in_pieces_are_whole() {
        let all = "aä世👩b".as_bytes();
        for size in 1..all.len() {
            let mut half = Half::default();
            let text: String = all.chunks(size).map(|piece| half.text(piece)).collect();
            assert_eq!((text.as_bytes(), half.0.len()), (all, 0), "{size}");
        }
        let mut half = Half::default();
        assert_eq!(half.text(b"a\xffb\xe4\xb8"), "a\u{fffd}b");
        assert_eq!(half.text(b"\x96"), "世");
        assert_eq!(half.text(b"\xf0\x9f"), "");
        assert_eq!(half.text(b"x"), "\u{fffd}x");
    }
}
