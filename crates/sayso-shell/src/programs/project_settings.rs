//! Which files of a project make a program do something else than its words say, so that it only looks where none of them is.
//!
//! A line has the names of programs, a colon, and files that are looked for in the folder it runs in and in each above it. `FILE=TEXT`
//! counts only with that text in it, `FILE&` if it is a database that is repaired by opening it, `FILE&&` if one of that name below is, `FILE@` if it is a link (what it leads to may be shown where it cannot be read), and `FILE>go` if it names a newer Go than the one that is installed.
//!
//! The second list has files that choose the program itself: what stands under such a name is often only a launcher (Corepack, Volta, rustup,
//! asdf, pyenv, tfenv), which runs or fetches what a file names. These count in every folder above and in the person's home, too.

use sayso_core::analysis::fact::{Counts, Setting};

const SETTINGS: &str = "
cargo: rust-toolchain rust-toolchain.toml .cargo/config .cargo/config.toml
rustc rustdoc rustfmt rustup clippy-driver cargo-clippy cargo-fmt cargo-miri rust-gdb rust-gdbgui rust-lldb rust-analyzer rls: rust-toolchain rust-toolchain.toml
go: go.mod>go go.work>go
npm: .npmrc package.json=workspaces package.json@ package-lock.json@ npm-shrinkwrap.json@ package.json=volta
yarn: .yarnrc .yarnrc.yml .corepack.env package.json=packageManager package.json=volta package.yaml package.json5
pnpm: package.json@ pnpm-lock.yaml@ .corepack.env package.yaml package.json5 .npmrc .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js pnpm-workspace.yaml package.json=packageManager package.json=pnpm
bun: bunfig.toml .npmrc package.json@
uv: pyproject.toml@ uv.toml@
docker docker-compose podman nerdctl: .env
docker-compose: pybuilddir.txt
mvn: .mvn
pyenv: .python-version@
rbenv: .ruby-version@
nodenv: .node-version@
jenv: .java-version@
goenv: .go-version@
nvm: .nvmrc@
fnm: .nvmrc@ .node-version@
volta: package.json@
asdf: .tool-versions@
tofu terraform: .opentofu-version .terraform-version .tool-versions
gradle: gradle.properties gradle/gradle-daemon-jvm.properties
dotnet: global.json
svn: .svn/wc.db& .svn/wc.db&& .svn@
poetry: .poetry poetry.toml pyproject.toml=requires-plugins
bundle bundler: Gemfile Gemfile.lock gems.rb gems.locked .bundle
composer: composer.json
ansible ansible-playbook ansible-galaxy ansible-inventory ansible-config ansible-doc ansible-vault: ansible.cfg
mise rtx: mise.toml .mise.toml mise.local.toml .mise.local.toml mise .mise .config/mise .config/mise.toml .tool-versions
shellcheck: .shellcheckrc shellcheckrc
hadolint: .hadolint.yaml .hadolint.yml
yamllint: .yamllint .yamllint.yaml .yamllint.yml
";

const LAUNCHERS: &str = "
yarn yarnpkg: .yarnrc.yml=yarnPath .yarnrc.yml=plugins .yarnrc=yarn-path .yarnrc=yarnPath .yarn/config=yarn-path .config/yarn/config=yarn-path
yarn yarnpkg: etc/yarnrc=yarn-path etc/yarn/config=yarn-path
yarn yarnpkg pnpm pnpx: package.json=packageManager package.json=devEngines .corepack.env
npm npx: package.json=\"npm@
node nodejs npm npx yarn yarnpkg pnpm pnpx tsc eslint prettier: package.json=volta .node-version=..
node nodejs npm npx yarn yarnpkg pnpm pnpx tsc eslint prettier: .tool-versions=path: mise.toml=path .mise.toml=path mise.local.toml=path .mise.local.toml=path mise/config.toml=path .mise/config.toml=path .config/mise/config.toml=path: .rtx.toml=path .config/mise.toml=path
cargo rustc rustdoc rustfmt rustup clippy-driver cargo-clippy cargo-fmt cargo-miri rust-gdb rust-gdbgui rust-lldb rust-analyzer rls: rust-toolchain rust-toolchain.toml
go gofmt: go.mod>go go.work>go .config/go/env=GOTOOLCHAIN .go-version=..
python python2 python3 pypy pypy3 pip pip3 pipx poetry pre-commit virtualenv black ruff mypy: .python-version=..
ruby gem rake bundle bundler: .ruby-version=.. .rbenv-version=..
bundle bundler: Gemfile Gemfile.lock gems.rb gems.locked .bundle/config=GEMFILE
java javac kotlin kotlinc scala scalac groovy mvn gradle: .java-version=..
mvn: .mvn/jvm.config .mvn/maven.config .mvn/extensions.xml .mavenrc
gradle: .gradle/gradle.properties=java.home .gradle/gradle.properties=javaagent
terraform: .terraform-version .tool-versions=terraform
tofu: .opentofu-version .terraform-version .tool-versions=tofu
dotnet: global.json
perl php lua luajit julia ghc nim dart zig erl elixir iex mix deno bun swift ocaml opam stack cabal: .tool-versions=path: mise.toml=path .mise.toml=path mise.local.toml=path .mise.local.toml=path mise/config.toml=path .mise/config.toml=path .config/mise/config.toml=path: .rtx.toml=path
python python2 python3 pip pip3 poetry ruby gem rake bundle bundler java javac mvn gradle go gofmt: .tool-versions=path: mise.toml=path .mise.toml=path mise.local.toml=path .mise.local.toml=path mise/config.toml=path .mise/config.toml=path .config/mise/config.toml=path: .rtx.toml=path
kubectl helm terraform tofu just task aws gcloud kind k9s minikube hugo jq yq cmake: .tool-versions=path: mise.toml=path .mise.toml=path mise.local.toml=path .mise.local.toml=path mise/config.toml=path .mise/config.toml=path .config/mise/config.toml=path: .rtx.toml=path
perl: .perl-version=..
php: .php-version=..
lua luajit: .lua-version=..
swift: .swift-version=..
julia: .julia-version=..
erl: .erlang-version=..
kubectl: .kubectl-version=..
helm: .helm-version=..
";

