//! Commands that a program carries to another machine, into a container or to another user: they always ask, and rules see what runs there.

use super::commands::{Step, Walk};
use super::launcher_options::{Options, Starts};
use crate::parse::bash::Refusal;
use crate::parse::field::Field;
use crate::parse::placeholder;

/// Programs that carry a command.
pub(crate) const NAMES: [&str; 24] = [
    "ssh",
    "su",
    "runuser",
    "chroot",
    "nsenter",
    "unshare",
    "systemd-run",
    "docker",
    "podman",
    "nerdctl",
    "docker-compose",
    "kubectl",
    "oc",
    "adb",
    "npx",
    "pnpx",
    "bunx",
    "uvx",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "uv",
    "pipx",
];

/// Where a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// On this machine, in any folder: its files are those that are known.
    Here,
    /// Where paths are other files, or programs other programs.
    Elsewhere,
}
use At::{Elsewhere, Here};

impl Walk<'_> {
    /// Lists what is carried. The answer is always that it was not read: the program itself asks.
    pub(crate) fn for_carried(&mut self, step: &Step, name: &str, arguments: &[Field]) -> bool {
        let words: Vec<&str> = arguments.iter().map(|field| field.value.as_str()).collect();
        let (Some((starts, at)), from) = (read(name, &words), self.steps.len()) else {
            return false;
        };
        let before = self.state.clone();
        let feed = self.feed.take();
        if goes_away(name, &words) {
            self.state.folders.lose();
            self.state.variables.forget_places();
        }
        let result: Result<bool, Refusal> = match starts {
            Starts::Words(start) => match arguments.get(start..) {
                Some(inner) if !inner.is_empty() => self.start(step, inner.to_vec()),
                _ => Ok(false),
            },
            Starts::Text(start) => self.joined(arguments.get(start..=start).unwrap_or(&[])),
            Starts::Joined(start) => self.joined(arguments.get(start..).unwrap_or(&[])),
        };
        self.state = before;
        self.feed = feed;
        if result.is_err() {
            self.steps.truncate(from);
        }
        if at == Elsewhere {
            let inner: Vec<Step> = self.steps.drain(from..).collect();
            let carries = inner.into_iter().flat_map(|step| {
                let own: Vec<String> = step.words.iter().map(Field::shown).collect();
                std::iter::once(own)
                    .chain(step.carries)
                    .filter(|words| !words.is_empty())
            });
            if let Some(outer) = self.steps.last_mut() {
                outer.carries.extend(carries);
            }
        }
        false
    }
}

/// Whether the command may start in another folder: a login goes to the other's home.
fn goes_away(name: &str, words: &[&str]) -> bool {
    match name {
        "su" | "runuser" => words.iter().any(|word| {
            matches!(*word, "-" | "--login")
                || !word.starts_with("--") && word.starts_with('-') && word.contains('l')
        }),
        "unshare" => words
            .iter()
            .any(|word| word.starts_with("-w") || word.starts_with("--wd")),
        _ => true,
    }
}

/// Options of `docker run` and `docker exec`, and of those that take after them.
const CONTAINER: Options = Options {
    flags: "ditTPq",
    valued: "aehlmpuvw",
    long_flags: "detach interactive tty no-TTY privileged rm init read-only publish-all quiet no-healthcheck no-deps service-ports",
    long_valued: "env user workdir env-file detach-keys index name volume publish network net mount memory cpus gpus platform pull label \
                  hostname shm-size ulimit cap-add cap-drop security-opt device restart add-host dns ipc pid userns tmpfs volumes-from \
                  log-driver log-opt link expose runtime stop-signal stop-timeout pids-limit group-add",
};

/// What a program carries, and where; none if that is not known.
fn read(name: &str, words: &[&str]) -> Option<(Starts, At)> {
    match name {
        "ssh" => ssh(words),
        "su" | "runuser" => other_user(name, words),
        "chroot" => {
            const OPTIONS: Options = Options {
                flags: "",
                valued: "",
                long_flags: "skip-chdir",
                long_valued: "userspec groups",
            };
            Some((Starts::Words(OPTIONS.skip(words)? + 1), Elsewhere))
        }
        "nsenter" => {
            const OPTIONS: Options = Options {
                flags: "aCFimnprTuUwZ",
                valued: "tSG",
                long_flags: "all mount uts ipc net pid user cgroup time no-fork preserve-credentials root wd follow-context",
                long_valued: "target setuid setgid",
            };
            Some((Starts::Words(OPTIONS.skip(words)?), Here))
        }
        "unshare" => {
            const OPTIONS: Options = Options {
                flags: "CfimnprTuUc",
                valued: "SGw",
                long_flags: "mount uts ipc net pid user cgroup time fork map-root-user map-current-user map-auto mount-proc keep-caps",
                long_valued: "wd setuid setgid propagation setgroups kill-child",
            };
            Some((Starts::Words(OPTIONS.skip(words)?), Here))
        }
        "systemd-run" => {
            const OPTIONS: Options = Options {
                flags: "tPqdGSr",
                valued: "upEHM",
                long_flags: "user system scope pty pipe quiet same-dir collect wait no-block remain-after-exit no-ask-password slice-inherit",
                long_valued: "unit property description slice uid gid nice working-directory setenv on-active on-boot on-startup \
                              on-unit-active on-unit-inactive on-calendar timer-property path-property socket-property service-type",
            };
            Some((Starts::Words(OPTIONS.skip(words)?), Here))
        }
        "docker" | "podman" | "nerdctl" | "docker-compose" => {
            let own = match words {
                ["exec" | "run", ..] => 1,
                ["container" | "compose", "exec" | "run", ..] => 2,
                _ => return None,
            };
            // The container, the image or the service stands before the command.
            Some((
                Starts::Words(own + CONTAINER.skip(words.get(own..)?)? + 1),
                Elsewhere,
            ))
        }
        "kubectl" | "oc" => Some((
            Starts::Words(words.iter().position(|word| *word == "--")? + 1),
            Elsewhere,
        )),
        "adb" => {
            const OPTIONS: Options = Options {
                flags: "de",
                valued: "stHP",
                long_flags: "",
                long_valued: "",
            };
            let at = OPTIONS.skip(words)?;
            (words.get(at) == Some(&"shell")).then_some((Starts::Joined(at + 1), Elsewhere))
        }
        _ => package(name, words),
    }
}

