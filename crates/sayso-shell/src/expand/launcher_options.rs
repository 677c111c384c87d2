//! Programs that start the command or the text in their words: where that stands, by the exact arity of their options.
//!
//! One option that is not listed here, and nothing is known: the next word may be its value or the command. Each list was checked against
//! the program itself, and holds only what all of its makers agree on.

use crate::parse::placeholder;

/// What a program starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Starts {
    /// The words from here on.
    Words(usize),
    /// This one word, as the text of a script.
    Text(usize),
    /// The words from here on, put together to the text of a script.
    Joined(usize),
}

/// A program that starts something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Carrier {
    pub(crate) starts: Starts,
    /// The word that is a file it makes.
    pub(crate) file: Option<usize>,
}

/// The options of a program: letters and long names, without and with a value.
pub(crate) struct Options {
    pub(crate) flags: &'static str,
    pub(crate) valued: &'static str,
    pub(crate) long_flags: &'static str,
    pub(crate) long_valued: &'static str,
}

impl Options {
    /// Where the first word stands that is no option; none if there is an option that is not known.
    pub(crate) fn skip(&self, words: &[&str]) -> Option<usize> {
        let listed = |list: &str, name: &str| list.split_ascii_whitespace().any(|one| one == name);
        let mut at = 0;
        while let Some(word) = words.get(at).copied() {
            if word == "--" {
                return Some(at + 1);
            }
            let Some(option) = word.strip_prefix('-').filter(|option| !option.is_empty()) else {
                // What is only known when it runs may be an option.
                return (!placeholder::may_be_option(word) && !placeholder::may_be_several(word))
                    .then_some(at);
            };
            if !placeholder::is_literal(word) {
                return None;
            }
            let takes_next = match option.strip_prefix('-') {
                Some(long) => match long.split_once('=') {
                    Some((name, _)) if listed(self.long_valued, name) => false,
                    None if listed(self.long_flags, long) => false,
                    None if listed(self.long_valued, long) => true,
                    _ => return None,
                },
                None => {
                    let at = option
                        .find(|letter| !self.flags.contains(letter))
                        .unwrap_or(option.len());
                    let mut rest = option.get(at..).unwrap_or("").chars();
                    match rest.next() {
                        None => false,
                        Some(letter) if self.valued.contains(letter) => rest.as_str().is_empty(),
                        Some(_) => return None,
                    }
                }
            };
            if takes_next && !words.get(at + 1).is_some_and(|value| is_value(value)) {
                return None;
            }
            at += if takes_next { 2 } else { 1 };
        }
        Some(at)
    }
}

/// Whether a word can only be the value of the option before it.
fn is_value(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('-') && placeholder::is_literal(word)
}

/// What a program starts that itself does nothing else than to make a file; none if that is not known.
pub(crate) fn read(name: &str, words: &[&str]) -> Option<Carrier> {
    match name {
        "watch" => watch(words),
        "flock" => flock(words),
        "script" => script(words),
        "entr" => entr(words),
        _ => None,
    }
}

/// `watch`: the words are put together for `sh -c`, but for `-x`.
fn watch(words: &[&str]) -> Option<Carrier> {
    // `-d` takes what is attached to it, so that in `-dn 1` the `1` is the command: it stands at the end or alone.
    const OPTIONS: Options = Options {
        flags: "bcegptwx",
        valued: "n",
        long_flags: "beep color errexit chgexit precise no-title no-wrap exec differences",
        long_valued: "interval",
    };
    let mut start = 0;
    loop {
        let rest = words.get(start..)?;
        let until = rest
            .iter()
            .position(|word| is_differences(word))
            .unwrap_or(rest.len());
        let own = OPTIONS.skip(rest.get(..until)?)?;
        start += own;
        let ended = own > 0 && words.get(start - 1) == Some(&"--");
        if own < until || ended || until == rest.len() {
            break;
        }
        start += 1;
    }
    let own = words.get(..start)?;
    // Behind `n` stands its value.
    let has_x = |word: &str| {
        word.starts_with('-')
            && !word.starts_with("--")
            && word
                .split('n')
                .next()
                .is_some_and(|flags| flags.contains('x'))
    };
    let words_as_they_are = own.iter().any(|word| *word == "--exec" || has_x(word));
    words.get(start)?;
    Some(Carrier {
        starts: if words_as_they_are {
            Starts::Words(start)
        } else {
            Starts::Joined(start)
        },
        file: None,
    })
}

/// `-d`, with other letters only before it.
fn is_differences(word: &str) -> bool {
    let letters = word
        .strip_prefix('-')
        .and_then(|word| word.strip_suffix('d'));
    letters.is_some_and(|letters| letters.bytes().all(|letter| b"bcegptwx".contains(&letter)))
}

/// `flock`: a file that it makes if it is not there, and a command, or one text behind `-c`.
fn flock(words: &[&str]) -> Option<Carrier> {
    const OPTIONS: Options = Options {
        flags: "sexnuoF",
        valued: "wE",
        long_flags: "shared exclusive nonblock nb close no-fork verbose",
        long_valued: "timeout wait conflict-exit-code",
    };
    let file = OPTIONS.skip(words)?;
    let starts = match words.get(file + 1..)? {
        // Only in this place is it an option.
        ["-c" | "--command", _] => Starts::Text(file + 2),
        ["-c" | "--command", ..] | [] => return None,
        _ => Starts::Words(file + 1),
    };
    Some(Carrier {
        starts,
        file: Some(file),
    })
}

