//! The folder of the inbox in sayso's own: the socket, the lock, the tokens, and where the page is.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use sayso_store::{Folder, FolderError, WriteError};
use thiserror::Error;

const FOLDER: &str = "serve";
const SOCKET: &str = "socket";
const LOCK: &str = "lock";
const ADDRESS: &str = "address.json";
/// A longer path does not fit into the address of a unix socket.
const LONGEST: usize = 100;

/// Why the folder of the inbox cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum HomeError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("the folder of the inbox is missing")]
    Missing,
    #[error("the folder of the inbox cannot be opened: {0}")]
    NotOpened(io::Error),
    #[error("the lock of the inbox cannot be taken: {0}")]
    NotLocked(io::Error),
    #[error("{}", .source.told(&format!("`{name}` cannot be written")))]
    NotWritten { name: String, source: WriteError },
    #[error("`{name}` cannot be read: {source}")]
    NotRead { name: String, source: io::Error },
}

/// The folder.
pub struct Home {
    folder: Folder,
    /// Keeps the way to the socket open where its path is too long.
    handle: File,
}

/// What a running inbox says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its process.
    pub pid: u32,
    /// Where the page is; none where there is only the socket.
    pub url: Option<String>,
    /// Its version.
    pub version: String,
}

impl Home {
    /// Opens the folder in sayso's own, and makes it if it is missing.
    ///
    /// # Errors
    /// When it cannot be made or relied on.
    pub fn open(state: &Path) -> Result<Home, HomeError> {
        let folder = Folder::open(state)?
            .inner(FOLDER, true)?
            .ok_or(HomeError::Missing)?;
        Home::of(folder)
    }

    /// The folder, if there is one.
    ///
    /// # Errors
    /// When it cannot be relied on.
    pub fn existing(state: &Path) -> Result<Option<Home>, HomeError> {
        let Some(state) = Folder::open_existing(state)? else {
            return Ok(None);
        };
        state.inner(FOLDER, false)?.map(Home::of).transpose()
    }

    fn of(folder: Folder) -> Result<Home, HomeError> {
        let handle = File::open(folder.path()).map_err(HomeError::NotOpened)?;
        Ok(Home { folder, handle })
    }

    /// The path of the socket, as short as it has to be.
    pub fn socket(&self) -> PathBuf {
        let plain = self.folder.path().join(SOCKET);
        if plain.as_os_str().len() <= LONGEST {
            return plain;
        }
        PathBuf::from(format!(
            "/proc/self/fd/{}/{SOCKET}",
            self.handle.as_raw_fd()
        ))
    }

    /// Takes away the socket of somebody who is gone.
    pub fn remove_socket(&self) -> Result<(), HomeError> {
        Ok(self.folder.remove(SOCKET)?)
    }

    /// The lock of the one inbox that a person has; none where another process has it.
    pub fn lock(&self) -> Result<Option<File>, HomeError> {
        let file = self.folder.write(LOCK)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(file)),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(HomeError::NotLocked(error.into())),
        }
    }

    /// Whether an inbox runs, as far as its lock says.
    ///
    /// # Errors
    /// When that cannot be found out.
    pub fn is_running(&self) -> Result<bool, HomeError> {
        Ok(self.lock()?.is_none())
    }

    /// Puts a small file in place of the one before.
    pub fn put(&self, name: &str, text: &str) -> Result<(), HomeError> {
        let put = self.folder.put(name, text.as_bytes(), false);
        put.map_err(|source| HomeError::NotWritten {
            name: name.to_owned(),
            source,
        })
    }

    /// The text of a small file; none if it is missing.
    pub fn get(&self, name: &str) -> Result<Option<String>, HomeError> {
        let Some(file) = self.folder.read(name)? else {
            return Ok(None);
        };
        let mut text = String::new();
        file.take(1 << 16)
            .read_to_string(&mut text)
            .map_err(|source| HomeError::NotRead {
                name: name.to_owned(),
                source,
            })?;
        Ok(Some(text))
    }

    /// The folder, for what else is kept there.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The same, and nothing else of it.
    pub fn into_folder(self) -> Folder {
        self.folder
    }

    /// Says where the inbox is.
    pub fn tell(&self, told: &Told) -> Result<(), HomeError> {
        let node = Node::map([
            ("pid", Value::Number(told.pid.to_string()).into()),
            (
                "url",
                told.url
                    .as_ref()
                    .map_or_else(|| Value::Null.into(), Node::text),
            ),
            ("version", Node::text(&told.version)),
        ]);
        self.put(ADDRESS, &json::write(&node))
    }

    /// What the last inbox said of itself; it may be gone.
    pub fn told(&self) -> Option<Told> {
        let node = json::read(&self.get(ADDRESS).ok()??, &Limits::policy()).ok()?;
        Some(Told {
            pid: u32::try_from(node.get("pid")?.as_whole()?).ok()?,
            url: node.get("url").and_then(Node::as_text).map(str::to_owned),
            version: node.get("version").and_then(Node::as_text)?.to_owned(),
        })
    }

    /// It is over: nobody finds it any more.
    pub fn leave(&self, names: &[&str]) {
        for name in names.iter().chain(&[ADDRESS, SOCKET]) {
            // What stays behind says nothing that is true, and is replaced by the next one.
            let _ = self.folder.remove(name);
        }
    }
}
