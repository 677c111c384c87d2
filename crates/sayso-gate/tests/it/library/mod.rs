//! The gate as a library: what somebody who builds an agent relies on.

mod answering;
mod asking;
mod building;

mod example;
mod presenting;
mod wrapping;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pollster::block_on;
use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_gate::library::{
    Builder, GatedError, GatedTools, Request, Say, Simulated, World, simulate_user_approval,
};
use sayso_gate::memory::Memory;
use sayso_gate::ports::Content;
use sayso_gate::seal::Sealed;

use crate::world::{Scripted, WORKSPACE};

/// The table of files, which change only when a test says so; it counts who reads them.
#[derive(Default)]
pub struct Still {
    files: Scripted,
    reads: AtomicUsize,
    changes: AtomicUsize,
}

impl Still {
    pub fn project() -> Arc<Self> {
        Arc::new(Still {
            files: Scripted::project(),
            ..Still::default()
        })
    }

    /// From now on every file is another one.
    pub fn change(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    pub fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }
}

impl World for Still {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.files.answer(cwd, workspace, questions)
    }

    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        Some(Digest::of_bytes(
            format!("{files:?} {:?}", self.changes).as_bytes(),
        ))
    }

    fn content(&self, _: &str, _: u64) -> Result<Option<Content>, sayso_gate::error::ContentError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        Ok(Some(Content {
            bytes: b"a\n".to_vec(),
            size: 2,
            executable: None,
        }))
    }
}

/// An agent whose person answers by a script.
pub struct Setup {
    pub agent: GatedTools,
    pub world: Arc<Still>,
    pub person: Arc<Simulated>,
    pub store: Arc<Memory>,
}

impl Setup {
    pub fn new(
        script: impl IntoIterator<Item = Say>,
        make: impl FnOnce(Builder) -> Builder,
    ) -> Setup {
        let (person, store) = (
            Arc::new(simulate_user_approval(script)),
            Arc::new(Memory::new()),
        );
        let world = Still::project();
        let builder = GatedTools::builder(WORKSPACE, world.clone())
            .person(person.clone())
            .store(store.clone())
            .clock(Arc::new(|| 1_000_000));
        Setup {
            agent: make(builder).build().unwrap(),
            world,
            person,
            store,
        }
    }

    /// How far a request is approved, and how.
    pub fn ask(&self, request: Request) -> Result<(Scope, Outcome), GatedError> {
        let approved = block_on(self.agent.request_approval(request))?;
        Ok((self.agent.scope(&approved), approved.outcome()))
    }

    pub fn asked(&self) -> usize {
        self.person.seen().len()
    }
}

/// Arguments that are texts.
pub fn args<const N: usize>(entries: [(&str, &str); N]) -> Node {
    Node::map(entries.map(|(key, text)| (key, Node::text(text))))
}

pub fn number(text: &str) -> Node {
    Value::Number(text.to_owned()).into()
}
