//! What one command is found to do, put into the draft piece by piece.

use sayso_core::analysis::draft::{Bound, Draft, OneRepository, Opaque};
use sayso_core::analysis::effect::{Effect, EffectKind, Manner, Place, Target};
use sayso_core::analysis::fact::{HOME, MANY, ONE, Question, Reach, Search, Setting, Shows, TOP};
use sayso_core::call::url::Url;

use crate::expand::directories::in_folder;
use crate::parse::field::Field;
use crate::parse::placeholder::{self, Root};

/// A command while its effects are being found.
pub(crate) struct Scene<'a> {
    draft: &'a mut Draft,
    part: usize,
    /// The folders the command may run in, relative to where the line starts.
    folders: &'a [String],
    /// Its words, the program first.
    words: &'a [Field],
    /// The program's name.
    pub(crate) name: String,
    /// Every effect is listed so far.
    known: bool,
    note: Option<String>,
    /// Runs its arguments or its input as a program.
    pub(crate) interprets: bool,
    /// The question for git's helpers.
    pub(crate) git: Option<usize>,
    /// The command or script in its words is listed as commands of their own.
    pub(crate) read_inside: bool,
    /// What it reads as its input comes from the line.
    pub(crate) fed: bool,
    /// It is a part of another program (`busybox sh`), which need not have the options of the program of that name.
    pub(crate) applet: bool,
    /// Opens none of the files that it is told about.
    pub(crate) only_names: bool,
    /// It tells no more than how much is in files, of which some are told by lists of names: which ones those are, nobody said.
    pub(crate) only_counts: bool,
    /// Takes only so many bytes of its input, so that one without an end does no harm.
    pub(crate) stops_early: bool,
    /// Something ends it before long: what reads its output, or a time limit.
    pub(crate) is_cut: bool,
    /// There are words that are only known when it runs, and nobody has said yet that any words would do.
    unsettled: Option<(String, Option<(usize, usize)>)>,
    /// Where its own folder is looked through because its words name no other: the effects that say so.
    here: Vec<usize>,
}

/// What is left of a scene when its effects are listed.
pub(crate) struct Closed {
    pub(crate) name: String,
    pub(crate) interprets: bool,
    pub(crate) git: Option<usize>,
    pub(crate) here: Vec<usize>,
}

/// A path that is only looked at.
pub(crate) const PLAIN: Manner = Manner {
    recursive: false,
    overwrite: false,
    moved_away: false,
    redirect: false,
    file_tool: false,
    makes_folder: false,
    permissions: false,
    maybe_option: false,
    absent: false,
    named: false,
    argument: false,
    repository: false,
    unlisted: false,
    known_program: false,
    listing: false,
};

impl<'a> Scene<'a> {
    pub(crate) fn new(
        draft: &'a mut Draft,
        part: usize,
        folders: &'a [String],
        words: &'a [Field],
        name: &str,
    ) -> Self {
        Scene {
            draft,
            part,
            folders,
            words,
            name: name.to_owned(),
            known: true,
            note: None,
            interprets: false,
            git: None,
            read_inside: false,
            fed: false,
            applet: false,
            only_names: false,
            only_counts: false,
            stops_early: false,
            is_cut: false,
            unsettled: None,
            here: Vec::new(),
        }
    }

    /// Which bytes of the command text a piece of one of its words comes from; the program's, if it is no such piece.
    fn place_of(&self, piece: &str) -> Option<(usize, usize)> {
        let at = piece.as_ptr().addr();
        let holds = |field: &&Field| {
            let start = field.value.as_ptr().addr();
            (start..=start + field.value.len()).contains(&at) && !field.value.is_empty()
        };
        self.words
            .iter()
            .find(holds)
            .or(self.words.first())
            .map(|field| (field.start, field.end))
    }

    /// A piece of one of its words as a person reads it.
    pub(crate) fn shown(&self, piece: &str) -> String {
        let piece = piece.trim_end_matches(placeholder::PARTED);
        let whole = |field: &&Field| {
            field.value.as_ptr() == piece.as_ptr()
                && field.value.trim_end_matches(placeholder::PARTED).len() == piece.len()
        };
        match self.words.iter().find(whole) {
            Some(field) => field.shown(),
            None => placeholder::shown(piece),
        }
    }

