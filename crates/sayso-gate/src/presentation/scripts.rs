//! What a command runs without having it in its words: the first lines beside the command, and all of it to look at.

use sayso_core::presentation::Body;
use sayso_core::visible::visible;

use super::{About, Made};
use crate::scripts::{Script, find};

/// So many lines of each script stand beside the command, and so many of all.
const LINES_EACH: usize = 5;
const LINES: usize = 10;
/// A longer line is cut there; all of it is in the view.
const WIDEST: usize = 200;

/// Adds the scripts of a command to what is shown of it.
pub(super) fn add(about: About<'_>, made: &mut Made) {
    let scripts = find(about.world, about.operation, about.reading);
    if scripts.is_empty() {
        return;
    }
    let text = about.operation.command().unwrap_or_default();
    let mut whole: Vec<String> = text.split('\n').map(|line| visible(line).into_owned()).collect();
    let (mut left, mut shown, mut cut) = (LINES, whole.len(), false);
    for script in &scripts {
        let lines: Vec<String> = script.shown.lines().map(|line| visible(line).into_owned()).collect();
        whole.extend([String::new(), heading(script, lines.len())]);
        shown += 2;
        let mut label = visible(&script.name).into_owned();
        // An empty line and a comment say nothing of what it does.
        let telling = |line: &&String| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let first: Vec<&String> = lines.iter().filter(telling).take(LINES_EACH.min(left)).collect();
        left -= first.len();
        cut |= first.len() < lines.len();
        for line in first {
            let fits = line.chars().count() <= WIDEST;
            cut |= !fits;
            shown += usize::from(fits);
            let value = if fits { line.clone() } else { line.chars().take(WIDEST).chain(['…']).collect() };
            made.details.push((std::mem::take(&mut label), value));
        }
        if !label.is_empty() {
            made.details.push((label, format!("runs {}", count(lines.len()))));
        }
        whole.extend(lines);
        let dangers = script.shell.as_deref().map(|text| sayso_shell::analyse(text).dangers).unwrap_or_default();
        for danger in dangers {
            made.warnings.push(visible(&format!("{}: {}", script.name, danger.what)).into_owned());
        }
        if let Some(lacks) = script.lacks {
            made.warnings.push(visible(&format!("{}: {lacks}", script.name)).into_owned());
        }
    }
    if cut {
        made.shown = shown;
        made.full = Some(Body::Text(whole));
    }
}

fn heading(script: &Script, lines: usize) -> String {
    let name = visible(&script.name);
    let folder = visible(&script.folder);
    format!("── {name} · {} · in {folder} ──", count(lines))
}

fn count(lines: usize) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}
