//! The variables of a line: what each of them may hold at one place of it.

use std::borrow::Cow;
use std::rc::Rc;

use super::environment_names::is_read_by_programs;
use crate::parse::placeholder::{
    self, ANY, BELOW, DIGITS, HERE, HOME, NUMBER, SIGNED, STAR, TEXT, is_literal,
};

/// Values of one variable that are told apart.
const MOST_VALUES: usize = 32;
/// Bytes of one value that are kept.
const LONGEST_VALUE: usize = 4096;

/// What is known of the variables. One that is not in it holds whatever the environment has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variables {
    known: Rc<Vec<Known>>,
    /// Lists with known values, in their order.
    lists: Vec<(String, Vec<String>)>,
    /// Something ran that may have changed any of them.
    lost: bool,
}

/// One variable.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    name: String,
    values: Vec<String>,
    /// It may still hold what the environment had.
    inherited: bool,
}

impl Variables {
    fn find(&self, name: &str) -> Option<&Known> {
        self.known.iter().find(|known| known.name == name)
    }

    /// The values a variable may hold; a text of which nothing is known is a hole.
    pub(crate) fn get(&self, name: &str) -> Cow<'_, [String]> {
        if let Some(known) = self.find(name) {
            return known.values.as_slice().into();
        }
        let hole = match name {
            _ if self.lost => TEXT,
            "HOME" => HOME,
            "PWD" => HERE,
            _ => TEXT,
        };
        vec![hole.to_string()].into()
    }

    /// Whether nothing at all is known of a variable.
    pub(crate) fn is_unknown(&self, name: &str) -> bool {
        match self.find(name) {
            Some(known) => is_nothing(&known.values),
            None => self.lost || !matches!(name, "HOME" | "PWD"),
        }
    }

    /// Whether a variable may hold names below a folder.
    pub(crate) fn has_names_below(&self, name: &str) -> bool {
        self.find(name).is_some_and(|known| {
            known
                .values
                .iter()
                .any(|value| placeholder::has_names_below(value))
        })
    }

    /// Whether a variable may hold what the environment has.
    pub(crate) fn is_inherited(&self, name: &str) -> bool {
        self.find(name).is_none_or(|known| known.inherited)
    }

    /// Whether the line has said where words are parted: then it is not at blanks.
    pub(crate) fn parts_elsewhere(&self) -> bool {
        self.find("IFS").is_some()
    }

    /// Whether a variable can only hold a plain number.
    pub(crate) fn is_number(&self, name: &str) -> bool {
        self.get(name).iter().all(|value| is_number(value))
    }

    /// Whether arithmetic over a variable can do nothing but count: what is no plain number is an error there.
    pub(crate) fn is_counted(&self, name: &str) -> bool {
        self.get(name).iter().all(|value| {
            is_number(value) || value.chars().eq([DIGITS]) || value.chars().eq([SIGNED])
        })
    }

    /// Gives a variable new values, in the place of all that it had.
    pub(crate) fn set(&mut self, name: &str, values: Vec<String>) {
        self.put(name, values, false);
    }

    fn put(&mut self, name: &str, mut values: Vec<String>, inherited: bool) {
        self.lists.retain(|(known, _)| known != name);
        values.sort();
        values.dedup();
        // The shell itself gives `$_` a value with every command.
        let unclear = name == "_"
            || values
                .iter()
                .any(|value| value.contains(TEXT) && value.chars().count() == 1);
        if unclear
            || values.len() > MOST_VALUES
            || values.iter().any(|value| value.len() > LONGEST_VALUE)
        {
            values = vec![TEXT.to_string()];
        }
        let known = Known {
            name: name.to_owned(),
            values,
            inherited,
        };
        let all = Rc::make_mut(&mut self.known);
        match all.iter_mut().find(|known| known.name == name) {
            Some(old) => *old = known,
            None => all.push(known),
        }
    }

    /// The values of a list, if they are nothing but text, or text behind the home of the person.
    pub(crate) fn list(&self, name: &str) -> Option<Vec<String>> {
        let (_, values) = self.lists.iter().find(|(known, _)| known == name)?;
        Some(values.clone())
    }

    /// Gives a list new values, as far as they are nothing but text, or text behind the home of the person.
    pub(crate) fn set_list(&mut self, name: &str, values: Vec<String>) {
        self.set(name, vec![TEXT.to_string()]);
        let known = |value: &String| is_literal(value.strip_prefix(HOME).unwrap_or(value));
        if values.iter().all(known) && values.len() <= MOST_VALUES {
            self.lists.push((name.to_owned(), values));
        }
    }

    /// A variable may hold anything from here on, also what it held before.
    pub(crate) fn forget(&mut self, name: &str) {
        let inherited = self.is_inherited(name);
        self.put(name, vec![TEXT.to_string()], inherited);
    }

    /// Values that depend on the folder are not known any more where that has changed.
    pub(crate) fn forget_places(&mut self) {
        let depends = |known: &Known| {
            known
                .values
                .iter()
                .any(|value| value.contains([HERE, STAR, ANY, BELOW]))
        };
        if !self.known.iter().any(depends) {
            return;
        }
        for known in Rc::make_mut(&mut self.known) {
            if known
                .values
                .iter()
                .any(|value| value.contains([HERE, STAR, ANY, BELOW]))
            {
                known.values = vec![TEXT.to_string()];
            }
        }
    }

    /// Nothing is known of any variable from here on.
    pub(crate) fn lose(&mut self) {
        self.known = Rc::default();
        self.lists.clear();
        self.lost = true;
    }

    /// Either this or the other may hold.
    pub(crate) fn join(&mut self, other: &Variables) {
        if Rc::ptr_eq(&self.known, &other.known)
            && self.lost == other.lost
            && self.lists == other.lists
            || self == other
        {
            return;
        }
        self.lists.retain(|list| other.lists.contains(list));
        let lists = self.lists.clone();
        // What both know alike stays as it is.
        let differs = |known: &&Known| self.find(&known.name) != other.find(&known.name);
        let names = self
            .known
            .iter()
            .chain(other.known.iter())
            .filter(differs)
            .map(|known| known.name.clone());
        for name in names.collect::<Vec<String>>() {
            let mut values = self.get(&name).into_owned();
            let inherited = self.is_inherited(&name) || other.is_inherited(&name);
            values.extend(other.get(&name).into_owned());
            self.put(&name, values, inherited);
        }
        self.lists = lists;
        self.lost |= other.lost;
    }
}

