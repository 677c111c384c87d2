//! `sayso audit verify`: whether the record still is what was written.

use clap::Args;
use sayso_core::text::count::count;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_store::verify::{Fault, Head, Report, verify_telling};

use super::{Progress, state, times};
use crate::cli::{ArgumentError, Stop, say};
use crate::exit_code::Exit;
use sayso_runtime::audit::call::{null, number};

/// Check the whole chain of the record, and tell every place where it does not hold.
#[derive(Debug, Args)]
#[command(
    after_help = "A changed byte, and a line that was taken out, put in or moved, are found by the record alone. An end that was cut off, and a record that was \
written anew from some entry on, are not: whoever can write the folder can do that. They are found against a head that was kept elsewhere \
(`sayso audit head`).\n\nExit status: 0 it holds, 1 it does not, 2 it cannot be read."
)]
pub(super) struct VerifyArgs {
    /// A head that was kept elsewhere: the record must still have this entry. May be given several times.
    #[arg(long, value_name = "NUMBER:DIGEST", value_parser = head)]
    head: Vec<Head>,

    /// Answer as JSON.
    #[arg(long)]
    json: bool,
}

fn head(text: &str) -> Result<Head, ArgumentError> {
    Head::parse(text).ok_or_else(|| ArgumentError::Head(text.to_owned()))
}

pub(super) fn run(args: &VerifyArgs) -> Result<Exit, Stop> {
    let state = state()?;
    let mut progress = Progress::new("verifying the record");
    let mut check = |head: Option<Head>| {
        let mut tell =
            |done: u64, all: u64| progress.tell(&format!("{} of {} MiB", done >> 20, all >> 20));
        verify_telling(&state, head, &mut tell).map_err(Stop::usage)
    };
    let mut report = check(args.head.first().copied())?;
    for head in args.head.iter().skip(1) {
        for fault in check(Some(*head))?.faults {
            if !report.faults.contains(&fault) {
                report.faults.push(fault);
            }
        }
    }
    progress.end();
    say(&if args.json {
        format!("{}\n", json::write_plain(&as_node(&report, &args.head)))
    } else {
        shown(&report, &args.head)
    })?;
    Ok(if report.is_sound() {
        Exit::Allowed
    } else {
        Exit::Failed
    })
}

fn shown(report: &Report, heads: &[Head]) -> String {
    let mut out = String::new();
    for fault in &report.faults {
        out.push_str(&format!("✗ {}\n", visible(&fault.to_string())));
    }
    if report.more_faults > 0 {
        out.push_str(&format!("✗ and {} more\n", report.more_faults));
    }
    if let Some((file, bytes)) = &report.torn {
        let file = visible(file);
        out.push_str(&format!(
            "! `{file}` ends with {} of an entry that was never finished; the next one puts them aside\n",
            count(bytes, "byte")
        ));
    }
    let many = |count: u64, one: &str, more: &str| {
        format!("{count} {}", if count == 1 { one } else { more })
    };
    let (entries, files) = (
        many(report.entries, "entry", "entries"),
        many(report.segments, "file", "files"),
    );
    let since = report
        .since
        .map(|since| format!(" since {}", times::absolute(since)))
        .unwrap_or_default();
    out.push_str(&match (report.is_sound(), report.head) {
        (true, None) => "✓ there are no entries\n".to_owned(),
        (true, Some(head)) => {
            format!("✓ the chain holds: {entries} in {files}{since}\n  head {head}\n")
        }
        (false, _) => format!("the chain does not hold: {entries} in {files}{since}\n"),
    });
    if report.is_sound() {
        out.push_str(&match heads {
            [] => "  without a head that was kept elsewhere (`--head`), an end that was cut off cannot be seen\n".to_owned(),
            [head] => format!("  entry {} is the one whose head was kept\n", head.number),
            _ => format!("  all {} entries whose heads were kept are there\n", heads.len()),
        });
    }
    out
}

fn as_node(report: &Report, heads: &[Head]) -> Node {
    let fault = |fault: &Fault| {
        Node::map([
            ("file", Node::text(&fault.file)),
            ("line", number(fault.line)),
            ("number", fault.number.map_or_else(null, number)),
            ("what", Node::text(fault.what.to_string())),
        ])
    };
    let torn = report.torn.as_ref();
    Node::map([
        ("ok", Value::Bool(report.is_sound()).into()),
        ("entries", number(report.entries)),
        ("files", number(report.segments)),
        ("bytes", number(report.bytes)),
        (
            "since",
            report.since.map_or_else(null, |since| {
                Node::text(sayso_runtime::audit::rfc3339(since))
            }),
        ),
        (
            "head",
            report
                .head
                .map_or_else(null, |head| Node::text(head.to_string())),
        ),
        (
            "checked_heads",
            Value::List(
                heads
                    .iter()
                    .map(|head| Node::text(head.to_string()))
                    .collect(),
            )
            .into(),
        ),
        (
            "torn",
            torn.map_or_else(null, |(file, bytes)| {
                Node::map([("file", Node::text(file)), ("bytes", number(bytes))])
            }),
        ),
        (
            "faults",
            Value::List(report.faults.iter().map(fault).collect()).into(),
        ),
        ("more_faults", number(report.more_faults)),
    ])
}
