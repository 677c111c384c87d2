//! The filter of system calls: what no ordinary work needs is refused, whatever rights a process has.
//!
//! There are two answers: "not permitted" for what is refused, and "not there" for `clone3`, whose flags lie in memory where a filter cannot
//! look; C libraries then take `clone`, whose flags are seen. Calls of a foreign architecture end the process.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch, sock_filter,
};

/// Which kinds of sockets can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sockets {
    /// Those of the machine itself, of the internet, and the one that tells of interfaces: for a network of its own, or all of it.
    Isolated,
    /// Those of the machine itself only: no network, where there is no other way to take it away.
    UnixOnly,
}

/// Refused whatever the arguments are.
const REFUSED: &[c_long] = &[
    // What is where.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    newer::OPEN_TREE,
    newer::MOVE_MOUNT,
    newer::FSOPEN,
    newer::FSCONFIG,
    newer::FSMOUNT,
    newer::FSPICK,
    newer::MOUNT_SETATTR,
    newer::OPEN_TREE_ATTR,
    libc::SYS_setns,
    // Files by number instead of by name, past what is hidden by name.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    newer::PROCESS_MADVISE,
    newer::PIDFD_GETFD,
    // Keys of the kernel.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Wide interfaces to the kernel; the rings carry out calls that no filter sees.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    newer::IO_URING_SETUP,
    newer::IO_URING_ENTER,
    newer::IO_URING_REGISTER,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    // The machine itself.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    KEXEC_FILE_LOAD,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_acct,
    libc::SYS_quotactl,
    newer::QUOTACTL_FD,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
];

/// Refused, too, where they exist: ports of the machine, and calls that Linux had once.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[c_long] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_uselib, libc::SYS__sysctl];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[c_long] = &[];

/// `libc` does not name it for every C library.
#[cfg(target_arch = "x86_64")]
const KEXEC_FILE_LOAD: c_long = 320;
#[cfg(not(target_arch = "x86_64"))]
const KEXEC_FILE_LOAD: c_long = 294;

/// Calls that have the same number everywhere; `libc` does not name all of them.
mod newer {
    use libc::c_long;

    pub(super) const IO_URING_SETUP: c_long = 425;
    pub(super) const IO_URING_ENTER: c_long = 426;
    pub(super) const IO_URING_REGISTER: c_long = 427;
    pub(super) const OPEN_TREE: c_long = 428;
    pub(super) const MOVE_MOUNT: c_long = 429;
    pub(super) const FSOPEN: c_long = 430;
    pub(super) const FSCONFIG: c_long = 431;
    pub(super) const FSMOUNT: c_long = 432;
    pub(super) const FSPICK: c_long = 433;
    pub(super) const CLONE3: c_long = 435;
    pub(super) const PIDFD_GETFD: c_long = 438;
    pub(super) const PROCESS_MADVISE: c_long = 440;
    pub(super) const MOUNT_SETATTR: c_long = 442;
    pub(super) const QUOTACTL_FD: c_long = 443;
    pub(super) const OPEN_TREE_ATTR: c_long = 467;
}

/// New namespaces, as flags of `clone`; its lowest byte is a signal, so the flag of time is none there.
const NAMESPACES: u32 = 0x7e02_0000;
/// What `unshare` may take apart: threads of one process. Everything else is a namespace, or not known yet.
const THREADS: u32 =
    (libc::CLONE_FS | libc::CLONE_FILES | libc::CLONE_SYSVSEM | libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD).cast_unsigned();
/// Types into a terminal, pastes into the console, redirects it, and loads a driver for lines.
const TERMINAL: [u64; 4] = [0x5412, 0x541C, 0x541D, 0x5423];
/// What a process may pretend to be: Linux, of 32 bits, of old, or without random addresses (sanitizers want that); or it just asks.
const PERSONALITIES: [u64; 7] = [0, 0x8, 0x2_0000, 0x2_0008, 0x4_0000, 0x4_0008, 0xffff_ffff];
/// The bit of the calls with short pointers, which have numbers of their own.
const SHORT_POINTERS: u32 = 0x4000_0000;

/// So many calls are compared one after another, at most.
const IN_A_ROW: usize = 8;

