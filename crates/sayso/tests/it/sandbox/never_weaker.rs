//! The invariant of 001: for any configuration, everything that the sandbox permits is permitted by the tools (O-01).
//!
//! Random policies over a real workspace; each path of a list, and random ones, is looked up in the profile, and the same access is judged
//! as a call of a file tool. What the sandbox lets be written may not be denied there, and may be nothing that must be asked about;
//! the same for what it lets be read, but for the system's own folders and tools, without which no program starts.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Call;
use sayso_core::policy::decision::Decision;
use sayso_core::text::node::Node;
use sayso_runtime::sandbox::profile::Bounding;
use sayso_sandbox::backend::{Backend, Name};
use sayso_sandbox::derive::{SCRATCH, SYSTEM};
use sayso_sandbox::path_check;
use sayso_sandbox::plan::{Step, plan};
use sayso_sandbox::profile::{Level, Profile};
use sayso_sandbox::toolchains;

use crate::scene::Scene;

const FILES: [&str; 21] = [
    "a.txt",
    "src/main.rs",
    "src/deep/x.md",
    "notes/one.txt",
    "notes/two.md",
    "data/in.csv",
    "data/out/x.csv",
    ".env",
    "src/.env.local",
    "server.pem",
    ".vscode/settings.json",
    "sub/.claude/settings.json",
    ".github/workflows/ci.yml",
    "infra/prod/main.tf",
    ".git/hooks/pre-commit",
    ".git/config",
    ".git/info/exclude",
    ".sayso/policy.yaml",
    "vendor/lib/x.c",
    "my.secret",
    "data/a.sk",
];

/// Other places: of the home folder, of the system, and such as do not exist.
const PLACES: [&str; 22] = [
    "{home}/.ssh/id_rsa",
    "{home}/.bashrc",
    "{home}/notes.txt",
    "{home}/.config/sayso/policy.yaml",
    "{home}/.local/state/sayso/journal/x",
    "{home}/.cache/x",
    "{home}",
    "{outside}/other/x.txt",
    "{outside}",
    "{workspace}",
    "{workspace}/new.txt",
    "{workspace}/new/.mcp.json",
    "{workspace}/.mcp.json",
    "{workspace}/.cursor/mcp.json",
    "{workspace}/notes/new.txt",
    "/",
    "/etc/passwd",
    "/etc/shadow",
    "/var/log/syslog",
    "/srv/x",
    "/mnt/x",
    "/boot/x",
];

/// One `sandbox` section with what belongs to it.
fn policies() -> impl Strategy<Value = String> {
    let folder = prop::sample::select(vec![
        "./notes",
        "data",
        "data/out",
        "src",
        ".",
        "missing",
        "{outside}/other",
        "infra",
        "{home}/.ssh",
        "/",
        "{home}",
    ]);
    let endings = prop::sample::select(vec!["", ", suffixes: [.txt]", ", suffixes: [.csv, .md]"]);
    let root = (
        folder,
        prop::sample::select(vec!["rw", "ro"]),
        endings,
        any::<bool>(),
    )
        .prop_map(|(folder, mode, endings, asks)| {
            format!("{{root: \"{folder}\", mode: {mode}{endings}, write_approval: {asks}}}")
        });
    let roots = prop::collection::vec(root, 0..3);
    let bounds = prop::sample::select(vec![
        "",
        "  bounds: {write: [notes, data]}\n",
        "  bounds: {read: [src], write: [src]}\n",
        "  bounds: {hide: [infra, src/deep]}\n",
        "  bounds: {write: [], network: false}\n",
        "  bounds: {read: [\"~/notes.txt\", \"/srv\"]}\n",
    ]);
    let protected = prop::sample::subsequence(
        vec![
            "infra/prod",
            "*.secret",
            "data/in.csv",
            "vendor",
            "~/notes.txt",
            "/srv/x",
        ],
        0..4,
    );
    let outside = prop::sample::select(vec!["ask", "deny"]);
    let profile = prop::sample::select(vec!["sayso", "llm-do", "kollabor"]);
    (roots, bounds, protected, outside, profile, any::<bool>()).prop_map(
        |(roots, bounds, protected, outside, profile, network)| {
            let mut text =
                format!("version: 1\nprofile: {profile}\nworkspace: {{outside: {outside}}}\n");
            let quoted: Vec<String> = protected.iter().map(|path| format!("\"{path}\"")).collect();
            text.push_str(&format!(
                "protected_paths: [{}]\nsandbox:\n  network: {network}\n  require: true\n{bounds}",
                quoted.join(", ")
            ));
            if !roots.is_empty() {
                text.push_str("  paths:\n");
                roots
                    .iter()
                    .enumerate()
                    .for_each(|(index, root)| text.push_str(&format!("    root{index}: {root}\n")));
            }
            text
        },
    )
}

