//! Which files of a project make a program do something else than its words say, so that it only looks where none of them is.
//!
//! A line has the names of programs, a colon, and files that are looked for in the folder it runs in and in each above it. `FILE=TEXT`
//! counts only with that text in it, `FILE@` if it is a link (what it leads to may be shown where it cannot be read), and `FILE>go` if it names a newer Go than the one that is installed.

use sayso_core::fact::{Counts, Setting};

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
poetry: .poetry poetry.toml pyproject.toml=requires-plugins
bundle bundler: Gemfile Gemfile.lock gems.rb gems.locked .bundle
composer: composer.json
ansible ansible-playbook ansible-galaxy ansible-inventory ansible-config ansible-doc ansible-vault: ansible.cfg
mise rtx: mise.toml .mise.toml mise.local.toml .mise.local.toml mise .mise .config/mise .config/mise.toml .tool-versions
shellcheck: .shellcheckrc shellcheckrc
hadolint: .hadolint.yaml .hadolint.yml
yamllint: .yamllint .yamllint.yaml .yamllint.yml
";

/// The settings of a program; none if nothing in a project makes it do anything else.
pub(super) fn of(name: &str) -> Vec<Setting> {
    let line = SETTINGS.lines().filter_map(|line| line.split_once(':')).find(|(names, _)| names.split(' ').any(|other| other == name));
    line.map_or_else(Vec::new, |(_, files)| files.split_ascii_whitespace().map(setting).collect())
}

fn setting(written: &str) -> Setting {
    if let Some(file) = written.strip_suffix(">go") {
        return Setting { file: file.to_owned(), counts: Counts::WithNewerGo };
    }
    if let Some(file) = written.strip_suffix('@') {
        return Setting { file: file.to_owned(), counts: Counts::AsLink };
    }
    match written.split_once('=') {
        Some((file, text)) => Setting { file: file.to_owned(), counts: Counts::WithText(text.to_owned()) },
        None => Setting { file: written.to_owned(), counts: Counts::Always },
    }
}

#[cfg(test)]
mod tests {
    use sayso_core::fact::Counts;

    use super::of;

    #[test]
    fn a_program_has_the_settings_of_its_line() {
        let files = |name: &str| of(name).into_iter().map(|setting| (setting.file, setting.counts)).collect::<Vec<_>>();
        assert_eq!(files("mvn"), [(".mvn".to_owned(), Counts::Always)]);
        assert_eq!(files("go").first(), Some(&("go.mod".to_owned(), Counts::WithNewerGo)));
        assert!(files("yarn").contains(&("package.json".to_owned(), Counts::WithText("packageManager".to_owned()))));
        assert!(files("bundler") == files("bundle") && files("ls").is_empty() && files("").is_empty());
    }
}
