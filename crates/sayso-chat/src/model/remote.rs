//! A model behind an endpoint: asked, asked again where that may help, and its answer read in pieces or at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};

use sayso_runtime::sse::{Events, TooLong};

use super::partial::{AnswerError, Partial};
use super::wire::{BrokenError, Incoming, Lost, Wire};
use super::{Model, ModelError, Piece, Reply, Request, Told, anthropic, openai};

/// How often an endpoint is asked in all.
const MOST_TRIES: u32 = 5;
/// The longest pause between two tries; where the endpoint wants a longer one, the person is told.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The longest answer that comes at once.
const LONGEST_WHOLE: usize = 20 << 20;
/// The longest event of one that comes in pieces.
const LONGEST_EVENT: usize = 20 << 20;
/// So much of an error is read.
const LONGEST_ERROR: usize = 64 << 10;
/// So often it is looked whether the person still waits.
const LOOK: Duration = Duration::from_millis(50);

/// Which interface an endpoint has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Chat completions.
    OpenAi,
    /// Messages.
    Anthropic,
}

/// What a million tokens cost, in dollars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Read.
    pub input: f64,
    /// Written.
    pub output: f64,
}

/// A model behind an endpoint.
#[derive(Debug)]
pub struct Remote {
    /// What the person calls it.
    pub name: String,
    /// What the endpoint calls it.
    pub model: String,
    /// Its interface.
    pub api: Api,
    /// Where it is.
    pub wire: Wire,
    /// Whether the answer is wanted in pieces.
    pub stream: bool,
    /// The longest answer, in tokens, where the interface wants to know.
    pub longest: u64,
    /// What it costs, where the person's file says.
    pub price: Option<Price>,
    /// The pause before the second try; each further one is twice as long.
    pub pause: Duration,
    /// The endpoint does not know how to count the tokens of a stream.
    pub uncounted: AtomicBool,
}

/// A status that is not an answer, and what the endpoint says about it.
#[derive(Debug, thiserror::Error)]
#[error("it answered {status}{}{said}", if said.is_empty() { "" } else { ": " })]
pub struct StatusError {
    /// The status.
    pub status: u16,
    /// The words of the endpoint, without the key.
    pub said: String,
}

impl StatusError {
    /// Whether the same may go better later.
    fn may_pass(&self) -> bool {
        matches!(
            self.status,
            408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529
        )
    }

    /// The way out, as a line.
    pub fn hint(&self) -> &'static str {
        match self.status {
            401 | 403 => {
                "\nhint: look at the key of this model; `sayso chat --help` says where it comes from"
            }
            404 => "\nhint: look at the address and the name of this model",
            300..=399 => {
                "\nhint: it points elsewhere, and a key is not taken there; write the address it points to"
            }
            _ => "",
        }
    }
}

/// Why a try failed that may go better.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum TryError {
    #[error(transparent)]
    Broken(#[from] BrokenError),
    #[error(transparent)]
    Status(#[from] StatusError),
    #[error(transparent)]
    LongEvent(TooLong),
    #[error("it is no UTF-8 text")]
    EventNotText,
    #[error("the answer is no UTF-8 text")]
    NotText,
    #[error("the answer is no JSON: {0}")]
    NotJson(String),
    #[error("the answer broke off in the middle")]
    NoEnd,
    /// The endpoint has too much to do, in its words without the key.
    #[error("{0}")]
    Busy(String),
}

/// Why a try failed.
enum Failure {
    Stopped,
    /// It would fail again.
    Final(ModelError),
    /// It may go better, after a pause where the endpoint says how long.
    Again(TryError, Option<Duration>),
}

impl From<Lost> for Failure {
    fn from(lost: Lost) -> Failure {
        match lost {
            Lost::Stopped => Failure::Stopped,
            Lost::Broken(error) => Failure::Again(error.into(), None),
        }
    }
}

impl From<TryError> for Failure {
    fn from(error: TryError) -> Failure {
        Failure::Again(error, None)
    }
}

impl Model for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer(&self, request: &Request<'_>, told: Told<'_>) -> Result<Reply, ModelError> {
        let mut pause = self.pause;
        for number in 1.. {
            match self.once(request, told) {
                Ok(reply) => return Ok(reply),
                Err(Failure::Stopped) => return Err(ModelError::Stopped),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Again(last, _)) if number >= MOST_TRIES => {
                    return Err(ModelError::NoAnswer {
                        model: self.name.clone(),
                        tries: number,
                        last,
                    });
                }
                Err(Failure::Again(last, Some(wanted))) if wanted > LONGEST_PAUSE => {
                    return Err(ModelError::LeaveAlone {
                        model: self.name.clone(),
                        seconds: wanted.as_secs(),
                        last,
                    });
                }
                Err(Failure::Again(error, wanted)) => {
                    told(Piece::Again(error.to_string()));
                    wait(wanted.unwrap_or(pause), request.stopped)?;
                    pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
                }
            }
        }
        Err(ModelError::Stopped)
    }
}