    /// This word is only known when it runs: unless the program says that any would do, it is not known what it does.
    pub(crate) fn unsettle(&mut self, word: &str) {
        let place = self.place_of(word);
        let shown = self.shown(word);
        self.unsettled.get_or_insert((shown, place));
    }

    /// Any number of any words would do, where they stand.
    pub(crate) fn settle(&mut self) {
        self.unsettled = None;
    }

    /// Reads the words as those of another program of the same name: what either does counts, and a doubt stays.
    pub(crate) fn read_again(&mut self, reading: impl FnOnce(&mut Self)) {
        let left = self.unsettled.take();
        reading(self);
        self.unsettled = left.or(self.unsettled.take());
    }

    /// Ends the scene with the run of the program itself.
    pub(crate) fn close(mut self) -> Closed {
        if let Some((word, at)) = self.unsettled.take() {
            self.unlisted(format!(
                "what `{}` does with `{word}` shows only when it runs",
                self.name
            ));
            if let Some(effect) = self.draft.effects.last_mut() {
                effect.at = at;
            }
        }
        let manner = Manner {
            known_program: self.known,
            ..PLAIN
        };
        let at = self.place_of("");
        let run = Effect {
            manner,
            part: Some(self.part),
            note: self.note,
            at,
            ..Effect::new(EffectKind::Run, Target::Command)
        };
        self.draft.effects.push(run);
        Closed {
            name: self.name,
            interprets: self.interprets,
            git: self.git,
            here: self.here,
        }
    }

    /// Something of the command is not known: it can never be allowed by itself.
    pub(crate) fn unknown(&mut self, note: impl Into<String>) {
        let note = in_words(note.into());
        self.runs(note.clone());
        let at = self.place_of("");
        self.draft.effects.push(Effect {
            part: Some(self.part),
            at,
            ..Effect::unknown(note)
        });
    }

    /// An option or operand that the table does not list.
    pub(crate) fn unlisted_word(&mut self, word: &str, note: impl Into<String>) {
        let at = self.place_of(word);
        self.unlisted(note);
        if let Some(effect) = self.draft.effects.last_mut() {
            effect.at = at;
        }
    }

    /// An option or form that the table does not list: only a rule that spells it out covers it.
    pub(crate) fn unlisted(&mut self, note: impl Into<String>) {
        self.unknown(note);
        if let Some(effect) = self.draft.effects.last_mut() {
            effect.manner.unlisted = true;
        }
    }

    /// Something to tell the person about a program whose effects are all listed.
    pub(crate) fn tells(&mut self, note: impl Into<String>) {
        self.note.get_or_insert(note.into());
    }

    /// A known program whose own effects are not all listed.
    pub(crate) fn runs(&mut self, note: impl Into<String>) {
        self.known = false;
        self.note.get_or_insert_with(|| in_words(note.into()));
    }

    /// Reads a path.
    pub(crate) fn read(&mut self, path: &str, recursive: bool) {
        let endless = matches!(path, "/dev/zero" | "/dev/random" | "/dev/urandom");
        // No file has an empty name: there is nothing to open.
        if !(matches!(path, "" | "/dev/null" | "/dev/stdin") || endless && self.stops_early) {
            self.path(EffectKind::Read, path, false, Manner { recursive, ..PLAIN });
        }
    }

    /// Lists a folder for the names of a pattern.
    pub(crate) fn list(&mut self, folder: &str) {
        self.path(
            EffectKind::Read,
            folder,
            false,
            Manner {
                listing: true,
                ..PLAIN
            },
        );
    }

