//! What a program of another language calls, and the texts that it gives: devices and start-up files written, homes deleted, databases
//! dropped, shells handed out, requests that delete.
//!
//! Over-approximate: what is called and what is named need not stand together. A text alone is data.

use sayso_core::analysis::risk::Tier::{Catastrophic, Dangerous};

use super::names::{
    CHANGE_FILES, DELETE_TREES, DROPS, EVALUATE, NETWORK, OPEN, RUN, SOCKETS, WALK, WRITE_MODES,
};
use super::tokens::{Token, last_name, tokens};
use crate::danger::call::Found;
use crate::danger::critical_paths::{Worth, is_raw_device, worth};
use crate::danger::{databases, metadata, requests, takeover};

/// Looks at a program. `run` looks at a text that it runs as a command.
pub(crate) fn of_code(
    code: &str,
    found: &mut Vec<Found>,
    mut run: impl FnMut(&str, &mut Vec<Found>),
) {
    // A name with a dash in it is no name elsewhere.
    let folder = code
        .split_once("(delete-directory \"")
        .and_then(|(_, rest)| rest.split('"').next());
    if let Some(path) = folder.filter(|path| worth(path) == Worth::Vital) {
        found.push((
            Catastrophic,
            format!("`delete-directory` deletes `{path}` with everything below"),
        ));
    }
    let program = Program {
        tokens: tokens(code),
    };
    program.of_files(found);
    program.of_deletes(found);
    program.of_databases(found);
    program.of_network(found);
    for text in program.commands() {
        run(&text, found);
    }
}

/// A program as its parts.
struct Program {
    tokens: Vec<Token>,
}

