//! Which names the actions of `find` get: its tests read as the conditions they are, in their order and with their parentheses.
//!
//! A file goes through the expression from left to right. What is known of its name at one place, where the tests before it came true or
//! false, is all that binds an action there: a `-name` behind an action binds nothing, and one in another part of `-o` only that part.

use crate::parse::placeholder::is_literal;

/// More parentheses than this do not stand in each other.
const DEEPEST: usize = 32;

/// Tests without an argument that may come true or false for any file.
const ALONE: [&str; 7] = [
    "-empty",
    "-readable",
    "-writable",
    "-executable",
    "-nouser",
    "-nogroup",
    "-ignore_readdir_race",
];

/// Words without an argument that are true for every file.
const TRUE: [&str; 9] = [
    "-true",
    "-prune",
    "-depth",
    "-daystart",
    "-mount",
    "-xdev",
    "-noleaf",
    "-warn",
    "-nowarn",
];

/// What is known of the names of the files that get to one place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reach<'a> {
    /// No file gets there.
    Never,
    /// Each fits one of these patterns.
    Only(Vec<&'a str>),
    /// Files of any name.
    Any,
}

impl<'a> Reach<'a> {
    /// Files of either kind get there.
    fn or(self, other: Reach<'a>) -> Reach<'a> {
        match (self, other) {
            (Reach::Never, reach) | (reach, Reach::Never) => reach,
            (Reach::Only(mut one), Reach::Only(other)) => {
                one.extend(
                    other
                        .iter()
                        .filter(|pattern| !one.contains(pattern))
                        .copied()
                        .collect::<Vec<_>>(),
                );
                Reach::Only(one)
            }
            _ => Reach::Any,
        }
    }

    /// Those of them whose names fit a pattern. Where one binds already, that is enough.
    fn fitting(self, pattern: &'a str) -> Reach<'a> {
        if self == Reach::Any {
            Reach::Only(vec![pattern])
        } else {
            self
        }
    }
}

/// The files for which a part of the expression came true, and those for which it came false.
struct Ways<'a> {
    yes: Reach<'a>,
    no: Reach<'a>,
}

/// A reading of the expression.
struct Reading<'w, 'a> {
    words: &'w [&'a str],
    at: usize,
    depth: usize,
    /// What the actions get.
    acted: Reach<'a>,
    /// There is an action, so that names are not printed by themselves.
    acts: bool,
}

/// The patterns of which every name fits one that an action of `find` gets, or that it prints; empty if any name may be among them. None if
/// the expression is not known whole.
pub(crate) fn bound_names<'a>(arguments: &[&'a str]) -> Option<Vec<&'a str>> {
    let start = arguments
        .iter()
        .position(|word| starts_expression(word))
        .unwrap_or(arguments.len());
    let words = arguments.get(start..)?;
    let mut reading = Reading {
        words,
        at: 0,
        depth: 0,
        acted: Reach::Never,
        acts: false,
    };
    let whole = if words.is_empty() {
        Ways {
            yes: Reach::Any,
            no: Reach::Never,
        }
    } else {
        reading.list(Reach::Any)?
    };
    if reading.at < words.len() {
        return None;
    }
    let acted = if reading.acts {
        reading.acted
    } else {
        whole.yes
    };
    Some(match acted {
        Reach::Only(patterns) => patterns,
        Reach::Never | Reach::Any => Vec::new(),
    })
}

/// Whether a word of `find` is no place any more. Its very first options say how links are taken.
fn starts_expression(word: &str) -> bool {
    word.starts_with('-') && !matches!(word, "-H" | "-L" | "-P")
        || matches!(word, "(" | ")" | "!" | ",")
}