    /// Writes a path, which may also be the program's own output.
    pub(crate) fn write(&mut self, path: &str) {
        if !matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr") {
            self.path(EffectKind::Write, path, false, PLAIN);
        }
    }

    /// Writes a path that may be a folder, in which case it is a name inside that is written.
    pub(crate) fn write_into(&mut self, target: &str, sources: &[&str], recursive: bool) {
        self.path(
            EffectKind::Write,
            target,
            false,
            Manner { recursive, ..PLAIN },
        );
        for source in sources {
            // Which names these are is not known, only that they stand in the target then.
            if placeholder::has_names_below(source) {
                self.path(
                    EffectKind::Write,
                    target,
                    false,
                    Manner {
                        recursive: true,
                        ..PLAIN
                    },
                );
                continue;
            }
            let name = source
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or("");
            if name.is_empty() || name == "." || name == ".." || target == "/dev/null" {
                continue;
            }
            let inside = format!("{}/{name}", target.trim_end_matches('/'));
            self.path(
                EffectKind::Write,
                &inside,
                false,
                Manner { recursive, ..PLAIN },
            );
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
        let at = self.place_of(path);
        let manner = Manner {
            listing: manner.listing || self.only_names && kind == EffectKind::Read,
            ..manner
        };
        let literal = placeholder::is_literal(path);
        let single = (!literal && path.contains(placeholder::SINGLE))
            .then(|| path.replace(placeholder::SINGLE, ""));
        let path = single.as_deref().unwrap_or(path);
        let (path, parted) = match path.strip_suffix(placeholder::PARTED) {
            Some(path) => (path, true),
            None => (path, false),
        };
        // What goes deep by itself may find a folder of such a name, and in it names that fit no pattern.
        let below = placeholder::below(path)
            .map(|(folder, only)| (folder, if manner.recursive { "" } else { only }));
        let (path, only) = below.map_or((path, None), |(folder, only)| (folder, Some(only)));
        let manner = Manner {
            recursive: manner.recursive || only.is_some(),
            ..manner
        };
        // What goes to another command of the line is judged there.
        if !literal && path.contains(placeholder::PIPE) && path.chars().count() == 1 {
            return;
        }
        for folder in self.folders {
            let mut target = target(self.draft, &in_folder(folder, path), no_follow, parted);
            if let (Target::UnknownPath(written), true) =
                (&mut target, placeholder::is_literal(folder))
            {
                *written = in_folder(folder, &self.shown(path)).into_owned();
            }
            if let (Some(only), EffectKind::Read, Target::Path(place)) = (only, kind, &target) {
                let manner = Search {
                    words: parted,
                    names: self.only_names || self.only_counts,
                    ..as_listed(only)
                };
                search(self.draft, place.question, manner, names(only));
            }
            self.draft.effects.push(Effect {
                manner,
                part: Some(self.part),
                at,
                ..Effect::new(kind, target)
            });
        }
    }

    /// Looks through the folder it runs in, with everything below.
    pub(crate) fn read_here(&mut self) {
        let before = self.draft.effects.len();
        self.path(
            EffectKind::Read,
            ".",
            false,
            Manner {
                recursive: true,
                ..PLAIN
            },
        );
        self.here.extend(before..self.draft.effects.len());
    }

    /// Asks which names a pattern stands for, if no effect has asked yet.
    pub(crate) fn look_at_names(&mut self, word: &str) {
        for folder in self.folders {
            let path = in_folder(
                folder,
                word.trim_end_matches([placeholder::PARTED, placeholder::SINGLE]),
            );
            let asked = pattern(&path).is_some_and(|wanted| {
                self.draft.questions.iter().any(|question| matches!(question, Question::Names { pattern, .. } if *pattern == wanted))
            });
            if !asked {
                self.read(word, false);
                return;
            }
        }
    }

    /// Does something to any target.
    pub(crate) fn effect(&mut self, kind: EffectKind, target: Target, manner: Manner) {
        self.draft.effects.push(Effect {
            manner,
            part: Some(self.part),
            ..Effect::new(kind, target)
        });
    }

    /// Talks to another machine.
    pub(crate) fn connect(&mut self, address: &str) {
        let target = match Url::parse(address) {
            Ok(url) if placeholder::is_literal(address) => Target::Url(url),
            // The host is text, since no host has a hole in it; the page is only known when it runs.
            Ok(url) => Target::Url(Url {
                written: self.shown(address),
                path: placeholder::shown(&url.path),
                open: true,
                ..url
            }),
            Err(_) => Target::Host(self.shown(address)),
        };
        let at = self.place_of(address);
        self.draft.effects.push(Effect {
            part: Some(self.part),
            at,
            ..Effect::new(EffectKind::Connect, target)
        });
    }

    /// Asks what git would run in a folder, and what of this it would show.
    pub(crate) fn ask_git(&mut self, folder: &str, shows: Shows) {
        let folder = match self.folders {
            [from] => asked(&in_folder(from, folder)),
            // The repository of a folder and that of its top are the same.
            [here, top]
                if here.is_empty() && folder == "." && top.chars().eq([placeholder::TOP]) =>
            {
                Some(folder.to_owned())
            }
            _ => return self.ask_git_in_each(folder, &shows),
        };
        match folder {
            Some(folder) => self.git = Some(self.draft.ask(Question::GitHelpers { folder, shows })),
            None => self.unknown("which repository it works on depends on what ran before"),
        }
    }

    /// Asks the same in every folder that it may run in: `cd` may lead to where the line already is, or fail.
    fn ask_git_in_each(&mut self, folder: &str, shows: &Shows) {
        let folders: Option<Vec<String>> = self
            .folders
            .iter()
            .map(|from| asked(&in_folder(from, folder)))
            .collect();
        let plain = self
            .folders
            .iter()
            .all(|folder| placeholder::is_literal(folder));
        let Some(folders) = folders.filter(|_| plain && !shows.stash) else {
            return self.unknown("which repository it works on depends on what ran before");
        };
        let ask = |folder| {
            self.draft.ask(Question::GitHelpers {
                folder,
                shows: *shows,
            })
        };
        let questions: Vec<usize> = folders.into_iter().map(ask).collect();
        self.git = questions.first().copied();
        self.draft.one_repository.push(OneRepository {
            part: self.part,
            questions,
        });
    }

    /// Does what its words say only where none of these settings stands in a folder, or in one above it.
    pub(crate) fn bind(&mut self, folder: &str, settings: Vec<Setting>, note: &str) {
        if settings.is_empty() {
            return;
        }
        for from in self.folders {
            let Some(folder) = asked(&in_folder(from, folder)) else {
                return self.runs(note);
            };
            let question = self.draft.ask(Question::Settings {
                folder,
                settings: settings.clone(),
            });
            self.draft.bound.push(Bound {
                part: self.part,
                question,
                note: note.to_owned(),
            });
        }
    }

    /// Asks git's question anew, since the command shows more.
    pub(crate) fn git_shows(&mut self, more: impl FnOnce(&mut Shows)) {
        if let Some(Question::GitHelpers { folder, mut shows }) = self
            .git
            .and_then(|at| self.draft.questions.get(at))
            .cloned()
        {
            more(&mut shows);
            self.git = Some(self.draft.ask(Question::GitHelpers { folder, shows }));
        }
    }

    /// Asks which secrets git shows of what it tracks around a folder.
    pub(crate) fn ask_tracked(&mut self, folder: &str, reach: Reach) {
        for from in self.folders {
            // Where it is not known which repository this is, git's own question says so.
            if let Some(folder) = asked(&in_folder(from, folder)) {
                self.draft.ask_tracked(&folder, reach.clone());
            }
        }
    }

    /// A script or a command stands inside the command; the analysis fills in what can be seen of it.
    pub(crate) fn opaque(&mut self, reason: impl Into<String>) {
        self.draft.opaque.get_or_insert(Opaque {
            reason: in_words(reason.into()),
            start: 0,
            end: 0,
            seen: Vec::new(),
        });
    }
}

