//! Bounds commands: which sandbox this machine has, and what each command that needs one may do in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sayso_core::analysis::fact::{Fact, Ignored, Question};
use sayso_core::call::operation::Operation;
use sayso_core::paths::ExtraProtected;
use sayso_core::policy::settings::{AutoAllow, Resolved, SandboxFallback};
use sayso_core::policy::terms::{Network, Terms};
use sayso_core::policy::{MissingSandbox, Policy};
use sayso_sandbox::backend::Backend;
use sayso_sandbox::caches;
use sayso_sandbox::derive::{Around, derive};
use sayso_sandbox::profile::{Level, Profile};
use sayso_sandbox::session::SessionLimits;
use sayso_sandbox::start::Sandbox;
use sayso_tools::files::{About, Files};
use sayso_tools::list_workspace::{Git, Rules};
use sayso_tools::private_folder;
use sayso_tools::terminal::scrubbed;
use sayso_tools::web;
use sayso_tools::workspace_backup::{KeepLimits, Keeping};
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;

use crate::sandbox::error::{BoundError, KeepError, NoSandboxHere};
use crate::sandbox::session::Sessions;
use crate::sandbox::{git_identity, session};

/// What bounds commands here.
#[derive(Clone)]
pub struct Bounding {
    whereabouts: Whereabouts,
    /// The person's home folder, by where it really is.
    home: Option<PathBuf>,
    protected: Vec<ExtraProtected>,
    required: bool,
    auto_allow: AutoAllow,
    refuse_tools: bool,
    keep: KeepLimits,
    /// Where the person's programs are looked for; relative ones are below the workspace.
    search_path: Vec<PathBuf>,
    /// The network that every command has.
    network: Network,
    session_limits: SessionLimits,
    /// With what sessions end; none: each command has a sandbox to itself.
    sessions: Option<Sessions>,
}

/// With which process the sandbox of a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// With this one, which is there for the whole session.
    ThisProcess,
    /// With the agent above this one, which runs a single command of its session.
    Agent,
}

/// A command's sandbox.
pub struct Bounded {
    /// What sets it up.
    pub sandbox: Sandbox,
    /// What the command may do.
    pub profile: Profile,
    /// The workspace.
    pub workspace: PathBuf,
}

impl Bounding {
    /// What a policy says of sandboxes, for this machine.
    pub fn new(whereabouts: Whereabouts, policy: &Policy, settings: &Resolved) -> Bounding {
        // Whoever protects something, in whatever file and for whatever agent: a sandbox is for all of them.
        let parts = policy
            .views()
            .iter()
            .flat_map(|view| view.agents.values().chain([&view.general]));
        Bounding {
            home: whereabouts
                .home
                .as_ref()
                .map(|home| std::fs::canonicalize(home).unwrap_or_else(|_| home.clone())),
            whereabouts,
            protected: parts
                .flat_map(|part| part.settings.protected_paths.clone())
                .collect(),
            required: settings.sandbox_require,
            auto_allow: settings.sandbox_auto_allow,
            refuse_tools: settings.sandbox_fallback == SandboxFallback::RefuseTools,
            keep: KeepLimits {
                names: usize::try_from(settings.sandbox_keep_names).unwrap_or(usize::MAX),
                bytes: settings.sandbox_keep_bytes,
            },
            search_path: std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
                .collect(),
            network: settings.sandbox_network.clone(),
            session_limits: session::limits(settings),
            sessions: None,
        }
    }

    /// Commands enter the sandbox of their session.
    #[must_use]
    pub fn with_sessions(mut self, end: SessionEnd) -> Bounding {
        self.sessions = Some(Sessions::new(&self.whereabouts.state, end));
        self
    }

    pub(super) fn without_sessions(&self) -> Bounding {
        Bounding {
            sessions: None,
            ..self.clone()
        }
    }

    /// Whether a command can run unasked because a sandbox bounds it: the policy says so, and there is one that bounds all of it.
    pub fn contains(&self) -> bool {
        self.auto_allow == AutoAllow::RunInWorkspace && Backend::full().is_ok()
    }