/// The shell of the other machine gets the words put together. Options may stand behind the host, too.
fn ssh(words: &[&str]) -> Option<(Starts, At)> {
    const OPTIONS: Options = Options {
        flags: "46AaCfGgKkMNnqsTtVvXxYy",
        valued: "BbcDEeFIiJLlmOopPQRSWw",
        long_flags: "",
        long_valued: "",
    };
    let host = OPTIONS.skip(words)?;
    Some((
        Starts::Joined(host + 1 + OPTIONS.skip(words.get(host + 1..)?)?),
        Elsewhere,
    ))
}

/// `su -c text`, wherever it stands, and `runuser -u somebody command`.
fn other_user(name: &str, words: &[&str]) -> Option<(Starts, At)> {
    let takes_text = |word: &&str| {
        matches!(*word, "--command" | "--session-command")
            || !word.starts_with("--") && word.starts_with('-') && word.ends_with('c')
    };
    if let Some(at) = words.iter().position(takes_text) {
        return Some((Starts::Text(at + 1), Here));
    }
    const OPTIONS: Options = Options {
        flags: "mp",
        valued: "ugG",
        long_flags: "preserve-environment",
        long_valued: "user group supp-group",
    };
    let by_words = name == "runuser"
        && words
            .iter()
            .any(|word| *word == "-u" || word.starts_with("--user"));
    Some((
        Starts::Words(OPTIONS.skip(words).filter(|_| by_words)?),
        Here,
    ))
}

/// Programs that fetch a package and run what is in it by its name.
fn package(name: &str, words: &[&str]) -> Option<(Starts, At)> {
    const OPTIONS: Options = Options {
        flags: "yq",
        valued: "pw",
        long_flags: "yes no quiet silent bun isolated offline",
        long_valued: "package workspace from with python spec pip-args",
    };
    let own = match (name, words) {
        ("npx" | "pnpx" | "bunx" | "uvx", _) => 0,
        ("npm", ["exec" | "x", ..])
        | ("pnpm" | "yarn", ["dlx" | "exec", ..])
        | ("bun", ["x", ..])
        | ("uv" | "pipx", ["run", ..]) => 1,
        ("uv", ["tool", "run", ..]) => 2,
        _ => return None,
    };
    if let Some(at) = words
        .iter()
        .position(|word| matches!(*word, "-c" | "--call" | "--shell-mode"))
        .filter(|_| matches!(name, "npx" | "npm" | "pnpm"))
    {
        return Some((Starts::Text(at + 1), Elsewhere));
    }
    Some((
        Starts::Words(own + OPTIONS.skip(words.get(own..)?)?),
        Elsewhere,
    ))
    .filter(|_| words.iter().all(|word| placeholder::is_literal(word)))
}

#[cfg(test)]
mod tests {
    use super::{At, Elsewhere, Here, read};
    use crate::expand::launcher_options::Starts;
    use crate::expand::launcher_options::Starts::{Joined, Text, Words};

    fn of(text: &str) -> Option<(Starts, At)> {
        let words: Vec<&str> = text.split(' ').collect();
        let (name, rest) = words.split_first().unwrap();
        read(name, rest)
    }

    #[test]
    fn what_is_carried_stands_behind_the_options() {
        for (text, expected) in [
            ("ssh host ls -l", (Joined(1), Elsewhere)),
            ("ssh -p 22 -i key me@host -t ls", (Joined(6), Elsewhere)),
            ("ssh -oX=y host ls", (Joined(2), Elsewhere)),
            ("su -c ls", (Text(1), Here)),
            ("su - bob -c ls", (Text(3), Here)),
            ("runuser -u bob -- ls", (Words(3), Here)),
            ("chroot /x ls", (Words(1), Elsewhere)),
            ("nsenter -t 1 -m ls", (Words(3), Here)),
            ("unshare -rn ls", (Words(1), Here)),
            ("systemd-run --user -p A=b ls", (Words(3), Here)),
            ("docker exec -it -w /app c ls", (Words(5), Elsewhere)),
            ("docker run --rm -v a:b alpine ls", (Words(5), Elsewhere)),
            ("docker compose exec -T web ls", (Words(4), Elsewhere)),
            ("kubectl exec -n x pod -- ls", (Words(5), Elsewhere)),
            ("adb shell ls", (Joined(1), Elsewhere)),
            ("npx -y eslint .", (Words(1), Elsewhere)),
            ("npx -c ls", (Text(1), Elsewhere)),
            ("pnpm dlx x", (Words(1), Elsewhere)),
            ("uv tool run ruff", (Words(2), Elsewhere)),
        ] {
            assert_eq!(of(text), Some(expected), "{text}");
        }
        for text in [
            "docker ps",
            "docker run --entrypoint ls alpine",
            "su bob",
            "systemd-run --what ls",
            "npm test",
            "kubectl get pods",
            "adb push a b",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