/// A note that people read: tables write words into it as they see them, with holes.
fn in_words(note: String) -> String {
    if placeholder::is_literal(&note) {
        note
    } else {
        placeholder::shown(&note)
    }
}

/// The target of an effect: a path to ask about, the files of a pattern, or what is only known when it runs.
pub(crate) fn target(draft: &mut Draft, path: &str, no_follow: bool, parted: bool) -> Target {
    if let Some(path) = asked(path) {
        let written = path.clone();
        let question = draft.ask(Question::Path { path, no_follow });
        return Target::Path(Place {
            written,
            question,
            fact: None,
        });
    }
    let Some(pattern) = pattern(path) else {
        return Target::UnknownPath(placeholder::shown(path));
    };
    let question = draft.ask(Question::Names { pattern, parted });
    Target::Path(Place {
        written: placeholder::shown(path),
        question,
        fact: None,
    })
}

/// A program that opens whatever lies below.
pub(crate) const EVERYTHING: Search = Search {
    hidden: true,
    follow: true,
    ignored: true,
    words: false,
    whole: false,
    names: false,
    as_git: false,
    tracked: false,
};

/// The same, of names that come from a list.
pub(crate) fn as_listed(only: &str) -> Search {
    let as_git = only.starts_with(placeholder::NOT_IGNORED);
    let follow = !only.starts_with(placeholder::WALKED);
    Search {
        as_git,
        ignored: !as_git,
        tracked: only.starts_with(placeholder::TRACKED),
        follow,
        ..EVERYTHING
    }
}

