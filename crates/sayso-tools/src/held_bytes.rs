//! How many bytes the backups hold, noted in a file of theirs: to count them means to look at each.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};

const NOTE: &str = ".held";
/// A process that is killed does not note what it kept, so it is counted again at times.
const TRUSTED: Duration = Duration::from_hours(24);

/// What was noted, unless that was too long ago.
pub(crate) fn noted(folder: &Path) -> Option<u64> {
    let mut text = String::new();
    File::open(folder.join(NOTE))
        .ok()?
        .take(64)
        .read_to_string(&mut text)
        .ok()?;
    let (held, counted) = read(&text)?;
    (seconds().checked_sub(counted)? < TRUSTED.as_secs()).then_some(held)
}

/// Notes what was counted just now.
pub(crate) fn note(folder: &Path, held: u64) {
    change(folder, |_| Some((held, seconds())));
}

/// Notes what came or went since. Without a note there is nothing to change: it is counted when it is needed.
pub(crate) fn add(folder: &Path, bytes: i64) {
    if bytes != 0 {
        change(folder, |last| {
            last.map(|(held, counted)| (held.saturating_add_signed(bytes), counted))
        });
    }
}

fn change(folder: &Path, to: impl FnOnce(Option<(u64, u64)>) -> Option<(u64, u64)>) {
    let open = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(folder.join(NOTE));
    let Ok(file) = open else { return };
    if flock(&file, FlockOperation::LockExclusive).is_err() {
        return;
    }
    let mut text = String::new();
    let _ = (&file).take(64).read_to_string(&mut text);
    if let Some((held, counted)) = to(read(&text)) {
        let text = format!("{held} {counted}\n");
        let _ = file
            .write_all_at(text.as_bytes(), 0)
            .and_then(|()| file.set_len(text.len() as u64));
    }
}

fn read(text: &str) -> Option<(u64, u64)> {
    let (held, counted) = text.trim_end().split_once(' ')?;
    Some((held.parse().ok()?, counted.parse().ok()?))
}

fn seconds() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
