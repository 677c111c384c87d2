//! Why a program may not be the one its name promises.

use std::fmt;

use crate::analysis::fact::{GitHelper, GitHelperKind};

/// Why a program may not be the one its name promises, or do more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untrusted {
    /// An agent could have put this file there.
    Planted(String),
    /// This file only launches a program that the project's settings choose.
    StandIn(String),
    /// git would do something besides.
    Git(GitHelper),
    /// What git would do besides could not be found out.
    GitUnknown,
}

impl fmt::Display for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untrusted::Planted(file) => {
                write!(
                    f,
                    "the program is `{file}`, which an agent could have written"
                )
            }
            Untrusted::StandIn(file) => write!(
                f,
                "the program is `{file}`, which runs whatever version the project names"
            ),
            Untrusted::Git(helper) => what_git_does(helper, f),
            Untrusted::GitUnknown => {
                f.write_str("git's configuration could not be read whole, so it may run helpers")
            }
        }
    }
}

fn what_git_does(helper: &GitHelper, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let GitHelper {
        name, value, file, ..
    } = helper;
    match helper.kind {
        GitHelperKind::Program => write!(f, "git would run `{value}` by `{name}` in `{file}`"),
        GitHelperKind::Hook => write!(f, "git would run the hook `{file}`"),
        GitHelperKind::Fetch => write!(
            f,
            "git may fetch what is missing from another host, by `{name}` in `{file}`"
        ),
        GitHelperKind::Bare => write!(
            f,
            "git takes `{file}` for a repository by its shape alone, and would do what is set there"
        ),
        GitHelperKind::Outside if name == "repository.link" && value.is_empty() => write!(
            f,
            "`{file}` has more in it than is looked at, and a link in it may lead anywhere"
        ),
        GitHelperKind::Outside if name == "repository.link" => write!(
            f,
            "git would read `{value}` through the link `{file}`, which leads out of the repository's own data"
        ),
        GitHelperKind::Outside => write!(
            f,
            "git would read `{value}` by `{file}`, which is outside of the workspace or secret"
        ),
        GitHelperKind::Stash => write!(
            f,
            "git may show files in the stash that it does not track, by `{file}`"
        ),
        GitHelperKind::Untracked => write!(
            f,
            "`{file}` is in no repository, and so git shows all that is in the folders it is given"
        ),
        GitHelperKind::Login => {
            write!(
                f,
                "git may show a password or a token, by `{name}` in `{file}`"
            )
        }
        // Without the value: an unknown setting can be a secret.
        GitHelperKind::Unknown => write!(
            f,
            "the repository sets `{name}` in `{file}`, which is not known to be harmless"
        ),
    }
}
