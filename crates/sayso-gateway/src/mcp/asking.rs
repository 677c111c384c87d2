//! Brings a question to the person: as an answer at the hook, by the client's own dialog, or to the inbox. Where there is nobody, it is a no.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::presentation::Body;
use sayso_core::prompt::{Choice, Ended, Prompt, Round, Why};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_gate::ports::{Ask, Later};
use tokio::sync::oneshot;

use super::message::Id;
use super::open_calls::{Calls, Open};
use super::tool_calls::Carrier;
use super::{random_word, replies};
use crate::rpc::inbox::{LONGEST, in_inbox};
use sayso_runtime::answered_elsewhere;

/// A longer question is not for the dialog of a client: nobody would see all of it there.
const LONGEST_MESSAGE: usize = 8 << 10;

/// So many approved calls may be about to come again with answers that their server wants.
const MOST_GOING_ON: usize = 1024;

/// Who may be asked, as the policy says.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// The client's own dialog.
    pub elicits: bool,
    /// The inbox is opened where it is not open.
    pub starts_inbox: bool,
}

/// Asks the person.
pub(super) struct Asks {
    state: PathBuf,
    calls: Arc<Calls>,
    carrier: Arc<dyn Carrier>,
    ways: Mutex<Ways>,
    asked: Mutex<HashMap<String, Asked>>,
    /// What each state of a server's was given to.
    going_on: Mutex<HashMap<String, Digest>>,
}

/// A question that the client asks.
struct Asked {
    prompt: Arc<Prompt>,
    open: Arc<Open>,
    tell: oneshot::Sender<Ended>,
    until: Instant,
}

impl Asks {
    pub(super) fn new(state: &Path, calls: Arc<Calls>, carrier: Arc<dyn Carrier>) -> Asks {
        Asks {
            state: state.to_owned(),
            calls,
            carrier,
            ways: Mutex::default(),
            asked: Mutex::default(),
            going_on: Mutex::default(),
        }
    }

    /// What the policy says now.
    pub(super) fn set_ways(&self, ways: Ways) {
        *self.ways.lock().unwrap_or_else(PoisonError::into_inner) = ways;
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<String, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An approved call was answered with questions of the server: it comes again with this state, and is still the same call.
    pub(super) fn may_go_on(&self, state: String, what: Digest) {
        let mut all = self.going_on.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_GOING_ON {
            // Those that were forgotten are asked about again.
            all.clear();
        }
        all.insert(state, what);
    }

    /// Whether that is such a call, once.
    pub(super) fn goes_on(&self, state: &str, what: Digest) -> bool {
        let mut all = self.going_on.lock().unwrap_or_else(PoisonError::into_inner);
        match all.get(state) == Some(&what) {
            true => all.remove(state).is_some(),
            false => false,
        }
    }

    /// Whether a hook has let the very same call through, which a person was asked about there.
    fn was_asked_at_hook(&self, prompt: &Prompt, open: &Open) -> bool {
        let Some(id) = open
            .about
            .tool_use
            .as_deref()
            .filter(|_| prompt.round == Round::Only)
        else {
            return false;
        };
        answered_elsewhere::take_for_gateway(&self.state, id, prompt.operation.args())
            .unwrap_or(false)
    }

    /// Asks by the client; none if it cannot show it.
    fn elicit(
        &self,
        prompt: &Arc<Prompt>,
        open: &Arc<Open>,
    ) -> Option<(String, oneshot::Receiver<Ended>)> {
        let with_mode = open.about.elicits?;
        let message = message(prompt)?;
        let answers: Vec<String> = offered(prompt)
            .map(|(_, words)| words)
            .chain(["deny".to_owned()])
            .collect();
        let params = replies::question(&message, &answers, with_mode);
        let token = format!("sayso-{}", random_word().ok()?);
        let (tell, told) = oneshot::channel();
        let until = Instant::now() + prompt.timeout.map_or(LONGEST, Duration::from_secs);
        let asked = Asked {
            prompt: Arc::clone(prompt),
            open: Arc::clone(open),
            tell,
            until,
        };
        // Known before it is said: the answer may come at once.
        self.asked().insert(token.clone(), asked);
        let line = match open.about.is_modern {
            true => replies::input_required(&open.id(), &token, &params),
            false => replies::elicitation(&Id::text(&token), &params),
        };
        self.carrier.ask(open, line);
        Some((token, told))
    }

    /// Takes an answer of the client to a question of ours; false if it is to something else.
    pub(super) fn answered(&self, id: &Id, response: &Node) -> bool {
        let Some(token) = id
            .json()
            .strip_prefix("\"sayso-")
            .and_then(|rest| rest.strip_suffix('"'))
        else {
            return false;
        };
        let Some(asked) = self.asked().remove(&format!("sayso-{token}")) else {
            return false;
        };
        let ended = asked.ended(response.get("result"));
        // If the call is gone, the answer does not count.
        let _ = asked.tell.send(ended);
        true
    }

    /// Takes the answer in a call that comes again with it. Gives the call that waits for it, if it is the same one.
    pub(super) fn retried(
        &self,
        token: &str,
        args: &Node,
        answer: Option<&Node>,
    ) -> Option<Retried> {
        let mut all = self.asked();
        let is_same = |asked: &Asked| {
            let digest = Digest::of_node;
            digest(asked.prompt.operation.args()) == digest(args)
        };
        if !all.get(token).is_some_and(is_same) {
            return None;
        }
        let asked = all.remove(token)?;
        let ended = asked.ended(answer);
        Some(Retried {
            open: Arc::clone(&asked.open),
            tell: asked.tell,
            ended,
        })
    }

    /// Ends what nobody has answered in time.
    pub(super) fn expire(&self) {
        let now = Instant::now();
        let due = self
            .asked()
            .extract_if(|_, asked| asked.until <= now)
            .map(|(_, asked)| asked)
            .collect::<Vec<_>>();
        for asked in due {
            let _ = asked.tell.send(Ended::TimedOut);
        }
    }
}

/// A call that came again with the answer to a question about it.
pub(super) struct Retried {
    pub open: Arc<Open>,
    tell: oneshot::Sender<Ended>,
    ended: Ended,
}

impl Retried {
    /// The answer counts from here on.
    pub(super) fn go_on(self) {
        let _ = self.tell.send(self.ended);
    }
}

impl Asked {
    /// What an answer of the client says. Everything but a plain yes is a no.
    fn ended(&self, result: Option<&Node>) -> Ended {
        let text = |key: &str| {
            result
                .and_then(|result| result.get(key))
                .and_then(Node::as_text)
        };
        let answered = |choice| Ended::Answered {
            answer: self.prompt.answer(choice),
            by: DecidedBy::Dialog("the client".to_owned()),
        };
        let chosen = result
            .and_then(|result| result.get("content"))
            .and_then(|content| content.get("decision"))
            .and_then(Node::as_text);
        match (text("action"), chosen) {
            (Some("accept"), Some(chosen)) => {
                match offered(&self.prompt).find(|(_, words)| words == chosen) {
                    Some((index, _)) => answered(Choice::Offer(index)),
                    None => answered(Choice::Deny),
                }
            }
            (Some("cancel"), _) => Ended::Cancelled,
            (Some("decline" | "accept"), _) => answered(Choice::Deny),
            _ => Ended::Failed("the client did not answer the question".to_owned()),
        }
    }
}

/// The answers that a client may give: whoever runs it could be the agent, so nothing that lasts.
fn offered(prompt: &Prompt) -> impl Iterator<Item = (usize, String)> + '_ {
    let short = |scope: Scope| matches!(scope, Scope::Once | Scope::Session);
    prompt
        .offers
        .iter()
        .enumerate()
        .filter(move |(_, offer)| short(offer.scope))
        .map(|(index, offer)| (index, offer.words.clone()))
}

