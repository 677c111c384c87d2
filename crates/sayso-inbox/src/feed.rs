//! What happened, in order and with ids: told to whoever listens, and kept for a while for those who come back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hyper::body::Bytes;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_gate::events::{self, Event, Names, names};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::item::Posted;

/// So many events are kept for those who come back.
const KEPT: usize = 8192;
/// And no more than so many bytes of them.
const KEPT_BYTES: usize = 8 << 20;
/// So many of them are kept under the names of other systems, too.
const KEPT_FOREIGN: usize = 512;
/// So many may wait for one listener; who is slower than that is dropped.
const WAITING: usize = 2048;
/// So many may listen at once.
pub(super) const MOST: usize = 4096;

/// There are too many listeners.
#[derive(Debug, thiserror::Error)]
#[error("{MOST} listeners are here already")]
pub(super) struct TooManyError;

/// Something that happened.
pub(super) struct Happened {
    number: u64,
    run: Arc<str>,
    kind: &'static str,
    session: String,
    /// Under our names. What only the gate told is written when somebody wants it.
    ours: OnceLock<Bytes>,
    foreign: Mutex<Foreign>,
    /// Under our names the same was said in another way.
    only_foreign: bool,
    written: [OnceLock<Option<Bytes>>; 3],
}

/// The same as the gate tells it, for listeners that know other names. It holds a whole prompt, so it is kept for the latest events only.
enum Foreign {
    /// Nobody else has a name for it.
    None,
    Told(Box<Event>, Option<Arc<Posted>>),
    Forgotten,
}

/// What somebody wants to hear.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// Only of this session.
    pub session: Option<String>,
    /// Only these, by our names; empty for all.
    pub kinds: Vec<String>,
    /// Under whose names.
    pub names: Names,
}

/// Who tells what happened, and keeps it for whoever listens. A store of events that several servers share is another one of these.
pub(super) trait Feed: Send + Sync {
    /// How many screens are open that could answer.
    fn watching(&self) -> usize;
    /// The id of the last event.
    fn last(&self) -> String;
    /// Tells everybody, and keeps it: in our words, or as the gate tells it. Whoever is too slow is dropped, and can come back.
    fn tell(
        &self,
        kind: &'static str,
        session: &str,
        ours: Option<String>,
        gate: Option<Event>,
        posted: Option<Arc<Posted>>,
    );
    /// Tells an event of the gate to those who listen under the names of other systems; ours say the same in another way.
    fn tell_others(&self, session: &str, event: Event);
    /// Listens from now on, and before that to what was missed since an event. `watches`: somebody sits there who could answer.
    ///
    /// # Errors
    /// When there are too many.
    fn listen(
        self: Arc<Self>,
        wanted: Wanted,
        after: Option<&str>,
        watches: bool,
        open: usize,
    ) -> Result<Listening, TooManyError>;
    /// Somebody listens no longer.
    fn left(&self, number: u64, watches: bool);
    /// Ends all streams: the server stops.
    fn close(&self);
}

impl dyn Feed {
    /// Tells something that is not about a prompt.
    pub(super) fn say(&self, kind: &'static str, session: &str, ours: &Node) {
        self.tell(kind, session, Some(json::write_plain(ours)), None, None);
    }
}

/// The feed of this process.
pub(super) struct FeedHere {
    run: Arc<str>,
    inner: Mutex<Inner>,
    listening: AtomicUsize,
}

#[derive(Default)]
struct Inner {
    next: u64,
    kept: VecDeque<Arc<Happened>>,
    bytes: usize,
    listeners: BTreeMap<u64, Listener>,
    next_listener: u64,
}

struct Listener {
    wanted: Wanted,
    to: Sender<Bytes>,
}

/// Somebody listens, until this is dropped.
pub(super) struct Listening {
    feed: Arc<dyn Feed>,
    number: u64,
    /// What comes.
    pub from: Receiver<Bytes>,
    /// What is said first.
    pub first: Vec<Bytes>,
    watches: bool,
}

