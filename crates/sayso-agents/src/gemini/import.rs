//! Gemini CLI: `[[rule]]` in TOML; the highest priority counts, and of two alike the first that was read.

use std::cmp::Reverse;

use sayso_core::policy::decision::Decision;
use toml_edit::{Array, DocumentMut, Item, Table, Value};

use crate::import::patterns::{any_command, of_regex, words};
use crate::import::{
    About, File, ImportError, Imported, Ordered, Reader, Rule, System, files_below, without_order,
};

const SHELL: &str = "run_shell_command";
const READERS: [&str; 6] = [
    "read_file",
    "read_many_files",
    "list_directory",
    "glob",
    "grep_search",
    "search_file_content",
];
const EDITORS: [&str; 2] = ["write_file", "replace"];
/// Keys that a rule may have.
const KNOWN: [&str; 14] = [
    "toolName",
    "mcpName",
    "subagent",
    "argsPattern",
    "commandPrefix",
    "commandRegex",
    "toolAnnotations",
    "decision",
    "priority",
    "modes",
    "interactive",
    "allowRedirection",
    "denyMessage",
    "name",
];
/// Files of the machine's owner count above those of the person.
const ADMIN: &str = "/etc/";

/// Gemini CLI: how its policy is read.
pub const SYSTEM: System = System::new(&Reader {
    name: "gemini",
    help: "Gemini CLI: `policies/*.toml`",
    import,
    own_files: Some(|_, home| files_below(home.join(".gemini/policies"), "toml")),
});

fn import(files: &[File]) -> Result<Imported, ImportError> {
    let mut out = Imported::default();
    let mut list: Vec<((u64, Reverse<usize>), Ordered)> = Vec::new();
    for file in files {
        let document: DocumentMut = file.text.parse().map_err(|source| ImportError::NotToml {
            name: file.name.clone(),
            source,
        })?;
        let tier: u64 = if file
            .folder
            .as_deref()
            .is_some_and(|folder| folder.starts_with(ADMIN))
        {
            5
        } else {
            4
        };
        for (key, _) in document.iter().filter(|(key, _)| *key != "rule") {
            out.note(&file.name, key, "left out: it is no rule");
        }
        let rules = document
            .get("rule")
            .and_then(Item::as_array_of_tables)
            .into_iter()
            .flatten();
        for (index, table) in rules.enumerate() {
            let place = format!("{}, rule {}", file.name, index + 1);
            let priority = tier * 1000
                + table
                    .get("priority")
                    .and_then(Item::as_integer)
                    .and_then(|number| u64::try_from(number).ok())
                    .unwrap_or(0)
                    .min(999);
            let order = (priority, Reverse(list.len()));
            list.extend(
                rule(&place, table, &mut out)
                    .into_iter()
                    .map(|ordered| (order, ordered)),
            );
        }
    }
    // The last counts.
    list.sort_by_key(|(order, _)| *order);
    without_order(
        list.into_iter().map(|(_, ordered)| ordered).collect(),
        &mut out,
    );
    out.note(
        "Gemini CLI's own defaults",
        "what no rule names",
        "judged by sayso's mode: what only looks inside of the workspace is silent, the rest asks",
    );
    Ok(out)
}

fn rule(place: &str, table: &Table, out: &mut Imported) -> Vec<Ordered> {
    let text = |key: &str| table.get(key).and_then(Item::as_str);
    let decision = match text("decision") {
        Some("allow") => Decision::Allow,
        Some("ask_user") => Decision::Ask,
        Some("deny") => Decision::Deny,
        _ => {
            out.note(
                place,
                "decision",
                "taken as `deny`: what it decides is not known",
            );
            Decision::Deny
        }
    };
    let strict = decision != Decision::Allow;
    for (key, _) in table.iter().filter(|(key, _)| !KNOWN.contains(key)) {
        out.note(
            place,
            key,
            "left out: Gemini CLI does not know this key either",
        );
    }
    if let Some(why) = condition(table).filter(|_| !strict) {
        out.note(
            place,
            why,
            "left out: an allow with this condition has no form here, so it asks",
        );
        return Vec::new();
    }
    if condition(table).is_some() {
        out.note(
            place,
            condition(table).unwrap_or_default(),
            "counts whatever the condition says: less would be looser",
        );
    }
    let agent = text("subagent").map(str::to_owned);
    let reason = text("denyMessage").map(str::to_owned);
    let tools = texts(table.get("toolName"));
    let abouts = match text("mcpName") {
        Some(server) if tools.is_empty() => vec![About::Mcp(format!("{server}/*"))],
        Some(server) => tools
            .iter()
            .map(|tool| About::Mcp(format!("{server}/{tool}")))
            .collect(),
        None if tools.iter().any(|tool| tool == SHELL)
            || (tools.is_empty() && is_command(table)) =>
        {
            commands(place, table, strict, out)
        }
        None => tools
            .iter()
            .flat_map(|tool| of_tool(tool, strict))
            .collect(),
    };
    let of = |about| Ordered {
        rule: Rule {
            decision,
            about,
            except: Vec::new(),
            agent: agent.clone(),
            reason: reason.clone(),
        },
        exact: true,
    };
    let others = tools.iter().filter(|tool| {
        *tool != SHELL && text("mcpName").is_none() && tools.iter().any(|tool| tool == SHELL)
    });
    let others: Vec<About> = others.flat_map(|tool| of_tool(tool, strict)).collect();
    abouts.into_iter().chain(others).map(of).collect()
}