/// All that a prompt says, for a dialog that shows plain text; none if that is too much.
fn message(prompt: &Prompt) -> Option<String> {
    let presentation = &prompt.presentation;
    let body = presentation.full.as_deref().unwrap_or(&presentation.body);
    let Body::Structured(rows) = body else {
        return None;
    };
    let mut lines = vec![format!("sayso asks: {}", prompt.sentence)];
    let word = |why: &Why| if why.is_warning { "warning" } else { "because" };
    lines.extend(
        prompt
            .why
            .iter()
            .map(|why| format!("{}: {}", word(why), why.text)),
    );
    // Its first line names both, and some dialogs fold all but the first few lines: what matters comes first.
    let more = rows
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "server" | "tool"));
    lines.extend(
        more.chain(&presentation.details)
            .map(|(name, value)| format!("{name}: {value}")),
    );
    if prompt.round == Round::Second {
        lines.push("this is the second of two confirmations".to_owned());
    }
    let text = lines.join("\n");
    (text.len() <= LONGEST_MESSAGE).then_some(text)
}

impl Ask for Asks {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(async move {
            let open = self.calls.asked(prompt.operation.id());
            if let Some(open) = &open {
                let once = |by: &str| {
                    let answer =
                        prompt.answer(Choice::Offer(prompt.offer(Scope::Once).unwrap_or_default()));
                    Ended::Answered {
                        answer,
                        by: by.into(),
                    }
                };
                if self.was_asked_at_hook(&prompt, open) {
                    return once("the hook that was asked before");
                }
                let is_changed = prompt.operation.mcp().is_none_or(|known| known.changed);
                if open.about.goes_on && prompt.round == Round::Only && !is_changed {
                    return once("the answer to the same call, which goes on");
                }
                let ways = self
                    .ways
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .clone();
                let asked = if ways.elicits {
                    self.elicit(&prompt, open)
                } else {
                    None
                };
                if let Some((token, told)) = asked {
                    // Whoever stops waiting takes the question back.
                    let _open = Forget(self, token);
                    return told.await.unwrap_or(Ended::Cancelled);
                }
            }
            let starts = self
                .ways
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .starts_inbox;
            in_inbox(&self.state, prompt, starts).await
        })
    }
}

/// Forgets a question of the client when nobody waits for it any more.
struct Forget<'a>(&'a Asks, String);

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.0.asked().remove(&self.1);
    }
}
