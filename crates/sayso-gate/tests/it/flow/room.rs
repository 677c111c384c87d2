//! A gate in a room of its own: a scripted world whose files can change, a scripted person, hands that count, and a store that can fail.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::answer::grant::Grant;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::call::operation::Call;
use sayso_core::text::digest::{Digest, Encoder};
use sayso_core::text::node::Node;
use sayso_gate::approved::Approved;
use sayso_gate::entry::{Entry, What};
use sayso_gate::error::{ContentError, StoreError};
use sayso_gate::events::{EventKind, Recorder};
use sayso_gate::finished::Finished;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::memory::Memory;
use sayso_gate::ports::{Ask, Content, Later, Ran, Run, Store, World};
use sayso_gate::seal::Sealed;
use sayso_gate::simulated::{Say, Simulated};

use crate::bench::{NOW, Setup};
use crate::world::Scripted;

/// A world whose files have contents that can change.
#[derive(Default)]
pub struct Living {
    scripted: Mutex<Scripted>,
    contents: Mutex<BTreeMap<String, Vec<u8>>>,
    pub blind: AtomicBool,
    pub unreadable: AtomicBool,
    pub looked_into: AtomicUsize,
    pub asked: AtomicUsize,
}

impl Living {
    pub fn write(&self, path: &str, content: &str) {
        self.scripted.lock().unwrap().file(path);
        self.contents
            .lock()
            .unwrap()
            .insert(path.to_owned(), content.as_bytes().to_vec());
    }

    pub fn link(&self, at: &str, to: &str) {
        self.scripted.lock().unwrap().link(at, to);
    }
}

impl World for Living {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.scripted
            .lock()
            .unwrap()
            .answer(cwd, workspace, questions)
    }

    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        if self.blind.load(Ordering::SeqCst) {
            return None;
        }
        let mut encoder = Encoder::new("test");
        for file in files {
            let (Sealed::Content(path)
            | Sealed::Identity(path)
            | Sealed::Which(path)
            | Sealed::Bytes(path, _)) = file;
            encoder.text(path);
            let contents = self.contents.lock().unwrap();
            let bytes = contents.get(path).map(Vec::as_slice);
            match file {
                Sealed::Which(_) => {}
                // What only the scripted world knows does not change.
                Sealed::Bytes(_, digest)
                    if bytes.is_some_and(|bytes| Digest::of_bytes(bytes) != *digest) =>
                {
                    return None;
                }
                _ => encoder.text(&String::from_utf8_lossy(bytes.unwrap_or_default())),
            }
        }
        Some(encoder.finish())
    }

    fn content(&self, path: &str, most: u64) -> Result<Option<Content>, ContentError> {
        self.looked_into.fetch_add(1, Ordering::SeqCst);
        if self.unreadable.load(Ordering::SeqCst) {
            return Err(ContentError::failed(format!("{path}: permission denied")));
        }
        let contents = self.contents.lock().unwrap();
        let Some(bytes) = contents.get(path) else {
            return self.scripted.lock().unwrap().content(path, most);
        };
        Ok(Some(Content {
            bytes: bytes.clone(),
            size: bytes.len() as u64,
            executable: None,
        }))
    }
}

/// Runs nothing, and counts.
#[derive(Default)]
pub struct Hands {
    pub ran: Mutex<Vec<String>>,
    pub fails: AtomicBool,
    pub breaks: AtomicBool,
}

impl Run for Hands {
    fn capabilities(&self) -> sayso_core::answer::runner::RunnerCapabilities<'_> {
        sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY
    }

    fn run<'a>(&'a self, approved: Approved) -> Later<'a, Ran> {
        self.ran
            .lock()
            .unwrap()
            .push(sayso_core::answer::explain::subject(approved.operation()));
        assert!(!self.breaks.load(Ordering::SeqCst), "the tool breaks");
        let failed = self.fails.load(Ordering::SeqCst);
        Box::pin(async move {
            if failed {
                Ran::failed("no such file")
            } else {
                Ran::Done(Node::text("done"))
            }
        })
    }
}

