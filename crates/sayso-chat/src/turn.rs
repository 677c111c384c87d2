//! One turn: the model answers, its calls go through the gate, what came of them goes back to it, until it has nothing more to call.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use sayso_core::answer::outcome::Outcome;
use sayso_core::call::operation::Call;
use sayso_core::text::node::Node;
use sayso_gate::batch::{Options, Step};
use sayso_gate::finished::Finished;
use sayso_gate::gate::Gate;
use sayso_gate::ids::Ids;
use sayso_gate::ports::Ran;

use super::conversation::{Brought, Said, Wanted};
use super::model::{Model, ModelError, Piece, Request, Usage};
use super::tool_schemas::{Around, Tools, WantedError};

/// So often a model is asked in one turn; a model that goes on for ever is stopped, and the person can tell it to go on.
pub const MOST_ROUNDS: usize = 100;
/// So much of what a tool brought is told to the model, in bytes.
const MOST_TOLD: usize = 64 << 10;

/// What happens in a turn, for whoever shows it.
pub enum Happens<'a> {
    /// The model says something.
    Piece(Piece),
    /// Its words are whole; this is what they cost.
    Answered(&'a Usage, bool),
    /// It wants something that is no call; this is what it is told.
    Refused(&'a Wanted, &'a str),
    /// A call of a batch starts or ends.
    Step(Step<'a>),
}

/// Who shows a turn and keeps what was said.
pub trait Watch {
    /// Something happens.
    fn happens(&self, what: Happens<'_>);

    /// Something was said. It is kept before anything follows from it.
    ///
    /// # Errors
    /// When it cannot be kept, the turn ends here.
    fn keep(&self, said: &Said) -> io::Result<()>;
}

/// Why a turn ended without a whole answer.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    #[error(transparent)]
    Model(#[from] ModelError),
    /// It is unknown which part was done.
    #[error("the turn broke; what it did is in the record (`/audit`)")]
    Broke,
    #[error("the model called tools {MOST_ROUNDS} times in a row; say something to go on")]
    TooManyRounds,
    #[error("the conversation cannot be kept: {0}")]
    NotKept(io::Error),
}

impl TurnError {
    /// Whether the person stopped it.
    pub fn is_stopped(&self) -> bool {
        matches!(self, TurnError::Model(ModelError::Stopped))
    }
}

/// How a turn ended.
#[derive(Debug)]
pub struct Ended {
    /// The ends of all calls.
    pub calls: Vec<Finished>,
    /// How many wants were no calls.
    pub malformed: usize,
    /// What it cost.
    pub usage: Usage,
    /// Why there is no whole answer.
    pub trouble: Option<TurnError>,
}

impl Ended {
    /// A turn that broke: nobody knows what of it was done.
    pub fn broken() -> Ended {
        Ended {
            calls: Vec::new(),
            malformed: 0,
            usage: Usage::default(),
            trouble: Some(TurnError::Broke),
        }
    }
}

/// What a turn works with.
pub struct Turn<'a> {
    /// Who answers.
    pub model: &'a dyn Model,
    /// What it is told beside the conversation.
    pub system: String,
    /// The tools it is offered.
    pub tools: &'a Tools,
    /// Where calls come from.
    pub around: &'a Around,
    /// Names for calls.
    pub ids: &'a Ids,
    /// The person stopped it.
    pub stopped: &'a AtomicBool,
}

impl Turn<'_> {
    /// Takes the turn. `gate` gives the gate of the moment: settings may change between two batches.
    pub fn take<G: AsRef<Gate>>(
        &self,
        said: &mut Vec<Said>,
        gate: &dyn Fn() -> G,
        watch: &(dyn Watch + Sync),
    ) -> Ended {
        let mut ended = Ended {
            calls: Vec::new(),
            malformed: 0,
            usage: Usage::default(),
            trouble: None,
        };
        for _ in 0..MOST_ROUNDS {
            match self.round(said, gate, watch, &mut ended) {
                Ok(true) => {}
                Ok(false) => return ended,
                Err(trouble) => {
                    ended.trouble = Some(trouble);
                    return ended;
                }
            }
        }
        ended.trouble = Some(TurnError::TooManyRounds);
        ended
    }

    /// One answer and its calls; whether the model is asked again.
    fn round<G: AsRef<Gate>>(
        &self,
        said: &mut Vec<Said>,
        gate: &dyn Fn() -> G,
        watch: &(dyn Watch + Sync),
        ended: &mut Ended,
    ) -> Result<bool, TurnError> {
        if self.stopped.load(Ordering::SeqCst) {
            return Err(ModelError::Stopped.into());
        }
        let request = Request {
            system: &self.system,
            said,
            tools: &self.tools.offered,
            stopped: self.stopped,
        };
        let reply = self
            .model
            .answer(&request, &mut |piece| watch.happens(Happens::Piece(piece)))?;
        ended.usage.add(reply.usage);
        watch.happens(Happens::Answered(&reply.usage, reply.is_cut));
        let calls = reply.answer.calls.clone();
        let mut keep = |one: Said| -> Result<(), TurnError> {
            let kept = watch.keep(&one).map_err(TurnError::NotKept);
            said.push(one);
            kept
        };
        keep(Said::Model(reply.answer))?;
        if calls.is_empty() {
            return Ok(false);
        }
        let results = self.run(&calls, gate().as_ref(), watch, ended);
        let stopped = self.stopped.load(Ordering::SeqCst);
        keep(Said::Results(results.0))?;
        match stopped || results.1 {
            true => Err(ModelError::Stopped.into()),
            false => Ok(true),
        }
    }

    /// Runs the calls as one batch; what came of each, and whether the person stopped it.
    fn run(
        &self,
        wanted: &[Wanted],
        gate: &Gate,
        watch: &(dyn Watch + Sync),
        ended: &mut Ended,
    ) -> (Vec<Brought>, bool) {
        let mut results: Vec<Option<Brought>> = Vec::with_capacity(wanted.len());
        let mut calls: Vec<Call> = Vec::new();
        for one in wanted {
            let made = match self.stopped.load(Ordering::SeqCst) {
                true => Err(WantedError::Stopped),
                false => self.tools.call(one, self.ids.next("call"), self.around),
            };
            results.push(match made {
                Ok(call) => {
                    calls.push(call);
                    None
                }
                Err(error) => {
                    let why = error.to_string();
                    ended.malformed += 1;
                    watch.happens(Happens::Refused(one, &why));
                    Some(Brought {
                        id: one.id.clone(),
                        text: why,
                        failed: true,
                    })
                }
            });
        }
        let options = Options {
            told: Some(&|step| watch.happens(Happens::Step(step))),
            ..Options::default()
        };
        let batch = pollster::block_on(gate.batch(calls, options));
        let mut ends = batch.results.iter();
        let results = results
            .into_iter()
            .zip(wanted)
            .filter_map(|(result, one)| result.or_else(|| Some(brought(one, ends.next()?))));
        let results = results.collect();
        ended.calls.extend(batch.results);
        (results, batch.stopped)
    }
}

