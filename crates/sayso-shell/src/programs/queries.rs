//! Commands that only print something about a program or a machine, written out word by word.
//!
//! A line has the names of programs, a colon, and the forms parted by `|`. `WORD` stands for one plain word, `FORMULA` for a name of
//! Homebrew, `WORDS` for any number of plain words at the end. A new query is a few words here.
//!
//! Where files of the project decide what a program runs, the form counts only without them (see [`super::settings`]). Not here, since that
//! cannot be told by a file: `bazel` (`tools/bazel`, and it may be fetched), `pytest`, `tox`, `flake8` and `pylint` (plugins and start-up
//! code), `jest` and its like (the version in `node_modules` answers), `az` (some start Python with the folder's modules first), `ctags`
//! (`.ctags.d`), and what fetches the program first: `scala --version`. Options of the tables elsewhere (`ls --version`) need no line here.

use std::sync::LazyLock;

use super::{settings, told};
use crate::names::QuickMap;
use crate::scene::Scene;

const QUERIES: &str = "
python python2 python3 pypy pypy3: --version | -V | --help
node nodejs: --version | -v | --help
npm npx: --version | -v
npm: --help | -h | help
yarn pnpm: --version | -v
pnpm: root | root -g | bin | bin -g | store path
deno bun: --version | -V | -v
bun: pm bin | pm bin -g
nvm: --version | -v | ls | list | current | which WORD
fnm: --version | -V | ls | list | current
volta: --version | -v | list | ls
pyenv rbenv nodenv jenv goenv: --version | -v | versions | version | global | root | which WORD
asdf: --version | version | current | current WORD | list | list WORD
mise rtx: ls | list | current | version
cargo: --version | -V | -vV | --version --verbose | --list | --help | -h | locate-project | version | fmt --version | clippy --version
clippy-driver: --version | -V
rustc: --version | -V | -vV | --version --verbose | --help | -h | --print WORD | --explain WORD
rustdoc rustfmt: --version | -V
rustup: --version | -V | show | show active-toolchain | show home | show profile | toolchain list | toolchain list -v | target list
rustup: target list --installed | component list | component list --installed | which WORD
go: version | env | env WORDS | env -json | help | help WORDS
mvn gradle: --version | -v
poetry: --version | -V | about
bundle bundler: --version | -v
composer: --version | -V
pre-commit: --version | -V
ruby: --version | -v
perl: --version | -v
php: --version | -v | -m | --ini
lua luajit: -v
julia: --version | -v
R Rscript ghc nim dart swift swiftc: --version
ocaml: -version
zig: version
java javac: -version | --version
gofmt: --help
gcc g++ cc c++ clang clang++: --version | -v | -dumpversion | -dumpmachine | --help
ld: --version
make gmake: --version | -v | --help
cmake ctest cpack: --version | -version | --help
ninja meson: --version
just: --version | -V
rake: --version | -V
tsc: --version | -v
eslint prettier: --version | -v
black ruff mypy: --version
ruff: version | rule WORD | linter
nvcc: --version | -V
dotnet: --list-sdks | --list-runtimes | --version | --info
pip pip3: --version | -V | show WORD
pipx uv uvx: --version
conda mamba: --version | -V
gem: --version | -v | list | env gemdir | env gempath | env home | env version | env platform | environment gemdir
brew: --version | -v | --prefix | --prefix FORMULA | --cellar | --cellar FORMULA | --repository
apt apt-get apt-cache: --version | -v
apt: list | list --installed | list --upgradable | list WORD | list --installed WORD | show WORDS | search WORDS | policy WORDS
apt-cache: show WORDS | showpkg WORDS | search WORDS | policy WORDS | madison WORDS | depends WORDS | rdepends WORDS | stats | pkgnames
dpkg: --version | -l WORDS | --list WORDS | -L WORDS | --listfiles WORDS | -s WORDS | --status WORDS | -S WORDS | --search WORDS
dpkg: --print-architecture | --get-selections
dpkg-query: -l WORDS | --list WORDS | -L WORDS | -s WORDS | -S WORDS | -W WORDS | --show WORDS
rpm: --version | --help
dnf yum: --version
pacman: --version | -V | -Q WORDS | -Qi WORDS | -Ql WORDS | -Qs WORDS | -Qe | -Qm | -Qo WORDS | -Qdt
apk: --version | info | info WORDS | list WORDS
docker: --version | -v | compose version
podman docker-compose: --version
kubectl: version --client | version --client=true
helm: version | version --short
vagrant: --version | -v
ansible ansible-playbook ansible-galaxy ansible-inventory ansible-config ansible-doc ansible-vault: --version
aws: --version
gcloud: version | --version
terraform: -version | --version
aws: configure list-profiles
k9s: version
nix: --version
code codium: --version | -v
gh: --version | version
glab: --version
psql mysql mariadb: --version | -V
sqlite3: --version | -version
redis-cli redis-server: --version | -v
mongosh: --version
nginx: -v
screen: --version | -v | -ls | -list
ssh: -V
curl wget: --version | -V
openssl: version | version -a
gpg: --version
tmux: -V | ls | list-sessions
vim vi nvim emacs: --version
bash zsh fish sh dash: --version
systemctl journalctl: --version
hostnamectl localectl: status
timedatectl: status | show | list-timezones | timesync-status
localectl: list-locales | list-keymaps
loginctl: list-sessions | list-users | list-seats
stty: -a | size | speed
ldconfig: -p
taskset: -p WORD | -pc WORD | -cp WORD
chrt: -p WORD | -m | --max
numactl: -H | --hardware | -s | --show
prlimit: -p WORD
gdb lldb valgrind clang-format clang-tidy cppcheck cpplint shfmt hadolint ccache sccache distcc bison flex m4 autoconf automake libtool gcov as protoc buf flatc: --version
strace ltrace: -V | --version
kotlinc kotlin scalac groovy erl: -version | --version
elixir iex mix: --version | -v
virtualenv pipx hyperfine jless delta fzf tig lazygit htop btop pandoc gnuplot tesseract mkdocs sphinx-build pdflatex xelatex lualatex: --version
ffmpeg ffprobe convert magick identify: -version | --version
exiftool: -ver
dot neato: -V
hugo: version
nasm: -v | --version
sbcl guile racket opam dune stack cabal ghcup octave scheme nu ksh zellij nano micro hx: --version
duckdb mongod postgres mysqld etcd: --version
restic borg: version
age starship zoxide atuin fnm earthly task gitleaks trivy k6: --version
kind k3d minikube: version
qemu-img: --version
apachectl apache2ctl httpd: -v | -V
man: -k WORDS | -f WORDS | -w WORD | --version
sw_vers: -productVersion | -buildVersion | -productName
xcode-select: -p | --version
";

