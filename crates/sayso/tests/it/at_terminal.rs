//! Runs the program at a terminal of its own, with somebody who types when they see something.

use crate::scene::Scene;
use crate::terminal::Terminal;

/// What is typed, and when.
pub enum Typed<'a> {
    /// Before anything stands there.
    Ahead(&'a str),
    /// As soon as this stands there.
    At(&'a str, &'a str),
}

/// How it went.
pub struct Seen {
    /// Everything that stood on the screen.
    pub text: String,
    /// The exit status.
    pub code: u32,
}

/// Runs the program with these words, on a screen of so many columns.
pub fn at_terminal(scene: &Scene, words: &[&str], columns: u16, typed: &[Typed<'_>]) -> Seen {
    let program = scene.program();
    let set: Vec<(&str, &str)> = program
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)))
        .collect();
    let mut terminal = Terminal::start_with(scene.workspace.as_ref(), &set, columns, words);
    for typed in typed {
        match typed {
            Typed::Ahead(keys) => terminal.keys(keys),
            Typed::At(sign, keys) => {
                terminal.wait_for(sign);
                // The program does not count what is typed in the first moment of a question.
                std::thread::sleep(std::time::Duration::from_millis(1500));
                terminal.keys(keys);
            }
        }
    }
    let (text, code) = terminal.end();
    Seen { text, code }
}