/// Asks whether names below a folder are plain words, since a shell parts them; or at least no options, where each is handed on whole.
pub(crate) fn hand_on(draft: &mut Draft, folder: &str, value: &str, whole: bool) {
    let (place, only) = placeholder::below(value).unwrap_or((value, ""));
    if let Target::Path(place) = target(draft, &in_folder(folder, place), false, false) {
        search(
            draft,
            place.question,
            Search {
                words: !whole,
                whole,
                names: true,
                follow: false,
                ..as_listed(only)
            },
            names(only),
        );
    }
}

/// Asks what a search through the target of a question would show.
pub(crate) fn search(draft: &mut Draft, question: usize, search: Search, only: Vec<String>) {
    let path = match draft.questions.get(question) {
        Some(Question::Path { path, .. }) => path.clone(),
        Some(Question::Names { pattern, .. }) => pattern.clone(),
        _ => return,
    };
    draft.ask_search(&path, search, only);
}

/// Patterns of names, as they stand behind [`placeholder::BELOW`], as the world is asked about them.
pub(crate) fn names(only: &str) -> Vec<String> {
    let patterns = only
        .trim_start_matches([
            placeholder::NOT_IGNORED,
            placeholder::TRACKED,
            placeholder::WALKED,
        ])
        .split('/')
        .filter(|pattern| !pattern.is_empty());
    patterns
        .map(|pattern| {
            pattern
                .replace(placeholder::STAR, &MANY.to_string())
                .replace(placeholder::ANY, &ONE.to_string())
        })
        .collect()
}

/// A path as the world is asked about it; none if it is only known when it runs.
pub(crate) fn asked(path: &str) -> Option<String> {
    if placeholder::is_literal(path) {
        return Some(path.to_owned());
    }
    match placeholder::rooted(path) {
        Some((Root::Home, rest)) if placeholder::is_literal(rest) => Some(format!("{HOME}{rest}")),
        None => placeholder::below_top(path)
            .filter(|rest| placeholder::is_literal(rest))
            .map(|rest| format!("{TOP}{rest}")),
        _ => None,
    }
}

/// A pattern of names as the world is asked about it.
fn pattern(path: &str) -> Option<String> {
    let (start, rest) = match (placeholder::rooted(path), placeholder::below_top(path)) {
        (Some((Root::Home, rest)), _) => (HOME.to_string(), rest),
        (_, Some(rest)) => (TOP.to_owned(), rest),
        _ => (String::new(), path),
    };
    if !placeholder::is_glob(path)
        || rest.contains([placeholder::HOME, placeholder::HERE, placeholder::TOP])
    {
        return None;
    }
    // That a name may be parted is no part of it: `mv $f $f.bak` in a loop.
    let rest = rest.replace([placeholder::PARTED, placeholder::SINGLE], "");
    Some(
        start
            + &rest
                .replace(placeholder::STAR, &MANY.to_string())
                .replace(placeholder::ANY, &ONE.to_string()),
    )
}