impl FeedHere {
    pub(super) fn new(run: &str) -> FeedHere {
        let inner = Inner {
            next: 1,
            ..Inner::default()
        };
        FeedHere {
            run: run.into(),
            inner: Mutex::new(inner),
            listening: AtomicUsize::new(0),
        }
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an event and hands it to everybody who wants it.
    fn put(
        &self,
        kind: &'static str,
        session: &str,
        ours: Option<String>,
        gate: Option<Event>,
        posted: Option<Arc<Posted>>,
        only_foreign: bool,
    ) {
        let mut gone = Vec::new();
        {
            let mut inner = self.inner();
            let number = inner.next;
            inner.next += 1;
            let ours = ours
                .map(|ours| line(Some(kind), Some(&id(&self.run, number)), &ours))
                .map_or_else(OnceLock::new, OnceLock::from);
            let foreign = Mutex::new(gate.map_or(Foreign::None, |event| {
                Foreign::Told(Box::new(event), posted)
            }));
            let session = session.to_owned();
            let happened = Arc::new(Happened {
                number,
                run: Arc::clone(&self.run),
                kind,
                session,
                ours,
                foreign,
                only_foreign,
                written: Default::default(),
            });
            for (listener, Listener { wanted, to }) in &inner.listeners {
                if let Some(bytes) = happened.for_listener(wanted)
                    && let Err(TrySendError::Full(_) | TrySendError::Closed(_)) = to.try_send(bytes)
                {
                    gone.push(*listener);
                }
            }
            inner.bytes += happened.size();
            inner.kept.push_back(happened);
            if let Some(older) = inner
                .kept
                .len()
                .checked_sub(KEPT_FOREIGN)
                .and_then(|at| inner.kept.get(at))
            {
                older.forget();
            }
            while inner.kept.len() > KEPT || inner.bytes > KEPT_BYTES {
                let Some(oldest) = inner.kept.pop_front() else {
                    break;
                };
                inner.bytes -= oldest.size();
            }
            for listener in &gone {
                // The end of the channel is the end of the stream.
                inner.listeners.remove(listener);
            }
        }
    }
}

impl Feed for FeedHere {
    fn watching(&self) -> usize {
        self.listening.load(Ordering::Acquire)
    }

    fn last(&self) -> String {
        id(&self.run, self.inner().next - 1)
    }

    fn tell(
        &self,
        kind: &'static str,
        session: &str,
        ours: Option<String>,
        gate: Option<Event>,
        posted: Option<Arc<Posted>>,
    ) {
        self.put(kind, session, ours, gate, posted, false);
    }

    fn tell_others(&self, session: &str, event: Event) {
        let Some(kind) = names::name(event.kind, Names::Sayso) else {
            return;
        };
        self.put(kind, session, None, Some(event), None, true);
    }

    fn listen(
        self: Arc<Self>,
        wanted: Wanted,
        after: Option<&str>,
        watches: bool,
        open: usize,
    ) -> Result<Listening, TooManyError> {
        let mut inner = self.inner();
        if inner.listeners.len() >= MOST {
            return Err(TooManyError);
        }
        let last = inner.next - 1;
        let missed = after.map(|after| inner.since(&self.run, after));
        let forgotten = |missed: &[Arc<Happened>]| {
            missed
                .iter()
                .any(|happened| happened.is_forgotten(wanted.names))
        };
        let missed = missed.map(|missed| missed.filter(|missed| !forgotten(missed)));
        let is_lost = matches!(missed, Some(None));
        let missed: Vec<Bytes> = missed
            .flatten()
            .unwrap_or_default()
            .iter()
            .filter_map(|happened| happened.for_listener(&wanted))
            .collect();
        let mut first = Vec::with_capacity(missed.len() + 2);
        if is_lost {
            first.push(line(Some("reset"), None, "{}"));
        }
        let hello = Node::map([
            ("version", Node::text(sayso_runtime::inbox_client::VERSION)),
            ("open", number(open)),
            ("now", number(super::now_ms())),
            ("replayed", number(missed.len())),
        ]);
        first.push(line(Some("hello"), None, &json::write_plain(&hello)));
        first.extend(missed);
        // The place where the stream stands, also for somebody who hears nothing for long.
        first.push(line(None, Some(&id(&self.run, last)), ""));
        let (to, from) = channel(WAITING);
        let number = inner.next_listener;
        inner.next_listener += 1;
        inner.listeners.insert(number, Listener { wanted, to });
        drop(inner);
        self.listening
            .fetch_add(usize::from(watches), Ordering::AcqRel);
        Ok(Listening {
            feed: self,
            number,
            from,
            first,
            watches,
        })
    }

