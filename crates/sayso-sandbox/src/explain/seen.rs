//! What was seen to be refused, as sentences, together with what the program says of it.

use sayso_core::policy::terms::Network;

use super::{Explained, LIST_HOSTS, MOST, OUTSIDE, USE_PROXY, advice, shown};
use crate::profile::Profile;
use crate::refusal::{Kind, Refusal, Refused, is_own};

/// The port that names of hosts are looked up at.
const NAMES: u16 = 53;

/// What was seen, and behind it what only the program says; no more than is read.
pub(super) fn with_words(
    profile: &Profile,
    seen: &[Refusal],
    told: Vec<Explained>,
) -> Vec<Explained> {
    let looks_up = |what: &Refused| matches!(what, Refused::Connect { port: NAMES, .. });
    let has_lookup = seen.iter().any(|refusal| looks_up(&refusal.what));
    let mut told: Vec<Explained> = told
        .into_iter()
        .filter(|told| {
            !seen
                .iter()
                .any(|refusal| is_same(&refusal.what, &told.refusal.what))
        })
        .collect();
    // That a name was looked up was seen; which one is only in the program's words.
    let named = |told: &&mut Explained| matches!(told.refusal.what, Refused::Host { .. });
    let named = told.iter_mut().filter(|_| has_lookup).find(named);
    let is_named = named.is_some();
    if let Some(named) = named {
        named.words = format!("{LOOKUP}; {}", named.words);
    }
    let mut all: Vec<Explained> = seen
        .iter()
        .filter(|refusal| !(is_named && looks_up(&refusal.what)))
        .map(|refusal| Explained {
            refusal: refusal.clone(),
            words: words(profile, refusal),
            advice: offer(profile, refusal),
        })
        .collect();
    all.append(&mut told);
    all.truncate(MOST);
    all
}

const LOOKUP: &str = "the sandbox refused to look up the name of a host";

/// Whether words of a program are about what was seen.
fn is_same(seen: &Refused, told: &Refused) -> bool {
    match (seen, told) {
        (Refused::Connect { port: NAMES, .. }, Refused::Host { .. }) => false,
        (Refused::Connect { .. }, Refused::Network) => true,
        (Refused::Connect { address, .. }, Refused::Host { name, .. }) => {
            name.parse() == Ok(*address)
        }
        (Refused::Privilege(_) | Refused::SystemCall(_), Refused::SystemCall(_)) => true,
        (seen, told) => seen.path().is_some() && seen.path() == told.path(),
    }
}

fn words(profile: &Profile, refusal: &Refusal) -> String {
    let place = shown(&refusal.what.place());
    match &refusal.what {
        Refused::Read(_) => format!("the sandbox refused to read `{place}`"),
        Refused::Write(_) | Refused::Create(_) => {
            format!("the sandbox refused to write `{place}`")
        }
        Refused::Delete(path) if profile.pinned.contains(path) => format!(
            "the sandbox refused to move or remove `{place}`, which holds something that must stay"
        ),
        Refused::Delete(_) => format!("the sandbox refused to move or remove `{place}`"),
        Refused::Owner(_) => format!("the sandbox refused to give `{place}` to another user"),
        Refused::Exec(_) => format!("the sandbox does not show `{place}`, so it cannot be run"),
        Refused::Privilege(_) => {
            format!("the sandbox gives `{place}` no more rights than its caller has")
        }
        Refused::Connect { address, port } if is_own(*address) => format!(
            "nothing in the sandbox listens on port {port}, and servers of this machine are not reached from it"
        ),
        Refused::Connect { port: NAMES, .. } => format!("{LOOKUP} (at `{place}`)"),
        Refused::Connect { .. } => format!("the sandbox refused to connect to `{place}`"),
        Refused::Socket(_) => format!("the sandbox does not show the socket `{place}`"),
        Refused::Listen { port } => format!(
            "the sandbox refused to listen on port {port}: it lets no program take a port below 1024"
        ),
        Refused::Host { .. } => format!("the sandbox refused to reach `{place}`"),
        Refused::Network => super::NO_NETWORK.to_owned(),
        Refused::SystemCall(_) => {
            format!("the sandbox lets no program become another user (`{place}`)")
        }
        Refused::Limit(_) => format!("the sandbox lets the command take no more `{place}`"),
    }
}

/// What can be done about it. What owner and mode refuse, too, is not offered: a yes would change nothing.
fn offer(profile: &Profile, refusal: &Refusal) -> String {
    if refusal.also_outside {
        return "without a sandbox the owner and mode of the file refuse it, too".to_owned();
    }
    match (&refusal.what, &profile.network) {
        (Refused::Connect { address, .. }, _) if is_own(*address) => OUTSIDE.to_owned(),
        (Refused::Connect { .. }, Network::Hosts(_)) => USE_PROXY.to_owned(),
        (Refused::Connect { .. } | Refused::Network, _) => LIST_HOSTS.to_owned(),
        (what, _) => match (what.kind(), what.path()) {
            (Kind::Read | Kind::Write, Some(path)) => advice(profile, path, what.kind()),
            (Kind::Program, Some(path)) if matches!(what, Refused::Exec(_)) => {
                advice(profile, path, Kind::Read)
            }
            _ => OUTSIDE.to_owned(),
        },
    }
}
