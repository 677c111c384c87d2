//! Dangers to files: deletes that go deep, permissions blown up, and whole trees moved or mirrored away.

use sayso_core::analysis::risk::Tier::{Catastrophic, Dangerous};

use super::call::{Call, Found};
use super::critical_paths::{Worth, is_raw_device, root_if_empty, worth};
use crate::expand::wrappers::{is_transparent, loose_name};
use crate::parse::characters::last_part;
use crate::unparsed::split::{After, Segment};
use crate::unparsed::words::is_assignment;

/// The dangers of a program that works on files.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    let mut say = |tier, what: String| found.push((tier, what));
    if call
        .arguments
        .iter()
        .any(|word| word.len() > 7 && "--no-preserve-root".starts_with(word.as_str()))
        && matches!(name, "rm" | "chmod" | "chown" | "chgrp")
    {
        say(
            Catastrophic,
            format!("`{name} --no-preserve-root` may change the whole system"),
        );
    }
    match name {
        "rm" | "srm" if call.recursive() => say_removed(call, "rm", &mut say),
        "rimraf" | "del-cli" | "wipe" | "trash-empty" => say_removed(call, name, &mut say),
        "rm" | "srm" | "unlink" | "rmdir" => {
            if let Some(path) = call.vital() {
                say(Dangerous, format!("`{name}` deletes from `{path}`"));
            }
        }
        "xargs" | "parallel" => {
            // `rm -r` behind it is looked at by itself; without it the list still names any number of files.
            let runs_another = [
                "docker",
                "podman",
                "terraform",
                "tofu",
                "git",
                "kubectl",
                "gh",
                "aws",
                "npm",
            ]
            .iter()
            .any(|other| call.operands().take(3).any(|word| word == *other));
            let behind = call
                .operands()
                .map(loose_name)
                .find(|word| matches!(&**word, "rm" | "unlink" | "shred" | "srm"))
                .filter(|_| !runs_another);
            if runs_another
                && call
                    .operands()
                    .any(|word| matches!(word, "docker" | "podman"))
                && call.operands().any(|word| matches!(word, "rm" | "rmi"))
            {
                say(
                    Dangerous,
                    format!("`{name}` removes every container or image that it is told"),
                );
            }
            if let Some(program) = behind {
                say(
                    Dangerous,
                    format!("`{name} {program}` deletes every file it is told"),
                );
            }
            let has = |word: &str| {
                call.operands()
                    .any(|other| other.eq_ignore_ascii_case(word))
            };
            if has("git") && (has("checkout") || has("restore")) {
                say(
                    Dangerous,
                    format!("`{name} git` throws away the changes of every file it is told"),
                );
            } else if (has("redis-cli") || has("valkey-cli")) && (has("del") || has("unlink")) {
                say(
                    Dangerous,
                    format!("`{name} redis-cli` deletes every key it is told"),
                );
            }
        }
        "find" => of_find(call, &mut say),
        "fd" | "fdfind"
            if call.has_any(&["-x", "-X", "--exec", "--exec-batch"]) && deletes(call) =>
        {
            say(Dangerous, format!("`{name}` deletes everything it finds"));
        }
        "chmod" => of_chmod(call, &mut say),
        "chown" | "chgrp" => match call.vital() {
            Some(path) if call.recursive() => say(
                Catastrophic,
                format!("`{name}` changes everything below `{path}`"),
            ),
            Some(path) => say(Dangerous, format!("`{name}` changes who owns `{path}`")),
            None if call.recursive() => say(
                Dangerous,
                format!("`{name}` changes everything below a folder"),
            ),
            None => {}
        },
        "setfacl" if call.recursive() => say(
            Dangerous,
            "`setfacl` changes everything below a folder".to_owned(),
        ),
        "mv" => of_mv(call, &mut say),
        "rsync" if call.short(&['n']) || call.long("--dry-run") => {}
        "rsync" if call.starts(&["--del", "--remove-source"]) => {
            match call.operands().next_back() {
                Some(path) if worth(path) == Worth::Vital => {
                    say(Catastrophic, format!("`rsync --delete` empties `{path}`"))
                }
                _ => say(
                    Dangerous,
                    "`rsync --delete` deletes what the other side does not have".to_owned(),
                ),
            }
        }
        "rclone" if matches!(call.operand(0), "purge" | "delete" | "sync") => {
            say(
                Dangerous,
                format!("`rclone {}` deletes files at its target", call.operand(0)),
            );
        }
        _ => {}
    }
    if matches!(
        name,
        "tee" | "cp" | "mv" | "install" | "truncate" | "ln" | "rm" | "sponge"
    ) && let Some(path) = call.operands().find(|path| is_raw_device(path))
    {
        let reads_only = name == "cp" && call.operands().next_back() != Some(path);
        found.push((
            if reads_only { Dangerous } else { Catastrophic },
            format!("`{name}` touches the device `{path}`"),
        ));
    }
}

