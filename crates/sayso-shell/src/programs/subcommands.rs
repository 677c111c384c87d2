//! Programs with subcommands (package managers, builders, containers, clouds): all ask, and the note says what each would do.
//!
//! A row has the names of programs, the subcommands it speaks of, what these do, and the note for the person. A subcommand of two words
//! is written `image/ls`; a row without subcommands speaks of all others. The first row that fits counts, so the worst stands first.

use std::sync::LazyLock;

use sayso_core::analysis::fact::HOME;

use super::effect_builder::Scene;
use super::option_notes::{by_option, speaks};
use super::queries;
use crate::parse::name_map::QuickMap;
use crate::parse::options::Parsed;

/// What a subcommand does, as far as a rule must tell it apart.
#[derive(Clone, Copy)]
enum Does {
    /// Something that a rule for the command covers.
    Runs,
    /// The same, and it talks to this place.
    Asks(&'static str),
    /// Acts in the person's name at this place.
    AsYou(&'static str),
    /// Runs any command that its words say.
    Commands,
}
use Does::{AsYou, Asks, Commands, Runs};

type Row = (&'static str, &'static str, Does, &'static str);

const REGISTRY: Does = Asks("the package registry");
const REGISTRY_AS_YOU: Does = AsYou("the package registry");
const INSTALLS: &str = "installs packages, which may run their code";
const PUBLISHES: &str = "reaches the package registry as you";
const PROJECT: &str = "runs the project's own code";
const BUILDS: &str = "builds, which runs the project's build scripts";
const SYSTEM: &str = "changes the packages of the system";

const ROWS: &[Row] = &[
    (
        "nx lerna turbo stack cabal nix flatpak snap ansible",
        "exec run shell develop tool",
        Commands,
        "runs any program",
    ),
    (
        "npm pnpm yarn bun",
        "exec x dlx explore",
        Commands,
        "runs any program",
    ),
    (
        "npm pnpm yarn bun",
        "publish unpublish login logout token adduser owner access deprecate dist-tag",
        REGISTRY_AS_YOU,
        PUBLISHES,
    ),
    (
        "npm pnpm yarn bun",
        "install i ci add update up upgrade link import rebuild prune dedupe",
        REGISTRY,
        "installs packages (npm registry), which may run their code",
    ),
    (
        "npm pnpm yarn bun",
        "uninstall remove rm un",
        Runs,
        "removes packages, and may run their code",
    ),
    (
        "npm pnpm yarn bun",
        "view info show search outdated audit ping",
        REGISTRY,
        "reads from the package registry",
    ),
    (
        "npm pnpm yarn bun",
        "ls list ll why explain root prefix bin",
        Runs,
        "lists packages, by settings that the project may hold",
    ),
    (
        "npm pnpm",
        "config get set",
        Runs,
        "shows or changes settings, which may hold tokens",
    ),
    (
        "npm pnpm bun",
        "",
        Runs,
        "runs the project's own code (scripts in package.json)",
    ),
    (
        "yarn",
        "",
        Asks("the package registry"),
        "installs packages or runs the project's own code (scripts in package.json)",
    ),
    (
        "corepack",
        "",
        Commands,
        "downloads a package manager and runs it",
    ),
    (
        "uv pipx poetry pdm hatch conda mamba pipenv",
        "run runpip tool/run",
        Commands,
        "runs any program",
    ),
    (
        "poetry uv pdm hatch gem conda",
        "publish upload push login owner",
        REGISTRY_AS_YOU,
        PUBLISHES,
    ),
    (
        "pip pip3 pipx uv poetry pdm pipenv",
        "install add sync update upgrade download wheel lock inject pip/install",
        REGISTRY,
        "installs packages (PyPI), which may run their code",
    ),
    (
        "pip pip3 pipx uv poetry pdm pipenv",
        "uninstall remove pip/uninstall",
        Runs,
        "removes packages",
    ),
    (
        "pip pip3 pipx uv poetry pdm pipenv hatch",
        "",
        Runs,
        "works on Python packages, and may run their code",
    ),
    (
        "conda mamba",
        "install create update upgrade remove env/create",
        Asks("the package channel"),
        INSTALLS,
    ),
    ("conda mamba", "", Runs, "works on Python environments"),
    (
        "gem",
        "install update fetch",
        REGISTRY,
        "installs packages (rubygems), which may run their code",
    ),
    ("gem", "owner", REGISTRY_AS_YOU, PUBLISHES),
    ("gem", "", Runs, "works on Ruby packages"),
    ("bundle bundler", "exec", Commands, "runs any program"),
    (
        "bundle bundler",
        "install update add lock",
        REGISTRY,
        "installs packages (rubygems), which may run their code",
    ),
    (
        "bundle bundler",
        "",
        Runs,
        "runs the project's Gemfile, which is code",
    ),
    ("composer", "exec global/exec", Commands, "runs any program"),
    (
        "composer",
        "install update require create-project",
        REGISTRY,
        "installs packages (packagist), which may run their code",
    ),
    ("composer", "", Runs, PROJECT),
    (
        "apt apt-get aptitude dnf yum zypper",
        "install reinstall upgrade dist-upgrade full-upgrade update localinstall groupinstall in up",
        Asks("the package archive"),
        "installs packages of the system, and runs their scripts",
    ),
    (
        "apt apt-get aptitude dnf yum zypper",
        "remove purge autoremove erase",
        Runs,
        "removes packages of the system",
    ),
    (
        "apt apt-get aptitude dnf yum zypper",
        "list show search info policy changelog",
        Asks("the package archive"),
        "reads about packages of the system",
    ),
    (
        "apt apt-get aptitude dnf yum zypper",
        "",
        Asks("the package archive"),
        SYSTEM,
    ),
    (
        "apk pacman snap flatpak nix-env nix emerge",
        "",
        Asks("the package archive"),
        SYSTEM,
    ),
    ("dpkg rpm apt-cache apt-mark dpkg-query", "", Runs, SYSTEM),
    (
        "brew",
        "list ls info search deps leaves outdated",
        Runs,
        "lists packages; brew itself is code of its taps",
    ),
    ("brew", "", Asks("the package archive"), INSTALLS),
    (
        "cargo",
        "search info",
        REGISTRY,
        "asks about packages (crates.io)",
    ),
    (
        "cargo",
        "install add update fetch",
        REGISTRY,
        "installs packages (crates.io), which may run their code",
    ),
    (
        "cargo",
        "publish login logout yank owner",
        REGISTRY_AS_YOU,
        PUBLISHES,
    ),
    (
        "cargo",
        "test t bench run r nextest",
        Runs,
        "builds and runs the project's own code",
    ),
    (
        "cargo",
        "build b check c clippy doc d fix rustc",
        Runs,
        "builds, which runs the project's build scripts and macros",
    ),
    ("cargo", "fmt", Runs, "rewrites the project's source files"),
    ("cargo", "clean", Runs, "deletes what was built"),
    (
        "cargo rustc rustfmt rustdoc clippy-driver",
        "",
        Runs,
        "runs a Rust tool; rustup takes the one that the project names",
    ),
    (
        "rustup",
        "update install toolchain/install component/add target/add",
        Asks("static.rust-lang.org"),
        "installs Rust tools",
    ),
    ("rustup", "run", Commands, "runs any program"),
    (
        "rustup",
        "",
        Runs,
        "runs or changes the Rust tools of this machine",
    ),
    (
        "go",
        "get install mod/download mod/tidy",
        REGISTRY,
        "installs packages, which may run their code",
    ),
    (
        "go",
        "run",
        Runs,
        "builds and runs the code that its words name",
    ),
    (
        "go",
        "generate tool",
        Runs,
        "builds and runs the project's own code",
    ),
    (
        "go",
        "test bench",
        Runs,
        "builds and runs the project's own tests",
    ),
    (
        "go",
        "build vet list mod work",
        Runs,
        "builds, by settings that the project may hold",
    ),
    ("go gofmt", "", Runs, "works on the project's own code"),
    (
        "make gmake ninja just rake ant scons",
        "",
        Runs,
        "runs the project's own code (what its build file says)",
    ),
    (
        "cmake meson bazel bazelisk buck2 gradle mvn sbt lein mix stack cabal ctest cpack",
        "",
        Runs,
        BUILDS,
    ),
    ("dotnet", "add restore tool", REGISTRY, INSTALLS),
    (
        "dotnet swift swiftc xcodebuild flutter dart",
        "",
        Runs,
        BUILDS,
    ),
    (
        "pytest tox nox jest vitest mocha ava karma cypress playwright phpunit rspec behave",
        "",
        Runs,
        "runs the project's own code (its tests)",
    ),
    (
        "tsc eslint prettier biome stylelint webpack vite rollup esbuild turbo nx lerna",
        "",
        Runs,
        "runs the project's own code (its settings are code)",
    ),
    (
        "black ruff isort autopep8 yapf rubocop gofumpt clang-format clang-tidy shfmt",
        "",
        Runs,
        "checks or rewrites the project's source files",
    ),
    (
        "mypy pyright pylint flake8 shellcheck golangci-lint staticcheck",
        "",
        Runs,
        "checks the project's source files, with plugins that it names",
    ),
    (
        "pre-commit husky lint-staged",
        "",
        Runs,
        "runs the project's own checks",
    ),
    (
        "gcc g++ cc c++ clang clang++ ld javac ghc nim zig ocaml",
        "",
        Runs,
        "compiles, and writes what it makes",
    ),
    (
        "docker podman nerdctl docker-compose",
        "exec run compose/exec compose/run container/exec container/run",
        Commands,
        "starts a container, or runs any command in one",
    ),
    (
        "docker podman nerdctl docker-compose",
        "ps images logs inspect version info top stats port diff history events container/ls container/inspect container/logs image/ls image/inspect volume/ls network/ls system/df system/info compose/ps compose/logs compose/ls compose/config compose/images context/ls",
        Runs,
        "reads from the docker daemon",
    ),
    (
        "docker podman nerdctl docker-compose",
        "push login logout",
        AsYou("the image registry"),
        "reaches the image registry as you",
    ),
    (
        "docker podman nerdctl docker-compose",
        "pull search compose/pull",
        Asks("the image registry"),
        "downloads an image",
    ),
    (
        "docker podman nerdctl docker-compose",
        "build buildx compose/build image/build",
        Runs,
        "builds an image, which runs what its Dockerfile says",
    ),
    (
        "docker podman nerdctl docker-compose",
        "rm rmi prune system/prune volume/rm image/rm container/rm image/prune volume/prune compose/rm compose/down down",
        Runs,
        "removes containers, images or their data",
    ),
    (
        "docker podman nerdctl docker-compose",
        "",
        Commands,
        "changes or starts containers",
    ),
    (
        "kubectl oc",
        "exec run debug attach cp plugin edit",
        Commands,
        "runs any command in the cluster",
    ),
    (
        "kubectl oc",
        "get describe logs top explain api-resources api-versions cluster-info version auth/can-i rollout/status rollout/history diff events wait",
        Asks("the cluster"),
        "reads the cluster (network)",
    ),
    (
        "kubectl oc",
        "config",
        Runs,
        "shows or changes which cluster is used",
    ),
    (
        "kubectl oc",
        "",
        AsYou("the cluster"),
        "changes the cluster",
    ),
    (
        "helm",
        "list ls status get history search show",
        Asks("the cluster"),
        "reads the cluster or a chart (network)",
    ),
    (
        "helm",
        "",
        AsYou("the cluster"),
        "changes the cluster, or runs what a chart says",
    ),
    (
        "terraform tofu terragrunt",
        "apply destroy import taint untaint state force-unlock",
        AsYou("the cloud"),
        "changes the infrastructure",
    ),
    (
        "terraform tofu terragrunt",
        "init get",
        Asks("the provider registry"),
        "installs providers, which run as programs",
    ),
    (
        "terraform tofu terragrunt",
        "plan refresh show output validate fmt graph console providers workspace",
        Asks("the cloud"),
        "reads the infrastructure, by providers that run as programs",
    ),
    (
        "terraform tofu terragrunt pulumi cdk serverless sls",
        "",
        AsYou("the cloud"),
        "changes the infrastructure",
    ),
    (
        "ansible ansible-playbook",
        "",
        Commands,
        "runs commands on other machines",
    ),
    (
        "aws gcloud az doctl heroku fly flyctl railway",
        "run ssh ssm exec console",
        Commands,
        "runs any command in the cloud",
    ),
    (
        "gh glab",
        "api",
        AsYou("the code host"),
        "calls the code host's interface as you",
    ),
    (
        "gh glab",
        "auth secret variable ssh-key gpg-key",
        AsYou("the code host"),
        "works on your keys and secrets",
    ),
    (
        "gh glab",
        "pr/list pr/view pr/status pr/diff pr/checks issue/list issue/view issue/status repo/view repo/list run/list run/view release/list release/view search mr/list mr/view status workflow/list workflow/view",
        Asks("the code host"),
        "reads from the code host (network)",
    ),
    (
        "gh glab",
        "",
        AsYou("the code host"),
        "changes something at the code host, or runs an extension",
    ),
    (
        "aws gcloud az doctl heroku fly flyctl vercel netlify wrangler firebase supabase railway",
        "",
        AsYou("the cloud"),
        "reaches the cloud as you",
    ),
    ("redis-cli", "", Commands, "sends commands to a database"),
    (
        "psql mysql mariadb mongosh mongo sqlcmd",
        "",
        Commands,
        "runs statements in a database, and commands of the shell from there",
    ),
    (
        "sqlite3 duckdb",
        "",
        Commands,
        "runs statements in a database file, and commands of the shell from there",
    ),
    (
        "pg_dump mysqldump pg_restore mongodump",
        "",
        Asks("the database"),
        "copies a database",
    ),
    (
        "gpg gpg2 ssh-add ssh-copy-id security keychain bw vault",
        "",
        Runs,
        "works on your keys and secrets",
    ),
    (
        "ssh-agent crontab at systemd-run launchctl",
        "",
        Commands,
        "makes commands run later, or with your keys",
    ),
    (
        "useradd usermod userdel groupadd passwd chpasswd visudo adduser deluser",
        "",
        Runs,
        "changes who may use this machine",
    ),
    (
        "modprobe insmod rmmod swapoff umount losetup cryptsetup lvm vgremove lvremove zfs zpool mdadm hdparm",
        "",
        Runs,
        "changes the machine itself",
    ),
    (
        "iptables ip6tables nft ufw firewall-cmd pfctl",
        "",
        Runs,
        "changes the firewall",
    ),
    (
        "reboot shutdown halt poweroff telinit",
        "",
        Runs,
        "stops the machine",
    ),
    (
        "hostnamectl timedatectl localectl loginctl stty ldconfig sw_vers xcode-select",
        "",
        Runs,
        "may change the settings of the machine",
    ),
    (
        "open xdg-open subl",
        "",
        Commands,
        "opens something with another program",
    ),
    (
        "yq dasel",
        "",
        Runs,
        "reads data, and may change files in place",
    ),
    (
        "colordiff zdiff bzdiff xzdiff",
        "",
        Runs,
        "compares files and whole folders by another program",
    ),
    ("ldd", "", Runs, "may run the file that it looks at"),
    ("nginx redis-server", "", Runs, "starts a server"),
    (
        "m4 dc gnuplot ed ex rlwrap expect",
        "",
        Commands,
        "runs whatever its input says",
    ),
    (
        "pandoc ffmpeg convert magick exiftool",
        "",
        Runs,
        "reads and writes files that its words name",
    ),
];

fn rows() -> &'static QuickMap<&'static str, Vec<&'static Row>> {
    static BY_NAME: LazyLock<QuickMap<&str, Vec<&Row>>> = LazyLock::new(|| {
        let mut by_name: QuickMap<&str, Vec<&Row>> =
            QuickMap::with_capacity_and_hasher(512, Default::default());
        for row in ROWS {
            for name in row.0.split_ascii_whitespace() {
                by_name.entry(name).or_default().push(row);
            }
        }
        by_name
    });
    &BY_NAME
}

/// The names of all programs in the table, and whether they may run their words. Those that may stand first.
pub(super) fn names() -> impl Iterator<Item = (&'static str, bool)> {
    let of_rows = |runs_words: bool| {
        let rows = ROWS
            .iter()
            .filter(move |row| matches!(row.2, Commands) == runs_words);
        rows.flat_map(|row| row.0.split_ascii_whitespace())
            .map(move |name| (name, runs_words))
    };
    of_rows(true)
        .chain(of_rows(false))
        .chain(queries::names().map(|name| (name, false)))
}

/// Whether there are rows for a program.
pub(super) fn knows(name: &str) -> bool {
    rows().contains_key(name)
}

/// Lists what a program of the table does.
pub(super) fn meaning(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if queries::only_prints(scene, &parsed.operands) {
        return;
    }
    // An option may have a value, so the subcommand is one of the first few words.
    let words: Vec<&str> = parsed
        .operands
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-') && !word.starts_with('+'))
        .take(3)
        .collect();
    let rows = rows()
        .get(scene.name.as_str())
        .map_or(&[][..], Vec::as_slice);
    let Some((_, _, does, note)) = rows.iter().find(|row| {
        row.1.is_empty()
            || row
                .1
                .split_ascii_whitespace()
                .any(|form| speaks(form, &words))
    }) else {
        let note = format!("this form of `{}` is not known", scene.name);
        return scene.unknown(note);
    };
    let note = &by_option(scene.name.as_str(), &parsed.operands).unwrap_or(note);
    if matches!(does, Runs | Asks(_)) {
        // A rule for `cargo test *` is for this project: words that lead to another one, or to another place, are looked at as paths.
        parsed
            .operands
            .iter()
            .flat_map(|word| leading_out(word))
            .for_each(|path| scene.read(path, false));
    }
    match does {
        Runs => scene.runs(*note),
        Asks(place) => {
            scene.connect(place);
            scene.runs(*note);
        }
        AsYou(place) => {
            scene.connect(place);
            scene.runs(*note);
        }
        Commands => {
            scene.interprets = true;
            scene.unknown(*note);
        }
    }
}

/// The paths in a word that do not start in the current folder: by itself, behind `=` (`--prefix=/x`), or behind an option's letter (`-I/x`).
pub(super) fn leading_out(word: &str) -> impl Iterator<Item = &str> {
    let letter = word
        .strip_prefix('-')
        .and_then(|rest| rest.strip_prefix(|letter: char| letter.is_ascii_alphabetic()));
    let pieces = word.split('=').map(|piece| piece.trim_matches(['"', '\'']));
    pieces
        .chain(letter)
        .filter(|piece| piece.starts_with(['/', HOME]) || piece.split('/').any(|part| part == ".."))
}

#[cfg(test)]
mod tests {
    use super::{ROWS, rows};

    #[test]
    fn every_program_has_a_row_for_the_rest_and_nothing_after_it() {
        for (name, rows) in rows() {
            let rest = rows.iter().position(|row| row.1.is_empty());
            assert!(rest.is_none_or(|at| at + 1 == rows.len()), "{name}");
            assert!(rest.is_some(), "{name}");
        }
        assert!(
            ROWS.iter()
                .all(|row| !row.0.is_empty() && !row.3.is_empty())
        );
    }
}
