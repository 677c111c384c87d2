//! Files of sayso's own are written in one place, `sayso-own-files`: whoever renames anything else says here why.

use crate::code::{code, lines};
use crate::{File, files, none};

const RENAMES: [(&str, &str); 10] = [
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
];

/// The lines of the product in which something gets another name.
fn renames(file: &File) -> Vec<usize> {
    let code = code(&file.text);
    let product = code.split("#[cfg(test)]\nmod tests {").next();
    lines(product.unwrap_or_default())
        .filter(|(_, line)| {
            let calls = ["fs::rename(", ".rename(", "renameat(", "renameat_with("];
            calls.iter().any(|call| line.contains(call))
        })
        .map(|(number, _)| number)
        .collect()
}

fn is_product(file: &File) -> bool {
    file.is_rust() && file.name.starts_with("crates/") && file.name.contains("/src/")
}

#[test]
fn own_files_are_written_in_one_place() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for file in files().iter().filter(|file| is_product(file)) {
        let found = renames(file);
        let row = RENAMES
            .iter()
            .find(|(name, _)| file.name == format!("crates/{name}"));
        match row {
            Some(_) if found.is_empty() => {
                wrong.push(format!("{} renames nothing any more", file.name));
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
    assert_eq!(seen, RENAMES.len(), "a file of the list is gone");
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
        "std::fs::rename(a, b)",
        "folder.rename(&fresh, name)",
        "renameat_with(\n",
    ] {
        assert_eq!(renames(&file(text)), [1], "{text}");
    }
    for text in [
        "// fs::rename(a, b)",
        "\"fs::rename(a, b)\"",
        "fn rename(&self) {}",
        "#[cfg(test)]\nmod tests {\nfs::rename(a, b)",
    ] {
        assert!(renames(&file(text)).is_empty(), "{text}");
    }
}