/// A delete that goes deep.
fn say_removed(
    call: &Call<'_>,
    name: &str,
    say: &mut impl FnMut(sayso_core::analysis::risk::Tier, String),
) {
    if let Some(path) = call.vital() {
        return say(
            Catastrophic,
            format!("deletes `{path}` with everything below"),
        );
    }
    if let Some(path) = call.operands().find(|path| root_if_empty(path)) {
        say(
            Dangerous,
            format!(
                "`{name}` deletes `{path}`, which is the root or a folder of the system when the variable is empty"
            ),
        );
    }
    if let Some(path) = call.operands().find(|path| {
        matches!(
            path.trim_end_matches('/'),
            "." | ".." | "*" | "./*" | "../*" | "./.*" | "$PWD" | "${PWD}" | "$PWD/*"
        )
    }) {
        say(
            Dangerous,
            format!("`{name}` deletes `{path}`, all of the folder it runs in or above"),
        );
    }
    if let Some(path) = call
        .operands()
        .find(|path| path.trim_end_matches('/').rsplit('/').next() == Some(".git"))
    {
        say(
            Dangerous,
            format!("`{name}` deletes `{path}`, the history of the work"),
        );
    }
    say(
        Dangerous,
        format!("`{name}` deletes folders with everything below"),
    );
}

/// Whether a program that deletes stands among the arguments, as a word or in a script.
pub(crate) fn deletes(call: &Call<'_>) -> bool {
    let in_script = |word: &str| {
        word.split([' ', ';', '&', '|', '\t', '\n']).any(is_deleter) && word.contains(' ')
    };
    call.arguments
        .iter()
        .any(|word| is_deleter(word) || in_script(word))
}

fn is_deleter(word: &str) -> bool {
    matches!(
        last_part(word),
        "rm" | "shred" | "unlink" | "srm" | "rmdir" | "RM"
    )
}

fn of_find(call: &Call<'_>, say: &mut impl FnMut(sayso_core::analysis::risk::Tier, String)) {
    let runs = call.has_any(&["-exec", "-execdir", "-ok", "-okdir"]);
    if runs && call.has("truncate") && !call.has_any(&["-name", "-iname", "-path"]) {
        say(Dangerous, "`find` empties everything it finds".to_owned());
    }
    if !(call.has("-delete") || (runs && deletes(call))) {
        return;
    }
    // Where it starts stands before the first test; what stands behind may be the value of one.
    let is_option = |word: &str| matches!(word, "-H" | "-L" | "-P") || word.starts_with("-O");
    let starts = call
        .arguments
        .iter()
        .map(String::as_str)
        .skip_while(|word| is_option(word));
    let vital = starts
        .take_while(|word| !word.starts_with(['-', '(', '!']))
        .find(|word| worth(word) == Worth::Vital);
    match vital {
        Some(path) if !is_narrow(call) => say(
            Catastrophic,
            format!("`find` deletes everything it finds below `{path}`"),
        ),
        Some(path) => say(
            Dangerous,
            format!("`find` deletes what it finds below `{path}`"),
        ),
        None => say(Dangerous, "`find` deletes everything it finds".to_owned()),
    }
}

/// Whether only files of some name are found.
fn is_narrow(call: &Call<'_>) -> bool {
    let turned = call.has_any(&["!", "-not", "-o", "-or", ","]);
    let name = call.value(&["-name", "-iname", "-path", "-ipath", "-wholename", "-regex"]);
    !turned
        && name.is_some_and(|name| {
            name.chars()
                .filter(|letter| letter.is_alphanumeric())
                .count()
                >= 2
        })
}

fn of_chmod(call: &Call<'_>, say: &mut impl FnMut(sayso_core::analysis::risk::Tier, String)) {
    let open = call.operands().find(|word| opens_for_all(word));
    match (call.vital(), open) {
        (Some(path), _) if call.recursive() => say(
            Catastrophic,
            format!("`chmod` changes everything below `{path}`"),
        ),
        (_, Some(mode)) => say(
            Dangerous,
            format!("`chmod {mode}` lets everybody change it"),
        ),
        _ if call.recursive() => say(
            Dangerous,
            "`chmod` changes everything below a folder".to_owned(),
        ),
        (Some(path), _) => say(Dangerous, format!("`chmod` changes who may use `{path}`")),
        _ => {}
    }
}