/// What the model is told of a call.
pub fn brought(wanted: &Wanted, finished: &Finished) -> Brought {
    let of = |result: &Node, key: &str| {
        result
            .get(key)
            .and_then(Node::as_text)
            .unwrap_or_default()
            .to_owned()
    };
    let (text, failed) = match &finished.ran {
        Some(Ran::Done(result)) => (of(result, "output"), false),
        Some(Ran::Failed { why, result }) => {
            let output = of(result, "output");
            (
                if output.is_empty() {
                    why.clone()
                } else {
                    format!("{why}\n{output}")
                },
                true,
            )
        }
        Some(Ran::NotRun(why)) => (why.clone(), true),
        None => {
            // Some profiles have words of their own, and leave out what the person wrote.
            let note = finished.note.as_deref().filter(|note| {
                finished.outcome == Outcome::Denied && !finished.message.contains(*note)
            });
            (
                note.map_or_else(
                    || finished.message.clone(),
                    |note| format!("{}: {note}", finished.message),
                ),
                true,
            )
        }
    };
    Brought {
        id: wanted.id.clone(),
        text: bounded(text),
        failed,
    }
}

/// The beginning and the end of a long text.
fn bounded(text: String) -> String {
    if text.len() <= MOST_TOLD {
        return text;
    }
    let near = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (near(MOST_TOLD / 2), near(text.len() - MOST_TOLD / 2));
    let (first, last) = (
        text.get(..start).unwrap_or_default(),
        text.get(end..).unwrap_or_default(),
    );
    format!("{first}\n[… {} bytes left out …]\n{last}", end - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_result_keeps_both_ends() {
        let text = format!("start{}end", "ä".repeat(MOST_TOLD));
        let out = bounded(text);
        assert!(
            out.len() < MOST_TOLD + 100
                && out.starts_with("start")
                && out.ends_with("end")
                && out.contains("left out")
        );
        assert_eq!(bounded("short".to_owned()), "short");
    }
}
