//! Entries as lines of a table that fits the terminal, and as JSON.

use sayso_core::text::json;
use sayso_core::text::visible::{visible, visible_again};
use sayso_store::index::calls::Listed;

use sayso_runtime::audit::call::{about, as_node, sign, words};
use sayso_runtime::audit::decided_by as by;
use sayso_tui::lines::fold::{cut, width};
use sayso_tui::lines::paint::{Paint, Tone};

/// An entry as a line, everything in it fit to be seen.
pub(super) struct Row {
    cells: [String; COLUMNS],
    tone: Option<Tone>,
}

const COLUMNS: usize = 9;
const TITLES: [&str; COLUMNS] = [
    "entry", "when", "agent", "session", "tool", "outcome", "by", "rule", "what",
];
/// What a column may take on a screen; the last one takes the rest.
const WIDEST: [usize; COLUMNS] = [10, 19, 14, 12, 14, 22, 38, 18, usize::MAX];
/// Columns that are left out where what a call is about would have less room than this; the first of them first.
const LEAST_ROOM: usize = 28;
const LEFT_OUT: [usize; 5] = [SESSION, RULE, BY, AGENT, TOOL];
const AGENT: usize = 2;
const SESSION: usize = 3;
const TOOL: usize = 4;
const OUTCOME: usize = 5;
const BY: usize = 6;
const RULE: usize = 7;
const WHAT: usize = 8;

impl Row {
    pub(super) fn of(listed: &Listed, time: String) -> Row {
        let text =
            |text: &Option<String>| visible(text.as_deref().unwrap_or_default()).into_owned();
        let cells = [
            listed.number.to_string(),
            time,
            text(&listed.agent),
            cut(&text(&listed.session), 12),
            text(&listed.tool),
            outcome(listed),
            by::of_call(listed).unwrap_or_default(),
            text(&listed.rule),
            visible_again(&about(listed)),
        ];
        Row {
            cells,
            tone: tone(listed.outcome.as_deref()),
        }
    }
}

/// How it ended, with a sign that can be told without colours; the kind, where it is no decision.
pub(super) fn outcome(listed: &Listed) -> String {
    let Some(word) = listed.outcome.as_deref() else {
        return visible(&listed.kind).into_owned();
    };
    let failed = if listed.succeeded == Some(false) {
        ", failed"
    } else {
        ""
    };
    let undone = if listed.undone.is_some() {
        ", undone"
    } else {
        ""
    };
    format!("{} {}{failed}{undone}", sign(word), visible(words(word)))
}

/// The tone of an outcome.
pub(crate) fn tone(outcome: Option<&str>) -> Option<Tone> {
    match outcome? {
        "approved" => Some(Tone::Green),
        "auto_approved" | "dry_run" => None,
        "timed_out" | "cancelled" | "nobody" => Some(Tone::Yellow),
        _ => Some(Tone::Red),
    }
}

/// The lines below their titles.
pub(super) fn table(rows: &[Row], paint: Paint) -> String {
    let titles: Vec<String> = TITLES.iter().map(|title| (*title).to_owned()).collect();
    let widest = |column: usize| {
        let of = |cells: &[String]| cells.get(column).map_or(0, |cell| width(cell));
        let found = rows.iter().map(|row| of(&row.cells)).max().unwrap_or(0);
        let limit = if paint.cut_at().is_some() {
            WIDEST.get(column).copied().unwrap_or(usize::MAX)
        } else {
            usize::MAX
        };
        // A column that nobody fills is none.
        if found == 0 {
            0
        } else {
            found.max(of(&titles)).min(limit)
        }
    };
    let mut widths: Vec<usize> = (0..COLUMNS).map(widest).collect();
    if let Some(screen) = paint.cut_at() {
        let taken = |widths: &[usize]| {
            widths
                .iter()
                .take(WHAT)
                .map(|width| if *width > 0 { width + 2 } else { 0 })
                .sum::<usize>()
        };
        for column in LEFT_OUT {
            if taken(&widths) + LEAST_ROOM > screen
                && let Some(width) = widths.get_mut(column)
            {
                *width = 0;
            }
        }
        let rest = screen.saturating_sub(taken(&widths)).max(8);
        if let Some(what) = widths.get_mut(WHAT) {
            *what = rest;
        }
    }
    let mut out = format!(
        "{}\n",
        paint.tone(Tone::Faint, &line(&titles, &widths, None, Paint::PLAIN))
    );
    for row in rows {
        out.push_str(&line(&row.cells, &widths, row.tone, paint));
        out.push('\n');
    }
    out
}

fn line(cells: &[String], widths: &[usize], tone: Option<Tone>, paint: Paint) -> String {
    let mut out = String::new();
    for (column, (cell, wide)) in cells.iter().zip(widths).enumerate() {
        if *wide == 0 {
            continue;
        }
        let shown = cut(cell, *wide);
        let gap = " ".repeat(wide.saturating_sub(width(&shown)));
        let shown = match tone {
            Some(tone) if column == OUTCOME => paint.tone(tone, &shown),
            _ => shown,
        };
        match column {
            0 => out.push_str(&format!("{gap}{shown}  ")),
            WHAT => out.push_str(&shown),
            _ => out.push_str(&format!("{shown}{gap}  ")),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// The entry as an object; what it does not say is null.
pub(super) fn as_json(listed: &Listed) -> String {
    json::write_plain(&as_node(listed))
}
