//! Where an export goes: standard output, or a plain file that only its owner can read and that is there whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use sayso_core::text::visible::visible;

use crate::cli::Stop;

/// Where an export goes.
pub(super) struct Target {
    out: BufWriter<Box<dyn Write>>,
    /// The file that is written, and the one that it becomes.
    file: Option<(PathBuf, PathBuf)>,
}

impl Target {
    pub(super) fn standard_output() -> Target {
        Target {
            out: BufWriter::new(Box::new(io::stdout())),
            file: None,
        }
    }

    /// A new file, or one in place of a plain file that is there. Nothing is written into the folders of sayso itself.
    pub(super) fn file(path: &Path, own: &[&Path]) -> Result<Target, Stop> {
        let shown = visible(&path.display().to_string()).into_owned();
        let cannot =
            |why: &dyn std::fmt::Display| Stop::usage(format!("cannot write `{shown}`: {why}"));
        let name = path
            .file_name()
            .filter(|_| !path.to_string_lossy().ends_with('/'))
            .ok_or_else(|| cannot(&"it is no name of a file"))?;
        let folder = match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => return Err(cannot(&"it is no name of a file")),
        };
        let folder = fs::canonicalize(folder).map_err(|error| cannot(&error))?;
        for own in own.iter().filter_map(|own| fs::canonicalize(own).ok()) {
            if folder.starts_with(&own) {
                return Err(Stop::hint(
                    format!("`{shown}` is in a folder of sayso itself"),
                    "write the export somewhere else",
                ));
            }
        }
        let target = folder.join(name);
        match fs::symlink_metadata(&target) {
            Ok(there) if there.is_symlink() => {
                return Err(cannot(&"a link stands there; name the file itself"));
            }
            Ok(there) if !there.is_file() => {
                return Err(cannot(&"something that is no plain file stands there"));
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot(&error)),
            _ => {}
        }
        let mut beside = OsString::from(".");
        beside.push(name);
        beside.push(format!(".{}.part", std::process::id()));
        let beside = folder.join(beside);
        let file: File = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&beside)
            .map_err(|error| cannot(&error))?;
        Ok(Target {
            out: BufWriter::new(Box::new(file)),
            file: Some((beside, target)),
        })
    }

    /// Everything was written: the file gets its name.
    pub(super) fn finish(mut self) -> Result<(), Stop> {
        self.out.flush()?;
        if let Some((beside, target)) = &self.file {
            let written = File::open(beside)
                .and_then(|file| file.sync_all())
                .and_then(|()| fs::rename(beside, target));
            written.map_err(|error| {
                Stop::usage(format!(
                    "cannot write `{}`: {error}",
                    visible(&target.display().to_string())
                ))
            })?;
            self.file = None;
        }
        Ok(())
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.file {
            // Half an export is none.
            let _ = fs::remove_file(beside);
        }
    }
}
