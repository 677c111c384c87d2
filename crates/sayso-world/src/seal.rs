//! Tells whether files are still what they were: one digest over all that an answer is bound to.
//!
//! It waits for nothing: a pipe or a device is told by what it is and never opened. A link counts by what it says and by what it leads to,
//! and every file by the folder that it stands in, so a folder that was put in the place of another one shows, too.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

use sayso_core::text::digest::{Digest, Encoder, Pieces};

use crate::bounded_file::{LastLink, open};

/// A larger file counts by its times and its size: reading it would keep the person waiting.
const LARGEST: u64 = 64 * 1024 * 1024;
/// So much is read for one answer; what comes behind counts by times and size.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// So many bytes of scripts are kept.
const MOST_COPIED: u64 = 4 * 1024 * 1024;
const PIECE: usize = 64 * 1024;

/// A file that an answer is bound to. Paths are absolute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound<'a> {
    /// By what is in it.
    Content(&'a str),
    /// By which file it is, and whether it was touched.
    Identity(&'a str),
    /// By which file it is, whatever is written to it.
    Which(&'a str),
    /// By its bytes, which must have this digest.
    Bytes(&'a str, Digest),
}

/// The digest of what these files are now. None if that could not be found out, or if one has not the bytes that it must have.
pub fn seal<'a>(files: impl IntoIterator<Item = Bound<'a>>) -> Option<Digest> {
    seal_keeping(files, &mut Copies::none())
}

/// Bytes of files that count by their content, from the same look that gave the digest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// Paths as they were given, with what was read there.
    pub files: Vec<(String, Vec<u8>)>,
    /// So many more bytes are kept.
    left: u64,
}

impl Copies {
    /// Keeps the bytes of files as large as scripts are.
    pub fn of_scripts() -> Copies {
        Copies {
            files: Vec::new(),
            left: MOST_COPIED,
        }
    }

    fn none() -> Copies {
        Copies::default()
    }
}

/// The same as [`seal`], and keeps copies.
pub fn seal_keeping<'a>(
    files: impl IntoIterator<Item = Bound<'a>>,
    copies: &mut Copies,
) -> Option<Digest> {
    let mut pass = Pass {
        encoder: Encoder::new("seal"),
        left: MOST_BYTES,
        copies,
    };
    for file in files {
        let done = match file {
            Bound::Content(path) => pass.file(By::Content, path),
            Bound::Identity(path) => pass.file(By::Identity, path),
            Bound::Which(path) => pass.file(By::Which, path),
            Bound::Bytes(path, digest) => pass.file(By::Bytes(digest), path),
        };
        done.ok()?;
    }
    Some(pass.encoder.finish())
}

/// What of a file counts.
#[derive(Clone, Copy)]
enum By {
    Content,
    Identity,
    Which,
    Bytes(Digest),
}

impl By {
    fn word(self) -> &'static str {
        match self {
            By::Content => "content",
            By::Identity => "identity",
            By::Which => "which",
            By::Bytes(_) => "bytes",
        }
    }

    /// That nothing is there is no answer.
    fn must_be(self) -> bool {
        matches!(self, By::Bytes(_))
    }
}

struct Pass<'a> {
    encoder: Encoder,
    /// How many bytes may still be read.
    left: u64,
    copies: &'a mut Copies,
}