/// The program of the filter. It is one: for each that is installed the kernel walks through it for all numbers of calls. So that this walk is
/// short, it leads to a part for few calls by their number, and each part is a whole program.
///
/// # Errors
/// In words, on a machine that the compiler of filters does not know.
pub fn filter(sockets: Sockets) -> Result<BpfProgram, String> {
    let here = TargetArch::try_from(std::env::consts::ARCH).map_err(words)?;
    let mut parts: Vec<(u32, BpfProgram)> = Vec::new();
    let mut left: Vec<_> = refused(sockets).map_err(words)?.into_iter().collect();
    while !left.is_empty() {
        let part: Rules = left.drain(..left.len().min(IN_A_ROW)).collect();
        let first = part.keys().next().and_then(|call| u32::try_from(*call).ok()).unwrap_or_default();
        let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
        let filter = SeccompFilter::new(part, SeccompAction::Allow, refuse, here).map_err(words)?;
        parts.push((first, BpfProgram::try_from(filter).map_err(words)?));
    }
    let mut program = not_there();
    program.push(one(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0));
    // The last part first: a number that is not below its first one is found there or nowhere. The first part follows by itself.
    let mut behind: usize = parts.iter().map(|(_, part)| part.len()).sum();
    for (before, (first, part)) in parts.iter().enumerate().skip(1).rev() {
        behind -= part.len();
        // Of this way, two steps for each part before it are still to come.
        let over = u32::try_from(behind + (before - 1) * 2).map_err(words)?;
        program.push(one(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, *first));
        program.push(one(libc::BPF_JMP | libc::BPF_JA, 0, 0, over));
    }
    program.extend(parts.into_iter().flat_map(|(_, part)| part));
    Ok(program)
}

fn one(code: u32, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code: u16::try_from(code).unwrap_or_default(), jt, jf, k }
}

/// A program as the kernel reads it, an array of `struct sock_filter`: for bubblewrap, which takes it from a file descriptor.
pub fn bytes(program: &[sock_filter]) -> Vec<u8> {
    program
        .iter()
        .flat_map(|one| {
            let [a, b] = one.code.to_ne_bytes();
            let [e, f, g, h] = one.k.to_ne_bytes();
            [a, b, one.jt, one.jf, e, f, g, h]
        })
        .collect()
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Built<T> = Result<T, seccompiler::BackendError>;

fn refused(sockets: Sockets) -> Built<Rules> {
    let mut rules: Rules = REFUSED.iter().chain(REFUSED_HERE).map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_clone, any_bit(0, NAMESPACES)?);
    rules.insert(libc::SYS_unshare, any_bit(0, !THREADS)?);
    rules.insert(libc::SYS_personality, vec![none_of(0, &PERSONALITIES)?]);
    let mut terminal = Vec::new();
    for request in TERMINAL {
        terminal.push(SeccompRule::new(vec![low(1, SeccompCmpOp::Eq, request)?])?);
    }
    rules.insert(libc::SYS_ioctl, terminal);
    rules.insert(libc::SYS_mknodat, devices(2)?);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_mknod, devices(1)?);
    let made = socket_rules(sockets)?;
    if !made.is_empty() {
        rules.insert(libc::SYS_socket, made);
        rules.insert(libc::SYS_socketpair, vec![none_of(0, &[family(libc::AF_UNIX)])?]);
    }
    Ok(rules)
}

fn socket_rules(sockets: Sockets) -> Built<Vec<SeccompRule>> {
    let netlink = family(libc::AF_NETLINK);
    Ok(match sockets {
        Sockets::UnixOnly => vec![none_of(0, &[family(libc::AF_UNIX)])?],
        Sockets::Isolated => vec![
            none_of(0, &[family(libc::AF_UNIX), family(libc::AF_INET), family(libc::AF_INET6), netlink])?,
            // Of the kernel's own, only the one that tells of interfaces and routes.
            SeccompRule::new(vec![low(0, SeccompCmpOp::Eq, netlink)?, low(2, SeccompCmpOp::Ne, family(libc::NETLINK_ROUTE))?])?,
        ],
    })
}

/// Files that are devices, by the kind in a mode; the kernel takes 16 bits of it.
fn devices(argument: u8) -> Built<Vec<SeccompRule>> {
    let kind = u64::from(libc::S_IFMT);
    let is = |wanted: u32| SeccompRule::new(vec![low(argument, SeccompCmpOp::MaskedEq(kind), u64::from(wanted))?]);
    Ok(vec![is(libc::S_IFCHR)?, is(libc::S_IFBLK)?])
}

/// One rule for each bit: a filter has no "any of these".
fn any_bit(argument: u8, bits: u32) -> Built<Vec<SeccompRule>> {
    (0..u32::BITS)
        .map(|place| 1 << place)
        .filter(|bit| bits & bit != 0)
        .map(|bit| SeccompRule::new(vec![low(argument, SeccompCmpOp::MaskedEq(u64::from(bit)), u64::from(bit))?]))
        .collect()
}