impl Program {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().filter_map(|token| match token {
            Token::Name(name) => Some(name.as_str()),
            _ => None,
        })
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().filter_map(|token| match token {
            Token::Text(text) | Token::Ticked(text) => Some(text.as_str()),
            _ => None,
        })
    }

    fn calls(&self, names: &[&str]) -> Option<&str> {
        self.names().find(|name| names.contains(&last_name(name)))
    }

    /// What is given to a call of one of these names: all that stands in its brackets, or without them up to the end of the statement.
    fn given_to(&self, names: &'static [&'static str]) -> impl Iterator<Item = &Token> {
        let calls =
            |token: &Token| matches!(token, Token::Name(name) if names.contains(&last_name(name)));
        let starts = self
            .tokens
            .iter()
            .enumerate()
            .filter(move |(_, token)| calls(token))
            .map(|(at, _)| at + 1);
        starts.flat_map(|start| arguments(self.tokens.get(start..).unwrap_or(&[])))
    }

    /// Devices and files that something obeys, where the program writes.
    fn of_files(&self, found: &mut Vec<Found>) {
        let by_flag = self.names().any(|name| {
            matches!(
                last_name(name),
                "o_wronly" | "o_rdwr" | "o_trunc" | "o_append"
            )
        });
        // `print > "file"` of awk, and of a shell.
        let redirects = self.tokens.windows(2).any(|pair| match pair {
            [Token::Sign(b'>'), Token::Text(_)] => true,
            [Token::Sign(b'>'), Token::Name(name)] => name.starts_with("environ"),
            _ => false,
        });
        let opens = by_flag
            || redirects
            || self.texts().any(|text| {
                WRITE_MODES.contains(&text) || text.starts_with('>') || text.starts_with("+<")
            });
        // What a stream or a text is asked for is no file: `f.write`, `s.replace`.
        let plain = |name: &str| {
            matches!(last_name(name), "print" | "puts" | "write" | "replace")
                && !matches!(name, "file.write" | "io.write" | "os.replace")
        };
        let calls = self
            .names()
            .any(|name| CHANGE_FILES.contains(&last_name(name)) && !plain(name));
        let deletes = || {
            self.calls(&["remove", "unlink", "unlinksync", "rmsync", "rm", "delete"])
                .is_some()
        };
        if !(opens || calls || deletes()) {
            return;
        }
        let home = self
            .names()
            .any(|name| name.contains("home") || name.contains("expanduser"))
            || self.texts().any(|text| text.contains("HOME"));
        let opened: Vec<&str> = self.given_to(&OPEN).filter_map(text_of).take(256).collect();
        for text in self.texts().take(256) {
            let path = text.trim_start_matches(['>', '<', '+', ' ']);
            if is_raw_device(path) && (opens || calls) {
                let sure = opened.contains(&text) || text.starts_with('>');
                let tier = if sure { Catastrophic } else { Dangerous };
                found.push((tier, format!("a program writes over the device `{path}`")));
            } else if let Some(why) = in_home(path).filter(|_| home) {
                let rest = path.trim_start_matches('/');
                found.push((Dangerous, format!("a program changes `~/{rest}`: {why}")));
            } else if let Some(why) = takeover::why(path) {
                found.push((Dangerous, format!("a program changes `{path}`: {why}")));
            }
        }
    }

    /// A folder that a person or the machine cannot do without, where the program deletes.
    fn of_deletes(&self, found: &mut Vec<Found>) {
        // A name may be handed over as a text: `array_map("unlink", …)`.
        let by_text = || {
            self.texts()
                .find(|text| matches!(*text, "unlink" | "rmdir"))
        };
        let Some(call) = self.calls(&DELETE_TREES).or_else(by_text) else {
            return;
        };
        let single = matches!(
            last_name(call),
            "remove" | "unlink" | "unlinksync" | "delete" | "rm" | "rmdir"
        );
        let deep = !single
            || self.texts().any(|text| matches!(text, "rf" | "-rf"))
            || self.names().any(|name| {
                matches!(
                    last_name(name),
                    "walk" | "rglob" | "glob" | "recursive" | "iterdir" | "readdirsync" | "scandir"
                )
            });
        if !deep {
            return;
        }
        let given: Vec<&Token> = self
            .given_to(&DELETE_TREES)
            .chain(self.given_to(&WALK))
            .take(1024)
            .collect();
        let vital = given
            .iter()
            .copied()
            .filter_map(text_of)
            .find(|text| text.starts_with(['/', '~', '$', 'C']) && worth(text) == Worth::Vital);
        if let Some(path) = vital {
            found.push((
                Catastrophic,
                format!("`{call}` deletes `{path}` with everything below"),
            ));
        } else if given.iter().any(|token| is_home(token))
            && !given.iter().copied().filter_map(text_of).any(is_below_home)
        {
            found.push((Catastrophic, format!("`{call}` deletes the home folder")));
        } else if self.tokens.iter().any(is_home)
            && self.calls(&WALK).is_some()
            && !self
                .texts()
                .any(|text| is_below_home(text) || text.starts_with("*."))
        {
            // `Path.home().rglob("*")`.
            found.push((
                Catastrophic,
                format!("`{call}` deletes what is below the home folder"),
            ));
        }
    }

    /// Databases that are dropped or emptied.
    fn of_databases(&self, found: &mut Vec<Found>) {
        let asks = |name: &str| {
            let last = last_name(name);
            last.contains("execute")
                || last.contains("query")
                || matches!(last, "raw" | "sql" | "exec_sql" | "unsafe" | "$executeraw")
        };
        if self.names().any(asks)
            && let Some(what) = self.texts().find_map(databases::in_sql)
        {
            found.push((Dangerous, format!("a program runs `{what}`")));
        }
        // Rows of a table, asked for by an object: `User.objects.all().delete()`, `DB::table("users")->truncate()`.
        let rows = self.names().any(|name| {
            name.contains(".objects") || name == "db::table" || name.ends_with("::query")
        });
        if rows && let Some(call) = self.calls(&["delete", "truncate", "deleteall"]) {
            found.push((
                Dangerous,
                format!("`{call}` destroys what a database holds"),
            ));
        } else if let Some(call) = self.calls(&DROPS) {
            found.push((
                Dangerous,
                format!("`{call}` destroys what a database holds"),
            ));
        }
    }

    /// Downloads that are run, shells that are handed out, requests that delete, and the service that hands out credentials.
    fn of_network(&self, found: &mut Vec<Found>) {
        let talks = |name: &str| {
            NETWORK.iter().any(|known| {
                name.starts_with(known)
                    || last_name(name).starts_with(known)
                    || name.contains(known)
            })
        };
        let required = self.texts().any(|text| {
            matches!(
                text,
                "http" | "https" | "node:http" | "node:https" | "open-uri" | "net/http" | "axios"
            )
        });
        let network = required || self.names().any(talks);
        if network && self.runs_what(talks) {
            found.push((Dangerous, "a program runs what it downloads".to_owned()));
        }
        let connects = self.names().any(|name| {
            SOCKETS.iter().any(|known| {
                name == *known
                    || name.starts_with("io::socket")
                    || name.ends_with(known) && name.contains(['.', ':'])
            })
        }) || self.texts().any(|text| {
            matches!(text, "net" | "node:net" | "socket") || text.starts_with("/inet/tcp/")
        });
        let is_shell = |text: &str| {
            let first = text.split([' ', '<']).next().unwrap_or(text);
            matches!(
                first.rsplit('/').next(),
                Some("sh" | "bash" | "zsh" | "dash" | "ksh" | "cmd.exe" | "powershell.exe")
            )
        };
        let shell = self.texts().any(is_shell)
            || self.names().any(|name| name.starts_with("system$"))
            || self
                .names()
                .any(|name| matches!(name, "pty.spawn" | "system$_"));
        let dials = self.names().any(|name| {
            matches!(
                last_name(name),
                "connect" | "tcpsocket" | "fsockopen" | "create_connection"
            ) || name.starts_with("tcpsocket.")
        });
        let starts = self
            .calls(&[
                "popen",
                "exec",
                "system",
                "spawn",
                "shell_exec",
                "proc_open",
                "execsync",
            ])
            .is_some();
        let shell = shell || dials && starts;
        let inet = self.texts().any(|text| text.starts_with("/inet/tcp/"))
            && self.names().any(|name| name == "getline");
        if (connects || dials) && shell || inet {
            found.push((
                Dangerous,
                "a program hands a shell to another machine".to_owned(),
            ));
        }
        if let Some(word) = self
            .texts()
            .flat_map(|text| text.split_whitespace().take(64))
            .find(|word| metadata::is_named(word))
        {
            found.push((Dangerous, format!("a program asks the cloud's metadata service, `{word}`, which hands out credentials")));
        }
        self.of_requests(network, found);
    }

    fn of_requests(&self, network: bool, found: &mut Vec<Found>) {
        let far = self.texts().find(|text| {
            text.starts_with("http") && text.contains("://") && !requests::is_near(text)
        });
        let deletes = self
            .names()
            .any(|name| matches!(last_name(name), "delete") && name.contains('.') && is_http(name))
            || network && self.texts().any(|text| text == "DELETE");
        if let Some(address) = far.filter(|_| deletes) {
            found.push((
                Dangerous,
                format!("a program asks `{address}` to delete something"),
            ));
        }
        if network && self.texts().any(requests::is_mutation_that_takes_away) {
            found.push((
                Dangerous,
                "a program asks another machine to take away what runs there".to_owned(),
            ));
        }
        let cloud = self.names().any(|name| {
            matches!(
                name,
                "boto3" | "botocore" | "boto3.client" | "boto3.resource"
            ) || name.starts_with("google.cloud")
                || name.starts_with("azure.")
        });
        let takes_away = |name: &str| {
            let last = last_name(name);
            ["delete", "terminate", "destroy", "purge", "remove"]
                .iter()
                .any(|verb| last.starts_with(verb))
        };
        let sent = |name: &str| takes_away(name) && last_name(name).ends_with("command");
        if let Some(call) = self
            .names()
            .find(|name| cloud && takes_away(name) || sent(name))
        {
            found.push((
                Dangerous,
                format!("`{call}` destroys what runs or is kept elsewhere"),
            ));
        }
    }

    /// Whether what comes from a network stands in a call that runs it, or a text is run beside one that was fetched.
    fn runs_what(&self, talks: impl Fn(&str) -> bool) -> bool {
        let evaluates = |name: &str| {
            EVALUATE.contains(&last_name(name))
                && !name.ends_with("re.compile")
                && !name.ends_with(".exec")
        };
        if self.names().any(|name| {
            evaluates(name) && !matches!(last_name(name), "compile" | "function" | "load")
        }) {
            return true;
        }
        let mut depth = 0usize;
        let mut inside: Option<usize> = None;
        for token in &self.tokens {
            match token {
                Token::Sign(b'(') => depth += 1,
                Token::Sign(b')') => {
                    depth = depth.saturating_sub(1);
                    inside = inside.filter(|start| depth > *start);
                }
                Token::Name(name) if inside.is_some() && talks(name) => return true,
                Token::Name(name) if inside.is_none() && RUN.contains(&last_name(name)) => {
                    inside = Some(depth)
                }
                _ => {}
            }
        }
        false
    }

    /// The texts that are run as commands: what a call that runs is given, one by one and put together, and what stands beside a pipe.
    fn commands(&self) -> Vec<String> {
        const MOST: usize = 64;
        let mut out: Vec<String> = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            match token {
                Token::Ticked(text) => out.push(text.clone()),
                Token::Name(name) if RUN.contains(&last_name(name)) => {
                    let given = arguments(self.tokens.get(at + 1..).unwrap_or(&[]));
                    let texts: Vec<&str> = given
                        .iter()
                        .filter_map(|token| {
                            if is_home(token) {
                                Some("~")
                            } else {
                                text_of(token)
                            }
                        })
                        .collect();
                    out.extend(texts.iter().map(|text| (*text).to_owned()));
                    out.push(texts.join(" "));
                    // `"rm -rf /".execute()`.
                    out.extend(
                        at.checked_sub(2)
                            .and_then(|before| self.tokens.get(before))
                            .and_then(text_of)
                            .map(str::to_owned),
                    );
                }
                Token::Sign(b'|') => {
                    let beside = [at.checked_sub(1), Some(at + 1), Some(at + 2)];
                    out.extend(
                        beside
                            .into_iter()
                            .flatten()
                            .filter_map(|at| text_of(self.tokens.get(at)?))
                            .map(str::to_owned),
                    );
                }
                _ => {}
            }
            if out.len() >= MOST {
                break;
            }
        }
        out
    }
}

