//! Files of sayso's own in code that is handed to an interpreter.
//!
//! The code itself is not analysed, so that whatever it names counts as changed: by any spelling of the home folder, in pieces that are joined
//! (`'.claude' + '/settings.json'`, `join('.claude', 'settings.json')`), with escapes, or by a wildcard.

use crate::analysis::draft::Reading;
use crate::analysis::effect::{EffectKind, Target};
use crate::analysis::fact::OwnPath;
use crate::analysis::own_files::OwnReason;
use crate::answer::cause::Cause;
use crate::answer::rule_id::Check;
use crate::answer::verdict::Reason;
use crate::decide::judging::{Lens, reason};
use crate::paths::{components, fold, relative};
use crate::policy::decision::Decision;

/// Programs that only show the files they are given. What they name on a plain line is not code.
const READERS: &[&str] = &[
    "cat",
    "cksum",
    "diff",
    "file",
    "grep",
    "head",
    "jq",
    "less",
    "ls",
    "md5sum",
    "realpath",
    "rg",
    "sha256sum",
    "stat",
    "tail",
    "wc",
];
/// A function of this name before two texts makes one path of them.
const JOINS: &[&str] = &["join(", "resolve(", "joinpath(", "path(", "catfile("];
/// So far before a name a function is looked for.
const MAX_BEFORE: usize = 40;

/// Programs that run what is in their words, which is analysed, on names that they find: a folder to look through is not code.
const FINDERS: &[&str] = &["fd", "fdfind", "find", "xargs"];

/// Denies a line that runs code which names a file of sayso's own.
pub(super) fn reasons(lens: &Lens<'_>, out: &mut Vec<Reason>) {
    let reading = lens.case.reading;
    let Some(command) = lens.case.operation.command() else {
        return;
    };
    let around = &reading.surroundings;
    if around.own.is_empty()
        || out.iter().any(|reason| reason.is(Check::OwnFiles))
        || !runs_code(reading)
    {
        return;
    }
    let code = code_of(command);
    let folder = unescaped(&lens.case.operation.cwd());
    let texts = [unescaped(&code), joined(&unescaped(&code))];
    let bases = [around.home.as_deref(), Some(around.workspace.as_str())];
    let found = around.own.iter().find(|own| {
        let names = names_of(own, &bases);
        texts
            .iter()
            .any(|text| is_named(own, &names, text, &folder))
    });
    if let Some(own) = found {
        let cause = Cause::OwnFile {
            own: own.clone(),
            named: own.path.clone(),
            in_code: true,
        };
        out.push(reason(Decision::Deny, Check::OwnFiles, cause));
    }
}

/// Whether a part of the line runs code that was not analysed.
fn runs_code(reading: &Reading) -> bool {
    let is_code = |part: Option<usize>, is_known: bool| {
        let command = part.and_then(|part| reading.commands.get(part));
        command.is_none_or(|command| {
            let finds = command
                .words
                .first()
                .is_some_and(|name| FINDERS.contains(&name.as_str()));
            !finds && (!is_known || command.interprets || !command.modelled)
        })
    };
    reading.opaque.is_some()
        || reading
            .effects
            .iter()
            .any(|effect| match (effect.kind, &effect.target) {
                (EffectKind::Unknown, _)
                | (EffectKind::Write, Target::Nothing | Target::Command) => {
                    is_code(effect.part, false)
                }
                (EffectKind::Run, _) => is_code(effect.part, true),
                _ => false,
            })
}

/// The text without the parts that only read files. Where quotes, comments or substitutions could mislead this split, all of it counts.
fn code_of(command: &str) -> String {
    let is_plain = |part: &str| {
        let mut words = part.split_ascii_whitespace();
        let reads = words.next().is_some_and(|word| READERS.contains(&word))
            || part.trim_start().starts_with("git commit -m ");
        reads && !part.contains(['>', '<'])
    };
    if command.contains(['`', '\\', '#', '\n'])
        || ["<<", "$(", "$'", "$\"", "<(", ">(", "${"]
            .iter()
            .any(|mark| command.contains(mark))
    {
        return command.to_owned();
    }
    let mut quote = None;
    let parts = command.split(|sign: char| {
        match quote {
            Some(open) if open == sign => quote = None,
            None if sign == '\'' || sign == '"' => quote = Some(sign),
            _ => {}
        }
        quote.is_none() && matches!(sign, ';' | '|' | '&' | '(' | ')')
    });
    let parts: Vec<&str> = parts.collect();
    match parts.iter().any(|part| is_plain(part)) {
        true => parts
            .into_iter()
            .filter(|part| !is_plain(part))
            .collect::<Vec<_>>()
            .join(" ; "),
        false => command.to_owned(),
    }
}

/// The last two names of a path, without those of the home folder and of the workspace: code may spell these in any way.
fn names_of(own: &OwnPath, bases: &[Option<&str>]) -> Vec<String> {
    let rest = bases
        .iter()
        .flatten()
        .filter_map(|base| relative(&own.path, base))
        .filter(|rest| !rest.is_empty())
        .min_by_key(|rest| rest.len());
    let names: Vec<&str> = components(rest.unwrap_or(&own.path)).collect();
    names
        .iter()
        .skip(names.len().saturating_sub(2))
        .map(|name| fold(name).into_owned())
        .collect()
}

