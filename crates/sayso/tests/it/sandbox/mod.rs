//! The sandbox: that it is never weaker than the tools, and what it does for real.

mod attacks_git;
mod attacks_places;
mod contained;
mod escapes;
mod homes;
mod hosts;
mod left_by_sandbox;
mod never_weaker;
mod ordinary;
mod real_work;
mod required;
mod session;
mod workspace_sockets;

use sayso_sandbox::backend::Backend;

/// Whether there is a sandbox that bounds everything; without one it is told loudly what was not checked.
pub fn works(what: &str) -> bool {
    let found = Backend::full();
    if let Err(why) = &found {
        eprintln!("NOT CHECKED: {what}: {why}");
    }
    found.is_ok()
}
