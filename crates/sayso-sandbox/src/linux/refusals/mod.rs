//! Sees what the sandbox refuses: a second filter hands the calls that change something to a listener outside, which notes and lets go on.
//!
//! It decides nothing. Mounts, network and the first filter do, and what a caller changes in its memory after it was read only makes a note
//! wrong. Calls that the first filter refuses are not seen here: the kernel takes the stricter of two answers.

mod caller;
mod calls;
mod judge;
mod listener;
mod notes;
mod view;

use std::collections::BTreeMap;
use std::io::{self, Error, ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::profile::Profile;
use crate::refusal::Refusal;
use calls::Call;
use judge::Judge;
use listener::{Silence, Waiting};
use notes::Notes;

/// Notes what a sandbox refuses. When it is dropped while processes of the sandbox live, the calls that it watches fail with "function not
/// implemented" for them: hand their listener on with [`Watcher::into_listener`] first.
#[derive(Debug)]
pub struct Watcher {
    notes: Arc<Notes>,
    /// Closed to wake the one who waits.
    wake: Option<UnixStream>,
    waiting: Option<JoinHandle<Option<OwnedFd>>>,
}

impl Watcher {
    /// A watcher that waits for the listener of a sandbox, and the inner end of the way there: it is for [`hand_out()`] alone, and the caller
    /// closes its own copy once the sandbox has started.
    ///
    /// # Errors
    /// If the system gives no socket or thread.
    pub fn listen(profile: &Profile) -> io::Result<(Watcher, OwnedFd)> {
        let (outer, inner) = UnixStream::pair()?;
        let watcher = Watcher::start(profile, move |woken| {
            comes(&outer, woken)
                .then(|| take_in(&outer).ok().flatten())
                .flatten()
        })?;
        Ok((watcher, inner.into()))
    }

    /// A watcher of a listener that is here already.
    ///
    /// # Errors
    /// If the system gives no socket or thread.
    pub fn on(listener: OwnedFd, profile: &Profile) -> io::Result<Watcher> {
        Watcher::start(profile, move |_| Some(listener))
    }

    fn start(
        profile: &Profile,
        listener: impl FnOnce(&UnixStream) -> Option<OwnedFd> + Send + 'static,
    ) -> io::Result<Watcher> {
        let (wake, woken) = UnixStream::pair()?;
        let notes = Arc::new(Notes::default());
        let (noted, mut judge) = (Arc::clone(&notes), Judge::new(profile));
        let waiting = thread::Builder::new()
            .name("refusals".to_owned())
            .spawn(move || {
                let listener = listener(&woken)?;
                let calls = calls::by_number();
                listener::take_turns(&listener);
                answer(&listener, Some(&woken), |waiting| {
                    note(&listener, &waiting, &calls, &mut judge, &noted);
                });
                Some(listener)
            })?;
        Ok(Watcher {
            notes,
            wake: Some(wake),
            waiting: Some(waiting),
        })
    }

    /// What was refused so far: each thing once, in order, the first few of each kind. A call that has come back is among them.
    pub fn refusals(&self) -> Vec<Refusal> {
        self.notes.all()
    }

    /// Stops noting and gives the listener, for another process to [`drain`] as long as anything of the sandbox lives. Calls wait meanwhile.
    /// None if there never was one: then nothing of the sandbox is watched.
    pub fn into_listener(mut self) -> Option<OwnedFd> {
        self.end()
    }

    fn end(&mut self) -> Option<OwnedFd> {
        drop(self.wake.take());
        self.waiting.take()?.join().ok().flatten()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // It waits for nothing but calls and the end that is made here.
        drop(self.end());
    }
}

/// Lets all calls go on until nothing of the sandbox lives.
pub fn drain(listener: &OwnedFd) {
    listener::take_turns(listener);
    answer(listener, None, |_| {});
}

/// Watches this thread and all that it starts from now on, and sends the listener over the end that [`Watcher::listen`] gave, which has this
/// number here and with which nothing was done yet. Where the kernel cannot watch, nothing is.
///
/// # Errors
/// If that is not such an end. The thread is of no use then: what is watched waits without an answer.
pub fn hand_out(number: RawFd) -> io::Result<()> {
    if number < 3 || !is_open(number) {
        let why = format!("file {number} is not the way out to the watcher of the sandbox");
        return Err(Error::new(ErrorKind::InvalidInput, why));
    }
    // SAFETY: it is open, it came from whoever started this program, for this step alone, and nothing else here knows its number.
    #[allow(unsafe_code, reason = "a file that is known by its number only")]
    let channel = unsafe { OwnedFd::from_raw_fd(number) };
    let Some(listener) = listener::install() else {
        return Ok(());
    };
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [listener.as_fd()];
    if !control.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(ErrorKind::OutOfMemory.into());
    }
    // A file does not travel without a byte.
    sendmsg(
        &channel,
        &[IoSlice::new(b"n")],
        &mut control,
        SendFlags::NOSIGNAL,
    )?;
    Ok(())
}

