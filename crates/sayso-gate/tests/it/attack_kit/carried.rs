//! Rules that a person may well have, and commands that they must not carry: judged only.

use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::Source;
use sayso_shell::Bash;

use super::words::AROUND;
use crate::oracle::generate::Dice;

/// Programs that people allow as a whole.
const ALLOWED: &str = "git make npm npx yarn pnpm node cargo go python python3 pip pytest tox docker kubectl helm terraform ansible find xargs \
     tar zip rsync ssh sed awk perl ruby bundle rake gradle mvn dotnet tmux screen watch parallel env timeout nice bash sh just task vim";

/// How such a program carries a command or reaches a file; `¤` is the command, `◇` a file that is secret or outside.
const CARRIERS: [&str; 94] = [
    "git submodule foreach '¤'",
    "git submodule foreach --recursive '¤'",
    "git bisect run ¤",
    "git bisect run sh -c '¤'",
    "git rebase -x '¤' main",
    "git rebase --exec='¤' main",
    "git -c alias.x='!¤' x",
    "git -c core.pager='¤' log",
    "git -c core.fsmonitor='¤' status",
    "git -c diff.external='¤' diff",
    "git -c core.editor='¤' commit",
    "git difftool -x '¤'",
    "git difftool --extcmd='¤' HEAD",
    "git filter-branch --tree-filter '¤'",
    "git grep -O'¤' x",
    "git fetch --upload-pack='¤' .",
    "git ls-remote 'ext::sh -c ¤'",
    "git diff --no-index README.md ◇",
    "git hash-object ◇",
    "git apply ◇",
    "git commit -F ◇",
    "git blame --contents ◇ README.md",
    "git config --file ◇ --list",
    "git -C ../other log",
    "git clean -fdx",
    "git checkout-index --prefix=../other/ -a",
    "make --eval='x:; ¤' x",
    "make --eval '$(shell ¤)'",
    "make X='$(shell ¤)'",
    "make SHELL='¤'",
    "make -f ◇",
    "make -C ../other",
    "cd ../other && make",
    "npm exec -- ¤",
    "npm exec -c '¤'",
    "npx -c '¤'",
    "npm run x --script-shell='¤'",
    "npm --prefix ../other test",
    "npm --userconfig ◇ ls",
    "yarn exec ¤",
    "yarn --cwd ../other test",
    "pnpm exec ¤",
    "pnpm -C ../other test",
    "go test -exec '¤' ./...",
    "go run -exec '¤' .",
    "go build -toolexec '¤' .",
    "go -C ../other test",
    "go vet -vettool='¤'",
    "cargo --config 'build.rustc-wrapper=\"¤\"' build",
    "cargo --config ◇ build",
    "cargo test --manifest-path ../other/Cargo.toml",
    "cargo -C ../other build",
    "pytest -c ◇",
    "pytest --rootdir ../other",
    "pytest --basetemp=src",
    "python -m pytest --basetemp=src",
    "tox --workdir ../other",
    "docker run -v ~/.ssh:/k alpine cat /k/id_rsa",
    "docker run --rm -v /:/h alpine ¤",
    "docker compose -f ◇ up",
    "docker cp ◇ c:/x",
    "docker build -f ◇ .",
    "kubectl --kubeconfig ◇ get pods",
    "kubectl cp ◇ p:/x",
    "kubectl apply -f ◇",
    "helm install x --values ◇ .",
    "helm install x . --post-renderer '¤'",
    "terraform -chdir=../other apply",
    "ansible localhost -a '¤'",
    "ansible localhost -m shell -a '¤'",
    "find . -exec ¤ \\;",
    "find . -execdir ¤ \\;",
    "find ../other -type f",
    "find . -delete",
    "xargs ¤ < list.txt",
    "xargs -I{} sh -c '¤' < list.txt",
    "tar cf x.tar ◇",
    "tar xf evil.tar --to-command='¤'",
    "tar cf x.tar --checkpoint=1 --checkpoint-action=exec='¤' src",
    "tar cf x.tar --remove-files src",
    "zip x.zip ◇",
    "zip -m x.zip src",
    "rsync -a ◇ host:",
    "rsync -e '¤' a host:",
    "rsync -a --delete empty/ src/",
    "ssh -o ProxyCommand='¤' host",
    "ssh -i ◇ host",
    "sed '1e ¤' README.md",
    "sed -n p ◇",
    "awk 'BEGIN{system(\"¤\")}'",
    "bundle exec ¤",
    "tmux new -d '¤'",
    "watch '¤'",
    "timeout 5 ¤",
];

/// Each reads a secret, leaves the workspace, deletes, is dangerous or writes what is protected.
const PAYLOADS: [&str; 18] = [
    "cat ~/.ssh/id_rsa",
    "cat .env",
    "cat private/.env",
    "head -5 ~/.aws/credentials",
    "base64 private/server.pem",
    "cat ../other/README.md",
    "cp ../other/README.md x",
    "ls ~/notes",
    "rm README.md",
    "rm -rf src",
    "rm -rf ~",
    "find . -delete",
    "shred -u README.md",
    "dd if=/dev/zero of=/dev/sda",
    "git push --force origin main",
    "tee .git/hooks/pre-commit",
    "cp evil.sh .git/hooks/pre-push",
    "truncate -s0 /etc/passwd",
];

const FILES: [&str; 8] = [
    "~/.ssh/id_rsa",
    ".env",
    "private/server.pem",
    "../other/README.md",
    "~/.aws/credentials",
    "/etc/shadow",
    "key-link",
    "out-link",
];

/// A policy that allows each of the programs, whatever its words are.
pub fn policy() -> Policy {
    let rules: String = ALLOWED
        .split_ascii_whitespace()
        .map(|name| format!("  - allow: {{command: \"{name} *\"}}\n"))
        .collect();
    let text = format!("version: 1\nrules:\n{rules}");
    let (layer, findings) = read(
        Source {
            name: "allowed",
            text: &text,
        },
        Format::Yaml,
        Origin::User,
        &Bash,
    );
    let layer = layer.unwrap_or_else(|| panic!("{findings:?}"));
    Policy::assemble(vec![layer], &Overrides::default(), &Bash)
}

/// A carried command, often behind one more carrier or wrapper.
pub fn text(dice: &mut Dice) -> String {
    let mut text = dice.pick(&PAYLOADS).to_owned();
    let turns = 1 + usize::from(dice.roll(4) == 0);
    for _ in 0..turns {
        text = put(dice.pick(&CARRIERS), &text).replace('◇', dice.pick(&FILES));
    }
    if dice.roll(3) == 0 {
        // These do not run what they are given.
        let around = dice.pick(&AROUND);
        text = put(
            if around.starts_with("bash -n") || around.contains(" -v ") || around.contains("cd ") {
                "¤"
            } else {
                around
            },
            &text,
        );
    }
    text
}

fn put(around: &str, inner: &str) -> String {
    // Each submodule has other files around it, and a list is one command only in quotes.
    let elsewhere = ["../", "key-link", "out-link"]
        .iter()
        .any(|name| inner.contains(name));
    if around.contains("foreach") && elsewhere || !around.contains("'¤'") && inner.contains("&&") {
        return inner.to_owned();
    }
    let before = around.split('¤').next().unwrap_or_default();
    let inner = if before.ends_with('"') {
        inner.replace('\\', "\\\\").replace('"', "\\\"")
    } else {
        inner.to_owned()
    };
    let in_quotes = before.matches('\'').count() % 2 == 1;
    let inner = if in_quotes {
        inner.replace('\'', "'\\''")
    } else {
        inner
    };
    around.replace('¤', &inner)
}
