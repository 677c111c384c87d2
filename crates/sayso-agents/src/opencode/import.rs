//! opencode: `permission` in `opencode.json`; the last rule that matches counts, in the order in which the keys stand.

use sayso_core::policy::decision::Decision;
use sayso_core::text::node::Node;

use crate::import::jsonc;
use crate::import::patterns::{any_command, glob, words};
use crate::import::related_systems as seeds;
use crate::import::write::matcher;
use crate::import::{
    About, File, ImportError, Imported, Ordered, Reader, Rule, System, files_there, without_order,
};

/// What tools of opencode do; the others are tools by their names.
const READERS: [&str; 4] = ["read", "glob", "grep", "list"];
const EDITORS: [&str; 4] = ["edit", "write", "patch", "multiedit"];
/// Tools of its own that are neither: a name that is not among them may be a tool of an MCP server.
const OWN: [&str; 10] = [
    "skill",
    "lsp",
    "todowrite",
    "todoread",
    "websearch",
    "codesearch",
    "question",
    "plan_enter",
    "plan_exit",
    "doom_loop",
];

/// One rule as it stands: who it is for, the key, the pattern, and what it decides.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stated {
    place: String,
    agent: Option<String>,
    key: String,
    pattern: String,
    decision: Decision,
}

/// Keys of its settings that say nothing about permissions.
const READ: [&str; 4] = ["permission", "permissions", "agent", "$schema"];

/// opencode: how its policy is read.
pub const SYSTEM: System = System::new(&Reader {
    name: "opencode",
    help: "opencode: `opencode.json`",
    import,
    own_files: Some(|_, home| {
        let folder = home.join(".config/opencode");
        files_there([folder.join("opencode.json"), folder.join("opencode.jsonc")])
    }),
});

fn import(files: &[File]) -> Result<Imported, ImportError> {
    // The agents' runtime that took opencode for a model has a file of its own, whose keys are understood as they are.
    let own_keys = |file: &File| seeds::document(file).is_ok_and(|document| is_runtime(&document));
    match files.iter().filter(|file| own_keys(file)).count() {
        0 => {}
        count if count == files.len() => return seeds::import(files, seeds::OPENCODE),
        _ => {
            return Err(ImportError::TwoFormats {
                one: "opencode.json",
                other: "permissions.bash",
            });
        }
    }
    let mut out = Imported::default();
    let (mut general, mut agents): (Vec<Stated>, Vec<Stated>) = (Vec::new(), Vec::new());
    for file in files {
        let document = jsonc::read(file)?;
        stated(file, None, &document, &mut general, &mut out);
        let unread: Vec<&str> = document
            .entries()
            .iter()
            .map(|entry| entry.key.as_str())
            .filter(|key| !READ.contains(key))
            .collect();
        if !unread.is_empty() {
            out.note(
                &file.name,
                &unread.join(", "),
                "not read: nothing there is about permissions",
            );
        }
        if ["permission", "permissions", "agent"]
            .iter()
            .all(|key| document.get(key).is_none())
        {
            out.note(
                &file.name,
                "permission",
                "not there, so there is nothing to carry over: opencode would allow everything, and sayso asks by its mode",
            );
        }
        for entry in document.get("agent").map(Node::entries).unwrap_or_default() {
            stated(file, Some(&entry.key), &entry.node, &mut agents, &mut out);
        }
    }
    // What an agent has of its own comes after what is for all.
    let all: Vec<Stated> = general.into_iter().chain(agents).collect();
    let mut list = Vec::new();
    for stated in &all {
        translate(stated, &mut list, &mut out);
    }
    for (index, stated) in all
        .iter()
        .enumerate()
        .filter(|(_, stated)| stated.key == "*" && stated.decision == Decision::Deny)
    {
        every_other_tool(stated, all.get(index + 1..).unwrap_or_default(), &mut out);
    }
    for (index, later) in list
        .iter()
        .enumerate()
        .filter(|(_, later)| later.rule.agent.is_some())
    {
        let same = |before: &&Ordered| {
            std::mem::discriminant(&before.rule.about) == std::mem::discriminant(&later.rule.about)
        };
        let before = list.iter().take(index).filter(same);
        if before
            .into_iter()
            .any(|before| before.rule.agent.is_none() && before.rule.decision > later.rule.decision)
        {
            let agent = later.rule.agent.as_deref().unwrap_or_default();
            out.note(
                &format!("agent {agent}"),
                &matcher(&later.rule.about),
                "no exception of what is stricter for all agents",
            );
        }
    }
    without_order(list, &mut out);
    out.note(
        "opencode's own defaults",
        "`*`: allow",
        "left out: what no rule names is judged by sayso's mode",
    );
    Ok(out)
}

