//! The key in the state folder, and the keyed digest: equal arguments have equal digests, and nobody without the key can try out guesses.

use std::fmt;
use std::io::Read as _;
use std::path::PathBuf;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::Node;
use sha2::Sha256;
use thiserror::Error as ThisError;

use crate::folder::{Action, Folder, FolderError, WriteError, shown};

const FILE: &str = "digest.key";
/// 64 hex digits and a line feed.
const LENGTH: usize = 65;
/// Values are hashed part by part on the stack; deeper ones by their text.
const DEEPEST: usize = 200;

/// Why the key cannot be used.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum KeyError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("the key {} is damaged; move it away, and a new one is made: digests before and after cannot be compared then", shown(.0))]
    Damaged(PathBuf),
    #[error("the system gives no random bytes for a key: {0}")]
    NoRandom(getrandom::Error),
    #[error("{}", .source.told(&format!("could not write the key {}", shown(.path))))]
    NotWritten { path: PathBuf, source: WriteError },
}

/// 32 random bytes that never leave the state folder.
pub struct Key([u8; 32]);

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Key")
    }
}

impl Key {
    /// The key that is there, if one is.
    pub(crate) fn read(state: &Folder) -> Result<Option<Key>, KeyError> {
        let Some(file) = state.read(FILE)? else {
            return Ok(None);
        };
        let path = state.path().join(FILE);
        let mut bytes = Vec::with_capacity(LENGTH + 1);
        file.take(LENGTH as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| FolderError::io(Action::ReadKey, &path, error))?;
        let key = bytes.strip_suffix(b"\n").and_then(Digest::from_hex);
        Ok(Some(Key(*key.ok_or(KeyError::Damaged(path))?.bytes())))
    }

    /// The key that is there, or a new one. The lock of the journal must be held, so that there is only ever one.
    pub(crate) fn read_or_make(state: &Folder) -> Result<Key, KeyError> {
        if let Some(key) = Key::read(state)? {
            return Ok(key);
        }
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(KeyError::NoRandom)?;
        let text: String = bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .chain(["\n".to_owned()])
            .collect();
        state
            .put(FILE, text.as_bytes(), true)
            .map_err(|source| KeyError::NotWritten {
                path: state.path().join(FILE),
                source,
            })?;
        Ok(Key(bytes))
    }

    /// HMAC-SHA-256 of a value, as it stands in an entry. The order of the keys of a map does not matter.
    pub fn digest(&self, node: &Node) -> String {
        let digest = if node.is_deeper_than(DEEPEST) {
            Digest::of_bytes(json::write(node).as_bytes())
        } else {
            Digest::of_node(node)
        };
        let mut out = String::with_capacity(76);
        out.push_str("hmac-sha256:");
        for byte in keyed(&self.0, digest.bytes()) {
            out.push_str(&format!("{byte:02x}"));
        }
        out
    }

    /// HMAC-SHA-256 of a text of sayso's own, under a key that is used for this purpose only: no digest of an argument, which an agent
    /// chooses, can pass for one. `purpose` must not have 32 bytes, as what else is hashed under the key itself has.
    pub(crate) fn mark(&self, purpose: &str, text: &[u8]) -> Mark {
        Mark(keyed(&keyed(&self.0, purpose.as_bytes()), text))
    }
}

/// A keyed digest. It is compared without telling by the time it takes how much of it was right.
pub(crate) struct Mark([u8; 32]);

impl Mark {
    pub(crate) fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether these are its hex digits.
    pub(crate) fn is(&self, hex: &[u8]) -> bool {
        let given = Digest::from_hex(hex).map_or([0; 32], |digest| *digest.bytes());
        let differs = self
            .0
            .iter()
            .zip(given)
            .fold(0, |differs, (one, other)| differs | (one ^ other));
        std::hint::black_box(differs) == 0
    }
}

fn keyed(key: &[u8], message: &[u8]) -> [u8; 32] {
    // A key of any length will do, so there is no error to have.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return [0; 32];
    };
    mac.update(message);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_rfc_4231() {
        let hex = |bytes: [u8; 32]| {
            bytes
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        assert_eq!(
            hex(keyed(&[0x0b; 20], b"Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            hex(keyed(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn a_digest_depends_on_key_and_value_and_not_on_order() {
        let (one, other) = (Key([1; 32]), Key([2; 32]));
        let args = Node::map([("a", Node::text("x")), ("b", Node::text("y"))]);
        let turned = Node::map([("b", Node::text("y")), ("a", Node::text("x"))]);
        assert_eq!(one.digest(&args), one.digest(&turned));
        assert_ne!(one.digest(&args), other.digest(&args));
        assert_ne!(
            one.digest(&args),
            one.digest(&Node::map([("a", Node::text("x"))]))
        );
        let deep = (0..5_000).fold(Node::text("x"), |node, _| {
            sayso_core::text::node::Value::List(vec![node]).into()
        });
        assert_eq!(one.digest(&deep).len(), 76);
        assert_eq!(format!("{one:?}"), "Key");
    }

    #[test]
    fn a_mark_depends_on_key_purpose_and_text() {
        let (one, other) = (Key([1; 32]), Key([2; 32]));
        let mark = one.mark("this", b"text");
        assert!(mark.is(mark.hex().as_bytes()));
        for different in [
            other.mark("this", b"text"),
            one.mark("that", b"text"),
            one.mark("this", b"test"),
        ] {
            assert!(!mark.is(different.hex().as_bytes()));
        }
        assert!(!mark.is(b"") && !mark.is(b"0") && !mark.is(&[b'0'; 64]) && !mark.is(&[0xff; 64]));
    }
}
