//! Under what terms an operation may run: the bounds of its sandbox.

use crate::packed::packed;

/// Under what terms it may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Whether it may only run under an OS sandbox.
    pub sandbox_required: bool,
    /// Nobody was asked, since it runs in a sandbox that bounds it to the workspace; without one it must not run.
    pub contained: bool,
    /// Which part of the network the sandbox lets it reach.
    pub network: Network,
    /// Folders it may write, absolute.
    pub write: Vec<String>,
    /// Folders it may read only, absolute.
    pub read_only: Vec<String>,
    /// Folders of which it gets only the files with certain endings, absolute.
    pub endings: Vec<Endings>,
    /// What it reads besides, as was judged: files and folders by the paths they really have.
    pub reads: Vec<String>,
    /// What it changes besides, as was judged.
    pub changes: Vec<String>,
    /// git was read to change its own data; only then may it, where nobody was asked.
    pub repository: bool,
    /// The bounds that the operator set, one a policy file; each holds.
    pub bounds: Vec<Bounds>,
    /// Environment variables the call sets.
    pub environment: Vec<(String, String)>,
    /// How long it may run, in seconds.
    pub time_limit: Option<u64>,
    /// How much memory each of its processes may take, in MiB.
    pub memory_limit: Option<u64>,
    /// How many processes it may be at once.
    pub process_limit: Option<u64>,
}

/// Which part of the network a sandboxed command reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// None.
    #[default]
    Nothing,
    /// These hosts, by name; `*.example.org` is every name below.
    Hosts(Vec<String>),
    /// All of it.
    Everything,
}

/// A folder of which only files with certain endings count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endings {
    /// The folder, absolute.
    pub folder: String,
    /// Whether the files may be written.
    pub write: bool,
    /// The endings.
    pub endings: Vec<String>,
}

/// Bounds that an operator set for sandboxed commands; they only ever take away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Nothing else is written; none: nothing is taken away.
    pub write: Option<Vec<String>>,
    /// Nothing else is read, but for what is written; none: nothing is taken away.
    pub read: Option<Vec<String>>,
    /// These are not read either.
    pub hide: Vec<String>,
    /// No more of the network than this.
    pub network: Option<Network>,
}

packed! { enum Network { Nothing, Hosts(hosts), Everything } }
packed! { struct Bounds { write, read, hide, network } }

impl Network {
    /// What both let through.
    pub fn meet(&self, other: &Network) -> Network {
        match (self, other) {
            (Network::Nothing, _) | (_, Network::Nothing) => Network::Nothing,
            (Network::Everything, other) | (other, Network::Everything) => other.clone(),
            (Network::Hosts(one), Network::Hosts(two)) => {
                let below = |name: &String, list: &[String]| {
                    list.iter().any(|pattern| host_within(name, pattern))
                };
                let from_one = one.iter().filter(|name| below(name, two));
                let from_two = two
                    .iter()
                    .filter(|name| below(name, one) && !one.contains(name));
                let both: Vec<String> = from_one.chain(from_two).cloned().collect();
                if both.is_empty() {
                    Network::Nothing
                } else {
                    Network::Hosts(both)
                }
            }
        }
    }

    /// Whether a host is let through. The name is compared as it is; whoever asks has made it small letters without a dot at its end.
    pub fn reaches(&self, host: &str) -> bool {
        match self {
            Network::Nothing => false,
            Network::Hosts(list) => list.iter().any(|pattern| host_within(host, pattern)),
            Network::Everything => true,
        }
    }
}

/// Whether a name, or every name that a pattern stands for, is covered by a pattern.
fn host_within(name: &str, pattern: &str) -> bool {
    name == pattern
        || pattern.strip_prefix('*').is_some_and(|end| {
            end.starts_with('.') && name.len() > end.len() && name.ends_with(end)
        })
}