fn is_open(number: RawFd) -> bool {
    // SAFETY: only asked what it is; a number that is not open gives an error.
    #[allow(unsafe_code, reason = "a file that is known by its number only")]
    let file = unsafe { BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_getfd(file).is_ok()
}

/// Takes the listener that the inner step sent; none if it ended without one.
fn take_in(channel: &UnixStream) -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0_u8; 1];
    recvmsg(
        channel,
        &mut [IoSliceMut::new(&mut byte)],
        &mut control,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    let mut files: Vec<OwnedFd> = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(sent) = message {
            files.extend(sent);
        }
    }
    Ok(files.pop().filter(listener::is_listener))
}

/// Answers calls until the end is made, or nothing is left that could make one.
fn answer(listener: &OwnedFd, woken: Option<&UnixStream>, mut first: impl FnMut(Waiting)) {
    loop {
        match next(listener, woken) {
            Ok(waiting) => {
                first(waiting);
                listener::resume(listener, waiting.id);
            }
            Err(Silence::Again) => {}
            Err(Silence::Ended) => return,
        }
    }
}

/// The next call.
fn next(listener: &OwnedFd, woken: Option<&UnixStream>) -> Result<Waiting, Silence> {
    let mut waiting = vec![PollFd::new(listener, PollFlags::IN)];
    waiting.extend(woken.map(|woken| PollFd::new(woken, PollFlags::IN)));
    match poll(&mut waiting, None) {
        Ok(_) => {}
        Err(rustix::io::Errno::INTR) => return Err(Silence::Again),
        Err(_) => return Err(Silence::Ended),
    }
    let ready = |index: usize| {
        waiting
            .get(index)
            .map_or(PollFlags::empty(), PollFd::revents)
    };
    match (ready(0), ready(1)) {
        (_, woken) if !woken.is_empty() => Err(Silence::Ended),
        (calls, _) if calls.contains(PollFlags::IN) => listener::receive(listener),
        (calls, _) if calls.is_empty() => Err(Silence::Again),
        _ => Err(Silence::Ended),
    }
}

fn note(
    listener: &OwnedFd,
    waiting: &Waiting,
    calls: &BTreeMap<u32, Call>,
    judge: &mut Judge,
    notes: &Notes,
) {
    let refusal = calls
        .get(&waiting.number)
        .and_then(|call| judge.look(waiting, *call, notes));
    // If the caller is gone, another may have its number, and what was read may be of that one.
    if let Some(refusal) = refusal.filter(|_| listener::waits(listener, waiting.id)) {
        notes.add(refusal);
    }
}

/// Waits for something to come; false if the end came first.
fn comes(source: &UnixStream, woken: &UnixStream) -> bool {
    loop {
        let mut waiting = [
            PollFd::new(source, PollFlags::IN),
            PollFd::new(woken, PollFlags::IN),
        ];
        match poll(&mut waiting, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return false,
        }
        let [source, woken] = waiting.map(|one| one.revents());
        if !woken.is_empty() {
            return false;
        }
        if !source.is_empty() {
            return true;
        }
    }
}