fn is_named(own: &OwnPath, names: &[String], text: &str, folder: &str) -> bool {
    let Some((last, parents)) = names.split_last() else {
        return false;
    };
    let Some(parent) = parents.first() else {
        return has(text, last);
    };
    // Names of sayso's own folders are words of every day; they count where they make a path.
    if own.reason == OwnReason::Sayso && !last.starts_with('.') {
        return at(text, parent)
            .any(|end| begins_with_name(text.get(end..).unwrap_or_default(), last));
    }
    let in_folder = at(folder, parent).next().is_some();
    (has(text, last) && (in_folder || has(text, parent)))
        || own.reason != OwnReason::Sayso && names_whole_folder(text, parent)
}

/// Whether a name stands in the text, written out or by a wildcard.
fn has(text: &str, name: &str) -> bool {
    at(text, name).next().is_some()
        || text
            .split(|sign: char| !is_of_pattern(sign))
            .any(|token| fits(token, name))
}

/// The ends of all places where a name stands, and no longer one.
fn at<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let (name, is_end) = name
        .strip_prefix('*')
        .map_or((name, false), |end| (end, true));
    text.match_indices(name).filter_map(move |(start, found)| {
        let end = start + found.len();
        let before = text.get(..start).unwrap_or_default().chars().next_back();
        let mut after = text.get(end..).unwrap_or_default().chars();
        let goes_on = match after.next() {
            Some('.') => after.next().is_some_and(char::is_alphanumeric),
            Some(sign) => is_of_name(sign),
            None => false,
        };
        (!goes_on && (is_end || !before.is_some_and(|sign| is_of_name(sign) || sign == '.')))
            .then_some(end)
    })
}

/// Whether a token is a pattern that a name fits, as far as its start and its end tell.
fn fits(token: &str, name: &str) -> bool {
    let is_wild = |sign: char| matches!(sign, '*' | '?' | '[');
    let (Some(first), Some(last)) = (token.find(is_wild), token.rfind(['*', '?', ']'])) else {
        return false;
    };
    let (start, end) = (
        token.get(..first).unwrap_or_default(),
        token.get(last + 1..).unwrap_or_default(),
    );
    start.len() + end.len() > 1 && name.starts_with(start) && name.ends_with(end)
}

/// Whether the folder itself is named, and not another file in it.
fn names_whole_folder(text: &str, folder: &str) -> bool {
    at(text, folder).any(|end| {
        let (before, after) = (
            text.get(..end).unwrap_or_default(),
            text.get(end..).unwrap_or_default(),
        );
        let from = before.len().saturating_sub(folder.len() + MAX_BEFORE);
        let from = (from..before.len())
            .find(|at| before.is_char_boundary(*at))
            .unwrap_or_default();
        let joins = JOINS
            .iter()
            .any(|name| before.get(from..).unwrap_or_default().contains(name));
        let is_gap =
            |sign: char| matches!(sign, '\'' | '"' | ' ' | ')' | '/') || joins && sign == ',';
        let child = after.trim_start_matches(is_gap);
        let gap = after.get(..after.len() - child.len()).unwrap_or_default();
        let child = child
            .get(
                ..child
                    .find(|sign: char| !is_of_pattern(sign))
                    .unwrap_or(child.len()),
            )
            .unwrap_or_default();
        let is_other = gap.contains(['/', ','])
            && child.contains(char::is_alphanumeric)
            && !child.contains(['*', '?', '[']);
        !is_other
    })
}

/// Whether a text goes on with this name behind what parts names of a path.
fn begins_with_name(text: &str, name: &str) -> bool {
    let rest = text.trim_start_matches(['\'', '"', ' ', ')', '(', ',', '/', '+']);
    rest.len() < text.len() && at(rest, name).next() == Some(name.len())
}

fn is_of_name(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_' || sign == '-'
}

fn is_of_pattern(sign: char) -> bool {
    is_of_name(sign) || matches!(sign, '.' | '*' | '?' | '[' | ']')
}

/// In small letters, with escapes of signs as the signs. A backslash before a letter makes a gap.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('\\') {
        out.push_str(rest.get(..start).unwrap_or_default());
        rest = rest.get(start + 1..).unwrap_or_default();
        match escape(rest) {
            Some((sign, length)) => {
                out.push(sign);
                rest = rest.get(length..).unwrap_or_default();
            }
            None if rest.starts_with(char::is_alphanumeric) => out.push(' '),
            None => rest = rest.strip_prefix('\n').unwrap_or(rest),
        }
    }
    out.push_str(rest);
    // A step that stays in its folder names nothing.
    let mut out = out.to_lowercase();
    while out.contains("/./") || out.contains("//") {
        out = out.replace("/./", "/").replace("//", "/");
    }
    out
}