fn wait(pause: Duration, stopped: &AtomicBool) -> Result<(), ModelError> {
    let until = Instant::now() + pause;
    while Instant::now() < until {
        if stopped.load(Ordering::SeqCst) {
            return Err(ModelError::Stopped);
        }
        std::thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
    }
    Ok(())
}

impl Remote {
    fn once(&self, request: &Request<'_>, told: Told<'_>) -> Result<Reply, Failure> {
        let body = match self.api {
            Api::OpenAi => openai::body(
                &self.model,
                request,
                self.stream,
                !self.uncounted.load(Ordering::Relaxed),
            ),
            Api::Anthropic => anthropic::body(&self.model, self.longest, request, self.stream),
        };
        let mut incoming = self.wire.send(&body, request.stopped)?;
        if incoming.status != 200 {
            return Err(self.refused(&mut incoming));
        }
        let mut partial = Partial::default();
        match incoming.is_events {
            true => self.events(&mut incoming, &mut partial, told)?,
            // An endpoint may not know of pieces, and answer at once.
            false => {
                let bytes = incoming.all(LONGEST_WHOLE)?;
                let data = self.json(&bytes)?;
                let read = match self.api {
                    Api::OpenAi => openai::whole(&data, &mut partial, told),
                    Api::Anthropic => anthropic::whole(&data, &mut partial, told),
                };
                read.map_err(|error| self.wrong(error))?;
            }
        }
        let mut reply = partial.whole().map_err(|error| self.wrong(error))?;
        if let (None, Some(price)) = (reply.usage.cost, self.price) {
            let of = |count: u64, price: f64| {
                f64::from(u32::try_from(count).unwrap_or(u32::MAX)) * price / 1e6
            };
            reply.usage.cost =
                Some(of(reply.usage.input, price.input) + of(reply.usage.output, price.output));
        }
        Ok(reply)
    }

    fn events(
        &self,
        incoming: &mut Incoming<'_>,
        partial: &mut Partial,
        told: Told<'_>,
    ) -> Result<(), Failure> {
        let mut events = Events::new(LONGEST_EVENT);
        while let Some(bytes) = incoming.piece()? {
            for event in events.add(&bytes).map_err(TryError::LongEvent)? {
                if std::str::from_utf8(&event.bytes).is_err() {
                    return Err(TryError::EventNotText.into());
                }
                let data = event.data();
                match data.trim_ascii() {
                    b"" if data.is_empty() => continue,
                    b"[DONE]" => {
                        partial.is_over = true;
                        return Ok(());
                    }
                    _ => {}
                }
                let data = self.json(&data)?;
                let read = match self.api {
                    Api::OpenAi => openai::event(&data, partial, told),
                    Api::Anthropic => anthropic::event(&data, partial, told),
                };
                read.map_err(|error| self.wrong(error))?;
            }
        }
        match partial.is_over {
            true => Ok(()),
            false => Err(TryError::NoEnd.into()),
        }
    }

    fn json(&self, bytes: &[u8]) -> Result<Node, TryError> {
        let text = std::str::from_utf8(bytes).map_err(|_| TryError::NotText)?;
        let limits = Limits {
            bytes: LONGEST_WHOLE,
            depth: 128,
            ..Limits::default()
        };
        json::read(text, &limits)
            .map_err(|finding| TryError::NotJson(self.wire.shown(&finding.message)))
    }

    /// What the endpoint says in an answer that went wrong on the way: that it has too much to do is worth another try.
    fn wrong(&self, error: AnswerError) -> Failure {
        let words = self.wire.shown(&error.to_string());
        let AnswerError::Reported(said) = error else {
            return self.unusable(words);
        };
        let low = said.to_ascii_lowercase();
        let busy = [
            "overloaded",
            "rate limit",
            "rate_limit",
            "try again",
            "timeout",
            "temporarily",
        ]
        .iter()
        .any(|word| low.contains(word));
        match busy {
            true => TryError::Busy(words).into(),
            false => self.unusable(words),
        }
    }

    fn unusable(&self, words: String) -> Failure {
        Failure::Final(ModelError::Unusable(self.name.clone(), words))
    }

    fn refused(&self, incoming: &mut Incoming<'_>) -> Failure {
        let status = incoming.status;
        let said = match incoming.all(LONGEST_ERROR) {
            Err(Lost::Stopped) => return Failure::Stopped,
            Err(Lost::Broken(_)) => String::new(),
            Ok(bytes) => {
                let said = self.json(&bytes).ok().map(|data| {
                    data.get("error")
                        .map_or_else(|| openai::said(&data), openai::said)
                });
                self.wire
                    .shown(&said.unwrap_or_else(|| String::from_utf8_lossy(&bytes).into_owned()))
            }
        };
        let is_uncounted = matches!(status, 400 | 422) && said.contains("stream_options");
        let refused = StatusError { status, said };
        if is_uncounted && !self.uncounted.swap(true, Ordering::Relaxed) {
            return Failure::Again(refused.into(), Some(Duration::ZERO));
        }
        if refused.may_pass() {
            return Failure::Again(refused.into(), incoming.after);
        }
        let model = self.name.clone();
        Failure::Final(ModelError::Refused(model, refused))
    }
}
