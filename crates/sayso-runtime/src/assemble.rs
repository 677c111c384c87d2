//! Puts the parts together: policy files of this machine and workspace into one policy.

use std::path::Path;
use std::time::Duration;

use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::analysis::own_files::InstalledPath;
use sayso_core::answer::grant::Grant;
use sayso_core::policy::mode::Mode;
use sayso_core::policy::read::{Format, Layer, Origin, read};
use sayso_core::policy::settings::Sourced;
use sayso_core::policy::{COMMAND_LINE, Overrides, Policy};
use sayso_core::text::diagnostic::{Diagnostic, Severity, Source};
use sayso_core::text::digest::Digest;
use sayso_gate::error::ContentError;
use sayso_gate::ports::{Content, Copies, Tally, World};
use sayso_gate::seal::Sealed;
use sayso_shell::Bash;
use sayso_world::content;
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;
use sayso_world::policy_files::{self, FileLayer, PolicyFile};
use sayso_world::seal::{self, Bound};
use sayso_world::tally;

use crate::sandbox::profile;
use crate::{grant_cache, rules_layer};

/// What flags say about the policy.
#[derive(Clone, Debug)]
pub struct Choice {
    /// `--policy`: this file stands above all others.
    pub file: Option<std::path::PathBuf>,
    /// `--profile`.
    pub profile: Option<String>,
    /// `--mode`.
    pub mode: Option<Mode>,
    /// The file only tightens until the person trusts its content: whoever named it may be an agent.
    pub only_tightens: bool,
    /// `SAYSO_MODE` and `SAYSO_PROFILE` do not count: an agent starts sayso, and the environment is the agent's.
    pub ignores_environment: bool,
    /// Grants of other sessions may be left out.
    pub session: Option<String>,
    /// Finds the files of agents that start sayso, which are protected like its own.
    pub installed: FindInstalled,
}

/// Finds what counts as sayso's own on this machine because sayso is installed there.
pub type FindInstalled = fn(&Whereabouts) -> Vec<InstalledPath>;

impl Choice {
    /// No flags. Who knows the agents says where sayso is installed; there is no default, so that no door can forget it.
    pub fn new(installed: FindInstalled) -> Choice {
        Choice {
            file: None,
            profile: None,
            mode: None,
            only_tightens: false,
            ignores_environment: false,
            session: None,
            installed,
        }
    }
}

/// A policy, and everything that was found wrong on the way.
#[derive(Debug)]
pub struct Loaded {
    /// The policy; broken if any file could not be read.
    pub policy: Policy,
    /// What was answered before and may still hold.
    pub grants: Vec<Grant>,
    /// Grants of other sessions than that of the choice were left out.
    pub is_apart: bool,
    /// The files that were looked at, with what was found in each.
    pub files: Vec<ReadFile>,
}

/// One policy file after reading.
#[derive(Debug)]
pub struct ReadFile {
    /// Its name.
    pub name: String,
    /// Its text, where there is one.
    pub text: String,
    /// Where it stands.
    pub origin: Origin,
    /// What was found.
    pub findings: Vec<Diagnostic>,
    /// Why it could not be opened.
    pub unreadable: Option<String>,
}

impl Loaded {
    /// Refuses tools where the policy requires a sandbox and this machine has none.
    pub fn look_for_sandbox(&mut self) {
        if let Some(missing) = profile::missing_sandbox(&self.policy) {
            self.policy.refuse_without_sandbox(missing);
        }
    }
}

impl ReadFile {
    /// Whether it cannot be used.
    pub fn is_broken(&self) -> bool {
        self.unreadable.is_some()
            || self
                .findings
                .iter()
                .any(|finding| finding.severity == Severity::Error)
    }

    /// All findings for people.
    pub fn render(&self) -> String {
        let source = Source {
            name: &self.name,
            text: &self.text,
        };
        let mut out: String = self
            .findings
            .iter()
            .map(|finding| finding.render(source))
            .collect();
        if let Some(why) = &self.unreadable {
            out.push_str(&format!(
                "{}: error: {}\n",
                sayso_core::text::visible::visible(&self.name),
                sayso_core::text::visible::visible(why)
            ));
        }
        out
    }
}

