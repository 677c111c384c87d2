//! The program of a filter of system calls, as short as it gets: for each process that it is given to, the kernel translates it and walks
//! through it for every number of a call, so its length is time before each command.

use std::collections::BTreeMap;

use libc::sock_filter;

/// What of a call is refused, or handed to a listener. Only the low 32 bits of an argument are compared: the kernel looks at no others in these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refuse {
    /// All of it.
    Always,
    /// With any of these bits in an argument.
    AnyBit { argument: u32, bits: u32 },
    /// With one of these values in these bits of an argument.
    OneOf {
        argument: u32,
        bits: u32,
        values: &'static [u32],
    },
    /// With any other value in an argument.
    NoneOf {
        argument: u32,
        values: &'static [u32],
    },
    /// The same, but for one more value, where another argument is this.
    Unless {
        argument: u32,
        values: &'static [u32],
        value: u32,
        other: u32,
        is: u32,
    },
}

/// So many numbers are compared one after another, at most.
const IN_A_ROW: usize = 6;
/// Where a program finds the number of the call, and that of the architecture.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
/// The bit of the calls with short pointers, which have numbers of their own, and would pass by the list.
const SHORT_POINTERS: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0x4000_0000)
} else {
    None
};

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned();
const MISSING: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();

/// The number of this architecture; none where arguments lie in another order, or nobody has tried.
const HERE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xc000_003e)
} else if cfg!(target_arch = "aarch64") {
    Some(0xc000_00b7)
} else {
    None
};

/// A program that refuses these calls and says of one that it is not there. Calls of a foreign architecture end the process. None on a machine
/// that is not known.
pub(crate) fn program(calls: &BTreeMap<u32, Refuse>, missing: u32) -> Option<Vec<sock_filter>> {
    let mut out = vec![
        load(ARCHITECTURE),
        jump(libc::BPF_JEQ, HERE?, 1, 0),
        answer(libc::SECCOMP_RET_KILL_PROCESS),
        load(NUMBER),
    ];
    if let Some(bit) = SHORT_POINTERS {
        out.push(jump(libc::BPF_JSET, bit, 1, 0));
    }
    out.extend([jump(libc::BPF_JEQ, missing, 0, 1), answer(MISSING)]);
    out.extend(search(&sorted(calls), REFUSE)?);
    Some(out)
}

/// A program that hands these calls to a listener and allows every other. A foreign architecture is left to the filter that refuses it.
pub(crate) fn notifier(calls: &BTreeMap<u32, Refuse>) -> Option<Vec<sock_filter>> {
    let mut out = vec![
        load(ARCHITECTURE),
        jump(libc::BPF_JEQ, HERE?, 1, 0),
        answer(ALLOW),
        load(NUMBER),
    ];
    out.extend(search(&sorted(calls), libc::SECCOMP_RET_USER_NOTIF)?);
    Some(out)
}

fn sorted(calls: &BTreeMap<u32, Refuse>) -> Vec<(u32, Refuse)> {
    calls
        .iter()
        .map(|(number, refuse)| (*number, *refuse))
        .collect()
}

/// Finds the number of the call among these, by halves; the accumulator holds it.
fn search(calls: &[(u32, Refuse)], hit: u32) -> Option<Vec<sock_filter>> {
    if calls.len() <= IN_A_ROW {
        return row(calls, hit);
    }
    let (below, above) = calls.split_at(calls.len() / 2);
    let below = search(below, hit)?;
    let mut out = match u8::try_from(below.len()) {
        Ok(over) => vec![jump(libc::BPF_JGE, above.first()?.0, over, 0)],
        Err(_) => {
            vec![
                jump(libc::BPF_JGE, above.first()?.0, 0, 1),
                step(
                    libc::BPF_JMP | libc::BPF_JA,
                    u32::try_from(below.len()).ok()?,
                    0,
                    0,
                ),
            ]
        }
    };
    out.extend(below);
    out.extend(search(above, hit)?);
    Some(out)
}

/// Compares the number with each of these. Behind the comparisons stand the two answers, and behind them what some calls are asked besides.
fn row(calls: &[(u32, Refuse)], hit: u32) -> Option<Vec<sock_filter>> {
    let (mut out, mut asked) = (Vec::new(), Vec::new());
    for (at, (number, refuse)) in calls.iter().enumerate() {
        let left = calls.len() - at - 1;
        let to = match questions(*refuse, hit)? {
            // Over the comparisons that are left, and over "allow".
            none if none.is_empty() => left + 1,
            more => {
                let to = left + 2 + asked.len();
                asked.extend(more);
                to
            }
        };
        out.push(jump(libc::BPF_JEQ, *number, u8::try_from(to).ok()?, 0));
    }
    out.extend([answer(ALLOW), answer(hit)]);
    out.extend(asked);
    Some(out)
}