/// A store in memory that can be full.
#[derive(Default)]
pub struct Shelf {
    pub memory: Memory,
    pub full: AtomicBool,
    /// Another call uses up the next grant first.
    pub taken: AtomicBool,
}

impl Store for Shelf {
    fn grants(&self) -> Arc<Vec<Grant>> {
        self.memory.grants()
    }

    fn remember(&self, grant: Grant) -> Result<(), StoreError> {
        if self.full.load(Ordering::SeqCst) {
            Err(StoreError::failed("the disk is full"))
        } else {
            self.memory.remember(grant)
        }
    }

    fn take(&self, grant: &str) -> bool {
        let is_taken = self.taken.swap(false, Ordering::SeqCst);
        self.memory.take(grant) && !is_taken
    }

    fn append(&self, entry: &Entry) -> Result<(), StoreError> {
        if self.full.load(Ordering::SeqCst) {
            Err(StoreError::failed("the disk is full"))
        } else {
            self.memory.append(entry)
        }
    }
}

/// A gate with everything around it.
pub struct Room {
    pub gate: Gate,
    pub person: Arc<Simulated>,
    pub world: Arc<Living>,
    pub hands: Arc<Hands>,
    pub shelf: Arc<Shelf>,
    /// Everything that is told, in order.
    pub events: Recorder,
}

impl Room {
    /// A profile, how the run treats questions, and what the person will say.
    pub fn new(profile: &str, how: How, script: &[Say]) -> Room {
        Room::with(&Setup::profile(profile), how, script)
    }

    pub fn with(setup: &Setup, how: How, script: &[Say]) -> Room {
        let person = Arc::new(Simulated::new(script.iter().cloned()));
        Room::asking(setup, how, Arc::clone(&person) as Arc<dyn Ask>, person)
    }

    /// The same, with somebody else who asks.
    pub fn asking(setup: &Setup, how: How, ask: Arc<dyn Ask>, person: Arc<Simulated>) -> Room {
        let world = Arc::new(Living::default());
        *world.scripted.lock().unwrap() = setup.world.clone();
        for path in [
            "/ws/docs/README.md",
            "/ws/src/main.rs",
            "/ws/README.md",
            "/ws/core/application.py",
            "/ws/.env",
            "/ws/package.json",
        ] {
            world
                .contents
                .lock()
                .unwrap()
                .insert(path.to_owned(), b"one\ntwo old three\n".to_vec());
        }
        let (hands, shelf) = (Arc::new(Hands::default()), Arc::new(Shelf::default()));
        let ports = Ports {
            world: Arc::clone(&world) as Arc<dyn World + Send + Sync>,
            ask,
            run: Arc::clone(&hands) as _,
            store: Arc::clone(&shelf) as _,
        };
        let gate = Gate::new(ports, Arc::new(setup.policy.clone()), how, Arc::new(|| NOW));
        let events = gate.events.record();
        Room {
            gate,
            person,
            world,
            hands,
            shelf,
            events,
        }
    }

    pub fn call(&self, call: Call) -> Finished {
        pollster::block_on(self.gate.call(Call {
            session: "s".to_owned(),
            ..call
        }))
    }

    pub fn kinds(&self) -> Vec<EventKind> {
        self.events.kinds()
    }

    pub fn ran(&self) -> Vec<String> {
        self.hands.ran.lock().unwrap().clone()
    }

    /// The entries as short words.
    pub fn entries(&self) -> Vec<&'static str> {
        let word = |entry: &Entry| match entry.what {
            What::Decided { .. } => "decided",
            What::Asked { .. } => "asked",
            What::Resumed => "resumed",
            What::Finished { .. } => "finished",
            What::Granted { .. } => "granted",
            What::Revoked { .. } => "revoked",
            What::Mode { .. } => "mode",
            What::Trouble(_) => "trouble",
        };
        self.shelf.memory.entries().iter().map(word).collect()
    }
}
