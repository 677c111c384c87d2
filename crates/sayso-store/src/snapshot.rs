//! The snapshot: policy and grants in a form that a process can use without reading text, opening a database or compiling anything.
//!
//! It is only ever a copy. It is bound to a digest of everything that it was made from, and one that is stale, damaged, of another version
//! or not the person's own is as good as none: whoever finds none reads the sources. So nothing waits for the disk when it is written, and
//! nobody is told when it cannot be used.
//!
//! The digest over the content shows damage and not malice: whoever can write in the state folder can write a snapshot, and a policy too.

use std::fs::File;
use std::io::Read as _;
use std::time::{SystemTime, UNIX_EPOCH};

use sayso_core::answer::grant::{Grant, Reach};
use sayso_core::policy::Policy;
use sayso_core::snapshot::{LAYOUT, pack, unpack};
use sayso_core::text::digest::{Digest, Encoder, Pieces};
use sayso_own_files::is_temporary;
use thiserror::Error as ThisError;

use crate::folder::{Folder, FolderError, WriteError};

const FILE: &str = "snapshot";
/// What files were called while they were written, before they were called as all others are.
const FRESH: &str = "snapshot.new-";
const MAGIC: [u8; 16] = *b"sayso snapshot 1";
/// The same where grants of sessions are kept apart.
const APART: [u8; 16] = *b"sayso snapshot+1";
/// What the files of grants of sessions are called; a number follows.
const SESSION: &str = "snapshot.session-";
/// So many sessions have a file at once; two that share a number take turns.
const SLOTS: u8 = 16;
/// Magic, program, sources, content: three digests, and the length of the content.
const HEADER: usize = MAGIC.len() + 3 * 32 + 8;
/// A larger content is neither written nor read.
const MOST: u64 = 4 << 20;
/// A file that was left by somebody who was killed while writing it is removed after so many seconds.
const LEFT: i64 = 60;

/// Why the snapshot was not written.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum SnapshotError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("policy and grants take {bytes} bytes, and a snapshot has at most {MOST}")]
    TooLarge { bytes: u64 },
    #[error("policy and grants are not the same once they were packed; this is a mistake in sayso")]
    NotTheSame,
}

/// The digest of everything that a snapshot is made from, as name and content, in an order that the caller keeps to.
///
/// What is missing is left out, so that it is not the same as what is empty. The generation is that of the grants. What decides without
/// being a file (a flag, a variable of the environment, whether a folder is trusted) is a source, too, and so is the program that runs,
/// where another build can have the same version.
pub fn bound<'a>(
    sources: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    generation: u64,
) -> Digest {
    let mut all = Pieces::default();
    all.add(b"sources of a snapshot");
    all.add(&generation.to_le_bytes());
    for (name, content) in sources {
        for part in [name.as_bytes(), content] {
            // With their lengths, so that the parts cannot run into each other.
            all.add(&(part.len() as u64).to_le_bytes());
            all.add(part);
        }
    }
    all.finish()
}

/// Puts a snapshot in place of the one that is there, for whoever asks with the same `bound`.
///
/// # Errors
/// When the policy is too large or cannot be unpacked again, or the disk does not take it. Then there is none, or the one before.
pub fn store(
    state: &Folder,
    bound: &Digest,
    policy: &Policy,
    grants: &[Grant],
) -> Result<(), SnapshotError> {
    store_as(state, FILE, MAGIC, bound, policy, grants)
}

/// The same where there are too many grants of sessions to be read each time: those that outlive sessions, and in a file beside them those
/// of one session.
///
/// # Errors
/// As [`store`].
pub fn store_apart(
    state: &Folder,
    bound: &Digest,
    policy: &Policy,
    grants: &[Grant],
    session: &str,
) -> Result<(), SnapshotError> {
    let is_of_session = |grant: &&Grant| matches!(grant.reach, Reach::Session(_));
    let (own, general): (Vec<&Grant>, Vec<&Grant>) = grants.iter().partition(is_of_session);
    let owned = |grants: Vec<&Grant>| grants.into_iter().cloned().collect::<Vec<Grant>>();
    let nothing = Policy::broken("it stands in the snapshot");
    store_as(
        state,
        &slot(session),
        APART,
        &of_session(bound, session),
        &nothing,
        &owned(own),
    )?;
    store_as(state, FILE, APART, bound, policy, &owned(general))
}