fn is_command(table: &Table) -> bool {
    ["commandPrefix", "commandRegex"]
        .iter()
        .any(|key| table.contains_key(key))
}

/// A condition that a rule of sayso's has no form for.
fn condition(table: &Table) -> Option<&'static str> {
    let modes = texts(table.get("modes"));
    match () {
        () if !modes.is_empty() && !modes.iter().any(|mode| mode == "default") => Some("modes"),
        () if table.get("interactive").and_then(Item::as_bool) == Some(false) => {
            Some("interactive")
        }
        () if table.contains_key("toolAnnotations") => Some("toolAnnotations"),
        () if table.contains_key("argsPattern") => Some("argsPattern"),
        () => None,
    }
}

fn commands(place: &str, table: &Table, strict: bool, out: &mut Imported) -> Vec<About> {
    let mut all = Vec::new();
    for prefix in texts(table.get("commandPrefix")) {
        match words(&prefix, true) {
            Some(about) => all.push(about),
            None if strict => {
                all.push(any_command());
                out.note(
                    place,
                    &prefix,
                    "for every command: the prefix has no form here, and less would be looser",
                );
            }
            None => out.note(
                place,
                &prefix,
                "left out: the prefix has no form here, so it asks",
            ),
        }
    }
    if let Some(expression) = table.get("commandRegex").and_then(Item::as_str) {
        match of_regex(&format!("^{expression}")) {
            Some(abouts) => all.extend(abouts),
            None if strict => all.push(About::CommandRegex(format!("^(?:{expression})"))),
            None => out.note(
                place,
                expression,
                "left out: an expression cannot allow here, so it asks; say it in words",
            ),
        }
    }
    if !is_command(table) {
        all.push(any_command());
    }
    all
}

fn of_tool(tool: &str, strict: bool) -> Vec<About> {
    let with_outside = |about: fn(String) -> About| {
        let mut all = vec![about("**".to_owned())];
        if strict {
            all.push(about("/**".to_owned()));
        }
        all
    };
    match tool {
        "*" if strict => {
            let mut all = vec![
                any_command(),
                About::Fetch("*://*/**".to_owned()),
                About::Mcp("*/*".to_owned()),
                About::Delegate("*".to_owned()),
            ];
            all.extend(with_outside(About::Read));
            all.extend(with_outside(About::Write));
            all
        }
        "*" => vec![
            any_command(),
            About::Read("**".to_owned()),
            About::Write("**".to_owned()),
            About::Fetch("https://*/**".to_owned()),
        ],
        SHELL => vec![any_command()],
        "web_fetch" => vec![About::Fetch(
            if strict { "*://*/**" } else { "https://*/**" }.to_owned(),
        )],
        tool if READERS.contains(&tool) => with_outside(About::Read),
        tool if EDITORS.contains(&tool) => with_outside(About::Write),
        "mcp_*" => {
            if strict {
                vec![About::Mcp("*/*".to_owned())]
            } else {
                Vec::new()
            }
        }
        tool => match tool
            .strip_prefix("mcp_")
            .and_then(|rest| rest.strip_suffix("_*"))
        {
            Some(server) => vec![About::Mcp(format!("{server}/*"))],
            None => vec![About::Tool(tool.to_owned())],
        },
    }
}

/// One text, or a list of them.
fn texts(item: Option<&Item>) -> Vec<String> {
    let list = |array: &Array| {
        array
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    match item.and_then(Item::as_value) {
        Some(Value::String(text)) => vec![text.value().clone()],
        Some(Value::Array(array)) => list(array),
        _ => Vec::new(),
    }
}
