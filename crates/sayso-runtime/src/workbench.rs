//! A gate with sayso's own tools behind it and the journal beside it: what `run` and `demo` work with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sayso_core::answer::grant::Grant;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::verdict::Reason;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::call::tool::Role;
use sayso_core::call::url::Url;
use sayso_core::policy::Policy;
use sayso_core::policy::decision::Decision;
use sayso_core::policy::settings::Resolved;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::entry::Entry;
use sayso_gate::error::StoreError;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::pipeline::{Bench, judge};
use sayso_gate::ports::{Ask, Store};
use sayso_store::journal::{Journal, JournalError};
use sayso_tools::change_error::ChangeError;
use sayso_tools::files::{Files, Settings};
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;
use thiserror::Error;

use crate::assemble::RealWorld;
use crate::decision_log::DecisionLog;
use crate::mcp_servers::Servers;
use crate::outlook::{Others, OwnToolsWorld};
use crate::recorder::{RecordError, Recorder};
use crate::runner::{Hop, HopError, HostTool, Runner, Told};
use crate::sandbox::error::NoSandboxHere;
use crate::sandbox::profile::{Bounding, SessionEnd};

/// Why no work can be done here.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum OpenError {
    #[error("the policy cannot be read, so everything is denied")]
    Policy,
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Files(#[from] ChangeError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    NoSandbox(#[from] NoSandboxHere),
}

/// What a workbench is made of.
pub struct Parts {
    /// Where sayso's own things are.
    pub whereabouts: Whereabouts,
    /// The folder that is worked in.
    pub workspace: PathBuf,
    /// What is allowed.
    pub policy: Arc<Policy>,
    /// How questions are treated.
    pub how: How,
    /// Judge and show, and run nothing.
    pub dry_run: bool,
    /// Who is asked.
    pub ask: Arc<dyn Ask>,
    /// Who is told what goes on.
    pub told: Told,
    /// Functions of the host, by the names of their tools.
    pub host: Vec<(String, HostTool)>,
    /// The person pressed Ctrl-C.
    pub stopped: Arc<AtomicBool>,
    /// What was answered before, for a process that runs one approved call and asks nobody: it looks nothing up and keeps no answer.
    pub known: Option<Vec<Grant>>,
}

/// A gate with tools.
pub struct Workbench {
    /// The gate.
    pub gate: Gate,
    /// The record.
    pub recorder: Arc<Recorder>,
    /// What was found of work that was cut off, in words for the person.
    pub remarks: Vec<String>,
}

/// What holds for everybody, of a policy that could be read.
pub fn settings(policy: &Policy) -> Option<&Resolved> {
    policy.views().first().map(|view| &view.general.settings)
}

impl Workbench {
    /// Puts the parts together. What an earlier run left half done is cleared up first.
    pub fn open(parts: Parts) -> Result<Workbench, OpenError> {
        Workbench::open_with(parts, None)
    }

    /// The same, with MCP servers behind the gate. Their calls go through [`Servers::known`] before they come to the gate.
    pub fn open_with(parts: Parts, servers: Option<Arc<Servers>>) -> Result<Workbench, OpenError> {
        let Parts {
            whereabouts,
            workspace,
            policy,
            how,
            dry_run,
            ask,
            told,
            host,
            stopped,
            known,
        } = parts;
        let settings = settings(&policy).ok_or(OpenError::Policy)?;
        let journal = Journal::open(&whereabouts.state)?;
        let recorder = Arc::new(
            Recorder::new(journal, whereabouts.uid, settings)
                .with_log(DecisionLog::new(settings, whereabouts.home.as_deref())),
        );
        let files = Arc::new(Files::open(&whereabouts.state, Settings::default())?);
        let end = match known {
            None => SessionEnd::ThisProcess,
            Some(_) => SessionEnd::Agent,
        };
        let bounding = Bounding::new(whereabouts.clone(), &policy, settings).with_sessions(end);
        let mut remarks = if known.is_none() {
            recover(&files, &recorder, &bounding, &workspace)?
        } else {
            Vec::new()
        };
        let private = settings.private_addresses;
        bounding.insist()?;
        let contains = bounding.contains() && {
            let terms = settings.terms(&workspace.to_string_lossy());
            let kept = bounding.keeps(&workspace, &terms, &files);
            remarks.extend(kept.as_ref().err().map(|why| {
                format!("commands are asked about, in spite of `sandbox.auto_allow`: {why}")
            }));
            kept.is_ok()
        };
        let machine = || Machine::new(whereabouts.clone()).guarding(policy.installed());
        let others = Others {
            host: host.iter().map(|(name, _)| name.clone()).collect(),
            servers: servers.is_some(),
        };
        let world = || OwnToolsWorld {
            world: RealWorld(machine()),
            files: Arc::clone(&files),
            others: others.clone(),
        };
        let hop = hop(world(), Arc::clone(&policy), how);
        let runner = host
            .into_iter()
            .fold(
                Runner::new(Arc::clone(&files), stopped, told, hop, private, bounding),
                |runner, (name, tool)| runner.with(&name, tool),
            )
            .with_servers(servers)
            .containing(contains);
        let store: Arc<dyn Store> = match known {
            None => Arc::<Recorder>::clone(&recorder),
            Some(grants) => Arc::new(ForOneCall {
                recorder: Arc::clone(&recorder),
                grants: Arc::new(grants),
            }),
        };
        let ports = Ports {
            world: Arc::new(world()),
            ask,
            run: Arc::new(runner),
            store,
        };
        let gate = Gate::new(ports, policy, how, Arc::new(now));
        Ok(Workbench {
            gate: if dry_run { gate.dry() } else { gate },
            recorder,
            remarks,
        })
    }
}

