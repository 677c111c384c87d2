//! `sayso audit prune`: lets the oldest part of the record go.

use clap::Args;
use sayso_core::text::count::count;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_store::journal::Journal;
use sayso_store::prune::{Keep, Plan, plan, prune};

use super::times;
use super::times::When;
use crate::cli::{ArgumentError, Place, PolicyChoice, Stop, confirmed, say};
use crate::exit_code::Exit;
use sayso_runtime::workbench::settings;

/// The ways without a terminal.
const SAY_YES_OR_LOOK: &str = "say `--yes` to do it without asking, or `--dry-run` to only look";

/// Let the oldest part of the record go.
///
/// Only whole closed files of the record go (16 MiB each), so somewhat more is kept than was said. What is left verifies as before: an entry
/// says what went. Without an option, `audit.retention_days` of your policy counts.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  sayso audit prune --dry-run\n  sayso audit prune --keep-days 30 --yes\n  sayso audit prune --keep-size 200M\n\n\
Exit status: 0 done or nothing to do, 2 usage or unreadable input, 20 you said no."
)]
pub(super) struct PruneArgs {
    /// Keep what is not older than so many days.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=36_500), group = "keep")]
    keep_days: Option<u64>,

    /// Keep what was recorded since then: `90d`, a date, or a time.
    #[arg(long, value_name = "TIME", value_parser = times::since, allow_hyphen_values = true, group = "keep")]
    before: Option<When>,

    /// Keep about so many bytes of the newest: `500K`, `200M`, `1G`.
    #[arg(long, value_name = "SIZE", value_parser = size, group = "keep")]
    keep_size: Option<u64>,

    /// Say what would go, and remove nothing.
    #[arg(long)]
    dry_run: bool,

    /// Do it without asking.
    #[arg(long, short)]
    yes: bool,

    /// Answer as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PruneArgs) -> Result<Exit, Stop> {
    let place = Place::open(&PolicyChoice::here())?;
    let keep = keep(args, &place)?;
    let state = &place.whereabouts.state;
    let plan = plan(state, keep).map_err(Stop::usage)?;
    if !args.json {
        say(&shown(&plan))?;
    }
    let mut removed = false;
    if !plan.segments.is_empty() && !args.dry_run {
        if !args.yes && !confirmed("remove it for good? [y/N] ", SAY_YES_OR_LOOK)? {
            say("nothing was removed\n")?;
            return Ok(Exit::Denied);
        }
        let journal = Journal::open(state).map_err(Stop::usage)?;
        prune(&journal, &plan, place.whereabouts.uid).map_err(Stop::usage)?;
        removed = true;
    }
    match args.json {
        true => say(&format!(
            "{}\n",
            json::write_plain(&as_node(&plan, removed))
        ))?,
        false if removed => say("done; what is left verifies as before (`sayso audit verify`)\n")?,
        false => {}
    }
    Ok(Exit::Allowed)
}

fn keep(args: &PruneArgs, place: &Place) -> Result<Keep, Stop> {
    let days = |days: u64| {
        let seconds = i64::try_from(days)
            .unwrap_or(i64::MAX)
            .saturating_mul(86_400);
        Keep::Since(
            super::super::now()
                .saturating_sub(seconds)
                .saturating_mul(1000),
        )
    };
    match (
        args.keep_days,
        args.before.map(|When(at)| at),
        args.keep_size,
    ) {
        (Some(count), ..) => Ok(days(count)),
        (_, Some(time), _) => Ok(Keep::Since(time)),
        (.., Some(bytes)) => Ok(Keep::Bytes(bytes)),
        _ => {
            place.insist()?;
            let settings = settings(&place.loaded.policy).ok_or_else(|| {
                Stop::usage("there is no policy that says how long to keep the record")
            })?;
            Ok(days(settings.audit_retention_days))
        }
    }
}

/// `500K`, `200M`, `1G`, or plain bytes.
fn size(text: &str) -> Result<u64, ArgumentError> {
    let (digits, factor) = match text.char_indices().next_back() {
        Some((at, 'K' | 'k')) => (text.get(..at).unwrap_or_default(), 1 << 10),
        Some((at, 'M' | 'm')) => (text.get(..at).unwrap_or_default(), 1 << 20),
        Some((at, 'G' | 'g')) => (text.get(..at).unwrap_or_default(), 1 << 30),
        _ => (text, 1),
    };
    let number = digits
        .parse::<u64>()
        .ok()
        .filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
    number
        .and_then(|number| number.checked_mul(factor))
        .ok_or(ArgumentError::Size)
}

fn shown(plan: &Plan) -> String {
    let files = plan.segments.len();
    let mut out = match plan.segments.last() {
        None => {
            "nothing is old enough to go: only whole closed files of the record do\n".to_owned()
        }
        Some(last) => format!(
            "{}, {}, {} MiB: everything through entry {}\n",
            count(files, "file"),
            count(plan.entries(), "entry"),
            plan.bytes().div_ceil(1 << 20),
            last.last.number
        ),
    };
    if let Some(file) = &plan.stopped_by {
        out.push_str(&format!(
            "`{file}` is damaged, so it stays with all behind it; run `sayso audit verify`\n"
        ));
    }
    out
}

fn as_node(plan: &Plan, removed: bool) -> Node {
    let number = |number: u64| -> Node { Value::Number(number.to_string()).into() };
    let text = |text: Option<String>| text.map_or_else(|| Value::Null.into(), Node::text);
    Node::map([
        ("removed", Value::Bool(removed).into()),
        ("files", number(plan.segments.len() as u64)),
        ("entries", number(plan.entries())),
        ("bytes", number(plan.bytes())),
        (
            "through",
            plan.segments
                .last()
                .map_or_else(|| Value::Null.into(), |last| number(last.last.number)),
        ),
        (
            "head",
            text(
                plan.segments
                    .last()
                    .map(|last| format!("{}:{}", last.last.number, last.last.digest)),
            ),
        ),
        ("stopped_by", text(plan.stopped_by.clone())),
    ])
}
