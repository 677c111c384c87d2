//! Runs one approved command within its bounds: keeps the workspace where nobody was asked, runs it, and sees to what it left there.

use std::path::Path;

use sayso_core::policy::terms::Terms;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_sandbox::profile::Level;
use sayso_sandbox::session;
use sayso_tools::change_error::ChangeError;
use sayso_tools::files::{About, Files};
use sayso_tools::list_workspace::Rules;
use sayso_tools::result::ToolResult;
use sayso_tools::terminal::{self, Bounds, Command, Stream};
use sayso_tools::workspace_backup::{AfterCommand, Keeping};

use crate::sandbox::cleanup;
use crate::sandbox::cleanup::{Newcomers, Taking};
use crate::sandbox::error::RunError;
use crate::sandbox::profile::{self, Bounded, Bounding};

/// So many changed files are named to the agent.
const MOST_NAMED: usize = 12;

/// What a bounded command is run with.
pub struct Around<'a> {
    /// What bounds it.
    pub bounding: &'a Bounding,
    /// The backups.
    pub files: &'a Files,
    /// Its terms.
    pub terms: &'a Terms,
    /// What it belongs to.
    pub about: About,
}

/// Runs it.
///
/// # Errors
/// Why it was not run.
pub fn run(
    around: Around<'_>,
    bounded: &Bounded,
    command: Command<'_>,
    output: &mut dyn FnMut(Stream, &[u8]),
) -> Result<ToolResult, RunError> {
    let Around {
        bounding,
        files,
        terms,
        about,
    } = around;
    let workspace = std::fs::canonicalize(&bounded.workspace).map_err(RunError::Workspace)?;
    let machine = bounding.machine();
    let is_protected = |path: &Path| bounding.is_protected(path, &workspace);
    let hidden = profile::hidden(&bounded.profile);
    let known = session::known_names(&bounded.sandbox);
    let newcomers =
        Newcomers::before(&terms.write, bounding.home(), &is_protected)?.since(known.as_deref());
    let keeping = match terms.contained {
        true => {
            let before = |rules: Rules<'_>| {
                Keeping::before(files, about, &workspace, bounding.keep(), rules)
            };
            let kept = bounding.knowing(&workspace, &hidden, before);
            Some(kept.map_err(RunError::NotKept)?)
        }
        false => None,
    };
    // What is too large to be kept stays as it is.
    let mut profile = bounded.profile.clone();
    for path in keeping.iter().flat_map(Keeping::read_only) {
        profile.lower(&path, Level::Read);
    }
    let bounds = Bounds {
        sandbox: &bounded.sandbox,
        profile: &profile,
        workspace: &bounded.workspace,
    };
    let outcome = match terminal::run(
        Command {
            bounds: Some(bounds),
            ..command
        },
        output,
    ) {
        Ok(outcome) => outcome,
        Err(why) => {
            keeping.into_iter().for_each(Keeping::cancel);
            return Err(why.into());
        }
    };
    let mut taking = newcomers.take(&terms.changes, bounding.state(), &machine, &is_protected);
    if let Some(file) = known
        .as_deref()
        .filter(|file| file.parent().is_some_and(Path::is_dir))
    {
        let (folders, home) = (&terms.write, bounding.home());
        let kept = Newcomers::keep(folders, home, &is_protected, file, outcome.is_session_alive);
        let words = |why: std::io::Error| format!("what is protected by now: {why}");
        taking.unseen.extend(kept.err().map(words));
    }
    let kept = keeping
        .map(|keeping| bounding.knowing(&workspace, &hidden, |rules| keeping.after(files, rules)));
    let by_command = outcome.output.len();
    let result = told(ToolResult::from(outcome), &workspace, &taking, kept);
    // What sayso adds is told to whoever watches, too.
    if let Some(added) = result
        .output
        .get(by_command..)
        .filter(|added| !added.is_empty())
    {
        output(Stream::Error, added.trim_start_matches('\n').as_bytes());
    }
    Ok(result)
}

/// The result with what came of the workspace.
fn told(
    mut result: ToolResult,
    workspace: &Path,
    taking: &Taking,
    kept: Option<Result<AfterCommand, ChangeError>>,
) -> ToolResult {
    let mut lines = cleanup::words(taking);
    match kept {
        None => {}
        Some(Err(why)) => lines.push(format!(
            "what the command changed could not be written down: {why}"
        )),
        Some(Ok(after)) => {
            let short = |path: &std::path::PathBuf| {
                visible(
                    &path
                        .strip_prefix(workspace)
                        .unwrap_or(path)
                        .to_string_lossy(),
                )
                .into_owned()
            };
            let lists = [
                ("created", &after.created),
                ("changed", &after.changed),
                ("deleted", &after.deleted),
            ];
            for (name, paths) in lists.iter().filter(|(_, paths)| !paths.is_empty()) {
                let items = paths.iter().map(|path| Node::text(short(path))).collect();
                result = result.with(name, Node::from(Value::List(items)));
            }
            let count: usize = lists.iter().map(|(_, paths)| paths.len()).sum();
            if count > 0 {
                let mut names: Vec<String> = lists
                    .iter()
                    .flat_map(|(_, paths)| paths.iter().map(short))
                    .take(MOST_NAMED)
                    .collect();
                if count > MOST_NAMED {
                    names.push(format!("and {} more", count - MOST_NAMED));
                }
                let undo = after.change.as_ref().map_or_else(String::new, |id| {
                    format!("; `sayso undo {id}` takes it back")
                });
                lines.push(format!(
                    "it ran unasked in a sandbox, and changed {}{undo}",
                    names.join(", ")
                ));
            }
            lines.extend(
                after
                    .left_out
                    .iter()
                    .map(|words| format!("not kept: {words}")),
            );
        }
    }
    for line in lines {
        let line_break = if result.output.is_empty() || result.output.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        result.output.push_str(&format!("{line_break}[{line}]\n"));
    }
    result
}