/// Whether a document has the keys of the runtime: `permissions` with `edit`, `bash` or `webfetch`, for all or for single agents.
fn is_runtime(document: &Node) -> bool {
    let has = |node: Option<&Node>| {
        node.is_some_and(|node| {
            ["edit", "bash", "webfetch"]
                .iter()
                .any(|key| node.get(key).is_some())
        })
    };
    let dotted = |entry: &sayso_core::text::node::Entry| entry.key.starts_with("permissions.");
    let agents = document
        .get("agents")
        .map(Node::entries)
        .unwrap_or_default();
    has(document.get("permissions"))
        || document.entries().iter().any(dotted)
        || agents
            .iter()
            .any(|agent| has(agent.node.get("permissions")))
}

/// Reads `permission`, or the newer `permissions`. A key that was there already keeps its place, as opencode has it.
fn stated(
    file: &File,
    agent: Option<&str>,
    document: &Node,
    list: &mut Vec<Stated>,
    out: &mut Imported,
) {
    let mut put = |key: &str, pattern: &str, action: Option<&str>, out: &mut Imported| {
        let decision = match action {
            Some("allow") => Decision::Allow,
            Some("ask") => Decision::Ask,
            Some("deny") => Decision::Deny,
            _ => {
                out.note(
                    &file.name,
                    &format!("{key}: {pattern}"),
                    "taken as `deny`: what it decides is not known",
                );
                Decision::Deny
            }
        };
        let pattern = pattern
            .strip_prefix("$HOME")
            .map_or_else(|| pattern.to_owned(), |rest| format!("~{rest}"));
        let new = Stated {
            place: file.name.clone(),
            agent: agent.map(str::to_owned),
            key: key.to_owned(),
            pattern,
            decision,
        };
        let same = |old: &&mut Stated| {
            old.agent == new.agent && old.key == new.key && old.pattern == new.pattern
        };
        match list.iter_mut().find(same) {
            Some(old) => *old = new,
            None => list.push(new),
        }
    };
    if let Some(permission) = document.get("permission") {
        match permission.as_text() {
            Some(action) => put("*", "*", Some(action), out),
            None => {
                for entry in permission.entries() {
                    match entry.node.as_text() {
                        Some(action) => put(&entry.key, "*", Some(action), out),
                        None => entry.node.entries().iter().for_each(|inner| {
                            put(&entry.key, &inner.key, inner.node.as_text(), out)
                        }),
                    }
                }
            }
        }
    }
    for item in document
        .get("permissions")
        .map(Node::items)
        .unwrap_or_default()
    {
        let text = |key: &str| item.get(key).and_then(Node::as_text);
        put(
            text("action").unwrap_or("*"),
            text("resource").unwrap_or("*"),
            text("effect"),
            out,
        );
    }
}