    fn left(&self, number: u64, watches: bool) {
        self.inner().listeners.remove(&number);
        self.listening
            .fetch_sub(usize::from(watches), Ordering::AcqRel);
    }

    fn close(&self) {
        self.inner().listeners.clear();
    }
}

impl Inner {
    /// What came after an event; none where that is not known any more.
    fn since(&self, run: &str, after: &str) -> Option<Vec<Arc<Happened>>> {
        let number: u64 = after.strip_prefix(run)?.strip_prefix('-')?.parse().ok()?;
        let oldest = self.kept.front().map_or(self.next, |first| first.number);
        if number >= self.next || number + 1 < oldest {
            return None;
        }
        Some(
            self.kept
                .iter()
                .filter(|happened| happened.number > number)
                .cloned()
                .collect(),
        )
    }
}

impl Listening {
    /// How many listen.
    pub(super) fn others(&self) -> usize {
        self.feed.watching()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.feed.left(self.number, self.watches);
    }
}

impl Happened {
    /// As a listener hears it; none where it is not wanted.
    fn for_listener(&self, wanted: &Wanted) -> Option<Bytes> {
        if wanted
            .session
            .as_ref()
            .is_some_and(|session| *session != self.session)
        {
            return None;
        }
        if !wanted.kinds.is_empty() && !wanted.kinds.iter().any(|kind| kind == self.kind) {
            return None;
        }
        let place = match wanted.names {
            Names::Sayso if self.only_foreign => return None,
            Names::Sayso => return self.ours(),
            Names::Opencode => 0,
            Names::KollaborSpec => 1,
            Names::Kollabor => 2,
        };
        self.written
            .get(place)?
            .get_or_init(|| self.write(wanted.names))
            .clone()
    }

    /// Under our names; none where it was not written, and is forgotten.
    fn ours(&self) -> Option<Bytes> {
        if let Some(ours) = self.ours.get() {
            return Some(ours.clone());
        }
        let foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        let Foreign::Told(event, _) = &*foreign else {
            return None;
        };
        let write = || {
            line(
                Some(self.kind),
                Some(&id(&self.run, self.number)),
                &json::write_plain(&events::payload(event, Names::Sayso)),
            )
        };
        Some(self.ours.get_or_init(write).clone())
    }

    fn write(&self, under: Names) -> Option<Bytes> {
        let foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        let Foreign::Told(event, posted) = &*foreign else {
            return None;
        };
        let name = names::name(event.kind, under)?;
        let mut node = events::payload(event, under);
        if let (Names::Opencode, Some(posted), Value::Map(_)) = (under, posted, &node.value) {
            node = posted.with_view(node);
        }
        Some(line(
            Some(name),
            Some(&id(&self.run, self.number)),
            &json::write_plain(&node),
        ))
    }

    fn forget(&self) {
        let mut foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        if let Foreign::Told(..) = *foreign {
            *foreign = Foreign::Forgotten;
        }
    }

    fn is_forgotten(&self, under: Names) -> bool {
        let is_written = under == Names::Sayso && (self.only_foreign || self.ours.get().is_some());
        !is_written
            && matches!(
                *self.foreign.lock().unwrap_or_else(PoisonError::into_inner),
                Foreign::Forgotten
            )
    }

