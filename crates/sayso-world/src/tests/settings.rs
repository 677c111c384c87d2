//! Settings of a project are found from a folder upwards; in the person's home and above it only those that choose the program.

use sayso_core::analysis::fact::{Counts, Fact, Question, Setting};

use super::Scratch;

fn found(scratch: &Scratch, folder: &str, file: &str, counts: Counts) -> Option<String> {
    let settings = vec![Setting {
        file: file.to_owned(),
        counts,
        everywhere: false,
    }];
    match scratch.one(Question::Settings {
        folder: folder.to_owned(),
        settings,
    }) {
        Some(Fact::Settings(fact)) => fact.found.map(|file| {
            file.strip_prefix(scratch.root.to_str().unwrap())
                .unwrap()
                .to_owned()
        }),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_setting_counts_in_the_folder_and_above() {
    let scratch = Scratch::new();
    scratch.folder("ws/a/b");
    let rust = |folder: &str| found(&scratch, folder, "rust-toolchain.toml", Counts::Always);
    assert_eq!(
        (rust("."), rust("a/b"), rust("missing/x")),
        (None, None, None)
    );
    scratch.file("ws/a/rust-toolchain.toml", "");
    assert_eq!(
        (rust("."), rust("a/b").as_deref()),
        (None, Some("/ws/a/rust-toolchain.toml"))
    );
    // Above the workspace, too: somebody may have opened a folder of a larger project.
    let question = Question::Settings {
        folder: ".".to_owned(),
        settings: vec![Setting {
            file: "rust-toolchain.toml".to_owned(),
            counts: Counts::Always,
            everywhere: false,
        }],
    };
    let facts = scratch
        .machine
        .answer(&scratch.at("ws/a/b"), &scratch.at("ws/a/b"), &[question]);
    assert!(facts.settings(0).unwrap().found.is_some());
    // What is above the home is nobody's project.
    scratch.file("rust-toolchain.toml", "");
    assert_eq!(rust("."), None);
}

#[test]
fn what_the_home_holds_is_the_persons_own() {
    let scratch = Scratch::new();
    scratch.folder("home/ws/a");
    scratch.file("home/.npmrc", "x");
    let ask = |workspace: &str| {
        let question = Question::Settings {
            folder: ".".to_owned(),
            settings: vec![Setting {
                file: ".npmrc".to_owned(),
                counts: Counts::Always,
                everywhere: false,
            }],
        };
        let facts = scratch.machine.answer(
            &scratch.at("home/ws/a"),
            &scratch.at(workspace),
            &[question],
        );
        facts.settings(0).unwrap().found.is_some()
    };
    assert!(!ask("home/ws"));
    // Where the home is the workspace, an agent may have written it.
    assert!(ask("home"));
    scratch.file("home/ws/.npmrc", "x");
    assert!(ask("home/ws"));
}

#[test]
fn a_text_counts_where_it_stands_or_may_stand() {
    let scratch = Scratch::new();
    let named = |text: &str| {
        scratch.file("ws/package.json", text);
        found(
            &scratch,
            ".",
            "package.json",
            Counts::WithText("packageManager".to_owned()),
        )
        .is_some()
    };
    assert!(!named("{}") && !named("{\"name\": \"x\"}"));
    assert!(named("{\"packageManager\": \"yarn@4\"}") && named("{\"package\\u004danager\": 1}"));
    std::fs::remove_file(scratch.root.join("ws/package.json")).unwrap();
    scratch.link("ws/package.json", "nowhere");
    assert_eq!(
        found(
            &scratch,
            ".",
            "package.json",
            Counts::WithText("packageManager".to_owned())
        ),
        None
    );
    scratch.folder("ws/dir/package.json");
    assert!(
        found(
            &scratch,
            "dir",
            "package.json",
            Counts::WithText("packageManager".to_owned())
        )
        .is_some()
    );
}

#[test]
fn a_newer_go_is_compared_with_the_one_that_is_installed() {
    let scratch = Scratch::new();
    scratch.file("go/bin/go", "#!/bin/sh\n");
    scratch.file("go/VERSION", "go1.24.2\ntime x\n");
    std::fs::set_permissions(
        scratch.root.join("go/bin/go"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    scratch.link("bin/go", "../go/bin/go");
    let newer = |text: &str| {
        scratch.file("ws/go.mod", text);
        found(&scratch, ".", "go.mod", Counts::WithNewerGo).is_some()
    };
    assert!(!newer("module a\ngo 1.24.2\n") && !newer("go 1.22\ntoolchain go1.24.1\n"));
    assert!(newer("go 1.25\n") && newer("go 1.22\ntoolchain go1.24.3\n"));
}

#[test]
fn finding_j_11_what_chooses_the_program_counts_in_the_home_and_above() {
    let scratch = Scratch::new();
    scratch.folder("home/ws/a");
    let ask = |folder: &str, workspace: &str| {
        let counts = Counts::WithText("yarnPath".to_owned());
        let settings = vec![Setting {
            file: ".yarnrc.yml".to_owned(),
            counts,
            everywhere: true,
        }];
        let question = Question::Settings {
            folder: ".".to_owned(),
            settings,
        };
        let facts =
            scratch
                .machine
                .answer(&scratch.at(folder), &scratch.at(workspace), &[question]);
        facts.settings(0).unwrap().found.is_some()
    };
    assert!(!ask("home/ws/a", "home/ws"));
    scratch.file("home/.yarnrc.yml", "nodeLinker: node-modules\n");
    assert!(!ask("home/ws/a", "home/ws"), "it names no program");
    scratch.file("home/.yarnrc.yml", "yarnPath: ./x.cjs\n");
    assert!(ask("home/ws/a", "home/ws"));
    // The home counts, wherever the workspace is.
    scratch.folder("srv/ws");
    assert!(ask("srv/ws", "srv/ws"));
    std::fs::remove_file(scratch.root.join("home/.yarnrc.yml")).unwrap();
    assert!(!ask("home/ws/a", "home/ws") && !ask("srv/ws", "srv/ws"));
    scratch.file(".yarnrc.yml", "yarnPath: ./x.cjs\n");
    assert!(
        ask("home/ws/a", "home/ws") && ask("srv/ws", "srv/ws"),
        "above the home"
    );
}
