//! Calls as rows for spreadsheets, in which nothing that an agent wrote can become a formula.

use std::io::Write as _;

use sayso_core::text::visible::visible;
use sayso_store::index::Index;
use sayso_store::index::calls::{Filter, Listed};

use super::file::Target;
use super::is_whole;
use crate::cli::Stop;
use sayso_runtime::audit::decided_by as by;
use sayso_runtime::audit::rfc3339;

const TITLES: &str = "number,time,kind,call,session,agent,tool,decision,outcome,risk,rule,source,by,what,asked,ended,succeeded,milliseconds,undone,\
     user_response,user_response_word\r\n";

/// Writes the rows; false where a part of the record is missing.
pub(super) fn write(
    target: &mut Target,
    index: Option<&Index>,
    filter: &Filter,
    limit: Option<u64>,
) -> Result<bool, Stop> {
    target.write_all(TITLES.as_bytes())?;
    let Some(index) = index else { return Ok(true) };
    let mut written = Ok(());
    let each = index.each(filter, limit, |listed| {
        written = target.write_all(row(&listed).as_bytes());
        written.is_ok()
    });
    each.map_err(Stop::usage)?;
    written?;
    is_whole(Some(index))
}

fn row(listed: &Listed) -> String {
    let time = |at: Option<i64>| at.map(rfc3339);
    let number = |number: u64| number.to_string();
    let cells: [Option<String>; 21] = [
        Some(number(listed.number)),
        time(Some(listed.at)),
        Some(listed.kind.clone()),
        listed.call.clone(),
        listed.session.clone(),
        listed.agent.clone(),
        listed.tool.clone(),
        listed.decision.clone(),
        listed.outcome.clone(),
        listed.risk.clone(),
        listed.rule.clone(),
        listed.source.clone(),
        by::of_call(listed),
        listed.what.clone(),
        time(listed.asked),
        time(listed.ended),
        listed.succeeded.map(|succeeded| succeeded.to_string()),
        listed.milliseconds.map(number),
        time(listed.undone),
        listed.user_response.clone(),
        listed.user_response_word.clone(),
    ];
    let cells: Vec<String> = cells
        .iter()
        .map(|cell| self::cell(cell.as_deref().unwrap_or_default()))
        .collect();
    format!("{}\r\n", cells.join(","))
}

/// A text as a cell. All but plain words are quoted, for programs that split at other characters too.
fn cell(text: &str) -> String {
    let shown = visible(text);
    let formula = shown
        .trim_start()
        .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let mark = if formula { "'" } else { "" };
    let plain = shown
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-'));
    if plain {
        format!("{mark}{shown}")
    } else {
        format!("\"{mark}{}\"", shown.replace('"', "\"\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells() {
        for (text, written) in [
            ("", ""),
            ("auto_approved", "auto_approved"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("a;b\tc", "\"a;b␉c\""),
            ("two\r\nlines", "\"two␍␊lines\""),
            ("=1+1", "\"'=1+1\""),
            ("+1", "\"'+1\""),
            ("-rf", "'-rf"),
            ("@x", "\"'@x\""),
            (" =1", "\"' =1\""),
            ("\t=1", "\"␉=1\""),
            ("＝1", "\"'＝1\""),
            ("\u{202e}x", "\"‹U+202E›x\""),
            ("2026-01-31T09:00:00.000Z", "2026-01-31T09:00:00.000Z"),
        ] {
            assert_eq!(cell(text), written, "{text:?}");
        }
    }
}
