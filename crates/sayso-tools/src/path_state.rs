//! What stands at a path, as it is written down before a change: nothing, a file, a link, or a folder with all that is in it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};

use crate::attributes::Attributes;
use crate::bytes_json::{bytes_node, bytes_of};
use crate::open_nofollow::shown;

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Absent,
    /// A regular file.
    File {
        /// The digest of its bytes; none for a file that is too large to be kept.
        digest: Option<Digest>,
        /// How many bytes.
        size: u64,
        /// Its permission bits.
        mode: u32,
        /// Its extended attributes.
        attributes: Attributes,
    },
    /// A folder.
    Folder {
        /// Its permission bits.
        mode: u32,
        /// Its extended attributes.
        attributes: Attributes,
        /// Everything below it by relative path, each folder before what is in it; none where it does not matter.
        inside: Option<Vec<(PathBuf, State)>>,
    },
    /// A symbolic link.
    Link {
        /// What it says.
        target: OsString,
    },
    /// A folder that its tools can make anew, which a command made: it can be taken away, and is not brought back.
    Rebuildable {
        /// Its number on the disk, by which it is known again.
        inode: u64,
    },
    /// A pipe, a socket or a device, which no tool makes or takes away.
    Special,
}

impl State {
    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            State::Absent => "nothing",
            State::File { .. } => "a file",
            State::Folder { .. } => "a folder",
            State::Link { .. } => "a link",
            State::Rebuildable { .. } => "a folder that can be rebuilt",
            State::Special => "a pipe, a socket or a device",
        }
    }

    /// The files in it with their digests, itself if it is one.
    pub fn files(&self) -> Vec<(Option<Digest>, u64)> {
        match self {
            State::File { digest, size, .. } => vec![(*digest, *size)],
            State::Folder {
                inside: Some(inside),
                ..
            } => inside.iter().flat_map(|(_, state)| state.files()).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether `now` is this, as far as this is known: a file without a digest goes by its size, a folder that only moved by itself.
    pub fn agrees(&self, now: &State) -> bool {
        match (self, now) {
            (
                State::File {
                    digest,
                    size,
                    mode,
                    attributes,
                },
                State::File {
                    digest: other,
                    size: length,
                    mode: bits,
                    attributes: others,
                },
            ) => {
                size == length
                    && mode == bits
                    && (digest.is_none() || digest == other)
                    && attributes.agrees(others)
            }
            (
                State::Folder {
                    mode,
                    inside: None,
                    attributes,
                },
                State::Folder {
                    mode: bits,
                    attributes: others,
                    ..
                },
            ) => mode == bits && attributes.agrees(others),
            (
                State::Folder {
                    mode,
                    inside: Some(inside),
                    attributes,
                },
                State::Folder {
                    mode: bits,
                    inside: Some(others),
                    attributes: other_attributes,
                },
            ) => {
                let same = |(one, other): (&(PathBuf, State), &(PathBuf, State))| {
                    one.0 == other.0 && one.1.agrees(&other.1)
                };
                mode == bits
                    && attributes.agrees(other_attributes)
                    && inside.len() == others.len()
                    && inside.iter().zip(others).all(same)
            }
            (one, other) => one == other,
        }
    }

    /// Whether `now` is what a removal of this left when it was cut off: nothing in it that was not here.
    pub fn covers(&self, now: &State) -> bool {
        match (self, now) {
            (
                State::Folder {
                    inside: Some(inside),
                    ..
                },
                State::Folder {
                    inside: Some(others),
                    ..
                },
            ) => {
                let then: HashMap<&PathBuf, &State> =
                    inside.iter().map(|(path, state)| (path, state)).collect();
                others
                    .iter()
                    .all(|(path, state)| then.get(path).is_some_and(|then| then.covers(state)))
            }
            (State::Folder { .. }, State::Folder { .. }) => true,
            (one, other) => one.agrees(other),
        }
    }

    /// Whether the digests of its files are known, so that it is worth reading them again.
    pub fn is_known(&self) -> bool {
        self.files()
            .iter()
            .any(|(digest, size)| digest.is_some() && *size > 0)
    }

    /// How `now` differs from this, in words; none if it does not.
    pub fn difference(&self, now: &State, path: &Path) -> Option<String> {
        let name = shown(path);
        match (self, now) {
            _ if self.agrees(now) => None,
            (State::Absent, now) => Some(format!("`{name}` is there now ({})", now.word())),
            (_, State::Absent) => Some(format!("`{name}` is gone")),
            (
                State::File {
                    digest, size, mode, ..
                },
                State::File {
                    digest: other,
                    size: length,
                    mode: bits,
                    ..
                },
            ) => Some(if digest != other || size != length {
                format!("`{name}` holds something else now ({size} bytes, {length} now)")
            } else if mode == bits {
                format!("the extended attributes of `{name}` are others now")
            } else {
                format!("the permissions of `{name}` are {bits:04o} now, not {mode:04o}")
            }),
            (
                State::Folder {
                    mode,
                    inside,
                    attributes,
                },
                State::Folder {
                    mode: bits,
                    inside: others,
                    attributes: other_attributes,
                },
            ) => match (inside, others) {
                _ if mode == bits && !attributes.agrees(other_attributes) => Some(format!(
                    "the extended attributes of `{name}` are others now"
                )),
                // What is in a folder that only moved is its own affair.
                (None, _) | (_, None) if mode == bits => None,
                _ if mode != bits => Some(format!(
                    "the permissions of `{name}` are {bits:04o} now, not {mode:04o}"
                )),
                (Some(inside), Some(others)) => Some(in_folders(inside, others, path)),
                _ => None,
            },
            (State::Link { .. }, State::Link { target }) => Some(format!(
                "`{name}` leads to `{}` now",
                shown(Path::new(target))
            )),
            (before, now) => Some(format!(
                "`{name}` is {} now, not {}",
                now.word(),
                before.word()
            )),
        }
    }

    /// As JSON.
    pub fn to_node(&self) -> Node {
        let is = |word: &str| ("is", Node::text(word));
        let bits = |mode: &u32| ("mode", Node::text(format!("{mode:04o}")));
        let of = |attributes: &Attributes| attributes.to_node().map(|node| ("attributes", node));
        match self {
            State::Absent => Node::map([is("absent")]),
            State::Special => Node::map([is("special")]),
            State::Link { target } => Node::map([is("link"), ("target", bytes_node(target))]),
            State::Rebuildable { inode } => Node::map([
                is("rebuildable"),
                ("inode", Value::Number(inode.to_string()).into()),
            ]),
            State::File {
                digest,
                size,
                mode,
                attributes,
            } => {
                let digest =
                    digest.map_or(Value::Null.into(), |digest| Node::text(digest.to_string()));
                let entries = [
                    is("file"),
                    ("digest", digest),
                    ("size", Value::Number(size.to_string()).into()),
                    bits(mode),
                ];
                Node::map(entries.into_iter().chain(of(attributes)))
            }
            State::Folder {
                mode,
                inside,
                attributes,
            } => {
                let entry = |(path, state): &(PathBuf, State)| {
                    Node::map([
                        ("path", bytes_node(path.as_os_str())),
                        ("state", state.to_node()),
                    ])
                };
                let inside = inside
                    .iter()
                    .map(|inside| Value::List(inside.iter().map(entry).collect()).into())
                    .map(|list: Node| ("inside", list));
                let entries = [is("folder"), bits(mode)];
                Node::map(entries.into_iter().chain(inside).chain(of(attributes)))
            }
        }
    }

    /// Reads what [`State::to_node`] wrote.
    pub fn from_node(node: &Node) -> Option<State> {
        let mode = || u32::from_str_radix(node.get("mode")?.as_text()?, 8).ok();
        match node.get("is")?.as_text()? {
            "absent" => Some(State::Absent),
            "special" => Some(State::Special),
            "rebuildable" => Some(State::Rebuildable {
                inode: node.get("inode")?.as_whole()?,
            }),
            "link" => Some(State::Link {
                target: bytes_of(node.get("target")?)?,
            }),
            "file" => {
                let digest = match node.get("digest")?.as_text() {
                    Some(text) => Some(Digest::parse(text)?),
                    None => None,
                };
                Some(State::File {
                    digest,
                    size: node.get("size")?.as_whole()?,
                    mode: mode()?,
                    attributes: Attributes::from_node(node.get("attributes"))?,
                })
            }
            "folder" => {
                let entry = |node: &Node| {
                    Some((
                        PathBuf::from(bytes_of(node.get("path")?)?),
                        State::from_node(node.get("state")?)?,
                    ))
                };
                let inside = match node.get("inside") {
                    Some(list) => Some(list.items().iter().map(entry).collect::<Option<Vec<_>>>()?),
                    None => None,
                };
                Some(State::Folder {
                    mode: mode()?,
                    inside,
                    attributes: Attributes::from_node(node.get("attributes"))?,
                })
            }
            _ => None,
        }
    }
}

/// How many differences of a folder are named.
const MOST_NAMED: usize = 10;

fn in_folders(inside: &[(PathBuf, State)], others: &[(PathBuf, State)], path: &Path) -> String {
    let by_name =
        |list: &'_ [(PathBuf, State)]| list.iter().cloned().collect::<HashMap<PathBuf, State>>();
    let (then, now) = (by_name(inside), by_name(others));
    let mut all: Vec<String> = Vec::new();
    let gone_or_changed = inside.iter().filter_map(|(name, state)| {
        state.difference(now.get(name).unwrap_or(&State::Absent), &path.join(name))
    });
    all.extend(gone_or_changed.take(MOST_NAMED + 1));
    let new = others.iter().filter(|(name, _)| !then.contains_key(name));
    all.extend(
        new.map(|(name, state)| {
            format!(
                "`{}` is there now ({})",
                shown(&path.join(name)),
                state.word()
            )
        })
        .take(MOST_NAMED + 1),
    );
    if all.len() > MOST_NAMED {
        all.truncate(MOST_NAMED);
        all.push("and more".to_owned());
    }
    all.join("; ")
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn every_state_reads_back() {
        let file = State::File {
            digest: Some(Digest::of_bytes(b"x")),
            size: 1,
            mode: 0o4755,
            attributes: Attributes::from_pairs(vec![(b"user.a".to_vec(), vec![0, 255])]),
        };
        let link = State::Link {
            target: OsString::from_vec(vec![b'a', 0xff, b'/']),
        };
        let inside = vec![
            (
                PathBuf::from("a"),
                State::Folder {
                    mode: 0o700,
                    inside: None,
                    attributes: Attributes::default(),
                },
            ),
            (
                PathBuf::from(OsString::from_vec(vec![b'a', b'/', 0xfe])),
                file.clone(),
            ),
        ];
        let large = State::File {
            digest: None,
            size: u64::MAX,
            mode: 0,
            attributes: Attributes::none(),
        };
        for state in [
            State::Absent,
            State::Special,
            State::Rebuildable { inode: 7 },
            file,
            link,
            large,
            State::Folder {
                mode: 0o2755,
                inside: Some(inside),
                attributes: Attributes::none(),
            },
        ] {
            assert_eq!(State::from_node(&state.to_node()), Some(state));
        }
        assert_eq!(State::from_node(&Node::text("x")), None);
    }
}