/// What a call is asked besides its number; each way through it ends with an answer.
fn questions(refuse: Refuse, hit: u32) -> Option<Vec<sock_filter>> {
    let any = |values: &[u32], last: [u32; 2]| -> Option<Vec<sock_filter>> {
        let ways = values.iter().enumerate().map(|(at, value)| {
            Some(jump(
                libc::BPF_JEQ,
                *value,
                u8::try_from(values.len() - at).ok()?,
                0,
            ))
        });
        let [otherwise, found] = last;
        ways.chain([Some(answer(otherwise)), Some(answer(found))])
            .collect()
    };
    Some(match refuse {
        Refuse::Always => Vec::new(),
        Refuse::AnyBit { argument, bits } => vec![
            low(argument),
            jump(libc::BPF_JSET, bits, 1, 0),
            answer(ALLOW),
            answer(hit),
        ],
        Refuse::OneOf {
            argument,
            bits,
            values,
        } => {
            let mask = (bits != u32::MAX)
                .then(|| step(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, bits, 0, 0));
            [low(argument)]
                .into_iter()
                .chain(mask)
                .chain(any(values, [ALLOW, hit])?)
                .collect()
        }
        Refuse::NoneOf { argument, values } => [low(argument)]
            .into_iter()
            .chain(any(values, [hit, ALLOW])?)
            .collect(),
        Refuse::Unless {
            argument,
            values,
            value,
            other,
            is,
        } => {
            let more = [
                low(other),
                jump(libc::BPF_JEQ, is, 0, 1),
                answer(ALLOW),
                answer(hit),
            ];
            let over = u8::try_from(more.len()).ok()?;
            [low(argument), jump(libc::BPF_JEQ, value, 0, over)]
                .into_iter()
                .chain(more)
                .chain(any(values, [hit, ALLOW])?)
                .collect()
        }
    })
}

/// Loads the low half of an argument, which comes first on these machines.
fn low(argument: u32) -> sock_filter {
    load(16 + 8 * argument)
}

fn load(place: u32) -> sock_filter {
    step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, place, 0, 0)
}

fn answer(what: u32) -> sock_filter {
    step(libc::BPF_RET | libc::BPF_K, what, 0, 0)
}

fn jump(compare: u32, with: u32, if_so: u8, if_not: u8) -> sock_filter {
    step(libc::BPF_JMP | compare | libc::BPF_K, with, if_so, if_not)
}

fn step(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    // All codes of steps are below 256.
    sock_filter {
        code: (code & 0xff) as u16,
        jt,
        jf,
        k,
    }
}

