//! Finds the files of a project that would make a program do something else than its words say.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use sayso_core::analysis::fact::{Counts, Setting, SettingsFact, Surroundings};

use crate::bounded_file::{Content, LastLink, read};
use crate::canonical::{is_within, parent};
use crate::databases::{is_repaired, repaired_below};

/// How much of a file is read to see what it says.
const MOST_BYTES: u64 = 256 * 1024;

/// Looks in a folder (absolute, free of links) and in each above it. Outside of the workspace, only settings that count everywhere count in
/// the person's home and in what is above it, since the rest there is the person's own; these count in the home wherever it is.
pub(crate) fn settings_upwards(
    folder: &str,
    settings: &[Setting],
    surroundings: &Surroundings,
    go: Option<&str>,
) -> SettingsFact {
    let below = settings
        .iter()
        .filter(|setting| setting.counts == Counts::RepairedBelow);
    if let Some(found) = below
        .into_iter()
        .find_map(|setting| repaired_below(folder, &setting.file))
    {
        return SettingsFact { found: Some(found) };
    }
    let home = surroundings.home.as_deref();
    let mut current = folder;
    loop {
        let is_own = !is_within(current, &surroundings.workspace)
            && home.is_some_and(|home| is_within(home, current));
        if let Some(found) = found_in(current, settings, is_own, go) {
            return found;
        }
        if current == "/" {
            return home
                .and_then(|home| found_in(home, settings, true, go))
                .unwrap_or_default();
        }
        current = parent(current);
    }
}

/// The first setting that stands in a folder; where the folder is the person's own, only those that count everywhere.
fn found_in(
    folder: &str,
    settings: &[Setting],
    is_own: bool,
    go: Option<&str>,
) -> Option<SettingsFact> {
    let here = |setting: &&Setting| {
        (setting.everywhere || !is_own)
            && counts(&Path::new(folder).join(&setting.file), &setting.counts, go)
    };
    let setting = settings.iter().find(here)?;
    Some(SettingsFact {
        found: Some(format!("{}/{}", folder.trim_end_matches('/'), setting.file)),
    })
}

fn counts(path: &Path, counts: &Counts, go: Option<&str>) -> bool {
    let stands = match fs::symlink_metadata(path) {
        Ok(_) => true,
        // What cannot be looked at may be there.
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    };
    if !stands || *counts == Counts::Always {
        return stands;
    }
    if matches!(counts, Counts::Repaired | Counts::RepairedBelow) {
        return is_repaired(path);
    }
    if *counts == Counts::AsLink {
        return fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    }
    let bytes = match read(path, MOST_BYTES, LastLink::Follow) {
        Content::Bytes(bytes, _) => bytes,
        // A link that leads nowhere.
        Content::Missing => return false,
        Content::Link | Content::Unusable(_) => return true,
    };
    let Ok(text) = String::from_utf8(bytes) else {
        return true;
    };
    match counts {
        Counts::Always | Counts::AsLink | Counts::Repaired | Counts::RepairedBelow => true,
        // The same name may be spelled with escapes.
        Counts::WithText(wanted) => {
            text.contains(wanted.as_str())
                || text.contains("\\u")
                || text.contains("\\U")
                || text.contains("\\x")
        }
        Counts::WithNewerGo => names_newer_go(&text, go.and_then(installed_go)),
    }
}

/// The version that stands beside an installed Go.
fn installed_go(program: &str) -> Option<[u32; 3]> {
    let root = Path::new(program).parent()?.parent()?;
    let Content::Bytes(bytes, _) = read(&root.join("VERSION"), MOST_BYTES, LastLink::Follow) else {
        return None;
    };
    let text = String::from_utf8(bytes).ok()?;
    version(text.lines().next()?.strip_prefix("go")?)
}

/// Whether a `go.mod` or `go.work` names a newer Go, or may do so. Before 1.21, `go` fetched no other one.
fn names_newer_go(text: &str, installed: Option<[u32; 3]>) -> bool {
    if installed.is_some_and(|installed| installed < [1, 21, 0]) {
        return false;
    }
    let values = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let rest = line
            .strip_prefix("toolchain")
            .or_else(|| line.strip_prefix("go"))?;
        rest.starts_with([' ', '\t', '('])
            .then(|| rest.split("//").next().unwrap_or("").trim())
    });
    // Without a known one, what no Go has ever fetched another one for is still fine.
    let known = installed.unwrap_or([1, 21, 0]);
    values.into_iter().any(|value| match value {
        "local" | "default" => false,
        value => {
            version(value.strip_prefix("go").unwrap_or(value)).is_none_or(|wanted| wanted > known)
        }
    })
}

/// A version of nothing but numbers.
fn version(text: &str) -> Option<[u32; 3]> {
    let mut numbers = [0; 3];
    let mut parts = text.trim().split('.');
    for number in &mut numbers {
        match parts.next() {
            Some(part) => *number = part.parse().ok()?,
            None => break,
        }
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::{names_newer_go, version};

    #[test]
    fn a_newer_go_is_one_that_is_not_installed() {
        let installed = Some([1, 22, 1]);
        for same in [
            "module a\n\ngo 1.22\n",
            "go 1.22.1",
            "go 1.20 // old",
            "go 1.22\ntoolchain local",
            "toolchain go1.22.0",
            "module golang",
        ] {
            assert!(!names_newer_go(same, installed), "{same}");
        }
        for newer in [
            "go 1.23",
            "go 1.22.2",
            " go\t1.30",
            "go 1.22\ntoolchain go1.23.0",
            "toolchain go1.22.0-x",
            "go 1.23rc1",
            "go (\n1.30\n)",
        ] {
            assert!(names_newer_go(newer, installed), "{newer}");
        }
        assert!(
            !names_newer_go("go 1.30", Some([1, 20, 4])),
            "it fetches no other one"
        );
        assert!(!names_newer_go("go 1.21", None) && names_newer_go("go 1.22", None));
    }

    #[test]
    fn a_version_is_at_most_three_numbers() {
        assert_eq!(version("1.22"), Some([1, 22, 0]));
        assert_eq!(version("1.22.10"), Some([1, 22, 10]));
        for odd in ["", "1.22rc1", "1..2", "1.2.3.4", "x"] {
            assert_eq!(version(odd), None, "{odd}");
        }
    }
}
