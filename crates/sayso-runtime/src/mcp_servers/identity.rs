//! Which server it is: the program with its content, the script that it runs, and its arguments; or its address.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sayso_core::text::digest::{Digest, Encoder, Pieces};
use sayso_core::text::visible::visible;

/// A larger program counts by its size only.
const LARGEST: u64 = 512 << 20;
/// Programs that run the script that is named first.
const INTERPRETERS: &[&str] = &[
    "node", "nodejs", "bun", "deno", "python", "python3", "ruby", "perl", "php", "sh", "bash",
    "dash", "zsh", "java",
];

/// Short options of these that take the next word as their value; of long ones, any may.
const WITH_VALUE: &[&str] = &[
    "-W",
    "-X",
    "-Q",
    "-r",
    "-I",
    "-M",
    "-o",
    "-C",
    "-d",
    "-cp",
    "-classpath",
];

/// A root certificate that vouches for a server somewhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// Of its name and its key.
    pub digest: Digest,
    /// For people.
    pub words: String,
}

/// Which server it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Of its program or address.
    pub digest: Digest,
    /// For people.
    pub words: String,
}

impl Identity {
    /// Of a server that is started. What cannot be found or read counts as missing: then starting it fails, too.
    pub fn of_command(command: &[OsString], folder: &Path) -> Identity {
        let mut encoder = Encoder::new("mcp server");
        encoder.text("command");
        let program = command.first().map(PathBuf::from).unwrap_or_default();
        let found = find(&program, folder);
        encoder.text(
            &found
                .as_ref()
                .map(|path| path.to_string_lossy().into_owned())
                .unwrap_or_default(),
        );
        encoder.text(&found.as_deref().map(content).unwrap_or_default());
        for word in command.iter().skip(1) {
            encoder.text(&word.to_string_lossy());
        }
        let base = program
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let runs_script = INTERPRETERS.iter().any(|name| {
            base == *name || base.starts_with(&format!("{name}3")) && name.starts_with("python")
        });
        for script in if runs_script {
            scripts(command.get(1..).unwrap_or_default(), folder)
        } else {
            Vec::new()
        } {
            encoder.text(&content(&script));
        }
        let words: Vec<String> = command
            .iter()
            .map(|word| visible(&word.to_string_lossy()).into_owned())
            .collect();
        Identity {
            digest: encoder.finish(),
            words: words.join(" "),
        }
    }

    /// Of a server that is somewhere else, and of who vouches for it, where it is reached in private.
    pub fn of_url(url: &str, authority: Option<&Authority>) -> Identity {
        let mut encoder = Encoder::new("mcp server");
        encoder.text("url");
        encoder.text(url);
        let mut words = visible(url).into_owned();
        if let Some(authority) = authority {
            encoder.text(&authority.digest.to_string());
            words.push_str(&format!(", vouched for by {}", authority.words));
        }
        Identity {
            digest: encoder.finish(),
            words,
        }
    }
}

/// The files that an interpreter runs: the first word that is one and no value of an option (`-W ignore server.py`). What may be a value and is a
/// file counts as well (`--import hook.js server.js`): it is code, or nobody could put a file of that name there to hide the script.
fn scripts(words: &[OsString], folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut may_be_value) = (Vec::new(), false);
    for word in words {
        let text = word.to_string_lossy();
        if text.starts_with('-') {
            may_be_value = !text.contains('=')
                && (text.len() > 2 && text.starts_with("--") || WITH_VALUE.contains(&&*text));
            continue;
        }
        let path = folder.join(word);
        let is_value = std::mem::replace(&mut may_be_value, false);
        if path.is_file() {
            found.push(path);
            if !is_value {
                break;
            }
        }
    }
    found
}

/// The file of a program, as the system finds it.
fn find(program: &Path, folder: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return folder.join(program).canonicalize().ok();
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|place| folder.join(place).join(program))
        .find(|file| file.is_file())?
        .canonicalize()
        .ok()
}

/// The digest of a file.
fn content(path: &Path) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        if size > LARGEST {
            return Ok(format!("{size} bytes"));
        }
        let mut pieces = Pieces::default();
        let mut buffer = vec![0; 256 << 10];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(pieces.finish().to_string()),
                read => pieces.add(buffer.get(..read).unwrap_or_default()),
            }
        }
    };
    read().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t10_another_program_script_or_argument_is_another_server() {
        let folder = tempfile::tempdir().unwrap();
        let of = |words: &[&str]| {
            Identity::of_command(
                &words.iter().map(OsString::from).collect::<Vec<_>>(),
                folder.path(),
            )
            .digest
        };
        std::fs::write(folder.path().join("a.py"), "1").unwrap();
        std::fs::write(folder.path().join("data"), "1").unwrap();
        let script = of(&["python3", "a.py", "data"]);
        assert_eq!(script, of(&["python3", "a.py", "data"]));
        assert_ne!(script, of(&["python3", "a.py", "date"]));
        assert_ne!(script, of(&["python3", "a.py data"]));
        std::fs::write(folder.path().join("data"), "2").unwrap();
        assert_eq!(
            script,
            of(&["python3", "a.py", "data"]),
            "what it works on is not what it is"
        );
        std::fs::write(folder.path().join("a.py"), "2").unwrap();
        assert_ne!(script, of(&["python3", "a.py", "data"]));
        // A file that is named like the value of an option hides no script.
        for words in [
            &["python3", "-W", "ignore", "-u", "a.py", "data"][..],
            &["node", "--import", "ignore", "a.py", "data"],
        ] {
            for hides in [false, true] {
                if hides {
                    std::fs::write(folder.path().join("ignore"), "x").unwrap();
                }
                std::fs::write(folder.path().join("a.py"), "1").unwrap();
                let before = of(words);
                std::fs::write(folder.path().join("data"), "4").unwrap();
                assert_eq!(before, of(words), "{words:?}");
                std::fs::write(folder.path().join("a.py"), "2").unwrap();
                assert_ne!(before, of(words), "{words:?} {hides}");
            }
            std::fs::remove_file(folder.path().join("ignore")).unwrap();
        }
        let program = of(&["./data"]);
        std::fs::write(folder.path().join("data"), "3").unwrap();
        assert_ne!(program, of(&["./data"]));
        assert_ne!(
            Identity::of_url("https://a/x", None).digest,
            Identity::of_url("https://a/y", None).digest
        );
        let root = |words: &str| Authority {
            digest: Digest::of_bytes(words.as_bytes()),
            words: words.to_owned(),
        };
        let (one, two) = (
            Identity::of_url("https://a/x", Some(&root("one"))),
            Identity::of_url("https://a/x", Some(&root("two"))),
        );
        assert!(
            one.digest != two.digest && one.words.contains("vouched for by one"),
            "{one:?}"
        );
    }
}
