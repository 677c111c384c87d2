//! Files of sayso's own are written in one place, `sayso-own-files`. What renames or writes another file whole is listed here.

use crate::code::{code, lines};
use crate::{File, files, none};

const OTHERS: [(&str, &str); 14] = [
    ("sayso-own-files/src/lib.rs", "the one place"),
    ("sayso-store/src/folder.rs", "for logs and a damaged index"),
    (
        "sayso-store/src/index/mod.rs",
        "a damaged index is put aside",
    ),
    ("sayso-inbox/src/log.rs", "old logs get the next number"),
    ("sayso-world/src/trust.rs", "a damaged list is put aside"),
    ("sayso-tools/src/changes.rs", "a record that is complete"),
    ("sayso-tools/src/replace.rs", "files of the workspace"),
    (
        "sayso-runtime/src/sandbox/cleanup.rs",
        "files of the workspace",
    ),
    ("sayso-sandbox/src/linux/folder_pool.rs", "empty folders"),
    ("sayso/src/cli/audit/export/file.rs", "a file of the person"),
    ("sayso/src/cli/demo.rs", "a workspace to try sayso in"),
    ("sayso-agents/src/claude/probe.rs", "for an agent on trial"),
    ("sayso-agents/src/codex/probe.rs", "for an agent on trial"),
    (
        "sayso-agents/src/probe/agent_process.rs",
        "for an agent on trial",
    ),
];

/// The lines of the product in which a file gets another name or is written whole.
fn writes(file: &File) -> Vec<usize> {
    let code = code(&file.text);
    let product = code.split("#[cfg(test)]\nmod tests {").next();
    lines(product.unwrap_or_default())
        .filter(|(_, line)| {
            let calls = [
                "fs::write(",
                "fs::rename(",
                ".rename(",
                "renameat(",
                "renameat_with(",
            ];
            calls.iter().any(|call| line.contains(call))
        })
        .map(|(number, _)| number)
        .collect()
}

fn is_product(file: &File) -> bool {
    let name = &file.name;
    file.is_rust()
        && name.starts_with("crates/")
        && name.contains("/src/")
        && !name.contains("/tests")
}

#[test]
fn own_files_are_written_in_one_place() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for file in files().iter().filter(|file| is_product(file)) {
        let found = writes(file);
        let row = OTHERS
            .iter()
            .find(|(name, _)| file.name == format!("crates/{name}"));
        match row {
            Some(_) if found.is_empty() => {
                wrong.push(format!("{} writes no file any more", file.name));
            }
            Some(_) => seen += 1,
            None => wrong.extend(found.iter().map(|number| {
                format!(
                    "{}:{number}: write files of sayso's own by `sayso_own_files::write` or `Folder::put`",
                    file.name
                )
            })),
        }
    }
    assert_eq!(seen, OTHERS.len(), "a file of the list is gone");
    none(&wrong);
}

#[test]
fn the_check_of_own_files_bites() {
    let file = |text: &str| File {
        name: "crates/sayso-world/src/a.rs".to_owned(),
        text: text.to_owned(),
    };
    for text in [
        "fs::rename(&fresh, path)?;",
        "std::fs::write(path, text)",
        "std::fs::rename(a, b)",
        "folder.rename(&fresh, name)",
        "renameat_with(\n",
    ] {
        assert_eq!(writes(&file(text)), [1], "{text}");
    }
    for text in [
        "// fs::rename(a, b)",
        "\"fs::rename(a, b)\"",
        "fn rename(&self) {}",
        "#[cfg(test)]\nmod tests {\nfs::rename(a, b)",
    ] {
        assert!(writes(&file(text)).is_empty(), "{text}");
    }
}
