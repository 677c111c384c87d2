//! Where sayso's own things are, and what of the environment matters to the answers.

use std::path::{Path, PathBuf};
use std::{env, io};

use thiserror::Error as ThisError;

use crate::platform;

/// The places a [`Machine`](crate::machine::Machine) knows. Public, so that a test or an embedder can set each one.
#[derive(Clone, Debug)]
pub struct Whereabouts {
    /// The person's home folder.
    pub home: Option<PathBuf>,
    /// sayso's settings: `$XDG_CONFIG_HOME/sayso`.
    pub config: PathBuf,
    /// sayso's private data: `$XDG_STATE_HOME/sayso`.
    pub state: PathBuf,
    /// The log that the policy names besides, if it does.
    pub log: Option<PathBuf>,
    /// What the administrator set: `/etc/sayso`.
    pub managed: PathBuf,
    /// The running program.
    pub binary: PathBuf,
    /// The elements of `PATH`, the empty ones too.
    pub path: Vec<PathBuf>,
    /// The user that sayso runs as.
    pub uid: u32,
    /// git's configuration outside of repositories, in the order git reads it.
    pub git_configs: Vec<PathBuf>,
    /// The ignore file git reads when `core.excludesFile` is not set.
    pub git_ignore: Option<PathBuf>,
    /// The variable of the environment that leads git to another repository than the one of its folder, and its value, if there is one.
    pub git_elsewhere: Option<(String, String)>,
}

/// Why the environment does not say enough.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum WhereaboutsError {
    #[error("neither `{0}` nor `HOME` is an absolute path")]
    NoHome(&'static str),
    #[error("could not find the running program: {0}")]
    NoProgram(#[source] io::Error),
}

impl Whereabouts {
    /// Asks the environment. As the XDG specification says, its variables only count when they are absolute.
    ///
    /// # Errors
    /// Without a home folder nobody knows which files to protect, so there is nothing to guess.
    pub fn from_environment() -> Result<Self, WhereaboutsError> {
        let home = absolute_variable("HOME");
        let base = |variable: &'static str, below_home: &str| {
            absolute_variable(variable)
                .or_else(|| home.as_ref().map(|home| home.join(below_home)))
                .ok_or(WhereaboutsError::NoHome(variable))
        };
        let config = base("XDG_CONFIG_HOME", ".config")?;
        let state = base("XDG_STATE_HOME", ".local/state")?;
        let binary = env::current_exe().map_err(WhereaboutsError::NoProgram)?;
        let path = env::var_os("PATH")
            .map(|list| env::split_paths(&list).collect())
            .unwrap_or_default();
        Ok(Whereabouts {
            config: config.join("sayso"),
            state: state.join("sayso"),
            log: None,
            managed: PathBuf::from("/etc/sayso"),
            binary: without_deleted_mark(binary),
            path,
            uid: rustix::process::geteuid().as_raw(),
            git_configs: git_configs(&config, home.as_deref()),
            git_ignore: Some(config.join("git/ignore")),
            git_elsewhere: git_elsewhere(),
            home,
        })
    }
}

fn absolute_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// Linux marks a program that was replaced while running; the new one stands under the plain name and is the one to protect.
fn without_deleted_mark(binary: PathBuf) -> PathBuf {
    match binary
        .to_str()
        .and_then(|text| text.strip_suffix(" (deleted)"))
    {
        Some(plain) if !binary.exists() => PathBuf::from(plain),
        _ => binary,
    }
}

/// What is set there counts for every git that is started, whatever the folder holds.
fn git_elsewhere() -> Option<(String, String)> {
    let names = [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
    ];
    names.into_iter().find_map(|name| {
        Some((
            name.to_owned(),
            env::var_os(name)?.to_string_lossy().into_owned(),
        ))
    })
}

/// The system file depends on how git was built; the Homebrew ones are read too, since one file too many only adds helpers.
fn git_configs(config: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut files = vec![PathBuf::from("/etc/gitconfig")];
    files.extend(platform::GIT_CONFIGS.iter().map(PathBuf::from));
    files.push(config.join("git/config"));
    files.extend(home.map(|home| home.join(".gitconfig")));
    files
}