fn is_nothing(values: &[String]) -> bool {
    matches!(values, [value] if value.chars().eq([TEXT]))
}

/// Whether a value is nothing but digits.
pub(crate) fn is_number(value: &str) -> bool {
    // A zero in front makes it octal, which changes the number and nothing else.
    !value.is_empty()
        && value.len() < 19
        && value
            .chars()
            .all(|character| character.is_ascii_digit() || character == NUMBER)
}

/// Whether setting a variable of the shell changes nothing but that variable: no shell and no program of the table looks at the name.
///
/// Names in small letters are a script's own, but for [those that programs read](super::environment_names). Names in capitals are mostly
/// read by some program, so only a few plain words count.
pub(crate) fn is_own_name(name: &str) -> bool {
    // Words that scripts put their names together from.
    const PLAIN: &str = " A ADDED ALL B BASE BODY BRANCH C CHANGED COMMIT COUNT CURRENT D DEST DIFF DIR DIRS DST E END ERR ERRORS EXPECTED F FAILED \
         FILE FILENAME FILES FIRST FOLDER FOUND G H HASH HEAD I ID IDX INDEX INPUT ISSUE J K L LAST LATEST LEFT LEN LENGTH LIMIT LINE LIST LOG LOGFILE LOGS M \
         MATCH MATCHES MAX MERGE MESSAGE MIN MISSING MODULE MSG N NAME NAMES NEW NEXT NOW NUM NUMBER O OK OLD OUT OUTFILE OUTPUT P PACKAGE PASSED \
         PATTERN PID PKG PR PREV PROJECT Q QUERY R RC REF REPO RESULT RESULTS RIGHT ROOT S SCRIPT SHA SIZE SRC START STATUS STEP SUM T TAG TARGET \
         TEST TESTS TEXT TITLE TOP TOTAL U URL V VAL VALUE VERSION W WORD WORDS X Y Z ";
    // The program `repo` takes its own source from there.
    let plain = name != "REPO_URL"
        && name.split('_').all(|word| {
            !word.is_empty()
                && (PLAIN.contains(&format!(" {word} "))
                    || word.bytes().all(|byte| byte.is_ascii_digit()))
        });
    let small = name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    name != "_" && small && !is_read_by_programs(name) || plain
}