    /// Whether sayso may start: with `require: true` it does not without a sandbox, unless it is told to refuse commands instead.
    ///
    /// # Errors
    /// Why there is no sandbox.
    pub fn insist(&self) -> Result<(), NoSandboxHere> {
        // Only where it matters is it tried.
        if !self.required || self.refuse_tools {
            return Ok(());
        }
        Ok(Backend::full().map(drop)?)
    }

    /// The sandbox for an approved call; none where its terms need none.
    ///
    /// # Errors
    /// Why it cannot be bounded; then it must not run.
    pub fn bound(
        &self,
        operation: &Operation,
        terms: &Terms,
    ) -> Result<Option<Bounded>, BoundError> {
        if !terms.sandbox_required && !terms.contained {
            return Ok(None);
        }
        let backend = Backend::full()?;
        let cwd = PathBuf::from(operation.cwd());
        let mut bounded = self.profile(backend, Path::new(operation.workspace()), &cwd, terms)?;
        bounded.sandbox.session = self
            .sessions
            .as_ref()
            .and_then(|sessions| session::choice(self, operation, terms, sessions));
        Ok(Some(bounded))
    }

    /// What every command of a session may do at least, seen from one of them.
    pub(super) fn base(&self, workspace: &Path, terms: &Terms) -> Option<Profile> {
        let network = match terms.network.meet(&self.network) {
            Network::Everything => Network::Everything,
            // What goes through a proxy has one of its own.
            _ => Network::Nothing,
        };
        let base = |contained: bool| {
            let terms = Terms {
                contained,
                network: network.clone(),
                reads: Vec::new(),
                changes: Vec::new(),
                repository: false,
                environment: Vec::new(),
                time_limit: None,
                ..terms.clone()
            };
            let backend = Backend::full().ok()?;
            let bounded = self.profile(backend, workspace, workspace, &terms).ok()?;
            Some(Profile {
                environment: Vec::new(),
                ..bounded.profile
            })
        };
        let contained = (self.auto_allow == AutoAllow::RunInWorkspace)
            .then(|| base(true))
            .flatten();
        contained.or_else(|| base(false))
    }

    /// How much the sandbox of a session may take.
    pub(super) fn session_limits(&self) -> SessionLimits {
        self.session_limits
    }

    /// Whether what commands do in a workspace can be taken back: only then do they run unasked there.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn keeps(&self, workspace: &Path, terms: &Terms, files: &Files) -> Result<(), KeepError> {
        let backend = Backend::full()?;
        let bounded = self.profile(
            backend,
            workspace,
            workspace,
            &Terms {
                contained: true,
                ..terms.clone()
            },
        )?;
        self.knowing(workspace, &hidden(&bounded.profile), |rules| {
            let real = std::fs::canonicalize(workspace)?;
            let kept = Keeping::before(files, About::default(), &real, self.keep, rules);
            Ok(kept.map(Keeping::cancel)?)
        })
    }

    /// Does something with what git ignores in a workspace, and what commands do not see there.
    pub fn knowing<T>(
        &self,
        workspace: &Path,
        hidden: &[PathBuf],
        work: impl FnOnce(Rules<'_>) -> T,
    ) -> T {
        let real = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_owned());
        let machine = self.machine();
        let git = |path: &Path, _: bool| git(&machine, &real, path);
        work(Rules { git: &git, hidden })
    }

    /// How much of a workspace is kept before a contained command.
    pub fn keep(&self) -> KeepLimits {
        self.keep
    }

    /// Looks at the machine.
    pub fn machine(&self) -> Machine {
        Machine::new(self.whereabouts.clone())
    }

    /// The person's home folder.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// sayso's own folder.
    pub fn state(&self) -> &Path {
        &self.whereabouts.state
    }

    /// Whether the policy protects a path besides the built-in names.
    pub fn is_protected(&self, path: &Path, workspace: &Path) -> bool {
        let (text, folder) = (path.to_string_lossy(), workspace.to_string_lossy());
        let home = self.home().map(Path::to_string_lossy);
        self.is_found_by_name(path, workspace)
            || self
                .protected
                .iter()
                .any(|extra| extra.matches(&text, &folder, home.as_deref()).is_some())
    }

    /// Whether it is in a folder of the workspace that the person's programs are looked for in: what is there runs by its name alone.
    fn is_found_by_name(&self, path: &Path, workspace: &Path) -> bool {
        let mut below = self
            .search_path
            .iter()
            .filter(|folder| folder.is_relative() || folder.starts_with(workspace));
        below.any(|folder| {
            let folder: PathBuf = workspace.join(folder).components().collect();
            folder != workspace && path.starts_with(folder)
        })
    }

    /// The sandbox of terms, with this back end.
    ///
    /// # Errors
    /// Why there cannot be one.
    pub fn profile(
        &self,
        backend: Backend,
        workspace: &Path,
        cwd: &Path,
        terms: &Terms,
    ) -> Result<Bounded, BoundError> {
        let home = self.whereabouts.home.as_deref();
        let mut environment = scrubbed(std::env::vars_os());
        let caches = caches::variables(std::env::vars_os());
        let is_new =
            |(name, _): &(OsString, OsString)| environment.iter().all(|(known, _)| known != name);
        let caches: Vec<_> = caches.into_iter().filter(is_new).collect();
        environment.extend(caches);
        environment.extend(home.map(git_identity::variables).unwrap_or_default());
        let folder = self.whereabouts.state.join("sandbox");
        private_folder::make(&folder)?;
        let own = [
            self.whereabouts.state.clone(),
            self.whereabouts.config.clone(),
        ];
        let real = std::fs::canonicalize(workspace).map_err(BoundError::Workspace)?;
        let protected = |path: &Path| self.is_protected(path, &real);
        let around = Around {
            workspace,
            cwd,
            home,
            own: &own,
            environment: &environment,
            caches: None,
            protected: &protected,
        };
        let profile = derive(terms, around)?;
        let connect = |host: &str, port: u16| Ok(web::connect(host, port)?);
        let sandbox = Sandbox {
            backend,
            folder,
            program: self.whereabouts.binary.clone(),
            connect: Some(Arc::new(connect)),
            watch: true,
            session: None,
        };
        Ok(Bounded {
            sandbox,
            profile,
            workspace: workspace.to_owned(),
        })
    }
}

