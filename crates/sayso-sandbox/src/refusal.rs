//! One thing that a sandbox refused: what it was, who tried it, and how that is known.

use std::borrow::Cow;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;

/// What was refused. Paths are those of the sandbox, absolute and free of links.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// To read a file, or to see it at all.
    Read(PathBuf),
    /// To change a file that is there.
    Write(PathBuf),
    /// To make a file, folder or link.
    Create(PathBuf),
    /// To remove or move a file.
    Delete(PathBuf),
    /// To give a file to another user.
    Owner(PathBuf),
    /// To run a program that is not shown.
    Exec(PathBuf),
    /// To get the rights of a program's owner (set-user-ID) by running it.
    Privilege(PathBuf),
    /// To connect to an address.
    Connect {
        /// Where to.
        address: IpAddr,
        /// Its port.
        port: u16,
    },
    /// To connect to a socket that is a file.
    Socket(PathBuf),
    /// To listen on a port that takes rights.
    Listen {
        /// The port.
        port: u16,
    },
    /// To reach a host.
    Host {
        /// Its name, or its address in a request by name.
        name: String,
        /// None where only the name is known.
        port: Option<u16>,
    },
    /// To reach the network; no host is known.
    Network,
    /// A system call that no program may make; empty where only its kind is known.
    SystemCall(&'static str),
    /// To take more of this than there is for it.
    Limit(&'static str),
}

/// How a refusal is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The system call was seen, and what the kernel answers to it.
    Kernel,
    /// The proxy refused it.
    Proxy,
    /// Only the program's output says so.
    Words,
}

/// One thing that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What it was.
    pub what: Refused,
    /// The error that the program gets for it, where the kernel was asked.
    pub errno: Option<i32>,
    /// The short name of the program, as the kernel knows it.
    pub program: Option<String>,
    /// Its process, as numbered outside of the sandbox.
    pub pid: Option<u32>,
    /// How it is known.
    pub source: Source,
    /// Owner and mode of the file refuse it without a sandbox, too.
    pub also_outside: bool,
}

/// Whether an address is the machine's own.
pub(crate) fn is_own(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address.is_loopback() || address.is_unspecified()
}

/// What a path or an address was wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// To read a file, or to see it at all.
    Read,
    /// To make, change or remove a file.
    Write,
    /// To reach a host.
    Network,
    /// To run a program, or something that no program may do.
    Program,
    /// To take more than there is for it.
    Limit,
}

impl Refused {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Refused::Read(_) => Kind::Read,
            Refused::Write(_) | Refused::Create(_) | Refused::Delete(_) | Refused::Owner(_) => {
                Kind::Write
            }
            Refused::Connect { .. }
            | Refused::Socket(_)
            | Refused::Listen { .. }
            | Refused::Host { .. }
            | Refused::Network => Kind::Network,
            Refused::Exec(_) | Refused::Privilege(_) | Refused::SystemCall(_) => Kind::Program,
            Refused::Limit(_) => Kind::Limit,
        }
    }

    /// The path that it is about.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Refused::Read(path)
            | Refused::Write(path)
            | Refused::Create(path)
            | Refused::Delete(path)
            | Refused::Owner(path)
            | Refused::Exec(path)
            | Refused::Privilege(path)
            | Refused::Socket(path) => Some(path),
            _ => None,
        }
    }

    /// The path, address or host, fit to be shown; empty where there is none.
    pub fn place(&self) -> String {
        match self {
            Refused::Connect { address, port } => {
                std::net::SocketAddr::new(*address, *port).to_string()
            }
            Refused::Listen { port } => port.to_string(),
            Refused::Host { name, port: None } => visible(name).into_owned(),
            Refused::Host {
                name,
                port: Some(port),
            } => format!("{}:{port}", visible(name)),
            Refused::SystemCall(name) | Refused::Limit(name) => (*name).to_owned(),
            _ => {
                let path = self.path().map(Path::to_string_lossy);
                visible(&path.unwrap_or(Cow::Borrowed(""))).into_owned()
            }
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Refused::Read(_) => "read",
            Refused::Write(_) => "write",
            Refused::Create(_) => "create",
            Refused::Delete(_) => "delete",
            Refused::Owner(_) => "owner",
            Refused::Exec(_) => "exec",
            Refused::Privilege(_) => "privilege",
            Refused::Connect { .. } => "connect",
            Refused::Socket(_) => "socket",
            Refused::Listen { .. } => "listen",
            Refused::Host { .. } => "host",
            Refused::Network => "network",
            Refused::SystemCall(_) => "system_call",
            Refused::Limit(_) => "limit",
        }
    }
}

impl Source {
    fn word(self) -> &'static str {
        match self {
            Source::Kernel => "kernel",
            Source::Proxy => "proxy",
            Source::Words => "words",
        }
    }
}

impl Refusal {
    /// One that is known by something else than a system call.
    pub fn known_by(source: Source, what: Refused) -> Refusal {
        Refusal {
            what,
            errno: None,
            program: None,
            pid: None,
            source,
            also_outside: false,
        }
    }

    /// As it stands in results and in the record; `offered` says whether a person may be asked to let it through.
    pub fn to_node(&self, offered: bool) -> Node {
        let mut entries = vec![
            ("what", Node::text(self.what.word())),
            ("place", Node::text(self.what.place())),
            ("source", Node::text(self.source.word())),
            ("offered", Value::Bool(offered).into()),
        ];
        let number = |number: i64| Node::from(Value::Number(number.to_string()));
        entries.extend(self.errno.map(|errno| ("errno", number(errno.into()))));
        entries.extend(
            self.program
                .as_ref()
                .map(|program| ("program", Node::text(visible(program)))),
        );
        entries.extend(self.pid.map(|pid| ("pid", number(pid.into()))));
        if self.also_outside {
            entries.push(("also_outside", Value::Bool(true).into()));
        }
        Node::map(entries)
    }
}