/// Whether a variable of the environment that a line did not set may be shown: names of places and of the session, never what may be a secret.
pub(crate) fn is_open_name(name: &str) -> bool {
    const OPEN: [&str; 52] = [
        "HOME",
        "PWD",
        "OLDPWD",
        "USER",
        "LOGNAME",
        "SHELL",
        "PATH",
        "LANG",
        "LANGUAGE",
        "TERM",
        "TZ",
        "EDITOR",
        "VISUAL",
        "PAGER",
        "HOSTNAME",
        "HOST",
        "HOSTTYPE",
        "OSTYPE",
        "MACHTYPE",
        "UID",
        "EUID",
        "GID",
        "PPID",
        "RANDOM",
        "SECONDS",
        "LINENO",
        "BASH_VERSION",
        "ZSH_VERSION",
        "SHLVL",
        "COLUMNS",
        "LINES",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "TMPDIR",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
        "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "CONDA_DEFAULT_ENV",
        "JAVA_HOME",
        "GOPATH",
        "GOROOT",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "NVM_DIR",
        "NODE_ENV",
        "CI",
        "NO_COLOR",
        "REPLY",
    ];
    // What the shell itself counts and keeps has no name of letters.
    let of_shell =
        name == "_" || !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    of_shell || OPEN.contains(&name) || is_locale_name(name)
}

/// Whether a variable is one that says how texts are sorted and written. Any other name that starts alike may hold anything.
pub(crate) fn is_locale_name(name: &str) -> bool {
    const NAMES: &str = " ALL CTYPE COLLATE MESSAGES MONETARY NUMERIC TIME PAPER NAME ADDRESS TELEPHONE MEASUREMENT IDENTIFICATION ";
    name.strip_prefix("LC_")
        .is_some_and(|rest| NAMES.contains(&format!(" {rest} ")))
}

/// Whether every value is known.
pub(crate) fn all_literal(values: &[String]) -> bool {
    values.iter().all(|value| is_literal(value))
}

/// Whether a variable with this value changes nothing about which program runs and what it reads.
pub(crate) fn is_harmless_variable(variable: &str, value: &str) -> bool {
    const HARMLESS: [&str; 20] = [
        "LANG",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "FORCE_COLOR",
        "COLUMNS",
        "LINES",
        "TERM",
        "COLORTERM",
        "TZ",
        "CI",
        "NODE_ENV",
        "RUST_BACKTRACE",
        "RUST_LOG",
        "CARGO_TERM_COLOR",
        "PYTHONUNBUFFERED",
        "PYTHONDONTWRITEBYTECODE",
        "GIT_TERMINAL_PROMPT",
        "GIT_OPTIONAL_LOCKS",
        "DEBIAN_FRONTEND",
    ];
    // A pager that is none.
    if matches!(
        variable,
        "PAGER" | "GIT_PAGER" | "MANPAGER" | "SYSTEMD_PAGER"
    ) {
        return matches!(value, "" | "cat");
    }
    // Some of these name files: a path in the value would be read.
    let plain = value.bytes().all(|byte| {
        byte.is_ascii_alphanumeric()
            || b"_.@+,:=-".contains(&byte)
            || (byte == b'/' && variable == "TZ")
    });
    let inside = !value.trim_start_matches(':').starts_with('/') && !value.contains("..");
    plain && inside && (HARMLESS.contains(&variable) || is_locale_name(variable))
}