/// Forms without any word; these cannot stand in a line above.
const ALONE: [&str; 7] = ["hostnamectl", "timedatectl", "localectl", "loginctl", "sw_vers", "stty", "prlimit"];

/// The forms of every program.
fn forms() -> &'static QuickMap<&'static str, Vec<&'static str>> {
    static FORMS: LazyLock<QuickMap<&str, Vec<&str>>> = LazyLock::new(|| {
        let mut forms: QuickMap<&str, Vec<&str>> = QuickMap::with_capacity_and_hasher(256, Default::default());
        for (names, list) in QUERIES.lines().filter_map(|line| line.split_once(':')) {
            for name in names.split_ascii_whitespace() {
                forms.entry(name).or_default().extend(list.split('|').map(str::trim));
            }
        }
        forms
    });
    &FORMS
}

/// The programs that there are queries of.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let listed = QUERIES.lines().filter_map(|line| line.split_once(':')).flat_map(|(names, _)| names.split_ascii_whitespace());
    listed.chain(ALONE)
}

/// Whether these words make the program print something and nothing else, where no setting of the project says otherwise.
pub(super) fn only_prints(scene: &mut Scene<'_>, words: &[&str]) -> bool {
    let prints = is_query(&scene.name, words);
    if prints && !looks_at_no_setting(&scene.name, words) {
        scene.bind(".", settings::of(&scene.name), "runs what the project names");
    }
    prints
}