struct Ground {
    scene: Scene,
}

impl Ground {
    fn new() -> Ground {
        let scene = Scene::empty();
        FILES.iter().for_each(|name| {
            scene.file(
                name,
                if name.ends_with("policy.yaml") {
                    "version: 1\n"
                } else {
                    "x"
                },
            )
        });
        for name in [
            "{home}/.ssh/id_rsa",
            "{home}/.bashrc",
            "{home}/notes.txt",
            "{outside}/other/x.txt",
            "{home}/.local/state/sayso/journal/x",
        ] {
            let path = PathBuf::from(scene.fill(name));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        std::os::unix::fs::symlink(&scene.workspace, scene.outside.join("link")).unwrap();
        let state = scene.state();
        std::fs::set_permissions(state, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .unwrap();
        Ground { scene }
    }

    /// What a sandbox permits under the policy of now; none if there is no sandbox for it.
    fn profile(&self) -> Option<Profile> {
        let loaded = self.scene.load();
        let settings = sayso_runtime::workbench::settings(&loaded.policy)?;
        let terms = settings.terms(self.scene.folder());
        let backend = Backend::named(Name::Bubblewrap)
            .or_else(|_| Backend::named(Name::Landlock))
            .ok()?;
        let workspace = &self.scene.workspace;
        let bounding = Bounding::new(self.scene.whereabouts(), &loaded.policy, settings);
        let profile = |name: &Path| {
            Some(
                bounding
                    .profile(backend.clone(), name, name, &terms)
                    .ok()?
                    .profile
                    .paths,
            )
        };
        let link = self.scene.outside.join("link");
        assert_eq!(
            profile(workspace),
            profile(&link),
            "by a link to the workspace another profile is made"
        );
        Some(
            bounding
                .profile(backend, workspace, workspace, &terms)
                .ok()?
                .profile,
        )
    }

    fn verdict(&self, tool: &str, path: &str) -> Verdict {
        let content = if tool == "file_read" {
            vec![]
        } else {
            vec![("content", Node::text("y"))]
        };
        let args = Node::map(std::iter::once(("path", Node::text(path))).chain(content));
        self.scene.judge(
            Call::new(tool, args, self.scene.folder()),
            &[],
            Run::Interactive,
        )
    }

    /// What is wrong with one path, if anything is.
    fn check(&self, profile: &Profile, path: &str) -> Option<String> {
        let level = profile.level(Path::new(path));
        let refuses = |verdict: &Verdict| {
            verdict.decision == Decision::Deny
                || verdict
                    .reasons
                    .iter()
                    .any(|reason| reason.must_ask && reason.decision == Decision::Ask)
        };
        // A folder cannot be written as a file, which is no word about what is in it.
        let is_folder = Path::new(path).is_dir();
        let git = path.contains("/.git/");
        // A protected name that is new cannot be kept out at every depth: it is taken away after the command, which has its own test.
        // A new file with the name of a secret holds only what the command wrote; the files that exist are hidden (`FILES` has some).
        let guarded = sayso_core::paths::protected(path, None).is_some()
            || sayso_core::paths::secret(path, None).is_some();
        // Where only reading is let through, a file that does not exist cannot come, so there is nothing to read.
        let absent = !Path::new(path).exists() && guarded;
        let newcomer = absent && level == Level::Write;
        if level == Level::Write && !is_folder && !git && !newcomer {
            let verdict = self.verdict("file_write", path);
            if refuses(&verdict) {
                return Some(format!(
                    "may write `{path}`, and the tools may not: {:?}",
                    verdict.reasons
                ));
            }
        }
        let environment = sayso_tools::terminal::scrubbed(std::env::vars_os());
        let tools = toolchains::of(Some(&self.scene.home), &environment);
        let needed = SYSTEM
            .iter()
            .any(|folder| Path::new(path).starts_with(folder))
            || tools
                .iter()
                .any(|(folder, _)| Path::new(path).starts_with(folder));
        if level >= Level::Read && !is_folder && !needed && !git && !absent {
            let verdict = self.verdict("file_read", path);
            if refuses(&verdict) {
                return Some(format!(
                    "may read `{path}`, and the tools may not: {:?}",
                    verdict.reasons
                ));
            }
        }
        let private = SCRATCH
            .iter()
            .any(|folder| Path::new(path) == Path::new(folder));
        (level == Level::Private
            && !private
            && !path.ends_with(".cache")
            && !path.contains("/.cache/")
            && path != self.scene.folder()
            && !path.starts_with(self.scene.folder())
            && !path.starts_with("/tmp"))
        .then(|| format!("`{path}` is private"))
    }
}

#[test]
fn o_01_the_sandbox_permits_nothing_that_the_tools_do_not() {
    let ground = Ground::new();
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(192);
    let (mut policies_seen, mut profiles, mut looked, mut permitted) = (0, 0, 0, 0);
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    });
    let extra = prop::collection::vec(
        "\\.?[a-z]{1,6}(\\.[a-z]{1,4})?(/\\.?[a-z]{1,6}(\\.[a-z]{1,4})?){0,2}",
        4,
    );
    let counts = std::cell::RefCell::new((
        &mut policies_seen,
        &mut profiles,
        &mut looked,
        &mut permitted,
    ));
    runner
        .run(&(policies(), extra), |(policy, extra)| {
            ground.scene.user_policy(&policy);
            let mut counts = counts.borrow_mut();
            *counts.0 += 1;
            // What is too broad to be bounded is refused: nothing is permitted then.
            let Some(profile) = ground.profile() else {
                return Ok(());
            };
            *counts.1 += 1;
            let named = FILES
                .iter()
                .map(|name| format!("{}/{name}", ground.scene.folder()));
            let places = PLACES.iter().map(|place| ground.scene.fill(place));
            let random = extra
                .iter()
                .map(|name| sayso_core::paths::join(ground.scene.folder(), name));
            for path in named.chain(places).chain(random) {
                *counts.2 += 1;
                *counts.3 += usize::from(profile.level(Path::new(&path)) >= Level::Read);
                if let Some(wrong) = ground.check(&profile, &path) {
                    return Err(TestCaseError::fail(format!(
                        "{wrong}\n{policy}\n{:#?}",
                        profile.paths
                    )));
                }
            }
            Ok(())
        })
        .unwrap();
    eprintln!(
        "never weaker: {policies_seen} policies, {profiles} profiles, {looked} paths looked up, {permitted} of them permitted, 0 weaker"
    );
    assert!(
        profiles > 20 && permitted > 100,
        "{profiles} profiles, {permitted} permitted: too little was tried"
    );
}

