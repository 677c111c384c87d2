//! A model behind an endpoint: asked, asked again where that may help, and its answer read in pieces or at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};

use super::partial::Partial;
use super::wire::{Incoming, Lost, Wire};
use super::{Model, Piece, Reply, Request, Told, Trouble, anthropic, openai};
use sayso_runtime::sse::Events;

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

/// Why a try failed.
enum Failure {
    Stopped,
    /// It would fail again.
    Final(String),
    /// It may go better, after a pause where the endpoint says how long.
    Again(String, Option<Duration>),
}

impl From<Lost> for Failure {
    fn from(lost: Lost) -> Failure {
        match lost {
            Lost::Stopped => Failure::Stopped,
            Lost::Broken(why) => Failure::Again(why, None),
        }
    }
}

impl Model for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer(&self, request: &Request<'_>, told: Told<'_>) -> Result<Reply, Trouble> {
        let mut pause = self.pause;
        for number in 1.. {
            match self.once(request, told) {
                Ok(reply) => return Ok(reply),
                Err(Failure::Stopped) => return Err(Trouble::Stopped),
                Err(Failure::Final(why)) => return Err(Trouble::Failed(why)),
                Err(Failure::Again(why, _)) if number >= MOST_TRIES => {
                    return Err(Trouble::Failed(format!(
                        "the model `{}` gave no answer in {number} tries: {why}",
                        self.name
                    )));
                }
                Err(Failure::Again(why, Some(wanted))) if wanted > LONGEST_PAUSE => {
                    let seconds = wanted.as_secs();
                    return Err(Trouble::Failed(format!(
                        "the model `{}` wants to be left alone for {seconds} s: {why}",
                        self.name
                    )));
                }
                Err(Failure::Again(why, wanted)) => {
                    told(Piece::Again(why));
                    wait(wanted.unwrap_or(pause), request.stopped)?;
                    pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
                }
            }
        }
        Err(Trouble::Stopped)
    }
}

fn wait(pause: Duration, stopped: &AtomicBool) -> Result<(), Trouble> {
    let until = Instant::now() + pause;
    while Instant::now() < until {
        if stopped.load(Ordering::SeqCst) {
            return Err(Trouble::Stopped);
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
                let data = self.json(&bytes).map_err(|why| Failure::Again(why, None))?;
                let read = match self.api {
                    Api::OpenAi => openai::whole(&data, &mut partial, told),
                    Api::Anthropic => anthropic::whole(&data, &mut partial, told),
                };
                read.map_err(|why| self.wrong(&why))?;
            }
        }
        let mut reply = partial.whole().map_err(|why| self.wrong(&why))?;
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
            for event in events
                .add(&bytes)
                .map_err(|why| Failure::Again(why.to_string(), None))?
            {
                if std::str::from_utf8(&event.bytes).is_err() {
                    return Err(Failure::Again("it is no UTF-8 text".to_owned(), None));
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
                let data = self.json(&data).map_err(|why| Failure::Again(why, None))?;
                let read = match self.api {
                    Api::OpenAi => openai::event(&data, partial, told),
                    Api::Anthropic => anthropic::event(&data, partial, told),
                };
                read.map_err(|why| self.wrong(&why))?;
            }
        }
        match partial.is_over {
            true => Ok(()),
            false => Err(Failure::Again(
                "the answer broke off in the middle".to_owned(),
                None,
            )),
        }
    }

    fn json(&self, bytes: &[u8]) -> Result<Node, String> {
        let text =
            std::str::from_utf8(bytes).map_err(|_| "the answer is no UTF-8 text".to_owned())?;
        let limits = Limits {
            bytes: LONGEST_WHOLE,
            depth: 128,
            ..Limits::default()
        };
        json::read(text, &limits).map_err(|finding| {
            format!(
                "the answer is no JSON: {}",
                self.wire.shown(&finding.message)
            )
        })
    }

    /// What the endpoint says in an answer that went wrong on the way: that it has too much to do is worth another try.
    fn wrong(&self, why: &str) -> Failure {
        let low = why.to_ascii_lowercase();
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
            true => Failure::Again(self.wire.shown(why), None),
            false => Failure::Final(format!(
                "the answer of the model `{}` cannot be used: {}",
                self.name,
                self.wire.shown(why)
            )),
        }
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
        let words = if said.is_empty() {
            format!("it answered {status}")
        } else {
            format!("it answered {status}: {said}")
        };
        if matches!(status, 400 | 422)
            && said.contains("stream_options")
            && !self.uncounted.swap(true, Ordering::Relaxed)
        {
            return Failure::Again(words, Some(Duration::ZERO));
        }
        let hint = match status {
            408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529 => {
                return Failure::Again(words, incoming.after);
            }
            401 | 403 => {
                "\nhint: look at the key of this model; `sayso chat --help` says where it comes from"
            }
            404 => "\nhint: look at the address and the name of this model",
            300..=399 => {
                "\nhint: it points elsewhere, and a key is not taken there; write the address it points to"
            }
            _ => "",
        };
        Failure::Final(format!(
            "the model `{}` cannot be used: {words}{hint}",
            self.name
        ))
    }
}