/// What has to be said at each start: that a file, and not a flag of this run, says that nothing is asked.
pub fn warning_at_start(policy: &Policy) -> Option<String> {
    let is_of_file =
        |mode: &&Sourced<Mode>| mode.value == Mode::TrustAll && mode.source != COMMAND_LINE;
    let mode = policy
        .views()
        .first()?
        .settings
        .mode
        .as_ref()
        .filter(is_of_file)?;
    let (source, word) = (
        sayso_core::text::visible::visible(&mode.source),
        mode.value.word(),
    );
    Some(format!(
        "sayso: warning: the mode is {word} ({source}): nothing is asked about, and everything that is not denied runs"
    ))
}

/// Loads the policy for a workspace. A file that is there and cannot be read makes the policy deny everything.
pub fn load(whereabouts: &Whereabouts, workspace: &Path, choice: &Choice) -> Loaded {
    let mut found = policy_files::find(whereabouts, workspace);
    found.extend(named(whereabouts, choice));
    let mut loaded = merge(whereabouts, found, choice);
    loaded.look_for_sandbox();
    loaded
}

/// The file of a choice.
pub fn named(whereabouts: &Whereabouts, choice: &Choice) -> Option<PolicyFile> {
    let path = choice.file.as_deref()?;
    Some(if choice.only_tightens {
        policy_files::named_by_anybody(whereabouts, path)
    } else {
        policy_files::named(path)
    })
}

/// The same, but the file of the choice stands in place of the person's own, and not above all others.
pub fn load_instead(whereabouts: &Whereabouts, workspace: &Path, choice: &Choice) -> Loaded {
    let mut found = policy_files::find(whereabouts, workspace);
    if let Some(path) = &choice.file {
        found.retain(|file| file.layer != FileLayer::User);
        found.push(PolicyFile {
            layer: FileLayer::User,
            ..policy_files::named(path)
        });
    }
    merge(whereabouts, found, choice)
}

fn merge(whereabouts: &Whereabouts, found: Vec<PolicyFile>, choice: &Choice) -> Loaded {
    let mut layers = Vec::new();
    let mut files = Vec::new();
    for file in found {
        let (file, layer) = read_file(file);
        layers.extend(layer);
        files.push(file);
    }
    let (remembered, grants, is_apart) = remembered(whereabouts, choice);
    if let Some((file, layer)) = remembered {
        layers.extend(layer);
        files.push(file);
    }
    let policy = match files.iter().find(|file| file.is_broken()) {
        Some(broken) => Policy::broken(format!(
            "`{}` has errors; `sayso policy check` shows them",
            broken.name
        )),
        None => {
            let around = if choice.ignores_environment {
                Overrides::default()
            } else {
                from_environment()
            };
            let overrides = Overrides {
                mode: choice.mode,
                profile: choice.profile.clone(),
                ..around
            };
            let mut policy = Policy::assemble(layers, &overrides, &Bash);
            policy.set_installed((choice.installed)(whereabouts));
            policy
        }
    };
    Loaded {
        policy,
        grants,
        is_apart,
        files,
    }
}

/// The rules of the store as a file and a layer, its grants, and whether these are only the session's own.
type Remembered = (Option<(ReadFile, Option<Layer>)>, Vec<Grant>, bool);

/// The rules and grants of the store. Where they cannot be read, neither can the policy: a rule that denies may be among them.
fn remembered(whereabouts: &Whereabouts, choice: &Choice) -> Remembered {
    let remembered = rules_layer::for_policy(&whereabouts.state, choice.session.as_deref());
    let is_apart = remembered
        .as_ref()
        .is_ok_and(|remembered| remembered.is_apart);
    let standing = remembered.map(|remembered| remembered.standing);
    let file = |unreadable: Option<String>| ReadFile {
        name: rules_layer::NAME.to_owned(),
        text: String::new(),
        origin: Origin::Learned,
        findings: Vec::new(),
        unreadable,
    };
    match standing.and_then(|standing| {
        Ok((
            rules_layer::layer(&standing)?,
            grant_cache::grants(&standing),
        ))
    }) {
        Ok((None, grants)) => (None, grants, is_apart),
        Ok((Some(layer), grants)) => (Some((file(None), Some(layer))), grants, is_apart),
        Err(why) => {
            let broken = file(Some(why.to_string()));
            (Some((broken, None)), Vec::new(), is_apart)
        }
    }
}

