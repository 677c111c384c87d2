//! `sayso audit tail`: the last entries, and those that come.

use std::fmt::Display;
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use sayso_core::text::node::Node;
use sayso_core::text::visible::{visible, visible_again};
use sayso_store::read::{Follow, Reader, Stored};

use super::rows::tone;
use super::{NOTHING, state, times};
use crate::cli::{Stop, say, stopped_by_signals};
use crate::exit_code::Exit;
use sayso_runtime::audit::call::{sign, words};
use sayso_tui::lines::fold::cut;
use sayso_tui::lines::paint::Paint;

/// Show the last entries of the record as they were written, and with -f those that come, until Ctrl-C.
#[derive(Debug, Args)]
pub(super) struct TailArgs {
    /// Go on showing entries as they are written, by whatever process.
    #[arg(long, short)]
    follow: bool,

    /// So many of the last entries.
    #[arg(long = "lines", short = 'n', value_name = "N", default_value_t = 10)]
    count: usize,

    /// Print the lines of the record as they are.
    #[arg(long)]
    json: bool,
}

/// How often it is looked for new entries.
const EVERY: Duration = Duration::from_millis(100);

pub(super) fn run(args: &TailArgs) -> Result<Exit, Stop> {
    let state = state()?;
    let stopped = args.follow.then(stopped_by_signals);
    // Before the last ones are read, so that none is between them; one that comes both ways is shown once.
    let mut follow = if args.follow {
        Some(Follow::from_end(&state).map_err(Stop::usage)?)
    } else {
        None
    };
    let reader = Reader::open(&state).map_err(Stop::usage)?;
    let mut last: Vec<_> = reader
        .backwards()
        .map_err(Stop::usage)?
        .take(args.count)
        .collect();
    last.reverse();
    if last.is_empty() && !args.follow && !args.json && args.count > 0 {
        say(NOTHING)?;
    }
    let mut screen = Screen {
        json: args.json,
        paint: Paint::for_stream(&io::stdout()),
        shown: 0,
    };
    screen.show(&last)?;
    while let (Some(follow), Some(stopped)) = (&mut follow, &stopped) {
        let new = follow.look().map_err(Stop::usage)?;
        screen.show(&new)?;
        if stopped.load(Ordering::SeqCst) {
            break;
        }
        if new.is_empty() {
            std::thread::sleep(EVERY);
        }
    }
    Ok(Exit::Allowed)
}

struct Screen {
    json: bool,
    paint: Paint,
    /// The number of the last entry that was shown.
    shown: u64,
}

impl Screen {
    fn show<E: Display>(&mut self, entries: &[Result<Stored, E>]) -> Result<(), Stop> {
        use std::io::Write as _;
        let mut out = io::stdout().lock();
        for entry in entries {
            match entry {
                Ok(stored) if stored.number <= self.shown => continue,
                Ok(stored) => {
                    self.shown = stored.number;
                    let line = if self.json {
                        stored.text.clone()
                    } else {
                        self.line(stored)
                    };
                    writeln!(out, "{line}")?;
                }
                Err(why) => {
                    let _ = writeln!(
                        io::stderr(),
                        "sayso: warning: {}",
                        visible(&why.to_string())
                    );
                }
            }
        }
        Ok(out.flush()?)
    }

    fn line(&self, stored: &Stored) -> String {
        let node = stored.node().unwrap_or_else(|_| Node::map::<&str>([]));
        let text = |name: &str| node.get(name).and_then(Node::as_text).unwrap_or_default();
        let word = match text("outcome") {
            "" => match node.get("succeeded").and_then(Node::as_bool) {
                Some(true) => format!("{}, went well", stored.kind),
                Some(false) => format!("{}, failed", stored.kind),
                None => stored.kind.clone(),
            },
            outcome => format!("{} {}", sign(outcome), words(outcome)),
        };
        let what = ["what", "message", "words", "call", "session"]
            .iter()
            .map(|name| text(name))
            .find(|text| !text.is_empty())
            .unwrap_or_default();
        let rule = match text("rule") {
            "" => String::new(),
            rule => format!(" [{}]", visible(rule)),
        };
        let agent = match text("agent") {
            "" => String::new(),
            agent => format!("{}: ", visible(agent)),
        };
        let tone = tone(Some(text("outcome")).filter(|outcome| !outcome.is_empty()));
        let word = format!("{:<20}", visible(&word));
        let start = format!("{:>6}  {}  ", stored.number, times::of_day(stored.at));
        let rest = format!("  {agent}{}{rule}", visible_again(what));
        let rest = match self.paint.cut_at() {
            Some(width) => cut(
                &rest,
                width
                    .saturating_sub(start.chars().count() + word.chars().count())
                    .max(8),
            ),
            None => rest,
        };
        let word = tone.map_or_else(|| word.clone(), |tone| self.paint.tone(tone, &word));
        format!("{start}{word}{rest}")
    }
}
