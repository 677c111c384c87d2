//! What a waiting caller means: its memory, its folders and its name, read while it waits.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use super::calls::Place;
use super::listener::Waiting;

/// The kernel takes no longer path.
const MAX_PATH: usize = libc::PATH_MAX as usize;
/// No page is smaller: memory may end at each of these.
const PAGE: u64 = 4096;

impl Waiting {
    pub(super) fn argument(&self, index: usize) -> u64 {
        self.arguments.get(index).copied().unwrap_or(0)
    }

    /// The low half of an argument, as the kernel takes numbers of files and flags.
    pub(super) fn integer(&self, index: usize) -> i32 {
        (self.argument(index) & u64::from(u32::MAX)) as u32 as i32
    }

    /// Fills a buffer from the caller's memory, as far as that reaches.
    pub(super) fn read(&self, place: u64, buffer: &mut [u8]) -> usize {
        let to_page_end = PAGE - place % PAGE;
        let wanted = buffer.len() as u64;
        let first = wanted.min(to_page_end);
        let part = |from: u64, length: u64| libc::iovec {
            iov_base: from as *mut libc::c_void,
            iov_len: usize::try_from(length).unwrap_or(0),
        };
        // In two parts: the second may not be there.
        let theirs = [
            part(place, first),
            part(place.wrapping_add(first), wanted - first),
        ];
        let ours = libc::iovec {
            iov_base: buffer.as_mut_ptr().cast(),
            iov_len: buffer.len(),
        };
        let thread = i32::try_from(self.thread).unwrap_or(0);
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: the kernel writes no more than the buffer holds, and checks the caller's addresses itself.
        let read =
            unsafe { libc::process_vm_readv(thread, &raw const ours, 1, theirs.as_ptr(), 2, 0) };
        usize::try_from(read).unwrap_or(0)
    }

    /// A path in the caller's memory; none if it cannot be read or has no end.
    fn text(&self, place: u64) -> Option<Vec<u8>> {
        let mut buffer = vec![0; MAX_PATH];
        let read = self.read(place, &mut buffer);
        buffer.truncate(read);
        let end = buffer.iter().position(|byte| *byte == 0)?;
        buffer.truncate(end);
        Some(buffer)
    }

    /// The path of a call, absolute, as the caller wrote it otherwise.
    pub(super) fn path(&self, place: Place) -> Option<PathBuf> {
        let name = self.text(self.argument(place.path))?;
        let name = PathBuf::from(OsString::from_vec(name));
        match name {
            name if name.as_os_str().is_empty() => None,
            name if name.is_absolute() => Some(name),
            name => {
                let folder = place
                    .folder
                    .map(|folder| self.integer(folder))
                    .filter(|folder| *folder != libc::AT_FDCWD);
                Some(self.folder(folder)?.join(name))
            }
        }
    }

    /// The working folder, or the one with this number, by its name in the sandbox.
    pub(super) fn folder(&self, number: Option<i32>) -> Option<PathBuf> {
        let link = match number {
            None => format!("/proc/{}/cwd", self.thread),
            Some(number) => format!("/proc/{}/fd/{number}", self.thread),
        };
        std::fs::read_link(link)
            .ok()
            .filter(|folder| folder.is_absolute())
    }

    /// The short name of the program.
    pub(super) fn program(&self) -> Option<String> {
        let name = std::fs::read(Path::new("/proc").join(format!("{}/comm", self.thread))).ok()?;
        Some(String::from_utf8_lossy(name.trim_ascii_end()).into_owned())
    }
}
