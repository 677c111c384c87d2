//! The limits of a whole session, which no limit of the kernel for one process keeps: looked at from outside, once in a while.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::SHARED;
use super::orders::SessionLimits;
use super::processes::{Identity, Processes};

/// How often files are counted.
const FILES_EVERY: Duration = Duration::from_secs(5);
/// Files beyond this number are not counted.
const MAX_FILES: usize = 200_000;

/// A limit that was passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Excess {
    /// The mark of the command that is ended for it; none: all of them.
    pub(super) mark: Option<Vec<u8>>,
    /// A process that is ended besides.
    pub(super) process: Option<Identity>,
    pub(super) words: String,
}

/// What is watched.
pub(super) struct Watch {
    limits: SessionLimits,
    folders: Vec<PathBuf>,
    files_counted: Option<Instant>,
}

impl Watch {
    pub(super) fn new(limits: SessionLimits, session: &Path) -> Watch {
        Watch {
            limits,
            folders: SHARED.iter().map(|(name, _)| session.join(name)).collect(),
            files_counted: None,
        }
    }

    /// The limit that is passed, if one is.
    pub(super) fn look(&mut self, processes: &Processes) -> Option<Excess> {
        self.too_many(processes)
            .or_else(|| self.too_much_memory(processes))
            .or_else(|| self.too_many_files())
    }

    fn too_many(&self, processes: &Processes) -> Option<Excess> {
        let most = self.limits.processes?;
        let living = processes.living();
        if living.len() as u64 <= most {
            return None;
        }
        // The command that most of them belong to.
        let mut marks: Vec<Vec<u8>> = living.iter().filter_map(|it| it.mark()).collect();
        marks.sort();
        let worst = marks
            .chunk_by(|one, other| one == other)
            .max_by_key(|same| same.len())
            .and_then(|same| same.first().cloned());
        Some(Excess {
            mark: worst,
            process: None,
            words: format!("it was more than {most} processes (`sandbox.session.processes`)"),
        })
    }

    fn too_much_memory(&self, processes: &Processes) -> Option<Excess> {
        let most = self.limits.memory?;
        let living = processes.living();
        let sizes: Vec<u64> = living.iter().map(|process| process.memory()).collect();
        if sizes.iter().sum::<u64>() <= most.saturating_mul(1024) {
            return None;
        }
        let (_, worst) = sizes.iter().zip(&living).max_by_key(|(size, _)| **size)?;
        let words = format!("it took more than {most} MiB of memory (`sandbox.session.memory`)");
        // One without a mark is ended by itself.
        Some(Excess {
            mark: Some(worst.mark().unwrap_or_default()),
            process: Some(worst.identity()),
            words,
        })
    }

    fn too_many_files(&mut self) -> Option<Excess> {
        if self
            .files_counted
            .is_some_and(|at| at.elapsed() < FILES_EVERY)
        {
            return None;
        }
        self.files_counted = Some(Instant::now());
        let most = self.limits.tmp;
        let used: u64 = self.folders.iter().map(|folder| size(folder)).sum();
        if used <= most.saturating_mul(1024 * 1024) {
            return None;
        }
        Some(Excess {
            mark: None,
            process: None,
            words: format!("it filled `/tmp` with more than {most} MiB (`sandbox.session.tmp`)"),
        })
    }
}

/// Bytes on the disk below a folder; no link is followed.
fn size(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let (mut total, mut seen, mut open) = (0_u64, 0, vec![folder.to_owned()]);
    while let Some(folder) = open.pop().filter(|_| seen < MAX_FILES) {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            let Ok(found) = entry.metadata() else {
                continue;
            };
            total = total.saturating_add(found.blocks().saturating_mul(512));
            if found.is_dir() {
                open.push(entry.path());
            }
        }
    }
    total
}