/// What the kernel would answer to a call, and after how many steps.
#[cfg(test)]
pub(crate) fn walk(
    program: &[sock_filter],
    number: u32,
    architecture: u32,
    arguments: [u64; 6],
) -> (u32, usize) {
    let (mut at, mut accumulator, mut steps) = (0, 0, 0);
    loop {
        let one = &program[at];
        steps += 1;
        at += 1;
        let code = u32::from(one.code);
        let jump = |is: bool| usize::from(if is { one.jt } else { one.jf });
        match code & 0x07 {
            libc::BPF_RET => return (one.k, steps),
            libc::BPF_LD => {
                accumulator = match one.k {
                    NUMBER => number,
                    ARCHITECTURE => architecture,
                    place => {
                        (arguments[(place as usize - 16) / 8]
                            >> (if place % 8 == 0 { 0 } else { 32 })) as u32
                    }
                }
            }
            libc::BPF_ALU => accumulator &= one.k,
            libc::BPF_JMP => {
                at += match code & 0xf0 {
                    libc::BPF_JA => one.k as usize,
                    libc::BPF_JEQ => jump(accumulator == one.k),
                    libc::BPF_JGE => jump(accumulator >= one.k),
                    libc::BPF_JGT => jump(accumulator > one.k),
                    libc::BPF_JSET => jump(accumulator & one.k != 0),
                    other => panic!("{other:x}"),
                }
            }
            other => panic!("{other:x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Op,
        SeccompCondition as Condition, SeccompFilter, SeccompRule,
    };

    use super::*;

    /// The same as somebody else writes it: a list of ways to be refused, none for always.
    fn elsewhere(refuse: Refuse) -> Vec<SeccompRule> {
        let low = |argument: u32, how: Op, value: u32| {
            Condition::new(argument as u8, Length::Dword, how, value.into()).unwrap()
        };
        let rule = |conditions: Vec<Condition>| SeccompRule::new(conditions).unwrap();
        let none = |argument: u32, values: &[u32]| {
            values
                .iter()
                .map(|value| low(argument, Op::Ne, *value))
                .collect::<Vec<_>>()
        };
        match refuse {
            Refuse::Always => Vec::new(),
            Refuse::AnyBit { argument, bits } => {
                let single = (0..32)
                    .map(|place| 1_u32 << place)
                    .filter(|bit| bits & bit != 0);
                single
                    .map(|bit| rule(vec![low(argument, Op::MaskedEq(bit.into()), bit)]))
                    .collect()
            }
            Refuse::OneOf {
                argument,
                bits,
                values,
            } => values
                .iter()
                .map(|value| rule(vec![low(argument, Op::MaskedEq(bits.into()), *value)]))
                .collect(),
            Refuse::NoneOf { argument, values } => vec![rule(none(argument, values))],
            Refuse::Unless {
                argument,
                values,
                value,
                other,
                is,
            } => {
                vec![
                    rule(none(argument, &[values, &[value]].concat())),
                    rule(vec![low(argument, Op::Eq, value), low(other, Op::Ne, is)]),
                ]
            }
        }
    }

    #[test]
    fn it_answers_as_the_program_of_a_compiler_would() {
        let kinds = [
            Refuse::Always,
            Refuse::AnyBit {
                argument: 0,
                bits: 0x7e02_0080,
            },
            Refuse::OneOf {
                argument: 1,
                bits: u32::MAX,
                values: &[0x5412, 0x541c],
            },
            Refuse::OneOf {
                argument: 2,
                bits: 0xf000,
                values: &[0x2000, 0x6000],
            },
            Refuse::NoneOf {
                argument: 3,
                values: &[0, 8, u32::MAX],
            },
            Refuse::Unless {
                argument: 0,
                values: &[1, 2, 10],
                value: 16,
                other: 2,
                is: 0,
            },
        ];
        let arguments = [
            0,
            1,
            2,
            8,
            10,
            16,
            0x80,
            0x2000,
            0x2123,
            0x6000,
            0x5412,
            0x541c,
            0x2_0000,
            0xffff_ffff,
            1 << 40,
            (1 << 40) | 16,
        ];
        for count in [0, 1, 5, 6, 7, 13, 60, 200] {
            // Neighbours and gaps, and each kind at each place of a row.
            let calls: BTreeMap<u32, Refuse> = (0..count)
                .zip(kinds.iter().cycle())
                .map(|(at, kind)| (at * 2 + at / 3, *kind))
                .collect();
            let ours = program(&calls, 435).unwrap();
            assert!(ours.len() < 4096);
            let rules = calls
                .iter()
                .map(|(number, refuse)| (i64::from(*number), elsewhere(*refuse)))
                .collect();
            let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
            let here = std::env::consts::ARCH.try_into().unwrap();
            let theirs: BpfProgram = SeccompFilter::new(rules, SeccompAction::Allow, refuse, here)
                .unwrap()
                .try_into()
                .unwrap();
            let theirs: Vec<sock_filter> = theirs
                .iter()
                .map(|one| sock_filter {
                    code: one.code,
                    jt: one.jt,
                    jf: one.jf,
                    k: one.k,
                })
                .collect();
            for number in (0..500).filter(|number| *number != 435) {
                for one in arguments {
                    for two in arguments {
                        let given = [one, two, two, one, 0, 0];
                        let [ours, theirs] = [&ours, &theirs]
                            .map(|program| walk(program, number, HERE.unwrap(), given).0);
                        assert_eq!(ours, theirs, "{number} {given:x?} of {count}");
                    }
                }
            }
            assert_eq!(walk(&ours, 435, HERE.unwrap(), [0; 6]).0, MISSING);
            assert_eq!(
                walk(&ours, 3, 0x4000_0003, [0; 6]).0,
                libc::SECCOMP_RET_KILL_PROCESS
            );
            for number in SHORT_POINTERS
                .into_iter()
                .flat_map(|bit| [bit, bit | 1, bit | 435])
            {
                assert_eq!(walk(&ours, number, HERE.unwrap(), [0; 6]).0, MISSING);
            }
        }
    }
}