    /// What it keeps in memory for long, roughly.
    fn size(&self) -> usize {
        256 + self.ours.get().map_or(1024, Bytes::len)
    }
}

fn id(run: &str, number: u64) -> String {
    format!("{run}-{number}")
}

/// One event of the stream. Nothing in it can begin another one: JSON is on one line.
fn line(event: Option<&str>, id: Option<&str>, data: &str) -> Bytes {
    let mut out = String::with_capacity(data.len() + 64);
    if let Some(event) = event {
        out.push_str(&format!("event: {event}\n"));
    }
    if let Some(id) = id {
        out.push_str(&format!("id: {id}\n"));
    }
    if event.is_some() {
        out.push_str(&format!("data: {data}\n"));
    }
    out.push('\n');
    Bytes::from(out)
}

fn number(value: impl std::fmt::Display) -> Node {
    Value::Number(value.to_string()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Wanted {
        Wanted {
            session: None,
            kinds: Vec::new(),
            names: Names::Sayso,
        }
    }

    fn say(feed: &FeedHere, kind: &'static str, session: &str, ours: &Node) {
        (feed as &dyn Feed).say(kind, session, ours);
    }

    fn heard(listening: &mut Listening) -> String {
        let mut out: Vec<Bytes> = std::mem::take(&mut listening.first);
        while let Ok(bytes) = listening.from.try_recv() {
            out.push(bytes);
        }
        String::from_utf8(out.concat()).unwrap()
    }

    #[test]
    fn who_comes_back_hears_what_was_missed_and_nothing_twice() {
        let feed = Arc::new(FeedHere::new("run"));
        say(&feed, "updated", "", &Node::text("one"));
        let mut first = Arc::clone(&feed).listen(all(), None, true, 0).unwrap();
        say(&feed, "updated", "", &Node::text("two"));
        let text = heard(&mut first);
        assert!(
            !text.contains("one") && text.contains("id: run-2\ndata: \"two\"\n\n"),
            "{text}"
        );
        assert!(text.contains("event: hello\n") && feed.watching() == 1);
        drop(first);
        say(&feed, "updated", "", &Node::text("three"));
        let mut again = Arc::clone(&feed)
            .listen(all(), Some("run-2"), false, 0)
            .unwrap();
        let text = heard(&mut again);
        assert!(
            text.contains("three") && !text.contains("two") && !text.contains("reset"),
            "{text}"
        );
        assert_eq!(feed.watching(), 0);
        for lost in [
            "other-1",
            "run-9",
            "run-",
            "run",
            "",
            "run--1",
            "run-99999999999999999999",
        ] {
            assert!(
                heard(
                    &mut Arc::clone(&feed)
                        .listen(all(), Some(lost), false, 0)
                        .unwrap()
                )
                .starts_with("event: reset\n"),
                "{lost}"
            );
        }
    }

    #[test]
    fn what_is_too_long_ago_is_said_to_be_lost() {
        let feed = Arc::new(FeedHere::new("run"));
        for _ in 0..KEPT + 10 {
            say(&feed, "updated", "", &Node::text("x"));
        }
        assert_eq!(feed.inner().kept.len(), KEPT);
        assert!(
            heard(
                &mut Arc::clone(&feed)
                    .listen(all(), Some("run-3"), false, 0)
                    .unwrap()
            )
            .starts_with("event: reset\n")
        );
        assert!(
            !heard(
                &mut Arc::clone(&feed)
                    .listen(all(), Some("run-10"), false, 0)
                    .unwrap()
            )
            .contains("reset")
        );
    }

    #[test]
    fn who_does_not_read_is_dropped() {
        let feed = Arc::new(FeedHere::new("run"));
        let mut slow = Arc::clone(&feed).listen(all(), None, true, 0).unwrap();
        for _ in 0..=WAITING {
            say(&feed, "updated", "", &Node::text("x"));
        }
        assert!(feed.inner().listeners.is_empty());
        let mut count = 0;
        while slow.from.try_recv().is_ok() {
            count += 1;
        }
        assert_eq!(count, WAITING);
    }

    #[test]
    fn only_what_is_wanted() {
        let feed = Arc::new(FeedHere::new("run"));
        let of = Wanted {
            session: Some("a".to_owned()),
            kinds: vec!["updated".to_owned()],
            ..all()
        };
        let mut some = Arc::clone(&feed).listen(of, None, false, 0).unwrap();
        say(&feed, "updated", "b", &Node::text("other session"));
        say(&feed, "entry", "a", &Node::text("other kind"));
        say(&feed, "updated", "a", &Node::text("this"));
        let text = heard(&mut some);
        assert!(text.contains("this") && !text.contains("other"), "{text}");
        let mut foreign = Arc::clone(&feed)
            .listen(
                Wanted {
                    names: Names::Opencode,
                    ..all()
                },
                Some("run-0"),
                false,
                0,
            )
            .unwrap();
        assert!(
            !heard(&mut foreign).contains("this"),
            "no name for it there"
        );
    }
}
