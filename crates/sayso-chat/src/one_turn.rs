//! One turn without a screen: the answer goes to standard output, what the calls do beside it.

use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::text::visible::visible;
use sayso_gate::batch::Step;

use super::conversation::Said;
use super::model::Piece;
use super::session::Session;
use super::turn::{Happens, Watch};
use sayso_tui::lines::paint::{Paint, Tone};

/// What a model says stands behind this on a terminal, and nothing else does.
pub const GUTTER: &str = "▍ ";

/// Who shows what calls do, in lines.
pub trait Progress: Send + Sync {
    /// The turn of a call comes, or it has its end.
    fn step(&self, step: Step<'_>);
    /// Whole lines of somebody else, in their place among these.
    fn say(&self, lines: &[String]);
}

/// Shows a turn a line at a time.
pub struct Lines {
    progress: Arc<dyn Progress>,
    session: Arc<Session>,
    words: Mutex<Words>,
}

struct Words {
    out: Box<dyn Write + Send>,
    paint: Paint,
    /// Whether each line gets the mark.
    marked: bool,
    line: String,
    said: bool,
}

impl Lines {
    /// Shows it on standard output; nothing where a program wants all of it at the end.
    pub fn new(progress: Arc<dyn Progress>, session: Arc<Session>, quiet: bool) -> Lines {
        let out: Box<dyn Write + Send> = if quiet {
            Box::new(io::sink())
        } else {
            Box::new(io::stdout())
        };
        let marked = io::stdout().is_terminal();
        let words = Words {
            out,
            paint: Paint::for_stream(&io::stdout()),
            marked,
            line: String::new(),
            said: false,
        };
        Lines {
            progress,
            session,
            words: Mutex::new(words),
        }
    }

    fn words(&self) -> std::sync::MutexGuard<'_, Words> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Words {
    fn more(&mut self, text: &str) {
        self.said = true;
        for (at, piece) in text.split('\n').enumerate() {
            if at > 0 {
                self.end_line();
            }
            self.line.push_str(piece);
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = visible(line.trim_end_matches('\r')).into_owned();
        // Nobody is left to tell if the screen is gone.
        let _ = match self.marked {
            true => writeln!(
                self.out,
                "{}",
                self.paint.folded(&format!("{GUTTER}{text}"), GUTTER)
            ),
            false => writeln!(self.out, "{text}"),
        };
        let _ = self.out.flush();
    }

    fn end(&mut self) {
        if !self.line.is_empty() {
            self.end_line();
        }
    }
}

impl Watch for Lines {
    fn happens(&self, what: Happens<'_>) {
        match what {
            Happens::Piece(Piece::Text(text)) => self.words().more(&text),
            Happens::Piece(Piece::Call(_)) => {}
            Happens::Piece(Piece::Again(why)) => {
                self.words().end();
                let _ = writeln!(
                    io::stderr(),
                    "sayso: the model is asked again, from the start: {}",
                    visible(&why)
                );
            }
            Happens::Answered(_, is_cut) => {
                self.words().end();
                if is_cut {
                    let _ = writeln!(
                        io::stderr(),
                        "sayso: the answer reached its longest length, and ends in the middle"
                    );
                }
            }
            Happens::Refused(wanted, why) => {
                let paint = self.words().paint;
                let lines = [
                    format!("{} (malformed)", visible(&wanted.tool)),
                    paint.tone(Tone::Red, &format!("      ✗ {}", visible(why))),
                ];
                self.progress.say(&lines);
            }
            Happens::Step(step) => self.progress.step(step),
        }
    }

    fn keep(&self, said: &Said) -> io::Result<()> {
        self.session.keep(said)
    }
}