fn none_of(argument: u8, values: &[u64]) -> Built<SeccompRule> {
    SeccompRule::new(values.iter().map(|value| low(argument, SeccompCmpOp::Ne, *value)).collect::<Built<Vec<_>>>()?)
}

/// A comparison of the low 32 bits: the kernel looks at no others in these arguments, so others must not change the answer.
fn low(argument: u8, how: SeccompCmpOp, value: u64) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value)
}

fn family(number: i32) -> u64 {
    u64::from(number.cast_unsigned())
}

/// What is "not there", in front of the rest: `clone3`, which has the same number everywhere, and the same calls under other numbers, which
/// would pass by the list.
fn not_there() -> Vec<sock_filter> {
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let (if_set, if_equal) = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K);
    let answer = libc::BPF_RET | libc::BPF_K;
    let short_pointers = cfg!(target_arch = "x86_64").then(|| one(if_set, 1, 0, SHORT_POINTERS));
    // The number of the call is the first word of what a filter sees.
    let first = [one(load, 0, 0, 0)].into_iter().chain(short_pointers);
    let last = [
        one(if_equal, 0, 1, u32::try_from(newer::CLONE3).unwrap_or_default()),
        one(answer, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned()),
    ];
    first.chain(last).collect()
}

fn words(error: impl std::fmt::Display) -> String {
    format!("the filter of system calls cannot be made on this machine: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_fits_the_kernel_and_its_bytes() {
        for sockets in [Sockets::Isolated, Sockets::UnixOnly] {
            let program = filter(sockets).unwrap();
            assert!(program.len() < 1024, "{}", program.len());
            assert_eq!(bytes(&program).len(), program.len() * 8);
        }
    }

    /// What the kernel would make of a call without arguments: the answer, and after how many steps.
    fn walk(program: &[sock_filter], number: u32, arch: u32) -> (u32, usize) {
        let (mut at, mut accumulator, mut steps) = (0, 0, 0);
        loop {
            let step = &program[at];
            steps += 1;
            at += 1;
            let code = u32::from(step.code);
            let jump = |is: bool| usize::from(if is { step.jt } else { step.jf });
            match code & 0x07 {
                libc::BPF_RET => return (step.k, steps),
                libc::BPF_LD => {
                    accumulator = match step.k {
                        0 => number,
                        4 => arch,
                        _ => 0,
                    }
                }
                libc::BPF_ALU => accumulator &= step.k,
                libc::BPF_JMP => {
                    at += match code & 0xf0 {
                        libc::BPF_JA => step.k as usize,
                        libc::BPF_JEQ => jump(accumulator == step.k),
                        libc::BPF_JGE => jump(accumulator >= step.k),
                        libc::BPF_JGT => jump(accumulator > step.k),
                        libc::BPF_JSET => jump(accumulator & step.k != 0),
                        other => panic!("{other:x}"),
                    }
                }
                other => panic!("{other:x}"),
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn each_number_finds_its_part_by_a_short_way() {
        const HERE: u32 = 0xc000_003e;
        let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned();
        let missing = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
        // Without arguments these are refused, or not, by what they compare.
        let socket = [libc::SYS_socket, libc::SYS_socketpair];
        for sockets in [Sockets::Isolated, Sockets::UnixOnly] {
            let program = filter(sockets).unwrap();
            for number in 0..1000_u32 {
                let (answer, steps) = walk(&program, number, HERE);
                let call = c_long::from(number);
                let is_refused = REFUSED.contains(&call) || REFUSED_HERE.contains(&call) || socket.contains(&call);
                let wanted = match () {
                    () if call == newer::CLONE3 => missing,
                    () if is_refused => refuse,
                    () => libc::SECCOMP_RET_ALLOW,
                };
                assert_eq!(answer, wanted, "{number}");
                assert!(steps < 260, "{number}: {steps} of {}", program.len());
                assert_eq!(walk(&program, number | SHORT_POINTERS, HERE).0, missing, "{number}");
                assert!(call == newer::CLONE3 || walk(&program, number, 0x4000_0003).0 == libc::SECCOMP_RET_KILL_PROCESS, "{number}");
            }
        }
    }

    #[test]
    fn the_flags_of_namespaces_are_all_of_them() {
        let flags = [
            libc::CLONE_NEWNS,
            libc::CLONE_NEWCGROUP,
            libc::CLONE_NEWUTS,
            libc::CLONE_NEWIPC,
            libc::CLONE_NEWUSER,
            libc::CLONE_NEWPID,
            libc::CLONE_NEWNET,
        ];
        assert_eq!(flags.iter().fold(0, |all, flag| all | flag.cast_unsigned()), NAMESPACES);
        assert_eq!(THREADS & (NAMESPACES | 0x80), 0);
    }
}
