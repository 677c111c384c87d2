//! Dangers to files that the system, a shell or an agent obeys, by what a text says is written.
//!
//! Where a program's effects are listed, the judge finds the same by the path itself; here are the others.

use sayso_core::analysis::risk::Tier::Dangerous;
use sayso_core::paths::{join, takeover};

use super::call::{Call, Found};
use super::critical_paths::{Worth, worth};

/// A home and a workspace that stand for those of the person, which a text does not tell.
const HOME: &str = "/home/me";
const WORKSPACE: &str = "/home/me/here/ws";
/// No system opens a longer path.
const LONGEST: usize = 4096;

/// Why a write to this path hands something over, by the path as it is written.
pub(crate) fn why(written: &str) -> Option<&'static str> {
    if written.is_empty()
        || written.len() > LONGEST
        || written.contains(['\n', '*'])
        || written.contains("://")
    {
        return None;
    }
    let home = ["~", "$HOME", "${HOME}", "$ENV{HOME}"]
        .iter()
        .find_map(|name| written.strip_prefix(name));
    let whole = match home {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            join(HOME, rest.trim_start_matches('/'))
        }
        Some(_) => return None,
        None => join(WORKSPACE, written),
    };
    takeover(&whole, WORKSPACE, Some(HOME))
}

/// The dangers of a file that a redirect writes.
pub(crate) fn of_output(path: &str, found: &mut Vec<Found>) {
    if let Some(why) = why(path) {
        found.push((Dangerous, format!("changes `{path}`: {why}")));
    }
}

/// The dangers of a program that writes files.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    if let Some((path, why)) = written(call)
        .into_iter()
        .find_map(|path| Some((path, why(path)?)))
    {
        found.push((Dangerous, format!("`{name}` changes `{path}`: {why}")));
    }
}

/// The dangers of an archive that is unpacked over the system.
pub(crate) fn of_unpacked(call: &Call<'_>, found: &mut Vec<Found>) {
    if let Some(folder) = unpacked_over(call) {
        found.push((
            Dangerous,
            format!("`{}` unpacks over `{folder}`", call.name),
        ));
    }
}

/// The files that a program writes or deletes.
fn written<'a>(call: &Call<'a>) -> Vec<&'a str> {
    let in_place = || call.short(&['i']) || call.long("--in-place");
    match call.name {
        "tee" | "truncate" | "sponge" | "rm" | "unlink" | "shred" | "srm" | "ex" | "ed" => {
            call.operands().collect()
        }
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp" | "ditto" | "link" | "rename" => {
            let folder = call.value(&["-t", "--target-directory"]);
            call.operands()
                .next_back()
                .into_iter()
                .chain(folder)
                .collect()
        }
        "sed" | "gsed" | "perl" | "ruby" | "awk" | "gawk" | "yq" if in_place() => {
            call.operands().collect()
        }
        "dd" | "dcfldd" => call
            .arguments
            .iter()
            .filter_map(|word| word.strip_prefix("of="))
            .collect(),
        "curl" | "aria2c" => call
            .value(&["-o", "--output", "--out"])
            .or_else(|| after_letter(call, 'o'))
            .into_iter()
            .collect(),
        "git" => call.value(&["--output"]).into_iter().collect(),
        "python" | "python3" if call.has("zipapp") => {
            call.value(&["-o", "--output"]).into_iter().collect()
        }
        "wget" | "wget2" => call
            .value(&["-O", "--output-document"])
            .or_else(|| after_letter(call, 'O'))
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

/// The word behind a bundle that ends with this letter: `-sSLo FILE`.
fn after_letter<'a>(call: &Call<'a>, letter: char) -> Option<&'a str> {
    let at = call.arguments.iter().position(|word| {
        word.starts_with('-') && !word.starts_with("--") && word.ends_with(letter)
    })?;
    call.arguments.get(at + 1).map(String::as_str)
}

/// The folder of the system or the home that an archive is unpacked over.
fn unpacked_over<'a>(call: &Call<'a>) -> Option<&'a str> {
    let folder = match call.name {
        "tar" | "bsdtar" | "gtar" => {
            let first = call.arguments.first().map_or("", String::as_str);
            let bare = !first.starts_with('-') && first.len() < 8 && first.contains('x');
            let extracts =
                bare || call.short(&['x']) || call.long("--extract") || call.long("--get");
            let absolute = call.short(&['P']) || call.has("--absolute-names");
            if extracts && absolute {
                return Some("/");
            }
            call.value(&["-C", "--directory"]).filter(|_| extracts)
        }
        "unzip" | "bsdunzip" => call.value(&["-d"]),
        "cpio" | "pax" => call.value(&["-D", "--directory"]),
        "7z" | "7za" => call
            .arguments
            .iter()
            .find_map(|word| word.strip_prefix("-o")),
        _ => None,
    }?;
    (folder == "/"
        || worth(folder) == Worth::Vital && !is_place_for_software(folder)
        || why(folder).is_some())
    .then_some(folder)
}

/// Folders where software is unpacked by hand.
fn is_place_for_software(folder: &str) -> bool {
    matches!(
        folder.trim_end_matches('/'),
        "/usr/local" | "/opt" | "/srv" | "/mnt" | "/media" | "~" | "$HOME" | "${HOME}"
    )
}