/// Writes everything down, and knows no more answers than it was given: no database is opened for one call.
struct ForOneCall {
    recorder: Arc<Recorder>,
    grants: Arc<Vec<Grant>>,
}

impl Store for ForOneCall {
    fn grants(&self) -> Arc<Vec<Grant>> {
        Arc::clone(&self.grants)
    }

    fn remember(&self, _: Grant) -> Result<(), StoreError> {
        Err(StoreError::KeepsNothing)
    }

    fn take(&self, _: &str) -> bool {
        false
    }

    fn append(&self, entry: &Entry) -> Result<(), StoreError> {
        self.recorder.append(entry)
    }
}

/// Clears up after runs that were cut off, and writes down what came of them.
fn recover(
    files: &Files,
    recorder: &Recorder,
    bounding: &Bounding,
    workspace: &Path,
) -> Result<Vec<String>, RecordError> {
    let recovered = bounding.knowing(workspace, &[], |rules| files.recover_knowing(rules));
    let list =
        |ids: &[String]| -> Node { Value::List(ids.iter().map(Node::text).collect()).into() };
    if recovered.whole.is_empty() && recovered.never.is_empty() && recovered.left.is_empty() {
        return Ok(Vec::new());
    }
    recorder.note(
        "recovered",
        vec![
            ("whole", list(&recovered.whole)),
            ("never", list(&recovered.never)),
            ("left", list(&recovered.left)),
        ],
    )?;
    let mut remarks = Vec::new();
    let shown = |ids: &[String]| {
        ids.iter()
            .map(|id| format!("`{}`", visible(id)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    if !recovered.whole.is_empty() {
        remarks.push(format!(
            "an earlier run was cut off; these changes are whole: {}",
            shown(&recovered.whole)
        ));
    }
    if !recovered.never.is_empty() {
        remarks.push(format!(
            "an earlier run was cut off; these changes did not happen: {}",
            shown(&recovered.never)
        ));
    }
    remarks.extend(recovered.left.iter().map(|left| {
        format!(
            "an earlier run was cut off, and something is left: {}",
            visible(left)
        )
    }));
    Ok(remarks)
}

/// A redirect is judged like a fetch of its own. Where that would ask, the yes to the first address covers its own site only.
fn hop(world: OwnToolsWorld, policy: Arc<Policy>, how: How) -> Hop {
    Box::new(move |operation: &Operation, url: &Url| {
        let call = Call {
            cwd: operation.cwd(),
            agent: operation.agent().clone(),
            session: operation.session().to_owned(),
            ..Call::new(
                "webfetch",
                Node::map([("url", Node::text(&url.written))]),
                operation.workspace(),
            )
        };
        let next = Operation::freeze(call).map_err(HopError::Malformed)?;
        let bench = Bench {
            world: &world,
            policy: &policy,
            grants: &[],
            uses: None,
            run: how,
            now: now(),
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        let verdict = judge(&bench, &next).verdict;
        let first = Url::parse(operation.text(Role::Url).unwrap_or_default()).ok();
        let same_site = first.is_some_and(|first| {
            first.scheme == url.scheme && first.host == url.host && first.port == url.port
        });
        let why = verdict
            .reasons
            .first()
            .map(Reason::text)
            .unwrap_or_default();
        match verdict.decision {
            Decision::Allow => Ok(()),
            Decision::Ask if same_site => Ok(()),
            Decision::Ask => Err(HopError::OtherSite(url.written.clone())),
            Decision::Deny => Err(HopError::Denied {
                url: url.written.clone(),
                why,
            }),
        }
    })
}

/// The time, in seconds since 1970.
pub fn now() -> i64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
