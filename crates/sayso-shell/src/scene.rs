//! What one command is found to do, put into the draft piece by piece.

use sayso_core::draft::{Draft, Opaque};
use sayso_core::effect::{Effect, EffectKind, Manner, Place, Target};
use sayso_core::fact::Question;
use sayso_core::url::Url;

/// A command while its effects are being found.
pub(crate) struct Scene<'a> {
    draft: &'a mut Draft,
    part: usize,
    /// The folders the command may run in, relative to where the line starts.
    folders: &'a [String],
    /// The program's name.
    pub(crate) name: String,
    /// Every effect is listed so far.
    known: bool,
    note: Option<String>,
    /// Runs its arguments or its input as a program.
    pub(crate) interprets: bool,
    /// The question for git's helpers.
    pub(crate) git: Option<usize>,
}

/// A path that is only looked at.
pub(crate) const PLAIN: Manner = Manner {
    recursive: false,
    overwrite: false,
    moved_away: false,
    redirect: false,
    file_tool: false,
    makes_folder: false,
    repository: false,
    unlisted: false,
    known_program: false,
};

impl<'a> Scene<'a> {
    pub(crate) fn new(draft: &'a mut Draft, part: usize, folders: &'a [String], name: &str) -> Self {
        Scene { draft, part, folders, name: name.to_owned(), known: true, note: None, interprets: false, git: None }
    }

    /// Ends the scene with the run of the program itself.
    pub(crate) fn close(self) -> (bool, Option<usize>) {
        let manner = Manner { known_program: self.known, ..PLAIN };
        let run = Effect { manner, part: Some(self.part), note: self.note, ..Effect::new(EffectKind::Run, Target::Command) };
        self.draft.effects.push(run);
        (self.interprets, self.git)
    }

    /// Something of the command is not known: it can never be allowed by itself.
    pub(crate) fn unknown(&mut self, note: impl Into<String>) {
        let note = note.into();
        self.runs(note.clone());
        self.draft.effects.push(Effect { part: Some(self.part), ..Effect::unknown(note) });
    }

    /// An option or form that the table does not list: only a rule that spells it out covers it.
    pub(crate) fn unlisted(&mut self, note: impl Into<String>) {
        self.unknown(note);
        if let Some(effect) = self.draft.effects.last_mut() {
            effect.manner.unlisted = true;
        }
    }

    /// A known program whose own effects are not all listed.
    pub(crate) fn runs(&mut self, note: impl Into<String>) {
        self.known = false;
        self.note.get_or_insert(note.into());
    }

    /// Reads a path.
    pub(crate) fn read(&mut self, path: &str, recursive: bool) {
        if !matches!(path, "/dev/null" | "/dev/stdin" | "/dev/zero" | "/dev/random" | "/dev/urandom") {
            self.path(EffectKind::Read, path, false, Manner { recursive, ..PLAIN });
        }
    }

    /// Writes a path, which may also be the program's own output.
    pub(crate) fn write(&mut self, path: &str) {
        if !matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr") {
            self.path(EffectKind::Write, path, false, PLAIN);
        }
    }

    /// Writes a path that may be a folder, in which case it is a name inside that is written.
    pub(crate) fn write_into(&mut self, target: &str, sources: &[&str], recursive: bool) {
        self.path(EffectKind::Write, target, false, Manner { recursive, ..PLAIN });
        for source in sources {
            let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or("");
            if name.is_empty() || name == "." || name == ".." || target == "/dev/null" {
                continue;
            }
            let inside = format!("{}/{name}", target.trim_end_matches('/'));
            self.path(EffectKind::Write, &inside, false, Manner { recursive, ..PLAIN });
            self.doubt();
        }
    }

    /// The path that was put in last may not be touched, in whichever folder.
    pub(crate) fn doubt(&mut self) {
        for effect in self.draft.effects.iter_mut().rev().take(self.folders.len()) {
            effect.certain = false;
        }
    }

    /// Does something to a path.
    pub(crate) fn path(&mut self, kind: EffectKind, path: &str, no_follow: bool, manner: Manner) {
        for folder in self.folders {
            let written = in_folder(folder, path);
            let question = self.draft.ask(Question::Path { path: written.clone(), no_follow });
            let place = Place { written, question, fact: None };
            self.draft.effects.push(Effect { manner, part: Some(self.part), ..Effect::new(kind, Target::Path(place)) });
        }
    }

    /// Does something to any target.
    pub(crate) fn effect(&mut self, kind: EffectKind, target: Target, manner: Manner) {
        self.draft.effects.push(Effect { manner, part: Some(self.part), ..Effect::new(kind, target) });
    }

    /// Talks to another machine.
    pub(crate) fn connect(&mut self, address: &str) {
        let target = Url::parse(address).map_or_else(|_| Target::Host(address.to_owned()), Target::Url);
        self.effect(EffectKind::Connect, target, PLAIN);
    }

    /// Asks what git would run in a folder.
    pub(crate) fn ask_git(&mut self, folder: &str) {
        match self.folders {
            [from] => self.git = Some(self.draft.ask(Question::GitHelpers { folder: in_folder(from, folder) })),
            _ => self.unknown("which repository it works on depends on what ran before"),
        }
    }

    /// A script or a command stands inside the command; the analysis fills in what can be seen of it.
    pub(crate) fn opaque(&mut self, reason: impl Into<String>) {
        self.draft.opaque.get_or_insert(Opaque { reason: reason.into(), start: 0, end: 0, seen: Vec::new() });
    }
}

/// A path as the line sees it that goes to a folder first. The names are put together as they are: the world resolves links and `..`.
pub(crate) fn in_folder(folder: &str, path: &str) -> String {
    if folder.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") }
}
