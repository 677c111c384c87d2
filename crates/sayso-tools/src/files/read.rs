//! Reads a file, or some lines of it.

use std::io::{BufRead as _, BufReader, Read as _};

use sayso_core::call::tool::Role;
use sayso_core::text::count as nouns;

use super::call::Call;
use super::error::FileToolError;
use super::output::{MOST, binary_kind};
use crate::backups::size_words;
use crate::open_nofollow::{self, Spot};
use crate::result::ToolResult;

/// How far into a file lines are counted.
const MOST_READ: u64 = 1 << 30;

/// Runs a read.
pub(super) fn read(call: &Call<'_>) -> Result<ToolResult, FileToolError> {
    let judged = call.path(Role::Path)?;
    let first = call
        .number(&["offset", "start_line", "start"])?
        .map_or(1, |(_, line)| line.max(1));
    let count = match call.number(&["limit", "end_line", "end", "lines"])? {
        Some(("end_line" | "end", last)) if last < first => {
            return Err(FileToolError::LinesReversed { first, last });
        }
        Some(("end_line" | "end", last)) => last - first + 1,
        Some((_, count)) => count,
        None => usize::MAX,
    };
    let spot = Spot::of(&judged.path)?;
    let (file, found) = open_nofollow::file(&spot.folder, &spot.name, &spot.path)?;
    let size = u64::try_from(found.st_size).unwrap_or(0);
    let cannot = |source| FileToolError::Unreadable {
        path: judged.shown(),
        source,
    };
    let mut reader = BufReader::with_capacity(64 * 1024, file.take(MOST_READ));
    if let Some(what) = binary_kind(reader.fill_buf().map_err(cannot)?) {
        return Ok(ToolResult::done(format!(
            "`{}` is {what} ({}), which is not shown",
            judged.shown(),
            size_words(size)
        )));
    }
    let mut bytes = Vec::new();
    let (mut line, mut shown, mut cut) = (0_usize, 0_usize, false);
    let mut piece = Vec::new();
    while shown < count {
        piece.clear();
        let room = MOST - bytes.len();
        // A line can be as long as the file; no more of it is read than can be shown.
        let wanted = line + 1 >= first;
        let end = match wanted {
            true => reader
                .by_ref()
                .take(room as u64 + 1)
                .read_until(b'\n', &mut piece)
                .map_err(cannot)?,
            false => skip_line(&mut reader).map_err(cannot)?,
        };
        if end == 0 {
            break;
        }
        line += 1;
        if !wanted {
            continue;
        }
        cut = piece.len() > room;
        piece.truncate(room);
        bytes.extend_from_slice(&piece);
        shown += 1;
        if cut {
            break;
        }
    }
    let more = !cut && !reader.fill_buf().map_err(cannot)?.is_empty();
    let mut output = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            // A cut can part a character; that alone does not make it no text.
            let odd = !cut || error.utf8_error().error_len().is_some();
            if odd {
                format!("{text}\n[not UTF-8: bytes that are no text are shown as \u{FFFD}]")
            } else {
                text
            }
        }
    };
    if shown == 0 && first > 1 {
        output.push_str(&format!(
            "[the file has {}; there is no line {first}]",
            nouns::count(line, "line")
        ));
    }
    let last = first + shown.saturating_sub(1);
    if cut {
        output.push_str(&format!(
            "\n[cut at {}: lines {first} to {last}, the file has {}. go on with `offset: {last}`]",
            size_words(MOST as u64),
            size_words(size)
        ));
    } else if more || first > 1 && shown > 0 {
        let rest = if more { ", there is more" } else { ", the end" };
        let break_before = if output.ends_with('\n') || output.is_empty() {
            ""
        } else {
            "\n"
        };
        output.push_str(&format!("{break_before}[lines {first} to {last}{rest}]"));
    }
    Ok(ToolResult::done(output))
}

/// Goes past one line without keeping it, and tells how long it was.
fn skip_line(reader: &mut impl std::io::BufRead) -> std::io::Result<usize> {
    let mut length = 0;
    loop {
        let buffer = reader.fill_buf()?;
        let (count, done) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(count);
        length += count;
        if done {
            return Ok(length);
        }
    }
}