fn of_mv(call: &Call<'_>, say: &mut impl FnMut(sayso_core::analysis::risk::Tier, String)) {
    let last = call.operands().next_back();
    let count = call.operands().count();
    if let Some(path) = call
        .operands()
        .take(count.saturating_sub(1).max(1))
        .find(|word| worth(word) == Worth::Vital)
    {
        say(Catastrophic, format!("moves `{path}` away"));
    } else if last == Some("/dev/null") {
        say(
            Dangerous,
            "`mv` moves files to nowhere, `/dev/null`".to_owned(),
        );
    }
}

/// Whether a mode lets everybody write. Without a letter for whom, `+w` keeps to what the person's mask lets through.
fn opens_for_all(mode: &str) -> bool {
    let number = mode.trim_start_matches('0');
    let octal = mode.len() >= 3 && mode.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    (octal && number.ends_with(['7', '6', '2', '3']) && number.len() >= 3)
        || mode.split(',').any(|clause| {
            let (who, what) = clause.split_at(clause.find(['+', '=']).unwrap_or(clause.len()));
            what.contains('w')
                && who.chars().all(|letter| "ugoa".contains(letter))
                && who.contains(['a', 'o'])
        })
}

/// The dangers of a line that goes to a folder first, or names it to a delete by a pipe: `cd / && rm -rf *`, `find / | xargs rm`.
pub(crate) fn of_line(segments: &[Segment], found: &mut Vec<Found>) {
    let mut folder: Option<&str> = None;
    let mut named: Option<&str> = None;
    let mut given: Option<&str> = None;
    for segment in segments {
        if segment.after.is_redirect() {
            // `xargs rm <<< /`: the redirect stands before its command here.
            let text = segment
                .words
                .first()
                .filter(|word| segment.after == After::Other && worth(word) == Worth::Vital);
            given = text.map(String::as_str).or(given);
            continue;
        }
        let Some(first) = segment
            .words
            .iter()
            .map(String::as_str)
            .find(|word| !is_assignment(word) && !is_transparent(word))
        else {
            continue;
        };
        let name = loose_name(first);
        let at = segment
            .words
            .iter()
            .position(|word| word == first)
            .map_or(0, |at| at + 1);
        let call = Call {
            name: first,
            arguments: segment.words.get(at..).unwrap_or(&[]),
            exact: false,
        };
        if !segment.piped {
            named = None;
        }
        named = given.take().or(named);
        match &*name {
            "cd" | "pushd" => {
                folder = call
                    .operands()
                    .next()
                    .or(Some("~"))
                    .filter(|path| path.len() < 512)
            }
            "find" | "fd" | "ls" | "echo" | "printf" | "du" | "tree" if !is_narrow(&call) => {
                named = named.or(call.vital())
            }
            "grep" | "rg" | "awk" | "head" | "tail" => named = None,
            "xargs" | "parallel" if deletes(&call) => {
                if let Some(path) = named {
                    found.push((
                        Catastrophic,
                        format!("deletes what is found below `{path}`"),
                    ));
                }
            }
            _ => {}
        }
        // `find ~ | while read f; do rm "$f"; done`.
        let each = matches!(&*name, "rm" | "srm" | "unlink" | "shred")
            && segment.piped
            && call.operands().any(|word| word.starts_with('$'));
        if let Some(path) = named.filter(|_| each) {
            found.push((
                Catastrophic,
                format!("deletes what is found below `{path}`"),
            ));
        }
        let deep = matches!(&*name, "rm" | "srm") && call.recursive()
            || name == "find" && call.has("-delete") && !is_narrow(&call);
        let unpacks = matches!(&*name, "tar" | "bsdtar" | "unzip" | "cpio")
            && !call.long("--list")
            && !call.short(&['t', 'l', 'c']);
        if let Some(folder) = folder
            .filter(|folder| unpacks && folder.starts_with('/') && worth(folder) == Worth::Vital)
        {
            found.push((Dangerous, format!("`{name}` unpacks over `{folder}`")));
        }
        let relative = |path: &&str| !path.starts_with(['/', '~', '$']) && path.len() < 512;
        if deep && let Some(folder) = folder {
            let inside = call
                .operands()
                .take(64)
                .filter(relative)
                .find(|path| worth(&format!("{folder}/{path}")) == Worth::Vital);
            if let Some(path) = inside {
                found.push((
                    Catastrophic,
                    format!("deletes `{path}` in `{folder}` with everything below"),
                ));
            }
        }
    }
}
