//! A small agent with three tools behind the gate, on the real machine, in a scratch folder, with a person who answers by a script.
//!
//! Run it with `cargo run -p sayso-gate --example agent`.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::answer::scope::Scope;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_gate::library::{
    GatedTools, Say, Simulated, Tool, ToolCall, World, simulate_user_approval,
};
use sayso_gate::ports::{Content, Ran};
use sayso_gate::seal::Sealed;
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;
use sayso_world::seal::Bound;

/// The machine that this runs on.
struct Here(Machine);

impl World for Here {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.0.answer(cwd, workspace, questions)
    }

    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        sayso_world::seal::seal(files.iter().map(|file| match file {
            Sealed::Content(path) => Bound::Content(path),
            Sealed::Identity(path) => Bound::Identity(path),
            Sealed::Which(path) => Bound::Which(path),
            Sealed::Bytes(path, digest) => Bound::Bytes(path, *digest),
        }))
    }

    fn content(
        &self,
        path: &str,
        most: u64,
    ) -> Result<Option<Content>, sayso_gate::error::ContentError> {
        let found = sayso_world::content::content(path, most)
            .map_err(sayso_gate::error::ContentError::failed)?;
        Ok(found.map(|found| Content {
            bytes: found.bytes,
            size: found.size,
            executable: Some(found.executable),
        }))
    }
}

/// The tools: plain functions, which know nothing of the gate.
#[derive(Clone)]
struct Workspace(PathBuf);

impl Workspace {
    fn read(&self, args: &Node) -> Result<Node, String> {
        let text = std::fs::read_to_string(self.0.join(text(args, "path")?))
            .map_err(|error| error.to_string())?;
        Ok(Node::text(text.trim_end()))
    }

    fn write(&self, args: &Node) -> Result<Node, String> {
        std::fs::write(self.0.join(text(args, "path")?), text(args, "content")?)
            .map_err(|error| error.to_string())?;
        Ok(Node::text("written"))
    }

    fn shell(&self, args: &Node) -> Result<Node, String> {
        let output = Command::new("sh")
            .args(["-c", text(args, "command")?])
            .current_dir(&self.0)
            .output();
        let output = output.map_err(|error| error.to_string())?;
        Ok(Node::text(String::from_utf8_lossy(&output.stdout).trim()))
    }
}

fn text<'a>(args: &'a Node, key: &str) -> Result<&'a str, String> {
    args.get(key)
        .and_then(Node::as_text)
        .ok_or_else(|| format!("`{key}` is missing"))
}

/// The agent. Its tools have names that sayso knows, so each call is judged by what it would do.
fn agent(folder: &std::path::Path, person: Arc<Simulated>) -> Result<GatedTools, Box<dyn Error>> {
    let here = Here(Machine::new(Whereabouts::from_environment()?));
    let workspace = Workspace(folder.to_owned());
    let (reader, writer, shell) = (workspace.clone(), workspace.clone(), workspace);
    let agent = GatedTools::builder(
        folder.to_str().ok_or("the folder's name is not UTF-8")?,
        Arc::new(here),
    )
    .agent("example")
    .person(person)
    .tool(Tool::new("read_file", move |args| reader.read(args)).by_policy())
    .tool(Tool::new("write_file", move |args| writer.write(args)).by_policy())
    .tool(Tool::new("bash", move |args| shell.shell(args)).by_policy())
    .build()?;
    Ok(agent)
}

/// Makes some calls and tells what came of each.
pub fn tell(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let folder = scratch.path().canonicalize()?;
    std::fs::write(folder.join("notes.txt"), "buy milk\n")?;
    std::fs::write(folder.join(".env"), "TOKEN=not-a-real-one\n")?;
    let script = [
        Say::Yes(Scope::Once),
        Say::NoBecause("not the token".to_owned()),
        Say::Yes(Scope::Session),
    ];
    let person = Arc::new(simulate_user_approval(script));
    let agent = agent(&folder, Arc::clone(&person))?;
    let one = |key: &str, value: &str| vec![(key.to_owned(), Node::text(value))];
    let calls = [
        ("read_file", one("path", "notes.txt")),
        (
            "write_file",
            [
                one("path", "count.sh"),
                one("content", "wc -l < notes.txt\n"),
            ]
            .concat(),
        ),
        ("read_file", one("path", ".env")),
        ("bash", one("command", "sh count.sh")),
        ("bash", one("command", "sh count.sh")),
        ("bash", one("command", "cat notes.txt; rm -rf /")),
        ("drop_tables", Vec::new()),
    ];
    for (tool, args) in calls {
        let shown: Vec<&str> = args
            .iter()
            .filter_map(|(_, node)| node.as_text())
            .map(str::trim_end)
            .collect();
        let before = person.seen().len();
        let finished =
            pollster::block_on(agent.finish(ToolCall::new(tool, Node::map(args.clone()))));
        let asked = if person.seen().len() > before {
            "asked, "
        } else {
            ""
        };
        let result = match &finished.ran {
            Some(Ran::Done(node)) => node.as_text().unwrap_or_default().to_owned(),
            Some(Ran::Failed { why, .. } | Ran::NotRun(why)) => format!("it failed: {why}"),
            None => finished.message.clone(),
        };
        writeln!(
            out,
            "{tool}({})\n  {asked}{}: {result}",
            shown.join(", "),
            finished.outcome.word()
        )?;
    }
    writeln!(out, "{}", agent.gate().stats.counts().line())?;
    Ok(())
}

#[allow(dead_code, reason = "the test of the example calls `tell` alone")]
fn main() -> Result<(), Box<dyn Error>> {
    tell(&mut std::io::stdout())
}