/// The parts that a call is given.
fn arguments(tokens: &[Token]) -> &[Token] {
    const MOST: usize = 256;
    let tokens = tokens.get(..MOST).unwrap_or(tokens);
    let brackets = tokens.first() == Some(&Token::Sign(b'('));
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign(b'(') => depth += 1,
            Token::Sign(b')') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return tokens.get(..at).unwrap_or(tokens);
                }
            }
            Token::Sign(b';') if !brackets => return tokens.get(..at).unwrap_or(tokens),
            // What a text is cut by is no path: `x.split("/")`.
            Token::Name(name)
                if matches!(
                    last_name(name),
                    "split" | "rsplit" | "replace" | "startswith" | "endswith" | "strip"
                ) =>
            {
                return tokens.get(..at).unwrap_or(tokens);
            }
            _ => {}
        }
    }
    tokens
}

fn text_of(token: &Token) -> Option<&str> {
    match token {
        Token::Text(text) | Token::Ticked(text) => Some(text),
        _ => None,
    }
}

/// Whether a part names the home of the person.
fn is_home(token: &Token) -> bool {
    match token {
        Token::Name(name) => {
            matches!(
                last_name(name),
                "homedir" | "home_dir" | "expanduser" | "user_home"
            ) || matches!(
                name.as_str(),
                "home" | "path.home" | "pathlib.path.home" | "dir.home"
            ) || name.ends_with("env.home")
        }
        Token::Text(text) => text == "HOME" || text == "~",
        _ => false,
    }
}

/// Whether a text names something in a home, so that it is not all of it.
fn is_below_home(text: &str) -> bool {
    // What is loaded to ask for the home.
    if matches!(
        text,
        "os" | "fs"
            | "path"
            | "node:os"
            | "node:fs"
            | "node:path"
            | "fs/promises"
            | "node:fs/promises"
    ) {
        return false;
    }
    text.trim_start_matches(['~', '/'])
        .starts_with(|first: char| first.is_ascii_alphanumeric() || first == '.')
        && !matches!(text, "HOME")
}

fn is_http(name: &str) -> bool {
    [
        "requests", "httpx", "axios", "http", "session", "client", "got", "ky",
    ]
    .iter()
    .any(|known| name.starts_with(known))
}

/// Why a path that the program puts behind a home would hand something over: `Path.home() / ".bashrc"`.
fn in_home(path: &str) -> Option<&'static str> {
    let rest = path.trim_start_matches('/');
    if !rest.starts_with('.') || rest.starts_with("..") || path.contains(' ') {
        return None;
    }
    takeover::why(&format!("~/{rest}"))
}
