//! Which server it is: the program with its content, the script that it runs, and its arguments; or its address.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sayso_core::digest::{Digest, Encoder, Pieces};
use sayso_core::visible::visible;

/// A larger program counts by its size only.
const LARGEST: u64 = 512 << 20;
/// Programs that run the script that is named first.
const INTERPRETERS: &[&str] =
    &["node", "nodejs", "bun", "deno", "python", "python3", "ruby", "perl", "php", "sh", "bash", "dash", "zsh", "java"];

/// Which server it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub digest: Digest,
    /// For people.
    pub words: String,
}

impl Identity {
    /// Of a server that is started. What cannot be found or read counts as missing: then starting it fails, too.
    pub(super) fn of_command(command: &[OsString], folder: &Path) -> Identity {
        let mut encoder = Encoder::new("mcp server");
        encoder.text("command");
        let program = command.first().map(PathBuf::from).unwrap_or_default();
        let found = find(&program, folder);
        encoder.text(&found.as_ref().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default());
        encoder.text(&found.as_deref().map(content).unwrap_or_default());
        for word in command.iter().skip(1) {
            encoder.text(&word.to_string_lossy());
        }
        let base = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let runs_script =
            INTERPRETERS.iter().any(|name| base == *name || base.starts_with(&format!("{name}3")) && name.starts_with("python"));
        // The first word that is a file: words before it may be values of options (`-W ignore server.py`).
        let script = command.iter().skip(1).map(|word| folder.join(word)).find(|path| path.is_file()).filter(|_| runs_script);
        encoder.text(&script.as_deref().map(content).unwrap_or_default());
        let words: Vec<String> = command.iter().map(|word| visible(&word.to_string_lossy()).into_owned()).collect();
        Identity { digest: encoder.finish(), words: words.join(" ") }
    }

    /// Of a server that is somewhere else.
    pub(super) fn of_url(url: &str) -> Identity {
        let mut encoder = Encoder::new("mcp server");
        encoder.text("url");
        encoder.text(url);
        Identity { digest: encoder.finish(), words: visible(url).into_owned() }
    }
}

/// The file of a program, as the system finds it.
fn find(program: &Path, folder: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return folder.join(program).canonicalize().ok();
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|place| folder.join(place).join(program)).find(|file| file.is_file())?.canonicalize().ok()
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
        let of = |words: &[&str]| Identity::of_command(&words.iter().map(OsString::from).collect::<Vec<_>>(), folder.path()).digest;
        std::fs::write(folder.path().join("a.py"), "1").unwrap();
        std::fs::write(folder.path().join("data"), "1").unwrap();
        let script = of(&["python3", "a.py", "data"]);
        assert_eq!(script, of(&["python3", "a.py", "data"]));
        assert_ne!(script, of(&["python3", "a.py", "date"]));
        assert_ne!(script, of(&["python3", "a.py data"]));
        std::fs::write(folder.path().join("data"), "2").unwrap();
        assert_eq!(script, of(&["python3", "a.py", "data"]), "what it works on is not what it is");
        std::fs::write(folder.path().join("a.py"), "2").unwrap();
        assert_ne!(script, of(&["python3", "a.py", "data"]));
        let program = of(&["./data"]);
        std::fs::write(folder.path().join("data"), "3").unwrap();
        assert_ne!(program, of(&["./data"]));
        assert_ne!(Identity::of_url("https://a/x").digest, Identity::of_url("https://a/y").digest);
    }
}
