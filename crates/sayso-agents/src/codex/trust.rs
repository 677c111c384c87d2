//! What Codex keeps of trusted hooks in its TOML file: a hook runs only if the digest of exactly that hook stands there.

use sayso_core::text::diagnostic::{Diagnostic, Source};
use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Span, Value};
use toml_edit::{DocumentMut, Item, Table, TableLike, value};

use super::CODEX;
use crate::install::InstallError;
use crate::install::finding::FileFinding;

/// What is written of one hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// The digest that the person trusts.
    pub hash: Option<String>,
    /// The person switched the hook off.
    pub is_off: bool,
}

/// Reads a TOML text.
///
/// # Errors
/// What is wrong, with its place.
pub fn read(name: &str, text: &str) -> Result<DocumentMut, InstallError> {
    text.parse::<DocumentMut>().map_err(|error| {
        let place = error.span().unwrap_or(0..0);
        let finding = Diagnostic::error(Span::new(place.start, place.end), error.message().trim());
        InstallError::BadSettings(FileFinding::new(Source { name, text }, finding))
    })
}

/// The digest by which Codex knows a hook: of its canonical form, keys in order and without blanks.
pub fn hash(event: &str, command: &str, seconds: u32) -> String {
    let handler = Node::map([
        ("async", Value::Bool(false).into()),
        ("command", Node::text(command)),
        ("timeout", Value::Number(seconds.to_string()).into()),
        ("type", Node::text("command")),
    ]);
    let hook = Node::map([
        ("event_name", Node::text(snake(event))),
        ("hooks", Value::List(vec![handler]).into()),
        ("matcher", Node::text("*")),
    ]);
    Digest::of_bytes(json::write(&hook).as_bytes()).to_string()
}

/// The name of a hook: its file, its event, and its place there.
pub fn key(file: &str, event: &str, group: usize, handler: usize) -> String {
    format!("{file}:{}:{group}:{handler}", snake(event))
}

/// `PreToolUse` as `pre_tool_use`.
fn snake(event: &str) -> String {
    let mut out = String::new();
    for sign in event.chars() {
        if sign.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(sign.to_ascii_lowercase());
    }
    out
}

/// What is written of a hook.
pub fn of(document: &DocumentMut, key: &str) -> Trust {
    let entry = document
        .get("hooks")
        .and_then(|hooks| hooks.get("state"))
        .and_then(|state| state.get(key));
    let field = |name: &str| entry.and_then(|entry| entry.get(name));
    Trust {
        hash: field("trusted_hash")
            .and_then(Item::as_str)
            .map(str::to_owned),
        is_off: field("enabled").and_then(Item::as_bool) == Some(false),
    }
}

/// Whether a switch is off: `features.hooks = false`.
pub fn is_false(document: &DocumentMut, table: &str, key: &str) -> bool {
    document
        .get(table)
        .and_then(|table| table.get(key))
        .and_then(Item::as_bool)
        == Some(false)
}

/// Writes down that a hook is trusted as it is; whatever else is known of it stays.
///
/// # Errors
/// When something else than tables stands there.
pub fn put(document: &mut DocumentMut, key: &str, hash: &str) -> Result<(), InstallError> {
    let hooks = inner(document.as_table_mut(), "hooks", "hooks")?;
    let state = inner(hooks, "state", "hooks.state")?;
    if state.get(key).is_none() {
        state.insert(key, Item::Table(Table::new()));
    }
    let entry = state.get_mut(key).and_then(Item::as_table_like_mut);
    let entry = entry.ok_or_else(|| no_table("hooks.state"))?;
    entry.insert("trusted_hash", value(hash));
    Ok(())
}

/// The table under a key, made if it is missing; one that is made gets no line of its own.
fn inner<'a>(
    table: &'a mut dyn TableLike,
    key: &str,
    name: &'static str,
) -> Result<&'a mut dyn TableLike, InstallError> {
    if table.get(key).is_none() {
        let mut made = Table::new();
        made.set_implicit(true);
        table.insert(key, Item::Table(made));
    }
    table
        .get_mut(key)
        .and_then(Item::as_table_like_mut)
        .ok_or_else(|| no_table(name))
}

fn no_table(name: &'static str) -> InstallError {
    InstallError::NoTable { name, who: CODEX }
}

/// Takes out what is written of a hook, and what is empty then.
pub fn forget(document: &mut DocumentMut, key: &str) {
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) else {
        return;
    };
    let Some(state) = hooks.get_mut("state").and_then(Item::as_table_like_mut) else {
        return;
    };
    if state.remove(key).is_none() {
        return;
    }
    if state.is_empty() {
        hooks.remove("state");
    }
    if hooks.is_empty() {
        document.remove("hooks");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// As `hooks/list` of Codex 0.166.0 tells them.
    #[test]
    fn hashes_are_those_of_codex() {
        let expected = "sha256:011eaf72e1be426a57afbcd49c821027db7b54ab4ca4973d97ba861b8a28c893";
        assert_eq!(
            hash("PreToolUse", "/opt/a b/sayso hook codex", 60),
            expected
        );
        let expected = "sha256:39efa3bad27bf03f29414f49044119c103fe71a3be1de480876d2a1876d39dc5";
        assert_eq!(
            hash("PermissionRequest", "/opt/sayso hook codex", 60),
            expected
        );
        let expected = "sha256:740b790d5827444a065700302adb9c4d3a0c1f9fc5fc1c7dd78240d9b07ce606";
        assert_eq!(hash("PostToolUse", "é\"\\x", 600), expected);
        let expected = "sha256:0552f50252c65db2fa4b0e39f49ef504d53b446e1158fb84cd614d10908a63c4";
        assert_eq!(hash("SessionStart", "/opt/sayso hook codex", 60), expected);
        assert_eq!(
            key("/h/hooks.json", "PreToolUse", 1, 0),
            "/h/hooks.json:pre_tool_use:1:0"
        );
    }

    #[test]
    fn what_is_put_in_can_be_taken_out_and_nothing_else_moves() {
        let texts = [
            "",
            "# mine\nmodel = \"x\" # why\n",
            "[hooks.state.\"other:0:0\"]\ntrusted_hash = \"sha256:1\"\n\n[z]\na = 1\n",
            "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"x\"\n",
            "hooks = { state = { a = { enabled = false } } }\n",
        ];
        for text in texts {
            let mut document = read("x", text).unwrap();
            put(&mut document, "/h:pre_tool_use:0:0", "sha256:2").unwrap();
            let with = document.to_string();
            assert_eq!(
                of(&read("x", &with).unwrap(), "/h:pre_tool_use:0:0")
                    .hash
                    .as_deref(),
                Some("sha256:2"),
                "{with}"
            );
            forget(&mut document, "/h:pre_tool_use:0:0");
            assert_eq!(document.to_string().trim_end(), text.trim_end(), "{with}");
        }
        for text in ["hooks = 1\n", "[hooks]\nstate = \"x\"\n", "hooks = []\n"] {
            assert!(
                put(&mut read("x", text).unwrap(), "k", "h").is_err(),
                "{text}"
            );
        }
        assert!(
            read("config.toml", "a = 1\n[b\n")
                .unwrap_err()
                .lines()
                .starts_with("config.toml:2:")
        );
    }
}
