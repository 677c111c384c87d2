//! Texts that start processes without end.

use sayso_core::analysis::risk::Tier::{Catastrophic, Dangerous};

use super::call::Found;

/// So much of a text is looked at.
const MOST_BYTES: usize = 1024 * 1024;

/// Looks for bombs. `quoted` tells that what stands in quotes may be run, too.
pub(crate) fn of_text(text: &str, quoted: bool, found: &mut Vec<Found>) {
    let text = text
        .get(..text.floor_char_boundary(MOST_BYTES))
        .unwrap_or(text);
    if !text.contains(['{', '&']) && !text.contains("fork") {
        return;
    }
    // What may be run in quotes only adds: a word there that waits says nothing about a loop outside of them.
    let readings: Vec<Vec<u8>> = std::iter::once(false)
        .chain(quoted.then_some(true))
        .map(|quoted| dense(text, quoted))
        .collect();
    if readings.iter().any(|dense| is_fork_bomb(dense)) {
        found.push((Catastrophic, "is a fork bomb".to_owned()));
    }
    if readings.iter().any(|dense| starts_without_end(dense)) {
        found.push((
            Dangerous,
            "is a loop that starts processes without end".to_owned(),
        ));
    }
}

/// The text without blanks and, unless they may be run, without what stands in quotes.
fn dense(text: &str, quoted: bool) -> Vec<u8> {
    let mut quote = None;
    let mut out = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        match quote {
            Some(open) => quote = Some(open).filter(|open| *open != byte),
            None if !quoted && matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None if byte == b'\n' => out.push(b';'),
            None if byte.is_ascii_whitespace() => {}
            None => out.push(byte),
        }
    }
    out
}

/// Every place where a part stands. Most bytes are passed over without a look at what follows them.
fn places<'a>(text: &'a [u8], part: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let starts = text
        .iter()
        .enumerate()
        .filter(|(_, byte)| Some(*byte) == part.first())
        .map(|(at, _)| at);
    starts.filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(part)))
}

/// Whether a text defines a function that starts itself twice: `:(){ :|:& };:` under any name.
fn is_fork_bomb(dense: &[u8]) -> bool {
    const OPENING: &[u8] = b"(){";
    const KEYWORD: &[u8] = b"function";
    let has = |part| places(dense, part).next().is_some();
    if has(b"forkwhilefork")
        || has(b"while1:os.fork()")
        || has(b"whileTrue:os.fork()")
        || has(b"forkwhile1")
        || has(b"loop{fork}")
    {
        return true;
    }
    let by_bracket = places(dense, OPENING).any(|at| {
        let before = dense.get(..at).unwrap_or(&[]);
        let from = before
            .iter()
            .rposition(|byte| b";&|(){}\"'".contains(byte))
            .map_or(0, |at| at + 1);
        let name = before.get(from..).unwrap_or(&[]);
        let name = name
            .strip_prefix(KEYWORD)
            .filter(|rest| !rest.is_empty())
            .unwrap_or(name);
        starts_itself(name, dense.get(at + OPENING.len()..).unwrap_or(&[]))
    });
    by_bracket
        || places(dense, KEYWORD).any(|at| {
            let rest = dense.get(at + KEYWORD.len()..).unwrap_or(&[]);
            let Some(end) = rest.iter().take(64).position(|byte| *byte == b'{') else {
                return false;
            };
            starts_itself(
                rest.get(..end).unwrap_or(&[]),
                rest.get(end + 1..).unwrap_or(&[]),
            )
        })
}

/// Whether a body starts by calling its function twice at once.
fn starts_itself(name: &[u8], body: &[u8]) -> bool {
    let body = body
        .iter()
        .position(|byte| *byte != b';')
        .and_then(|at| body.get(at..))
        .unwrap_or(&[]);
    let after = body.strip_prefix(name).unwrap_or(&[]);
    let again = after
        .strip_prefix(b"|")
        .or_else(|| after.strip_prefix(b"&"))
        .map(|rest| rest.strip_prefix(b";").unwrap_or(rest));
    !name.is_empty() && name.len() < 64 && again.is_some_and(|rest| rest.starts_with(name))
}

/// Whether an endless loop leaves something running at each turn, and never waits.
fn starts_without_end(dense: &[u8]) -> bool {
    const LOOPS: [&[u8]; 6] = [
        b"whiletrue;do",
        b"while:;do",
        b"while[1];do",
        b"for((;;));do",
        b"untilfalse;do",
        b"while[[1]];do",
    ];
    let mut openings = LOOPS
        .iter()
        .flat_map(|opening| places(dense, opening).map(|at| at + opening.len()))
        .peekable();
    if openings.peek().is_none() {
        return false;
    }
    // Loops in loops share their ends, so all places are found once, and not for each of them.
    let ends: Vec<usize> = places(dense, b"done").collect();
    let waits =
        [b"wait".as_slice(), b"sleep", b"read"].map(|word| places(dense, word).collect::<Vec<_>>());
    let left_running: Vec<usize> = places_left_running(dense).collect();
    let is_between =
        |places: &[usize], from: usize, to: usize| next(places, from).is_some_and(|at| at < to);
    openings.any(|from| {
        let to = next(&ends, from).unwrap_or(dense.len());
        is_between(&left_running, from, to)
            && !waits.iter().any(|places| is_between(places, from, to))
    })
}

/// The first of these places, which are in order, that is not before another.
fn next(places: &[usize], from: usize) -> Option<usize> {
    places.get(places.partition_point(|at| *at < from)).copied()
}

/// Where there is a `&` that is neither `&&` nor part of a redirect.
fn places_left_running(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    places(text, b"&").filter(|at| {
        let before = at
            .checked_sub(1)
            .and_then(|at| text.get(at))
            .copied()
            .unwrap_or(b' ');
        let after = text.get(at + 1).copied().unwrap_or(b' ');
        !b"&><|".contains(&before) && !b"&>".contains(&after)
    })
}