/// What the steps let through is what the profile does: the last mount above a path decides.
#[test]
fn the_plan_permits_what_the_profile_does() {
    let ground = Ground::new();
    let mut runner = TestRunner::new(Config {
        cases: 64,
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&policies(), |policy| {
            ground.scene.user_policy(&policy);
            let Some(profile) = ground.profile() else {
                return Ok(());
            };
            let steps = plan(&profile, &path_check::look(&profile));
            for path in FILES
                .iter()
                .map(|name| format!("{}/{name}", ground.scene.folder()))
                .chain(PLACES.iter().map(|place| ground.scene.fill(place)))
            {
                let (by_plan, by_profile) = (
                    by_steps(&steps, Path::new(&path)),
                    profile.level(Path::new(&path)),
                );
                // An empty folder of its own shows nothing of the machine either.
                let by_plan = if by_plan == Level::Private && by_profile == Level::Hidden {
                    Level::Hidden
                } else {
                    by_plan
                };
                prop_assert!(
                    by_plan <= by_profile,
                    "{path}: {by_plan:?} by the plan, {by_profile:?} by the profile\n{steps:#?}"
                );
                // What exists and is let through is there.
                if Path::new(&path).exists() && by_profile >= Level::Read {
                    prop_assert_eq!(by_plan, by_profile, "{}", path);
                }
            }
            Ok(())
        })
        .unwrap();
}

fn by_steps(steps: &[Step], path: &Path) -> Level {
    let mut level = Level::Hidden;
    for step in steps {
        let (at, then) = match step {
            Step::ReadOnly(at) | Step::StandIn(at) => (at, Level::Read),
            Step::Writable(at) | Step::Pinned(at) => (at, Level::Write),
            Step::Private(at) => (at, Level::Private),
            Step::HideFolder(at) | Step::HideFile(at) | Step::KeepAbsent(at) => (at, Level::Hidden),
            _ => continue,
        };
        if path.starts_with(at) {
            level = then;
        }
    }
    level
}