/// What is answered before any setting is read.
fn looks_at_no_setting(name: &str, words: &[&str]) -> bool {
    matches!((name, words), ("npm" | "bun" | "docker", ["--version" | "-v"]) | ("dotnet", ["--list-sdks" | "--list-runtimes"]))
}

/// Programs that change something by other words, and read no setting before they tell of themselves.
const STANDARD: &str = "
tar rsync env xargs find sed gawk cp mv rm mkdir rmdir ln touch chmod chown chgrp install dd truncate tee split mktemp timeout stdbuf nice
zip unzip gzip bzip2 xz zstd patch
";

/// Whether a program that only looks, whatever it is told, is asked for nothing but its help or its version, or a standard one is.
///
/// Of all others many read settings of the folder first, or start the copy that the project has, so that each of them needs a line above.
pub(crate) fn tells_about_itself(scene: &mut Scene<'_>, words: &[&str]) -> bool {
    let standard = || STANDARD.split_ascii_whitespace().any(|name| name == scene.name);
    let tells = matches!(words, ["--help" | "--version"]) && (standard() || told::only_looks(&scene.name));
    if tells {
        scene.settle();
        scene.bind(".", settings::of(&scene.name), "runs what the project names");
    }
    tells
}

/// Whether these words are one of the forms.
fn is_query(name: &str, words: &[&str]) -> bool {
    if words.is_empty() {
        return ALONE.contains(&name);
    }
    // Most take a word with a slash for a file; these look it up in their own lists.
    let by_path = matches!(name, "dpkg" | "dpkg-query" | "pacman");
    if !by_path && words.iter().any(|word| word.contains('/')) {
        return false;
    }
    // A name with a version is the same program.
    let name = if name.starts_with("python3.") { "python3" } else { name };
    forms().get(name).is_some_and(|forms| forms.iter().any(|form| fits(form, words)))
}

fn fits(form: &str, words: &[&str]) -> bool {
    let mut given = words.iter();
    for part in form.split_ascii_whitespace() {
        let fits = match part {
            "WORDS" => return given.all(|word| is_plain(word)),
            "WORD" => given.next().is_some_and(|word| is_plain(word)),
            "FORMULA" => given.next().is_some_and(|word| is_formula(word)),
            part => given.next() == Some(&part),
        };
        if !fits {
            return false;
        }
    }
    given.next().is_none()
}

/// A name of a package or the like: nothing that may be an option, or that is only known when it runs.
fn is_plain(word: &str) -> bool {
    // `@x` would be a file with more words.
    !word.starts_with(['-', '@'])
        && !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.+:@~/*,-".contains(&byte))
}

/// A name of Homebrew, perhaps with a version: a dot elsewhere may end in the name of a file, which is run.
fn is_formula(word: &str) -> bool {
    let (name, version) = word.split_once('@').unwrap_or((word, "0"));
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte);
    let numbers = version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(plain) && !version.is_empty() && numbers
}

#[cfg(test)]
mod tests {
    use super::{QUERIES, is_query};

    #[test]
    fn every_line_has_names_and_forms() {
        for line in QUERIES.lines().filter(|line| !line.is_empty()) {
            let (names, forms) = line.split_once(':').unwrap();
            assert!(!names.trim().is_empty() && forms.split('|').all(|form| !form.trim().is_empty()), "{line}");
            assert!(line.matches(':').count() == 1, "{line}");
        }
    }

    #[test]
    fn a_form_is_exactly_its_words() {
        assert!(is_query("node", &["--version"]) && is_query("python3.12", &["-V"]));
        assert!(is_query("dpkg", &["-l"]) && is_query("dpkg", &["-l", "bash", "z*"]));
        assert!(!is_query("node", &["--version", "x.js"]) && !is_query("node", &[]) && !is_query("node", &["--versio"]));
        assert!(!is_query("dpkg", &["-l", "--root=x"]) && !is_query("apt", &["show", "-oDir=x"]));
        assert!(!is_query("go", &["env", "-w"]) && !is_query("cargo", &["+x", "--version"]));
    }
}
