//! What requests of an agent are judged with, and which of the calls that a request comes to stands for it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::analysis::risk::Risk;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::runner::{NoSandbox, RunnerCapabilities};
use sayso_core::answer::verdict::{Confirm, Verdict};
use sayso_core::call::operation::{Agent, Call, Operation, ToolSays};

use sayso_core::policy::decision::Decision;
use sayso_core::text::node::Node;
use sayso_gate::pipeline::{self, judge};
use sayso_gate::ports::{Ask, Store as _};
use sayso_world::machine::Machine;

use super::message::MessageError;
use super::wanted::{One, Wanted};
use crate::error::{GatewayError, below};
use crate::rpc::workspace_gates::{Bench, Benches};
use crate::rpc::{now, random_word};
use sayso_runtime::assemble::{Choice, RealWorld};

/// So many sessions are remembered for the end.
const MOST_SESSIONS: usize = 4096;

/// Judges requests.
pub(super) struct Judge {
    /// The agent, by the name that rules have for it.
    pub agent: String,
    /// The folder that the gateway was started in.
    folder: String,
    benches: Benches,
    /// This run of the gateway.
    run: String,
    number: AtomicU64,
    sessions: Mutex<BTreeSet<(String, String)>>,
}

impl Judge {
    /// A judge for one agent.
    ///
    /// # Errors
    /// When sayso's own folders cannot be found.
    pub(super) fn new(
        agent: String,
        folder: String,
        choice: Choice,
        ask: Arc<dyn Ask>,
    ) -> Result<Judge, GatewayError> {
        let (benches, run) = (
            Benches::new(choice, ask, Some(NoSandbox::AgentAndEditor))?,
            format!("acp-{}", random_word()?),
        );
        Ok(Judge {
            agent,
            folder,
            benches,
            run,
            number: AtomicU64::new(0),
            sessions: Mutex::default(),
        })
    }

    /// What is in force in a folder now.
    ///
    /// # Errors
    /// When there is no policy, or nothing can be written down.
    pub(super) fn bench(&self, folder: &str) -> Result<Arc<Bench>, GatewayError> {
        self.benches.of(folder)
    }

    /// An id for the next call.
    pub(super) fn next_id(&self) -> String {
        format!(
            "{}.{}",
            self.run,
            self.number.fetch_add(1, Ordering::Relaxed) + 1
        )
    }

    /// A session as the record and answers know it: two runs never share one.
    fn session(&self, session: &str, folder: &str) -> String {
        let is_plain = session.len() <= 64
            && session
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
        let name = if is_plain {
            session.to_owned()
        } else {
            sayso_core::text::digest::Digest::of_bytes(session.as_bytes()).to_string()
        };
        let name = format!("{}.{name}", self.run);
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() < MOST_SESSIONS {
            sessions.insert((folder.to_owned(), name.clone()));
        }
        name
    }

    /// The call that stands for a request: the strictest of all that it comes to.
    ///
    /// # Errors
    /// When one of them is malformed.
    pub(super) fn call(
        &self,
        bench: &Bench,
        id: &str,
        session: &str,
        folder: &str,
        wanted: &Wanted,
        says: &ToolSays,
    ) -> Result<Call, MessageError> {
        let session = self.session(session, folder);
        let call = |one: &One| {
            let mut call = Call {
                id: id.to_owned(),
                agent: Agent {
                    name: self.agent.clone(),
                    parents: Vec::new(),
                },
                session: session.clone(),
                ..Call::new(&one.tool, one.args.clone(), folder)
            };
            call.says = says.clone();
            call
        };
        let weigh = |call: &Call| -> Result<Verdict, MessageError> {
            let (policy, grants, spent) = (
                bench.gate.policy(),
                bench.recorder.grants(),
                bench.recorder.spent(),
            );
            let world = RealWorld(
                Machine::new(self.benches.whereabouts.clone()).guarding(policy.installed()),
            );
            let judging = pipeline::Bench {
                world: &world,
                policy: &policy,
                grants: &grants,
                uses: spent
                    .as_deref()
                    .map(|spent| spent as &dyn sayso_core::decide::Uses),
                run: How::Interactive,
                now: now(),
                runner: RunnerCapabilities::without_sandbox(&NoSandbox::AgentAndEditor),
                trace: false,
            };
            let operation = Operation::freeze(call.clone())
                .map_err(|malformed| MessageError::Malformed(malformed.0))?;
            Ok(judge(&judging, &operation).verdict)
        };
        let rank = |verdict: &Verdict| (verdict.decision, verdict.confirm);
        let mut chosen: Option<(Call, (Decision, Confirm))> = None;
        for one in &wanted.calls {
            let call = call(one);
            let rank = rank(&weigh(&call)?);
            if chosen.as_ref().is_none_or(|(_, known)| rank > *known) {
                chosen = Some((call, rank));
            }
        }
        for one in &wanted.perhaps {
            let call = call(one);
            // What is only guessed may well be no call at all.
            let Ok(verdict) = weigh(&call) else { continue };
            let counts = match verdict.decision {
                Decision::Deny => true,
                Decision::Ask => verdict.confirm == Confirm::Double || verdict.risk == Risk::High,
                Decision::Allow => false,
            };
            if counts
                && chosen
                    .as_ref()
                    .is_none_or(|(_, known)| rank(&verdict) > *known)
            {
                chosen = Some((call, rank(&verdict)));
            }
        }
        chosen.map(|(call, _)| call).ok_or(MessageError::Nothing)
    }

    /// Writes down something that belongs to no call.
    pub(super) fn note(&self, kind: &str, why: &str) -> Result<(), GatewayError> {
        let fields = [
            ("session", &self.run),
            ("agent", &self.agent),
            ("why", &why.to_owned()),
        ];
        let fields = fields
            .into_iter()
            .map(|(key, text)| (key, sayso_store::record::text(text)))
            .collect::<Vec<(&'static str, Node)>>();
        let bench = self.bench(&self.folder)?;
        bench.recorder.note(kind, fields).map_err(below)
    }

    /// This run is over, and what was granted for its sessions.
    pub(super) fn end(&self) {
        let sessions =
            std::mem::take(&mut *self.sessions.lock().unwrap_or_else(PoisonError::into_inner));
        for (folder, session) in sessions {
            if let Some(bench) = self.benches.last(&folder) {
                // Such a grant ends by itself, too.
                let _ = bench.recorder.end_session(&session);
            }
        }
    }
}