/// A sign that is written by its number, and how long that is: `x2e`, `u002e`, `u{2e}`, `056`.
fn escape(text: &str) -> Option<(char, usize)> {
    let number = |digits: Option<&str>, radix: u32| {
        char::from_u32(u32::from_str_radix(digits?, radix).ok()?)
    };
    let braced = text
        .strip_prefix("u{")
        .or_else(|| text.strip_prefix("x{"))
        .and_then(|rest| rest.split_once('}'));
    if let Some((digits, _)) = braced {
        return Some((number(Some(digits), 16)?, digits.len() + 3));
    }
    match text.as_bytes().first()? {
        b'x' => Some((number(text.get(1..3), 16)?, 3)),
        b'u' => Some((number(text.get(1..5), 16)?, 5)),
        b'U' => Some((number(text.get(1..9), 16)?, 9)),
        b'0'..=b'7' => {
            let length = text
                .bytes()
                .take(3)
                .take_while(|digit| matches!(digit, b'0'..=b'7'))
                .count();
            Some((number(text.get(..length), 8)?, length))
        }
        _ => None,
    }
}

/// The text with pieces put together that code joins: `'a' + 'b'`, `'a' . 'b'`, `'a' 'b'`.
fn joined(text: &str) -> String {
    let is_quote = |sign: char| sign == '\'' || sign == '"';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_quote) {
        out.push_str(rest.get(..start).unwrap_or_default());
        let quoted = rest.get(start..).unwrap_or_default();
        let behind = quoted.get(1..).unwrap_or_default().trim_start();
        let behind = behind
            .strip_prefix(['+', '.', '&'])
            .unwrap_or(behind)
            .trim_start();
        match behind.strip_prefix(is_quote) {
            Some(next) => rest = next,
            None => {
                out.push_str(quoted.get(..1).unwrap_or_default());
                rest = quoted.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(path: &str, reason: OwnReason) -> OwnPath {
        OwnPath {
            path: path.to_owned(),
            private: false,
            exists: true,
            reason,
        }
    }

    fn names(own: &OwnPath, code: &str) -> bool {
        let names = names_of(own, &[Some("/home/u"), Some("/ws")]);
        let text = unescaped(&code_of(code));
        [text.clone(), joined(&text)]
            .iter()
            .any(|text| is_named(own, &names, text, "/ws"))
    }

    #[test]
    fn finding_d_12_code_names_a_file_in_many_ways() {
        let settings = own(
            "/home/u/.claude/settings.json",
            OwnReason::Installed("Claude Code".to_owned()),
        );
        for code in [
            "open('/home/u/.claude/settings.json','w')",
            "open(os.environ['HOME']+'/.claude/settings.json')",
            "open(join(h, '.claude', 'settings.json'))",
            "(Path.home() / '.claude' / 'settings.json').write_text('')",
            "open('/home/u/.cl'+'aude/settings'+'.json')",
            "open($ENV{HOME}.'/.claude/set'.'tings.json')",
            "open('/home/u/\\x2eclaude/settings\\u002ejson')",
            "open('\\056claude/settings.json')",
            "open('.claude/settings.json\\n'.strip())",
            "cd ~/.claude; python3 -c \"open('settings.json')\"",
            "open('.CLAUDE/Settings.json')",
            "open('.claude//./settings.json')",
            "glob('/home/u/.c*/settings.json')",
            "glob('.claude/sett*')",
            "shutil.rmtree('/home/u/.claude')",
            "shutil.rmtree('.claude', True)",
            "os.rename('.claude', 'old')",
            "os.rename('.claude/', 'old')",
            "for f in os.listdir('.claude'): os.remove(f)",
        ] {
            assert!(names(&settings, code), "{code}");
        }
        for code in [
            "open('settings.json')",
            "open('.claude/skills/a.md')",
            "open(join('.claude', 'skills', 'a.md'))",
            "Path('.claude') / 'agents' / 'a.md'",
            "open('my.claude/x')",
            "open('.claude-plugin/settings.json')",
            "cat .claude/settings.json | python3 -m json.tool",
            "jq .x \"$HOME/.claude/settings.json\" | node -e 'x'",
        ] {
            assert!(!names(&settings, code), "{code}");
        }
        // A part that only reads hides nothing: what is quoted is not a part.
        assert!(names(
            &settings,
            "cat .claude/settings.json; python3 -c \"open('.claude/settings.json', 'w')\""
        ));
        assert!(names(
            &settings,
            "python3 -c \"p = 'x; cat .claude/settings.json ;'\""
        ));
        assert!(names(&settings, "cat > .claude/settings.json"));
    }

    #[test]
    fn finding_d_12_words_of_every_day_name_no_folder_of_sayso() {
        let program = own("/usr/local/bin/sayso", OwnReason::Sayso);
        assert!(names(&program, "shutil.copy('x', '/usr/local/bin/sayso')"));
        assert!(names(&program, "copy('x', join(prefix, 'bin', 'sayso'))"));
        assert!(names(&program, "copy('x', '/usr/local/bin/say' + 'so')"));
        assert!(!names(&program, "import sayso; print(bin(7))"));
        assert!(!names(&program, "open('bin/saysox')"));
    }
}
