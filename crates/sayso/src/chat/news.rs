//! What a turn tells the screen, over a channel: the turn works on a thread of its own, and the screen stays alive.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::explain;
use sayso_core::operation::{Call, Operation};
use sayso_core::prompt::{Ended, Position, Prompt, Scope};
use sayso_core::visible::visible;
use sayso_gate::approved::Approved;
use sayso_gate::batch::Step;
use sayso_gate::finished::{self, Finished};
use sayso_gate::ports::{Ask, Later};

use super::conversation::Said;
use super::model::{Piece, Usage};
use super::session::Session;
use super::turn::{self, Happens, Watch};
use crate::runner::Told;

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

/// The way to the screen.
#[derive(Clone)]
pub struct ToScreen(Arc<Mutex<(Sender<News>, UnixStream)>>);

impl ToScreen {
    /// Over this channel, waking with this.
    pub fn new(to: Sender<News>, waker: UnixStream) -> ToScreen {
        ToScreen(Arc::new(Mutex::new((to, waker))))
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
        Told {
            // Nobody may be there to hear it any more.
            start: Box::new(move |approved| {
                start.tell(News::Runs(approval(approved)));
            }),
            output: Box::new(move |_, bytes| {
                output.tell(News::Output(String::from_utf8_lossy(bytes).into_owned()));
            }),
        }
    }
}

/// What is said after a yes: what was approved, and what was kept of it (U-16, U-17).
fn approval(approved: &Approved) -> Vec<String> {
    let Some(yes) = approved.yes() else { return Vec::new() };
    let mut out = vec![finished::echo(approved.operation(), Some(yes))];
    if let Some((_, words)) = yes.kept.as_deref().filter(|_| yes.scope >= Scope::Session) {
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

    fn keep(&self, said: &Said) -> Result<(), String> {
        self.session.keep(said)
    }
}

/// What a call is about, as people read it.
fn subject(call: &Call) -> String {
    let named = || format!("{} (malformed)", visible(&call.tool));
    match call.is_too_deep() {
        true => named(),
        false => Operation::freeze(call.clone()).map_or_else(|_| named(), |operation| explain::subject(&operation)),
    }
}