fn translate(stated: &Stated, list: &mut Vec<Ordered>, out: &mut Imported) {
    let Stated {
        place,
        agent,
        key,
        pattern,
        decision,
    } = stated;
    let what = format!("{key}: {pattern}");
    let strict = *decision != Decision::Allow;
    let mut put = |about: About| {
        list.push(Ordered {
            rule: Rule {
                decision: *decision,
                about,
                except: Vec::new(),
                agent: agent.clone(),
                reason: None,
            },
            exact: true,
        });
    };
    let cannot = |out: &mut Imported| {
        let done = if strict {
            "for everything of its kind: the pattern has no form here, and less would be looser"
        } else {
            "left out: the pattern has no form here, so it asks"
        };
        out.note(place, &what, done);
    };
    match key.as_str() {
        "*" => {
            put(any_command());
            put(About::Read("**".to_owned()));
            put(About::Write("**".to_owned()));
            put(About::Fetch(if strict { "*://*/**" } else { "https://*/**" }.to_owned()));
            if strict {
                put(About::Read("/**".to_owned()));
                put(About::Write("/**".to_owned()));
                put(About::Mcp("*/*".to_owned()));
                put(About::Delegate("*".to_owned()));
            }
        }
        "bash" => match command(pattern) {
            Some(about) => put(about),
            None => {
                cannot(out);
                if strict {
                    put(any_command());
                }
            }
        },
        "webfetch" => {
            if pattern != "*" {
                cannot(out);
            }
            if strict || pattern == "*" {
                put(About::Fetch(if strict { "*://*/**" } else { "https://*/**" }.to_owned()));
            }
        }
        "task" => put(About::Delegate(pattern.clone())),
        "external_directory" => match decision {
            // Outside of the workspace everything asks anyway, and where it is allowed another rule decides.
            Decision::Allow => out.note(place, &what, "left out: what lies outside of the workspace is asked about here"),
            Decision::Ask => {}
            Decision::Deny => {
                let outside = if pattern == "*" { "/**" } else { pattern.as_str() };
                put(About::Read(outside.to_owned()));
                put(About::Write(outside.to_owned()));
                if pattern == "*" {
                    out.note(place, &what, "for every absolute path: what is denied outside is denied by its whole path");
                }
            }
        },
        key if READERS.contains(&key) || EDITORS.contains(&key) => {
            let about = if READERS.contains(&key) { About::Read } else { About::Write };
            match paths(pattern, strict) {
                Some(all) => all.into_iter().for_each(|path| put(about(path))),
                None => {
                    cannot(out);
                    if strict {
                        put(about("**".to_owned()));
                        put(about("/**".to_owned()));
                    }
                }
            }
        }
        key if OWN.contains(&key) => put(About::Tool(key.to_owned())),
        key => match key.split_once('_') {
            // Which part is the server's name cannot be told, so that only what is stricter is carried.
            Some((server, tool)) if strict => {
                put(About::Mcp(format!("{server}/{tool}")));
                put(About::Tool(key.to_owned()));
            }
            None if strict => put(About::Tool(key.to_owned())),
            _ => out.note(place, &what, "left out: whose tool that is cannot be told, so it asks; say `allow: {mcp: server/tool}`"),
        },
    }
}

/// All tools are denied but those that a later rule names.
fn every_other_tool(stated: &Stated, later: &[Stated], out: &mut Imported) {
    let named = later.iter().filter(|one| {
        one.decision != Decision::Deny && one.key != "*" && one.agent == stated.agent
    });
    let mut except: Vec<About> = Vec::new();
    for one in named {
        let about = About::Tool(one.key.clone());
        if !except.contains(&about) {
            except.push(about);
        }
    }
    out.push(Rule {
        decision: Decision::Deny,
        about: About::Tool("*".to_owned()),
        except,
        agent: stated.agent.clone(),
        reason: None,
    });
}

fn command(pattern: &str) -> Option<About> {
    match pattern.strip_suffix(" *") {
        _ if pattern == "*" => Some(any_command()),
        Some(start) if !start.contains(['*', '?']) => words(start, true),
        _ if !pattern.contains(['*', '?']) => words(pattern, false),
        _ => glob(pattern),
    }
}

/// A pattern in which `*` also spans folders.
fn paths(pattern: &str, strict: bool) -> Option<Vec<String>> {
    if pattern.contains(['\\', '{', '}', '?', '[']) {
        return None;
    }
    let collapsed = pattern.replace("**/", "*").replace("**", "*");
    let stars = collapsed.matches('*').count();
    match (collapsed.as_str(), stars) {
        ("*", _) if strict => Some(vec!["**".to_owned(), "/**".to_owned()]),
        ("*", _) => Some(vec!["**".to_owned()]),
        (path, 0) => Some(vec![path.to_owned()]),
        (path, 1) => match (path.strip_suffix("/*"), path.strip_prefix('*')) {
            (Some(folder), _) => Some(vec![format!("{folder}/**")]),
            (_, Some(end)) if !end.contains('/') => Some(vec![format!("**/*{end}")]),
            _ => None,
        },
        _ => None,
    }
}