/// `script -c text file`, wherever the file stands.
fn script(words: &[&str]) -> Option<Carrier> {
    let mut text = None;
    let mut file = None;
    let mut at = 0;
    while let Some(word) = words.get(at).copied() {
        if !placeholder::is_literal(word) {
            return None;
        }
        match word.strip_prefix('-') {
            Some(letters)
                if !letters.is_empty()
                    && letters.bytes().all(|letter| b"qefa".contains(&letter)) => {}
            // A second text would be the one that counts.
            Some(letters)
                if text.is_none()
                    && letters.strip_suffix('c').is_some_and(|rest| {
                        rest.bytes().all(|letter| b"qefa".contains(&letter))
                    }) =>
            {
                at += 1;
                text = Some(at);
            }
            None if file.is_none() => file = Some(at),
            _ => return None,
        }
        at += 1;
    }
    let text = text.filter(|at| words.get(*at).is_some_and(|word| is_value(word)))?;
    Some(Carrier {
        starts: Starts::Text(text),
        file,
    })
}

/// `entr`: a command, or with `-s` one text for the person's shell.
fn entr(words: &[&str]) -> Option<Carrier> {
    let start = words.iter().position(|word| !word.starts_with('-'))?;
    let own = words.get(..start)?;
    let known = |word: &&str| {
        word.len() > 1
            && word
                .bytes()
                .skip(1)
                .all(|letter| b"acdnprsz".contains(&letter))
    };
    if !own.iter().all(known) {
        return None;
    }
    let starts = match (
        own.iter().any(|word| word.contains('s')),
        words.len() - start,
    ) {
        (true, 1) => Starts::Text(start),
        (true, _) => return None,
        (false, _) => Starts::Words(start),
    };
    Some(Carrier { starts, file: None })
}

/// Whether every shell reads a text the same way: `fish` has `\x41`, `csh` has `!#:s/a/b/`, and some go into folders by `**`.
pub(crate) fn is_same_in_every_shell(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _./,:=@+-|;'\"<>~".contains(&byte);
    let text = text.replace("&&", " ");
    text.bytes().all(plain)
        && !text
            .split([' ', '\'', '"'])
            .any(|word| word.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::{Carrier, Starts, is_same_in_every_shell, read};

    fn starts(text: &str) -> Option<Starts> {
        let words: Vec<&str> = text.split(' ').collect();
        let (name, rest) = words.split_first().unwrap();
        read(name, rest).map(|carrier| carrier.starts)
    }

    #[test]
    fn the_command_stands_where_the_program_finds_it() {
        for (text, expected) in [
            ("watch ls", Starts::Joined(0)),
            ("watch -n 1 ls -n", Starts::Joined(2)),
            ("watch -tn1 ls", Starts::Joined(1)),
            ("watch -d ls", Starts::Joined(1)),
            ("watch -t -d -n 2 ls", Starts::Joined(4)),
            ("watch -tx ls", Starts::Words(1)),
            ("watch -xn1 ls", Starts::Words(1)),
            ("watch -t -x -- ls -d", Starts::Words(3)),
            ("watch ls -d", Starts::Joined(0)),
            ("watch --interval=2 ls", Starts::Joined(1)),
            ("flock f ls -n", Starts::Words(1)),
            ("flock -xn -w 5 f ls", Starts::Words(4)),
            ("flock f -c ls", Starts::Text(2)),
            ("script -q -c ls /dev/null", Starts::Text(2)),
            ("script -qefc ls", Starts::Text(1)),
            ("script -q /dev/null -c ls", Starts::Text(3)),
            ("entr ls -a", Starts::Words(0)),
            ("entr -cr -n ls /_", Starts::Words(2)),
            ("entr -s ls", Starts::Text(1)),
        ] {
            assert_eq!(starts(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_to_the_last_word_is_not_known() {
        for text in [
            "watch -dn 1 ls",
            "watch -q 3 ls",
            "watch -s dir ls",
            "watch -n -d ls",
            "watch -n",
            "watch -t",
            "watch -t --",
            "watch --inter 2 ls",
            "flock -c ls f",
            "flock f -c ls x",
            "flock f",
            "flock 9",
            "flock -w f",
            "script ls",
            "script -c",
            "script -c ls -c rm f",
            "script -c ls a b",
            "script -T x -c ls",
            "script -O x -c ls",
            "script -q -- ls",
            "script --command ls",
            "entr",
            "entr -x ls",
            "entr -s ls x",
            "entr -- ls",
        ] {
            assert_eq!(starts(text), None, "{text}");
        }
    }

    #[test]
    fn the_file_is_the_one_that_is_made() {
        assert_eq!(
            read("flock", &["-n", "f", "ls"]),
            Some(Carrier {
                starts: Starts::Words(2),
                file: Some(1)
            })
        );
        assert_eq!(
            read("script", &["f", "-c", "ls"]),
            Some(Carrier {
                starts: Starts::Text(2),
                file: Some(0)
            })
        );
    }

    #[test]
    fn a_text_for_any_shell_has_nothing_that_one_reads_otherwise() {
        assert!(is_same_in_every_shell(
            "cat README.md | head -n 1 && ls 'a b'; pwd > /dev/null"
        ));
        for text in [
            "cat \\x2eenv",
            "cat **",
            "echo !#",
            "ls (rm x)",
            "ls ^x",
            "ls 2>&1",
            "ls $x",
            "ls & pwd",
            "ls =x",
            "ls {a,b}",
            "ls %1",
        ] {
            assert!(!is_same_in_every_shell(text), "{text}");
        }
    }
}