impl Pass<'_> {
    fn file(&mut self, by: By, written: &str) -> io::Result<()> {
        let path = Path::new(written);
        self.encoder.text(by.word());
        self.encoder.text(written);
        self.folder_of(path)?;
        match look(fs::symlink_metadata(path))? {
            Found::Nothing(_) if by.must_be() => {
                return Err(io::Error::other("it has other bytes"));
            }
            Found::Nothing(why) => self.encoder.text(why),
            Found::Here(metadata) if metadata.is_symlink() => {
                self.encoder.text("link");
                // What a link says are bytes, so they count by their digest.
                let target = fs::read_link(path)?;
                self.encoder
                    .text(&Digest::of_bytes(target.as_os_str().as_bytes()).to_string());
                match look(fs::metadata(path))? {
                    Found::Nothing(_) if by.must_be() => {
                        return Err(io::Error::other("it has other bytes"));
                    }
                    Found::Nothing(why) => self.encoder.text(why),
                    Found::Here(metadata) => self.end(by, path, &metadata, LastLink::Follow)?,
                }
            }
            Found::Here(metadata) => self.end(by, path, &metadata, LastLink::Refuse)?,
        }
        Ok(())
    }

    /// The nearest folder above that is there: what is missing in it may be made in another one by then.
    fn folder_of(&mut self, path: &Path) -> io::Result<()> {
        for (depth, folder) in path.ancestors().enumerate().skip(1) {
            if let Found::Here(metadata) = look(fs::metadata(folder))? {
                self.encoder
                    .text(&format!("{depth} {} {}", metadata.dev(), metadata.ino()));
                return Ok(());
            }
        }
        self.encoder.text("no folder");
        Ok(())
    }

    /// What a path leads to.
    fn end(&mut self, by: By, path: &Path, metadata: &Metadata, last: LastLink) -> io::Result<()> {
        self.encoder.text(kind(metadata));
        match by {
            By::Content if metadata.is_file() => return self.content(path, metadata, last),
            By::Bytes(wanted) => return self.bytes(path, wanted, last),
            By::Content | By::Identity => self.identity(metadata),
            By::Which => self.which(metadata),
        }
        Ok(())
    }

    fn content(&mut self, path: &Path, metadata: &Metadata, last: LastLink) -> io::Result<()> {
        // The kernel's own files have no size, a content that is never twice the same, and may keep a reader waiting.
        if metadata.len() == 0 {
            self.encoder.text("empty");
            return Ok(());
        }
        let most = LARGEST.min(self.left);
        if metadata.len() > most {
            self.identity(metadata);
            return Ok(());
        }
        let file = match open(path, last) {
            Ok(file) => file,
            // What sayso may not read, it can still tell from another file.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                self.identity(metadata);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let opened = file.metadata()?;
        if !opened.is_file() {
            return Err(io::Error::other("it is no longer a file"));
        }
        let mut copy = (opened.len() <= self.copies.left).then(Vec::new);
        match digest(file, most, copy.as_mut())? {
            (_, read) if read > most => self.identity(&opened),
            (digest, read) => {
                self.left = self.left.saturating_sub(read);
                self.encoder.text(&digest.to_string());
                if let Some(copy) = copy.filter(|_| read <= self.copies.left) {
                    self.copies.left -= read;
                    self.copies
                        .files
                        .push((path.to_string_lossy().into_owned(), copy));
                }
            }
        }
        Ok(())
    }

    /// The bytes that somebody was shown; nothing else will do.
    fn bytes(&mut self, path: &Path, wanted: Digest, last: LastLink) -> io::Result<()> {
        let file = open(path, last)?;
        let opened = file.metadata()?;
        if !opened.is_file() || opened.len() > LARGEST {
            return Err(io::Error::other("it is not what was shown"));
        }
        // The kernel's own files have no size, and may keep a reader waiting.
        let (found, _) = if opened.len() == 0 {
            (Digest::of_bytes(&[]), 0)
        } else {
            digest(file, LARGEST, None)?
        };
        if found != wanted {
            return Err(io::Error::other("it has other bytes"));
        }
        self.encoder.text(&found.to_string());
        Ok(())
    }

    fn which(&mut self, metadata: &Metadata) {
        self.encoder.text(&format!(
            "{} {} {}",
            metadata.dev(),
            metadata.ino(),
            metadata.rdev()
        ));
    }

    fn identity(&mut self, metadata: &Metadata) {
        self.which(metadata);
        if metadata.is_file() {
            let (changed, altered) = (
                (metadata.mtime(), metadata.mtime_nsec()),
                (metadata.ctime(), metadata.ctime_nsec()),
            );
            self.encoder
                .text(&format!("{} {changed:?} {altered:?}", metadata.len()));
        }
    }
}

enum Found {
    Here(Metadata),
    /// Nothing that could be used, in a word.
    Nothing(&'static str),
}

/// That there is nothing, or nothing for us, is an answer. Any other failure is none.
fn look(metadata: io::Result<Metadata>) -> io::Result<Found> {
    let error = match metadata {
        Ok(metadata) => return Ok(Found::Here(metadata)),
        Err(error) => error,
    };
    match error.kind() {
        // A word of a command may be longer than any file's name.
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => {
            Ok(Found::Nothing("missing"))
        }
        ErrorKind::PermissionDenied => Ok(Found::Nothing("forbidden")),
        // Links in a circle lead nowhere; `FilesystemLoop` has no stable name yet.
        _ if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            Ok(Found::Nothing("circle"))
        }
        _ => Err(error),
    }
}

fn kind(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    match () {
        () if kind.is_file() => "file",
        () if kind.is_dir() => "folder",
        () if kind.is_symlink() => "link",
        () if kind.is_fifo() => "pipe",
        () if kind.is_socket() => "socket",
        () if kind.is_block_device() || kind.is_char_device() => "device",
        () => "other",
    }
}

/// The digest of a file of up to `most` bytes, and how many were read.
fn digest(file: File, most: u64, mut copy: Option<&mut Vec<u8>>) -> io::Result<(Digest, u64)> {
    let mut file = file.take(most.saturating_add(1));
    let mut pieces = Pieces::default();
    let mut buffer = vec![0; PIECE];
    let mut read = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok((pieces.finish(), read)),
            Ok(length) => {
                let piece = buffer.get(..length).unwrap_or_default();
                pieces.add(piece);
                if let Some(copy) = &mut copy {
                    copy.extend_from_slice(piece);
                }
                read += length as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