/// `SAYSO_MODE` and `SAYSO_PROFILE`; a word that is not known is as strict as can be.
fn from_environment() -> Overrides {
    let word = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
    Overrides {
        environment_mode: word("SAYSO_MODE")
            .map(|text| Mode::from_word(&text).unwrap_or(Mode::ConfirmAll)),
        environment_profile: word("SAYSO_PROFILE"),
        ..Overrides::default()
    }
}

fn read_file(file: PolicyFile) -> (ReadFile, Option<Layer>) {
    let name = file.path.display().to_string();
    let origin = match file.layer {
        FileLayer::Managed => Origin::Managed,
        FileLayer::User => Origin::User,
        FileLayer::UserSettings => Origin::Learned,
        FileLayer::Project if file.trusted => Origin::Project,
        FileLayer::Project => Origin::UntrustedProject,
        FileLayer::CommandLine => Origin::CommandLine,
    };
    let is_json = file
        .path
        .extension()
        .is_some_and(|extension| extension == "json");
    let format = if is_json { Format::Json } else { Format::Yaml };
    match file.text {
        Ok(text) => {
            let (layer, mut findings) = read(
                Source {
                    name: &name,
                    text: &text,
                },
                format,
                origin,
                &Bash,
            );
            findings.extend(
                file.warnings
                    .into_iter()
                    .map(|warning| Diagnostic::warning(Default::default(), warning)),
            );
            (
                ReadFile {
                    name,
                    text,
                    origin,
                    findings,
                    unreadable: None,
                },
                layer,
            )
        }
        Err(why) => (
            ReadFile {
                name,
                text: String::new(),
                origin,
                findings: Vec::new(),
                unreadable: Some(why.to_string()),
            },
            None,
        ),
    }
}

/// Checks one file that the person named, as if it was theirs, and gives the policy that it would be alone.
pub fn check_file(file: PolicyFile, choice: &Choice) -> (ReadFile, Option<Policy>) {
    let (read, layer) = read_file(PolicyFile {
        layer: FileLayer::User,
        ..file
    });
    let overrides = Overrides {
        mode: choice.mode,
        profile: choice.profile.clone(),
        ..Overrides::default()
    };
    let policy = layer.map(|layer| Policy::assemble(vec![layer], &overrides, &Bash));
    (
        ReadFile {
            origin: Origin::User,
            ..read
        },
        policy,
    )
}

/// The policy as it would be if the files of the project were trusted; none where there is no such file that is not.
pub fn load_trusting(
    whereabouts: &Whereabouts,
    workspace: &Path,
    choice: &Choice,
) -> Option<Loaded> {
    let mut found = policy_files::find(whereabouts, workspace);
    found.extend(named(whereabouts, choice));
    let untrusted = |file: &PolicyFile| file.layer == FileLayer::Project && !file.trusted;
    if !found.iter().any(untrusted) {
        return None;
    }
    found.iter_mut().for_each(|file| file.trusted = true);
    Some(merge(whereabouts, found, choice))
}

/// The real machine as the gate's world.
pub struct RealWorld(pub Machine);

impl World for RealWorld {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.0.answer(cwd, workspace, questions)
    }

    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        seal::seal(files.iter().map(bound))
    }

    fn seal_keeping(&self, files: &[Sealed]) -> Option<(Digest, Copies)> {
        let mut copies = seal::Copies::of_scripts();
        let digest = seal::seal_keeping(files.iter().map(bound), &mut copies)?;
        Some((digest, copies.files))
    }

    fn content(&self, path: &str, most: u64) -> Result<Option<Content>, ContentError> {
        let found = content::content(path, most).map_err(ContentError::failed)?;
        Ok(found.map(
            |content::Content {
                 bytes,
                 size,
                 executable,
             }| Content {
                bytes,
                size,
                executable: Some(executable),
            },
        ))
    }

    fn tally(&self, path: &str, entries: usize, time: Duration) -> Option<Tally> {
        let tally::Tally {
            files,
            bytes,
            whole,
        } = tally::tally(path, entries, time)?;
        Some(Tally {
            files,
            bytes,
            whole,
        })
    }
}

fn bound(file: &Sealed) -> Bound<'_> {
    match file {
        Sealed::Content(path) => Bound::Content(path),
        Sealed::Identity(path) => Bound::Identity(path),
        Sealed::Which(path) => Bound::Which(path),
        Sealed::Bytes(path, digest) => Bound::Bytes(path, *digest),
    }
}
