//! Extended attributes of a file or folder: the user's own, access control lists and capabilities.

use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;
use sayso_core::text::node::{Node, Value};

use crate::bytes_json::{bytes_node, bytes_of};

/// The attributes by name, in order; none where they were not looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(Option<Box<[Attribute]>>);

/// One attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Attribute {
    name: OsString,
    value: Vec<u8>,
}

/// How often a list is read again that grows meanwhile.
const MAX_TRIES: usize = 4;

/// Whether an attribute is kept: labels of security modules belong to the system's policy, not to the file.
fn is_kept(name: &[u8]) -> bool {
    name.starts_with(b"user.")
        || name == b"system.posix_acl_access"
        || name == b"system.posix_acl_default"
        || name == b"security.capability"
}

impl Attributes {
    /// None at all.
    pub fn none() -> Attributes {
        Attributes(Some(Box::default()))
    }

    /// Those of an open file or folder. A file system without attributes has none.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn of(file: impl AsFd) -> Result<Attributes, Errno> {
        let mut all = Vec::new();
        for name in names(&file)? {
            match value(&file, &name) {
                Ok(value) => all.push(Attribute { name, value }),
                Err(Errno::NODATA) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Attributes(Some(all.into_boxed_slice())))
    }

    /// Whether they were looked at.
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// Whether these may be the same; what was not looked at may be anything.
    pub fn agrees(&self, now: &Attributes) -> bool {
        match (&self.0, &now.0) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        }
    }

    /// Gives an open file or folder exactly these of the user's own, as long as it can be written. Those that were not looked at stay.
    ///
    /// # Errors
    /// When one cannot be set or removed.
    pub fn set_user(&self, file: impl AsFd) -> Result<(), Errno> {
        self.set(file, |name| name.starts_with(b"user."))
    }

    /// The same for the system's, once it has its permission bits, which an access control list is a part of.
    ///
    /// # Errors
    /// When one cannot be set or removed.
    pub fn set_system(&self, file: impl AsFd) -> Result<(), Errno> {
        self.set(file, |name| !name.starts_with(b"user."))
    }

    fn set(&self, file: impl AsFd, which: impl Fn(&[u8]) -> bool) -> Result<(), Errno> {
        let Some(all) = &self.0 else { return Ok(()) };
        let there = names(&file)?;
        for name in there.iter().filter(|name| which(name.as_bytes())) {
            if all.iter().all(|one| one.name != *name) {
                match fremovexattr(&file, &**name) {
                    Ok(()) | Err(Errno::NODATA) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        for Attribute { name, value } in all.iter().filter(|one| which(one.name.as_bytes())) {
            fsetxattr(&file, &**name, value, XattrFlags::empty())?;
        }
        Ok(())
    }

    /// All but those that give a program rights.
    pub fn without_rights(&self) -> Attributes {
        let harmless = |one: &&Attribute| one.name.as_bytes() != b"security.capability";
        Attributes(
            self.0
                .as_ref()
                .map(|all| all.iter().filter(harmless).cloned().collect()),
        )
    }

    /// As JSON; none where they were not looked at.
    pub fn to_node(&self) -> Option<Node> {
        let node = |one: &Attribute| {
            Node::map([
                ("name", bytes_node(&one.name)),
                ("value", bytes_node(OsStr::from_bytes(&one.value))),
            ])
        };
        let all = self.0.as_ref()?;
        Some(Value::List(all.iter().map(node).collect()).into())
    }

    /// Reads what [`Attributes::to_node`] wrote.
    pub fn from_node(node: Option<&Node>) -> Option<Attributes> {
        let Some(node) = node else {
            return Some(Attributes::default());
        };
        let one = |node: &Node| {
            Some(Attribute {
                name: bytes_of(node.get("name")?)?,
                value: bytes_of(node.get("value")?)?.into_vec(),
            })
        };
        Some(Attributes(Some(
            node.items().iter().map(one).collect::<Option<_>>()?,
        )))
    }

    /// As pairs of names and values; none where they were not looked at.
    pub fn pairs(&self) -> Option<impl ExactSizeIterator<Item = (&[u8], &[u8])>> {
        let all = self.0.as_ref()?;
        Some(
            all.iter()
                .map(|one| (one.name.as_bytes(), one.value.as_slice())),
        )
    }

    /// From pairs of names and values.
    pub fn from_pairs(pairs: Vec<(Vec<u8>, Vec<u8>)>) -> Attributes {
        let one = |(name, value)| Attribute {
            name: OsString::from_vec(name),
            value,
        };
        Attributes(Some(pairs.into_iter().map(one).collect()))
    }
}

fn names(file: impl AsFd) -> Result<Vec<OsString>, Errno> {
    let mut list = [0_u8; 512];
    let few = match flistxattr(&file, &mut list) {
        Ok(count) => list.get(..count).unwrap_or_default().to_vec(),
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        Err(Errno::RANGE) => grown(|buffer| flistxattr(&file, buffer))?,
        Err(error) => return Err(error),
    };
    let mut names: Vec<OsString> = few
        .split(|byte| *byte == 0)
        .filter(|name| is_kept(name))
        .map(|name| OsString::from_vec(name.to_vec()))
        .collect();
    names.sort_unstable();
    Ok(names)
}

fn value(file: impl AsFd, name: &OsStr) -> Result<Vec<u8>, Errno> {
    grown(|buffer| fgetxattr(&file, name, buffer))
}

/// Reads into a buffer that grows until it is large enough.
fn grown(read: impl Fn(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0; 1024];
    for _ in 0..MAX_TRIES {
        match read(&mut buffer) {
            Ok(count) => {
                buffer.truncate(count);
                return Ok(buffer);
            }
            Err(Errno::RANGE) => buffer.resize(buffer.len() * 8, 0),
            Err(error) => return Err(error),
        }
    }
    Err(Errno::RANGE)
}
