//! Signals that would end or stop a process before it has answered. Handlers are set, nothing is ignored: what the process starts gets the
//! dispositions of whoever started the process, since exec resets handlers.

use std::io;

use rustix::process::Resource;

/// What a process gets that the kernel stops, or that writes beyond a limit on files: nothing happens, and the write fails.
const PASSED_OVER: [libc::c_int; 4] = [libc::SIGXFSZ, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];

/// The process broke, or is out of time. They are heard whatever the parent had set.
const ALWAYS: [libc::c_int; 11] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGSYS,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGXCPU,
    libc::SIGPROF,
    libc::SIGVTALRM,
    libc::SIGALRM,
];

/// Others whose default is to end a process. What the parent had ignored stays so.
const OTHERS: [libc::c_int; 9] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGSTKFLT,
];

/// How much earlier than the limit on its processor time a process ends, in microseconds.
const CPU_MARGIN: u64 = 100_000;

type Handler = extern "C" fn(libc::c_int);

/// From here on, a file that reaches the limit on its size is an error of the write and not the end of the process.
pub fn survive_file_limit() {
    // The system takes every signal of the list.
    let _ = handle(libc::SIGXFSZ, pass_over, false);
}

/// Whether this process was started with the signal ignored, as by `nohup`.
pub fn is_ignored(signal: libc::c_int) -> bool {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the kernel writes what is set now, and changes nothing.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut now) == 0
            && now.sa_sigaction == libc::SIG_IGN
    }
}

/// Sets a handler for every signal that would end the process.
pub(crate) fn handle_ends(handler: Handler) -> io::Result<()> {
    for signal in PASSED_OVER {
        handle(signal, pass_over, false)?;
    }
    for signal in ALWAYS {
        handle(signal, handler, true)?;
    }
    for signal in OTHERS {
        handle(signal, handler, false)?;
    }
    for signal in libc::SIGRTMIN()..=libc::SIGRTMAX() {
        handle(signal, handler, false)?;
    }
    unblock()
}

/// Whether a process cannot continue after this signal.
pub(crate) fn ends_at_once(signal: libc::c_int) -> bool {
    ALWAYS.contains(&signal)
}

/// Has a signal come before the kernel kills for the limit on processor time, which it does without one where both limits are the same.
pub(crate) fn before_cpu_limit() -> io::Result<()> {
    let limit = rustix::process::getrlimit(Resource::Cpu);
    let Some(seconds) = [limit.current, limit.maximum].into_iter().flatten().min() else {
        return Ok(());
    };
    let left = seconds
        .saturating_mul(1_000_000)
        .saturating_sub(used()?)
        .saturating_sub(CPU_MARGIN)
        .max(1);
    let (seconds, microseconds) = (left / 1_000_000, left % 1_000_000);
    let value = libc::timeval {
        tv_sec: libc::time_t::try_from(seconds).unwrap_or(libc::time_t::MAX),
        tv_usec: libc::suseconds_t::try_from(microseconds).unwrap_or(1),
    };
    let timer = libc::itimerval {
        it_interval: libc::timeval {
            tv_sec: 0,
            tv_usec: 0,
        },
        it_value: value,
    };
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the kernel reads the value, and writes nothing.
    done(unsafe { libc::setitimer(libc::ITIMER_PROF, &raw const timer, std::ptr::null_mut()) })
}

/// The processor time that the process took so far, in microseconds.
fn used() -> io::Result<u64> {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: zeros are a value of this type, and the kernel writes one there.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        done(libc::getrusage(libc::RUSAGE_SELF, &raw mut usage))?;
        usage
    };
    let microseconds = |time: libc::timeval| {
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        seconds
            .saturating_mul(1_000_000)
            .saturating_add(u64::try_from(time.tv_usec).unwrap_or(0))
    };
    Ok(microseconds(usage.ru_utime).saturating_add(microseconds(usage.ru_stime)))
}

extern "C" fn pass_over(_: libc::c_int) {}

/// Sets a handler; one that the parent had ignored stays ignored unless it is `always` heard.
fn handle(signal: libc::c_int, handler: Handler, always: bool) -> io::Result<()> {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the handlers here read what is set for good and call what may be called there; all that is handed over is there until the calls
    // are done.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let mut before: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
        done(libc::sigaction(signal, &raw const action, &raw mut before))?;
        if before.sa_sigaction == libc::SIG_IGN && !always {
            done(libc::sigaction(
                signal,
                &raw const before,
                std::ptr::null_mut(),
            ))?;
        }
    }
    Ok(())
}

/// Lets through what must be heard, whatever the parent had blocked.
fn unblock() -> io::Result<()> {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the set is there until the calls are done.
    unsafe {
        let mut signals: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut signals);
        for signal in ALWAYS {
            libc::sigaddset(&raw mut signals, signal);
        }
        done(libc::sigprocmask(
            libc::SIG_UNBLOCK,
            &raw const signals,
            std::ptr::null_mut(),
        ))
    }
}

fn done(result: libc::c_int) -> io::Result<()> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}