impl<'a> Reading<'_, 'a> {
    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        self.at += 1;
        Some(word)
    }

    /// `a , b`: each for every file, and the last one counts.
    fn list(&mut self, files: Reach<'a>) -> Option<Ways<'a>> {
        let mut ways = self.either(files.clone())?;
        while self.peek() == Some(",") {
            self.at += 1;
            ways = self.either(files.clone())?;
        }
        Some(ways)
    }

    /// `a -o b`: the second one is for those files for which the first came false.
    fn either(&mut self, files: Reach<'a>) -> Option<Ways<'a>> {
        let mut ways = self.both(files)?;
        while matches!(self.peek(), Some("-o" | "-or")) {
            self.at += 1;
            let more = self.both(ways.no)?;
            ways = Ways {
                yes: ways.yes.or(more.yes),
                no: more.no,
            };
        }
        Some(ways)
    }

    /// `a b`: the second one is for those files for which the first came true.
    fn both(&mut self, files: Reach<'a>) -> Option<Ways<'a>> {
        let mut ways = self.one(files)?;
        loop {
            match self.peek() {
                None | Some("-o" | "-or" | "," | ")") => return Some(ways),
                Some("-a" | "-and") => self.at += 1,
                Some(_) => {}
            }
            let more = self.one(ways.yes)?;
            ways = Ways {
                yes: more.yes,
                no: ways.no.or(more.no),
            };
        }
    }

    fn one(&mut self, files: Reach<'a>) -> Option<Ways<'a>> {
        match self.next()? {
            "!" | "-not" => {
                self.deeper()?;
                let ways = self.one(files)?;
                self.depth -= 1;
                Some(Ways {
                    yes: ways.no,
                    no: ways.yes,
                })
            }
            "(" => {
                self.deeper()?;
                let ways = self.list(files)?;
                self.depth -= 1;
                (self.next()? == ")").then_some(ways)
            }
            "-name" | "-iname" => {
                let pattern = self.next().filter(|pattern| is_literal(pattern))?;
                Some(Ways {
                    yes: files.clone().fitting(pattern),
                    no: files,
                })
            }
            "-false" => Some(Ways {
                yes: Reach::Never,
                no: files,
            }),
            "-quit" => Some(Ways {
                yes: Reach::Never,
                no: Reach::Never,
            }),
            "-print" | "-print0" => {
                self.act(&files);
                Some(Ways {
                    yes: files,
                    no: Reach::Never,
                })
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                self.act(&files);
                self.skip_command()?;
                Some(Ways {
                    yes: files.clone(),
                    no: files,
                })
            }
            word if TRUE.contains(&word) => Some(Ways {
                yes: files,
                no: Reach::Never,
            }),
            word if ALONE.contains(&word) => Some(Ways {
                yes: files.clone(),
                no: files,
            }),
            word if tests_with_argument(word) => {
                self.next()?;
                Some(Ways {
                    yes: files.clone(),
                    no: files,
                })
            }
            _ => None,
        }
    }

    fn deeper(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }

    fn act(&mut self, files: &Reach<'a>) {
        self.acts = true;
        self.acted = std::mem::replace(&mut self.acted, Reach::Never).or(files.clone());
    }

    /// The words of a command up to its end.
    fn skip_command(&mut self) -> Option<()> {
        let mut before = "";
        loop {
            let word = self.next()?;
            if word == ";" || word == "+" && before == "{}" {
                return Some(());
            }
            before = word;
        }
    }
}

/// Whether a word of `find` is a test with one argument, other than those of names. What prints is none.
fn tests_with_argument(word: &str) -> bool {
    WITH_PATH.contains(&word)
        || WITH_WORD.contains(&word) && !matches!(word, "-name" | "-iname" | "-printf")
}

/// Tests with an argument that is only a word.
pub(crate) const WITH_WORD: [&str; 35] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-maxdepth",
    "-mindepth",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-lname",
    "-ilname",
    "-regextype",
    "-printf",
    "-fstype",
    "-used",
    "-newermt",
    "-newerct",
    "-newerat",
];

/// Tests with an argument that is a path.
pub(crate) const WITH_PATH: [&str; 4] = ["-newer", "-anewer", "-cnewer", "-samefile"];

#[cfg(test)]
mod tests {
    use super::bound_names;

    fn names(text: &str) -> Option<Vec<&str>> {
        bound_names(&text.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn a_name_binds_what_stands_behind_it() {
        assert_eq!(names(". -type f -name *.rs"), Some(vec!["*.rs"]));
        assert_eq!(names("-name *.rs -exec cat {} +"), Some(vec!["*.rs"]));
        assert_eq!(
            names(". ( -name *.rs -o -name *.md ) -print"),
            Some(vec!["*.rs", "*.md"])
        );
        assert_eq!(
            names(". -path ./target -prune -o -name *.rs -print"),
            Some(vec!["*.rs"])
        );
        assert_eq!(
            names(". ( -name .git -o -name target ) -prune -o -type f -name *.rs -print0"),
            Some(vec!["*.rs"])
        );
        assert_eq!(names(". ! -path x -name *.rs"), Some(vec!["*.rs"]));
        assert_eq!(
            names(". -not ( -path x -o -path y ) -iname *.rs -print"),
            Some(vec!["*.rs"])
        );
    }

    #[test]
    fn everywhere_else_any_name_may_get_there() {
        for text in [
            ".",
            ". -type f -exec cat {} ; -name *.rs",
            ". -type f -print -name *.rs",
            ". ( -type f -exec cat {} ; ) -name *.rs",
            ". ( -prune -o -name *.rs ) -exec cat {} ;",
            ". -path ./target -prune -o -name *.rs",
            ". ! -name *.rs -print",
            ". ! ( -name *.rs -o -name *.md )",
            ". -name *.rs -o -type f",
            ". -name *.rs , -print",
            ". -name *.rs -print , -exec cat {} ;",
            ". -name *.rs -o -exec cat {} ;",
            ". -exec cat -name *.rs {} ;",
            ". -newer -name -print",
            ". ! ( ! -name *.rs -print )",
        ] {
            assert_eq!(names(text), Some(Vec::new()), "{text}");
        }
        assert_eq!(
            names(". ( -name .env -prune -o -name *.rs ) -exec cat {} ;"),
            Some(vec![".env", "*.rs"])
        );
    }

    #[test]
    fn what_is_not_read_whole_is_not_known() {
        for text in [
            ". -fprint x",
            ". -name",
            ". ( -name x",
            ". -name x )",
            ". -depth 1",
            ". -name *.rs src",
            ". -exec cat",
            ". -a",
        ] {
            assert_eq!(names(text), None, "{text}");
        }
    }
}
