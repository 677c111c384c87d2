//! What is special about commands that somebody may list as safe, by their first words.

use sayso_core::policy::safe_command::Caution;

use crate::expand::wrappers::{identity, is_wrapper};

/// Programs that are there to look, and some that only print.
const LOOK: &str = "ls ll la dir vdir pwd cd cat bat head tail tac nl less more grep egrep fgrep rg ag ack find fd locate wc echo printf date cal \
    whoami who id groups uname hostname uptime tree file stat du df diff cmp comm sort uniq cut tr column fold paste join jq basename \
    dirname realpath readlink which type ps free lsof md5sum sha1sum sha256sum cksum od xxd hexdump strings";

/// Subcommands of git that are there to look.
const GIT_LOOKS: &str = "log status diff show blame grep shortlog describe rev-parse rev-list ls-files ls-tree cat-file reflog branch tag remote";

/// Programs that start the command in their words, besides the wrappers.
const START: &str = "xargs parallel watch flock script entr chroot unshare nsenter setpriv runuser su pkexec strace ltrace gdb valgrind at batch \
    eval source . exec systemd-run tmux screen ssh mosh rsh ansible expect unbuffer";

const DELETE: &str = "rm rmdir unlink shred srm trash truncate wipefs";

/// Interpreters, and programs that run tasks, tests or packages of a project: all that is behind their first word is code.
const RUN: &str = "sh bash zsh dash ash fish ksh mksh csh tcsh pwsh nu python python2 python3 pypy pypy3 ipython perl ruby irb node nodejs deno ts-node tsx \
    php lua luajit Rscript R julia tclsh osascript groovy scala java jshell kotlin swift elixir erl ghci runghc racket guile sbcl clojure \
    awk gawk mawk nawk make gmake bmake just task rake invoke ninja cmake meson scons ant gradle gradlew ./gradlew mvn mvnw ./mvnw sbt \
    bazel npx pnpx bunx uvx pipx pytest tox nox vim vi nvim emacs ed ex sqlite3 psql mysql crontab";

/// Programs whose first word says nothing yet.
const MANY: &str = "git gh glab hub cargo npm pnpm yarn bun go pip pip3 uv poetry pdm docker podman nerdctl kubectl helm oc dotnet terraform tofu \
    pulumi apt apt-get dnf yum pacman brew snap flatpak systemctl service rustup conda mamba gem bundle composer mix flutter dart aws gcloud az \
    hg svn jj nix vagrant heroku fly vercel netlify";

/// Subcommands by which a program runs code that the next words or the project name.
const RUNS: &str =
    "run exec x dlx start test t build generate install-test run-script create init foreach shell";
/// Subcommands that install packages.
const INSTALLS: &str = "install i ci add update upgrade up sync get tap";
/// Package managers.
const MANAGERS: &str = "npm pnpm yarn bun pip pip3 uv poetry pdm gem bundle composer conda mamba cargo apt apt-get dnf yum pacman brew snap flatpak go";

const REACH: &str =
    "curl wget http https xh httpie aria2c nc ncat netcat socat telnet ftp sftp scp rsync rclone";

/// What is special about commands that start with these words.
pub(crate) fn caution(words: &[String]) -> Option<Caution> {
    let (first, rest) = words.split_first()?;
    let name = identity(first);
    let is_in = |list: &str, word: &str| list.split_ascii_whitespace().any(|one| one == word);
    // Options before it do not say what is done.
    let next = rest
        .iter()
        .find(|word| !word.starts_with('-'))
        .map(String::as_str);
    let runs_no_scripts = rest
        .iter()
        .any(|word| word == "--ignore-scripts" || word == "--no-scripts");
    match next {
        _ if is_wrapper(name) || is_in(START, name) => Some(Caution::StartsOthers),
        _ if is_in(DELETE, name) => Some(Caution::Deletes),
        _ if is_in(LOOK, name) => Some(Caution::OnlyLooks),
        Some(sub) if name == "git" && is_in(GIT_LOOKS, sub) => Some(Caution::OnlyLooks),
        None if is_in(RUN, name) => Some(Caution::RunsCode),
        None if is_in(REACH, name) => Some(Caution::ReachesAnyone),
        None if is_in(MANY, name) => Some(Caution::ManyPurposes),
        Some(sub) if is_in(MANAGERS, name) && is_in(INSTALLS, sub) && !runs_no_scripts => {
            Some(Caution::InstallsCode)
        }
        // Alone: behind it stands what is run.
        Some(sub)
            if is_in(MANY, name)
                && is_in(RUNS, sub)
                && rest.last().is_some_and(|last| last == sub) =>
        {
            Some(Caution::RunsCode)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words_say_what_is_special() {
        let cases = [
            ("touch", None),
            ("mkdir -p", None),
            ("git add", None),
            ("git fetch", None),
            ("make test", None),
            ("python scripts/build.py", None),
            ("npm run build", None),
            ("npm ci --ignore-scripts", None),
            ("cat", Some(Caution::OnlyLooks)),
            ("git log --oneline", Some(Caution::OnlyLooks)),
            ("sudo", Some(Caution::StartsOthers)),
            ("env", Some(Caution::StartsOthers)),
            ("xargs", Some(Caution::StartsOthers)),
            ("/usr/bin/timeout", Some(Caution::StartsOthers)),
            ("ssh", Some(Caution::StartsOthers)),
            ("rm", Some(Caution::Deletes)),
            ("make", Some(Caution::RunsCode)),
            ("python", Some(Caution::RunsCode)),
            ("python -m", Some(Caution::RunsCode)),
            ("npx", Some(Caution::RunsCode)),
            ("npm run", Some(Caution::RunsCode)),
            ("docker run", Some(Caution::RunsCode)),
            ("npm install", Some(Caution::InstallsCode)),
            ("pip install", Some(Caution::InstallsCode)),
            ("git", Some(Caution::ManyPurposes)),
            ("docker", Some(Caution::ManyPurposes)),
            ("curl", Some(Caution::ReachesAnyone)),
        ];
        for (text, expected) in cases {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            assert_eq!(caution(&words), expected, "{text}");
        }
    }
}