/// The file for a session.
fn slot(session: &str) -> String {
    let digest = Digest::of_bytes(session.as_bytes());
    format!(
        "{SESSION}{}",
        digest.bytes().first().copied().unwrap_or_default() % SLOTS
    )
}

/// The digest of everything that the grants of a session are made from.
fn of_session(bound: &Digest, session: &str) -> Digest {
    self::bound(
        [
            ("snapshot", bound.bytes().as_slice()),
            ("session", session.as_bytes()),
        ],
        0,
    )
}

fn store_as(
    state: &Folder,
    name: &str,
    magic: [u8; 16],
    bound: &Digest,
    policy: &Policy,
    grants: &[Grant],
) -> Result<(), SnapshotError> {
    let wanted = name;
    let content = pack(policy, grants);
    let length = content.len() as u64;
    if length > MOST {
        return Err(SnapshotError::TooLarge { bytes: length });
    }
    // Rules are unpacked one by one, long after the digest was compared: here is the place to see that all of them can be.
    if unpack(content.clone()).is_none_or(|(policy, grants)| pack(&policy, &grants) != content) {
        return Err(SnapshotError::NotTheSame);
    }
    let header = [
        &magic[..],
        program().bytes(),
        bound.bytes(),
        Digest::of_bytes(&content).bytes(),
        &length.to_le_bytes(),
    ]
    .concat();
    remove_left(state)?;
    let mut fresh = state.place().fresh(wanted)?;
    fresh.add(&header)?;
    fresh.add(&content)?;
    fresh.settle(wanted, false)?;
    Ok(())
}

/// The policy and grants of a snapshot that was made by this version of the program from just these sources.
pub fn load(state: &Folder, bound: &Digest) -> Option<(Policy, Vec<Grant>)> {
    load_as(state, FILE, MAGIC, bound)
}

/// The same for one session, where grants of sessions are kept apart.
pub fn load_apart(state: &Folder, bound: &Digest, session: &str) -> Option<(Policy, Vec<Grant>)> {
    let (policy, mut grants) = load_as(state, FILE, APART, bound)?;
    let (_, own) = load_as(state, &slot(session), APART, &of_session(bound, session))?;
    grants.extend(own);
    Some((policy, grants))
}

fn load_as(
    state: &Folder,
    name: &str,
    magic: [u8; 16],
    bound: &Digest,
) -> Option<(Policy, Vec<Grant>)> {
    let mut file = state.read(name).ok()??;
    let (digest, length) = read_header(&mut file, magic, bound)?;
    let mut content = Vec::with_capacity(length);
    // One more, to see that there is no more; by then the room is there, so that nothing is moved.
    file.take(length as u64 + 1)
        .read_to_end(&mut content)
        .ok()?;
    (content.len() == length && Digest::of_bytes(&content) == digest).then_some(())?;
    unpack(content)
}

/// Digest and length of the content, if the header is the wanted one.
fn read_header(file: &mut File, magic: [u8; 16], bound: &Digest) -> Option<(Digest, usize)> {
    let mut header = [0; HEADER];
    file.read_exact(&mut header).ok()?;
    let rest = header
        .strip_prefix(&magic)?
        .strip_prefix(program().bytes())?
        .strip_prefix(bound.bytes())?;
    let (digest, length) = rest.split_first_chunk::<32>()?;
    let length = u64::from_le_bytes(*length.as_array()?);
    (length <= MOST).then_some((Digest::from(*digest), usize::try_from(length).ok()?))
}

/// The program that wrote it: nothing is known of the form that another version has.
fn program() -> Digest {
    let mut encoder = Encoder::new("snapshot");
    encoder.text(env!("CARGO_PKG_VERSION"));
    encoder.text(&LAYOUT.to_string());
    encoder.finish()
}

fn remove_left(state: &Folder) -> Result<(), FolderError> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
        });
    let is_left = |name: &&String| name.starts_with(FRESH) || is_temporary(name);
    for name in state.names()?.iter().filter(is_left) {
        if state
            .look(name)?
            .is_some_and(|stat| now.saturating_sub(stat.st_mtime) > LEFT)
        {
            state.remove(name)?;
        }
    }
    Ok(())
}