/// The settings of a program; none if nothing in a project makes it do anything else.
pub(super) fn of(name: &str) -> Vec<Setting> {
    lines(SETTINGS, name)
        .map(|file| setting(file, false))
        .chain(launchers(name))
        .collect()
}

/// What must hold of a database that a program is to look at.
pub(super) fn of_database(name: &str) -> Vec<Setting> {
    vec![Setting {
        file: name.to_owned(),
        counts: Counts::Repaired,
        everywhere: false,
    }]
}

/// The files that choose which program stands behind a name, whatever its words are.
pub(super) fn launchers(name: &str) -> impl Iterator<Item = Setting> {
    lines(LAUNCHERS, name).map(|file| setting(file, true))
}

/// A file that counts in the folder it runs in, and above.
pub(super) fn in_folder(file: &str) -> Setting {
    Setting {
        file: file.to_owned(),
        counts: Counts::Always,
        everywhere: false,
    }
}

/// The files of all lines that have this name.
fn lines(list: &'static str, name: &str) -> impl Iterator<Item = &'static str> {
    let name = if name.starts_with("python3.") {
        "python3"
    } else {
        name
    };
    let lines = list.lines().filter_map(|line| line.split_once(": "));
    lines
        .filter(move |(names, _)| names.split(' ').any(|other| other == name))
        .flat_map(|(_, files)| files.split_ascii_whitespace())
}

fn setting(written: &str, everywhere: bool) -> Setting {
    let (file, counts) = if let Some(file) = written.strip_suffix(">go") {
        (file, Counts::WithNewerGo)
    } else if let Some(file) = written.strip_suffix("&&") {
        (file, Counts::RepairedBelow)
    } else if let Some(file) = written.strip_suffix('&') {
        (file, Counts::Repaired)
    } else if let Some(file) = written.strip_suffix('@').filter(|file| !file.contains('=')) {
        (file, Counts::AsLink)
    } else if let Some((file, text)) = written.split_once('=') {
        (file, Counts::WithText(text.to_owned()))
    } else {
        (written, Counts::Always)
    };
    Setting {
        file: file.to_owned(),
        counts,
        everywhere,
    }
}

#[cfg(test)]
mod tests {
    use sayso_core::analysis::fact::Counts;

    use super::{LAUNCHERS, SETTINGS, launchers, of};

    #[test]
    fn a_program_has_the_settings_of_its_line() {
        let files = |name: &str| {
            of(name)
                .into_iter()
                .map(|setting| (setting.file, setting.counts))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            files("mvn").first(),
            Some(&(".mvn".to_owned(), Counts::Always))
        );
        assert!(files("npm").contains(&(
            "package.json".to_owned(),
            Counts::WithText("\"npm@".to_owned())
        )));
        assert_eq!(
            files("go").first(),
            Some(&("go.mod".to_owned(), Counts::WithNewerGo))
        );
        assert!(files("yarn").contains(&(
            "package.json".to_owned(),
            Counts::WithText("packageManager".to_owned())
        )));
        assert!(
            files("bundler") == files("bundle") && files("ls").is_empty() && files("").is_empty()
        );
        assert_eq!(of("python3.12"), of("python3"));
        assert!(
            launchers("yarn").all(|setting| setting.everywhere)
                && !of("mvn").first().unwrap().everywhere
        );
    }

    #[test]
    fn every_line_has_names_and_files() {
        for line in SETTINGS
            .lines()
            .chain(LAUNCHERS.lines())
            .filter(|line| !line.is_empty())
        {
            assert!(
                line.split_once(": ")
                    .is_some_and(|(names, files)| !names.contains(':') && !files.is_empty()),
                "{line}"
            );
        }
    }
}
