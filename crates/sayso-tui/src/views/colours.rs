//! Colours for code, worked out on a thread beside the screen: text is painted plain first, and never waits for them.

use std::collections::HashMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crate::theme::Tone;

use super::document::{Document, Kind, Section};
use super::grammar::Reader;

/// So many lines are read at a time, those that are looked at first.
const BLOCK: usize = 200;
/// Longer lines stay plain.
const LONGEST_LINE: usize = 4096;
/// So many lines of one view are read in all.
const MOST_LINES: usize = 20_000;
/// One block may take so long, and all of them together.
const LONGEST: Duration = Duration::from_millis(500);
const LONGEST_IN_ALL: Duration = Duration::from_secs(4);

/// The pieces of a line that have a tone, by their bytes in the line.
type Pieces = Vec<(usize, usize, Tone)>;

/// The colours of a document, as far as they are known.
pub(super) struct Colours {
    language: Option<&'static str>,
    blocks: Vec<Block>,
    known: HashMap<u32, Pieces>,
    worker: Option<Worker>,
    waiting: usize,
    left: usize,
}

/// Lines that are read in one go.
struct Block {
    lines: Range<u32>,
    /// It goes on from the block before.
    follows: bool,
    asked: bool,
}

struct Worker {
    jobs: Sender<Job>,
    done: Receiver<Done>,
    stop: Arc<AtomicBool>,
}

struct Job {
    block: usize,
    follows: bool,
    lines: Vec<(u32, Kind, String)>,
}

type Done = Vec<(u32, Pieces)>;

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Colours {
    /// Nothing is known yet, and nothing is started.
    pub fn of(document: &Document) -> Colours {
        let mut blocks = Vec::new();
        for section in &document.sections {
            let (Section::Lines(lines)
            | Section::Hunk { lines, .. }
            | Section::Between { lines, .. }) = section;
            let mut start = lines.start;
            while start < lines.end {
                let end = lines.end.min(start.saturating_add(BLOCK as u32));
                blocks.push(Block {
                    lines: start..end,
                    follows: start > lines.start,
                    asked: false,
                });
                start = end;
            }
        }
        Colours {
            language: document.language,
            blocks,
            known: HashMap::new(),
            worker: None,
            waiting: 0,
            left: MOST_LINES,
        }
    }

    /// Whether some are still being worked out.
    pub fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// The pieces of a line; none while they are not known.
    pub fn line(&self, line: u32) -> &[(usize, usize, Tone)] {
        self.known.get(&line).map_or(&[], Vec::as_slice)
    }

    /// Takes in what is there by now; whether that is anything.
    pub fn take(&mut self) -> bool {
        let Some(worker) = &self.worker else {
            return false;
        };
        let mut any = false;
        loop {
            match worker.done.try_recv() {
                Ok(lines) => {
                    any |= !lines.is_empty();
                    self.known.extend(lines);
                    self.waiting = self.waiting.saturating_sub(1);
                }
                Err(std::sync::mpsc::TryRecvError::Empty) => return any,
                Err(std::sync::mpsc::TryRecvError::Disconnected) => {
                    self.waiting = 0;
                    return any;
                }
            }
        }
    }

    /// Asks for the colours of these lines.
    pub fn ask(&mut self, document: &Document, lines: Range<u32>) {
        let Some(language) = self.language else {
            return;
        };
        let first = self
            .blocks
            .partition_point(|block| block.lines.end <= lines.start);
        let last = self
            .blocks
            .partition_point(|block| block.lines.start < lines.end);
        for index in first..last {
            let Some(block) = self.blocks.get_mut(index).filter(|block| !block.asked) else {
                continue;
            };
            block.asked = true;
            let job = Job {
                block: index,
                follows: block.follows,
                lines: code_of(document, block.lines.clone()),
            };
            if job.lines.is_empty() || job.lines.len() > self.left {
                continue;
            }
            self.left -= job.lines.len();
            if self.worker.is_none() {
                self.worker = start(language);
            }
            if self
                .worker
                .as_ref()
                .is_some_and(|worker| worker.jobs.send(job).is_ok())
            {
                self.waiting += 1;
            }
        }
    }
}

/// The lines of code, each whole; pieces of long ones are left out.
fn code_of(document: &Document, lines: Range<u32>) -> Vec<(u32, Kind, String)> {
    let of_code = |index: u32| {
        let line = document.lines.get(index as usize)?;
        let code =
            line.kind.is_of_file() && !line.continues && line.end - line.start < LONGEST_LINE;
        code.then(|| (index, line.kind, document.text_of(line).to_owned()))
    };
    lines.filter_map(of_code).collect()
}

fn start(language: &'static str) -> Option<Worker> {
    let (jobs, todo) = channel::<Job>();
    let (ready, done) = channel::<Done>();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let work = move || {
        // A grammar that fails takes its colours with it, and nothing else.
        let _ = catch_unwind(AssertUnwindSafe(|| work(language, &todo, &ready, &stopped)));
    };
    std::thread::Builder::new()
        .name("colours".to_owned())
        .spawn(work)
        .ok()?;
    Some(Worker { jobs, done, stop })
}

/// How far the old and the new file were read.
#[derive(Clone)]
struct Both {
    old: Reader,
    new: Reader,
}

fn work(
    language: &str,
    jobs: &Receiver<Job>,
    done: &Sender<Done>,
    stop: &AtomicBool,
) -> Option<()> {
    let fresh = Reader::new(language)?;
    let fresh = Both {
        old: fresh.clone(),
        new: fresh,
    };
    let mut ends: HashMap<usize, Both> = HashMap::new();
    let mut left = LONGEST_IN_ALL;
    while let Ok(job) = jobs.recv() {
        let begun = Instant::now();
        let before = job
            .block
            .checked_sub(1)
            .filter(|_| job.follows)
            .and_then(|before| ends.get(&before));
        let mut both = before.unwrap_or(&fresh).clone();
        let mut out = Done::new();
        for (index, kind, text) in &job.lines {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            if begun.elapsed() > LONGEST.min(left) {
                break;
            }
            let Some(pieces) = both.line(*kind, text) else {
                break;
            };
            out.push((*index, pieces));
        }
        ends.insert(job.block, both);
        left = left.saturating_sub(begun.elapsed());
        done.send(out).ok()?;
    }
    None
}

impl Both {
    fn line(&mut self, kind: Kind, text: &str) -> Option<Pieces> {
        match kind {
            Kind::Removed => self.old.line(text),
            Kind::Added => self.new.line(text),
            // Mostly both files are at the same point, and then one reading is enough.
            _ if self.old == self.new => {
                let found = self.new.line(text);
                self.old = self.new.clone();
                found
            }
            _ => {
                self.old.line(text);
                self.new.line(text)
            }
        }
    }
}