/// What a policy refuses on this machine because it requires an OS sandbox and there is none.
///
/// `refuse_tools` counts without `require`, too: whoever writes it wants no tools without a sandbox.
pub fn missing_sandbox(policy: &Policy) -> Option<MissingSandbox> {
    let settings: Vec<&Resolved> = policy
        .views()
        .iter()
        .map(|view| &view.general.settings)
        .collect();
    let refuses_tools = settings
        .iter()
        .any(|settings| settings.sandbox_fallback == SandboxFallback::RefuseTools);
    let fails = settings.iter().any(|settings| {
        settings.sandbox_require && settings.sandbox_fallback == SandboxFallback::FailFast
    });
    if !refuses_tools && !fails {
        return None;
    }
    let none = Backend::full().err()?;
    let (refused, key) = match fails {
        true => ("every tool is refused", "sandbox.require"),
        false => (
            "file and shell tools are refused",
            "sandbox.fallback: refuse_tools",
        ),
    };
    let why = format!(
        "{refused} (`{key}`), since the policy requires an OS sandbox and there is none: {none}; install bubblewrap, or change `sandbox` in your policy"
    );
    Some(MissingSandbox {
        why,
        only_files_and_commands: !fails,
    })
}

/// What a profile hides by its path. A command cannot change it, so it is neither read nor kept.
pub fn hidden(profile: &Profile) -> Vec<PathBuf> {
    let paths = profile.paths.iter();
    paths
        .filter(|(_, level)| **level == Level::Hidden)
        .map(|(path, _)| path.clone())
        .collect()
}

/// What git says of a path. What is not known is kept.
fn git(machine: &Machine, workspace: &Path, path: &Path) -> Git {
    let (Some(workspace), Some(text)) = (workspace.to_str(), path.to_str()) else {
        return Git::Keeps;
    };
    let question = Question::Path {
        path: text.to_owned(),
        no_follow: true,
    };
    let facts = machine.answer(workspace, workspace, &[question]);
    match facts.answers.first() {
        Some(Some(Fact::Path(fact))) => match fact.ignored {
            Ignored::Yes => Git::Ignores,
            Ignored::NoRepository => Git::NoRepository,
            Ignored::No | Ignored::Unknown => Git::Keeps,
        },
        _ => Git::Keeps,
    }
}
