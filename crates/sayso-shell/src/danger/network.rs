//! Dangers of what comes from a network: it is downloaded and run.

use sayso_core::analysis::risk::Tier::Dangerous;

use super::call::{Call, Found};
use super::metadata;
use super::requests::is_near;
use super::sinks::{decodes, runs_input};
use crate::expand::wrappers::{is_shell, is_transparent, takes_command};
use crate::parse::characters::{last_part, starts_with};
use crate::parse::name_set::NameSet;
use crate::unparsed::command_texts::is_variable;
use crate::unparsed::language_names::is_language;
use crate::unparsed::split::{After, Segment};
use crate::unparsed::stdin_scripts::reads_script;
use crate::unparsed::words::{head, is_assignment};

/// Files of a download that are looked for among what runs.
const MOST_NAMES: usize = 16;

pub(crate) fn is_download(word: &str) -> bool {
    static DOWNLOADERS: NameSet<23> = NameSet::new([
        "curl", "wget", "wget2", "fetch", "aria2c", "http", "https", "xh", "xhs", "ftp", "lynx",
        "links", "w3m", "elinks", "nc", "ncat", "netcat", "socat", "websocat", "dig", "nslookup",
        "drill", "telnet",
    ]);
    DOWNLOADERS.has_program(word)
}

/// The dangers of one program that reaches a network.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    let hands_over = match name {
        "nc" | "ncat" | "netcat" => {
            call.short(&['e', 'c']) || call.starts(&["--exec", "--sh-exec", "--lua-exec"])
        }
        "socat" => call.arguments.iter().any(|word| {
            ["exec:", "system:", "shell:"]
                .iter()
                .any(|kind| starts_with(word, kind))
        }),
        _ => false,
    };
    if hands_over {
        found.push((
            Dangerous,
            format!("`{name}` hands a shell to another machine"),
        ));
    }
    if let Some(from) = installed_from(call) {
        found.push((
            Dangerous,
            format!("`{name}` runs what it downloads from `{from}`"),
        ));
    }
}

/// The address that a package manager takes code from, instead of its registry.
fn installed_from<'a>(call: &Call<'a>) -> Option<&'a str> {
    let verbs: &[&str] = match call.name {
        "pip" | "pip3" | "pipx" | "uv" | "poetry" | "easy_install" | "conda" | "mamba" => {
            &["install", "add", "run"]
        }
        "npm" | "pnpm" | "yarn" | "bun" => {
            &["install", "i", "add", "exec", "dlx", "x", "global", "run"]
        }
        "npx" | "pnpx" | "bunx" | "uvx" | "easy_install-3" => &[],
        "cargo" | "go" | "gem" | "brew" | "deno" | "helm" => {
            &["install", "run", "get", "reinstall"]
        }
        "rpm" | "dnf" | "yum" | "zypper" | "snap" | "ansible-pull" | "ansible-galaxy" => &[],
        _ => return None,
    };
    if !verbs.is_empty() && !call.operands().take(3).any(|word| verbs.contains(&word)) {
        return None;
    }
    let own = |word: &str| {
        word.starts_with('-')
            && [
                "index", "registry", "proxy", "links", "host", "source", "channel", "repo",
            ]
            .iter()
            .any(|part| word.contains(part))
    };
    // Whoever is on the way can put in anything.
    let plain = |word: &&String| {
        word.split_once('=')
            .map_or(word.as_str(), |(_, value)| value)
            .starts_with("http://")
            && !is_near(
                word.split_once('=')
                    .map_or(word.as_str(), |(_, value)| value),
            )
    };
    if let Some(word) = call.arguments.iter().find(plain) {
        return Some(word);
    }
    let mut words = call.arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if (own(word) || matches!(word, "-i" | "-f" | "-c") && call.name != "rpm")
            && !word.contains('=')
            && call.name != "npm"
        {
            words.next();
        } else if own(word) {
            if !word.contains('=') {
                words.next();
            }
        } else if ["git+", "github:", "gitlab:", "bitbucket:", "gist:"]
            .iter()
            .any(|start| word.starts_with(start))
            || is_address(word)
        {
            return Some(word);
        } else if call.name == "cargo" && word == "--git" {
            return words.next();
        } else if let Some(address) = word.strip_prefix("--git=").filter(|_| call.name == "cargo") {
            return Some(address);
        }
    }
    None
}

fn is_address(word: &str) -> bool {
    ["http://", "https://", "ssh://", "git://", "ftp://"]
        .iter()
        .any(|scheme| starts_with(word, scheme))
        || word.contains("@git+")
        || word.contains("@ git+")
        || word.contains("@http")
}

/// A path that bash makes a connection of.
pub(crate) fn is_socket(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// A shell that talks to a person, or a variable that is run, beside a connection: whoever answers types commands.
fn hands_shell_over(segments: &[Segment]) -> bool {
    let socket = |segment: &Segment| {
        segment.after.is_redirect() && segment.words.iter().any(|path| is_socket(path))
    };
    let takes_orders = |segment: &Segment| {
        let Some(at) = runner(&segment.words) else {
            return head(&segment.words).is_some_and(|head| head.starts_with('$'));
        };
        let mut options = segment.words.iter().skip(at + 1);
        segment.words.len() == at + 1
            || options.any(|word| {
                word.starts_with('-') && !word.starts_with("--") && word.contains(['i', 's'])
            })
    };
    segments.iter().any(socket)
        && segments
            .iter()
            .any(|segment| !segment.after.is_redirect() && takes_orders(segment))
}

/// The dangers of a whole line with a network in it.
pub(crate) fn of_line(text: &str, segments: &[Segment], found: &mut Vec<Found>) {
    static FETCHERS: NameSet<4> = NameSet::new(["git", "scp", "sftp", "rsync"]);
    of_metadata(segments, found);
    if let Some(program) = answers_for_the_person(segments) {
        found.push((
            Dangerous,
            format!("answers the questions of `{program}` for the person"),
        ));
    }
    if hands_shell_over(segments) || feeds_shell_by_fifo(segments) {
        found.push((Dangerous, "hands a shell to another machine".to_owned()));
    }
    let shell_reads = segments
        .iter()
        .any(|segment| segment.piped && reads_script(&segment.words));
    let heads = || {
        segments
            .iter()
            .filter(|segment| !segment.after.is_redirect())
            .filter_map(|segment| head(&segment.words))
    };
    if heads().any(is_download) {
        let code_reads = segments
            .iter()
            .any(|segment| segment.piped && is_bare_language(&segment.words));
        // Where the text is only split roughly, a `$` may be cut from a substitution that is an argument; in the body of a function it is not
        // known what is piped there, and a program by its variable is an ordinary one.
        let is_cut = |segment: &Segment| {
            (segment.rough || segment.after != After::Pipe)
                && segment
                    .words
                    .first()
                    .is_some_and(|word| word.starts_with('$'))
        };
        let sink = segments
            .iter()
            .any(|segment| segment.piped && !is_cut(segment) && runs_input(&segment.words));
        let ticked = text.trim_start().starts_with('`')
            && segments
                .first()
                .and_then(|segment| head(&segment.words))
                .is_some_and(is_download);
        if shell_reads
            || code_reads
            || sink
            || ticked
            || runs_substituted(segments)
            || runs_unseen(segments)
            || runs_unpacked(segments)
        {
            found.push((Dangerous, "runs what it downloads".to_owned()));
        } else if let Some(name) = run_after_download(segments) {
            found.push((Dangerous, format!("runs what it downloads: `{name}`")));
        }
    } else if shell_reads {
        found.push((Dangerous, "runs what another command prints".to_owned()));
    } else if heads().any(|name| FETCHERS.has_program(name))
        && let Some(name) = run_after_download(segments)
    {
        found.push((Dangerous, format!("runs what it downloads: `{name}`")));
    } else if segments.iter().any(|segment| decodes(&segment.words)) && runs_substituted(segments) {
        found.push((Dangerous, "runs a text that is written in code".to_owned()));
    }
}

/// Programs whose own question is the last guard of what is kept, with `yes` before them: `yes | drizzle-kit push`.
fn answers_for_the_person(segments: &[Segment]) -> Option<&str> {
    const ASK: [(&str, &str); 9] = [
        ("drizzle-kit", "push"),
        ("prisma", "migrate"),
        ("prisma", "push"),
        ("terraform", "apply"),
        ("tofu", "apply"),
        ("pulumi", "up"),
        ("typeorm", "schema:sync"),
        ("supabase", "reset"),
        ("atlas", "apply"),
    ];
    static PRINTERS: NameSet<2> = NameSet::new(["echo", "printf"]);
    static ASKERS: NameSet<8> = NameSet::new([
        "drizzle-kit",
        "prisma",
        "terraform",
        "tofu",
        "pulumi",
        "typeorm",
        "supabase",
        "atlas",
    ]);
    let asked = segments.iter().filter(|segment| {
        segment.piped && segment.words.iter().any(|word| ASKERS.has_program(word))
    });
    let program = asked.into_iter().find_map(|segment| {
        let has = |word: &str| {
            segment
                .words
                .iter()
                .any(|other| last_part(other).eq_ignore_ascii_case(word))
        };
        ASK.iter()
            .find(|(program, verb)| has(program) && has(verb))
            .map(|(program, _)| *program)
    })?;
    let says_yes = |segment: &Segment| {
        let Some(name) = head(&segment.words) else {
            return false;
        };
        let is_yes = |word: &String| matches!(word.trim_end_matches("\\n"), "y" | "yes" | "Y");
        name == "yes" || PRINTERS.has_program(name) && segment.words.iter().skip(1).any(is_yes)
    };
    segments.iter().any(says_yes).then_some(program)
}

/// A word that names a cloud's metadata service, where anything in the line talks to a network.
fn of_metadata(segments: &[Segment], found: &mut Vec<Found>) {
    let talks = |segment: &Segment| {
        let socket =
            segment.after.is_redirect() && segment.words.iter().any(|path| is_socket(path));
        socket
            || !segment.after.is_redirect()
                && segment
                    .words
                    .iter()
                    .take(8)
                    .any(|word| is_download(word) || is_language(word))
    };
    if !segments.iter().any(talks) {
        return;
    }
    if let Some(word) = segments
        .iter()
        .filter(|segment| !segment.rough)
        .flat_map(|segment| &segment.words)
        .find(|word| metadata::is_named(word))
    {
        found.push((
            Dangerous,
            format!("asks the cloud's metadata service, `{word}`, which hands out credentials"),
        ));
    }
}

/// A pipe with a name, a shell and a connection: what is typed on the other side comes back to the shell.
fn feeds_shell_by_fifo(segments: &[Segment]) -> bool {
    let commands = || {
        segments
            .iter()
            .filter(|segment| !segment.after.is_redirect())
    };
    let heads = || commands().filter_map(|segment| head(&segment.words));
    static MAKERS: NameSet<2> = NameSet::new(["mkfifo", "mknod"]);
    let connects = |segment: &Segment| {
        head(&segment.words).is_some_and(|name| {
            is_download(name)
                || name == "openssl" && segment.words.iter().any(|word| word == "s_client")
        })
    };
    heads().any(|name| MAKERS.has_program(name))
        && commands().any(connects)
        && heads().any(is_shell)
}

/// An archive that is downloaded and unpacked, and a program run by its path behind it: `curl … | tar xz && ./x/install.sh`.
fn runs_unpacked(segments: &[Segment]) -> bool {
    static UNPACKERS: NameSet<4> = NameSet::new(["tar", "bsdtar", "unzip", "cpio"]);
    let unpacks = |segment: &Segment| {
        segment.piped && head(&segment.words).is_some_and(|name| UNPACKERS.has_program(name))
    };
    let Some(at) = segments.iter().position(unpacks) else {
        return false;
    };
    segments
        .iter()
        .skip(at + 1)
        .filter(|segment| {
            !segment.after.is_redirect() && segment.after != After::Wrapper && !segment.piped
        })
        .any(|segment| {
            let by_path = head(&segment.words)
                .is_some_and(|name| name.contains('/') && !name.starts_with('/'));
            by_path
                || runner(&segment.words).is_some_and(|at| {
                    segment
                        .words
                        .get(at + 1)
                        .is_some_and(|word| !word.starts_with('-'))
                })
        })
}

/// Where a shell or a language stands in a command: first, or behind something that runs it.
fn runner(words: &[String]) -> Option<usize> {
    let runs =
        |word: &str| is_shell(word) || is_language(word) || matches!(word, "eval" | "source" | ".");
    let first = head(words)?;
    let at = words.iter().position(|word| word == first)?;
    if runs(first) && first != "." || words.get(at).is_some_and(|word| word == ".") {
        return Some(at);
    }
    (takes_command(first) || is_transparent(first))
        .then(|| words.iter().position(|word| runs(word) && word != "."))?
}

/// A language without a file or a script reads its program from the pipe.
fn is_bare_language(words: &[String]) -> bool {
    let Some(at) = runner(words) else {
        return false;
    };
    let mut rest = words.iter().skip(at);
    rest.next().is_some_and(|word| is_language(word))
        && rest.all(|word| matches!(word.as_str(), "-" | "-u" | "-B" | "-s" | "/dev/stdin"))
}

/// Beside a download, what runs a variable that was set from a substitution or read, or a shell that reads what was opened before:
/// `x=$(curl …); eval "$x"`, `curl … | $SHELL`, `exec 3< <(curl …); bash <&3`.
fn runs_unseen(segments: &[Segment]) -> bool {
    let commands = || {
        segments
            .iter()
            .filter(|segment| !segment.after.is_redirect() && segment.after != After::Wrapper)
    };
    let opened = segments.iter().any(|segment| segment.after == After::Other);
    let mut set: Vec<&str> = Vec::new();
    // Of these it is seen that the download itself is in them: a text in quotes is cut behind `$( … )`, and what follows looks like a command.
    let mut fetched: Vec<&str> = Vec::new();
    let all: Vec<&Segment> = commands().collect();
    for (at, segment) in all.iter().enumerate() {
        let by_substitution = |word: &'_ String| -> bool {
            word.ends_with("=$")
                || word.ends_with('=')
                || word.contains("=$(")
                || word.contains("=`")
        };
        set.extend(
            segment
                .words
                .iter()
                .filter(|word| by_substitution(word))
                .filter_map(|word| Some(word.split_once('=')?.0)),
        );
        if let Some(at) = segment
            .words
            .iter()
            .position(|word| matches!(word.as_str(), "read" | "mapfile" | "readarray"))
        {
            set.extend(segment.words.iter().skip(at + 1).map(String::as_str));
            fetched.extend(segment.words.iter().skip(at + 1).map(String::as_str));
        }
        let inside = || {
            all.iter()
                .skip(at + 1)
                .take(4)
                .filter_map(|next| head(&next.words))
                .any(is_download)
        };
        let holds_download = |word: &&String| {
            word.ends_with("=$") && inside()
                || by_substitution(word)
                    && word
                        .split(|letter: char| !letter.is_alphanumeric())
                        .any(is_download)
        };
        fetched.extend(
            segment
                .words
                .iter()
                .filter(holds_download)
                .filter_map(|word| Some(word.split_once('=')?.0)),
        );
    }
    set.truncate(MOST_NAMES);
    fetched.truncate(MOST_NAMES);
    let bare = |word: &'_ String| -> String {
        word.trim_matches(['$', '{', '}', '@', '*', '[', ']'])
            .to_owned()
    };
    let is_set = |word: &String| is_variable(word) && set.contains(&bare(word).as_str());
    let is_fetched = |word: &String| fetched.contains(&bare(word).as_str());
    let substituted = |word: &String| {
        (word.starts_with("$(") || word.starts_with('`'))
            && word
                .split(|letter: char| !letter.is_alphanumeric())
                .any(is_download)
    };
    commands().filter(|segment| !segment.rough).any(|segment| {
        let start = segment
            .words
            .iter()
            .take_while(|word| is_transparent(word))
            .count();
        let Some((first, rest)) = segment.words.get(start..).and_then(<[String]>::split_first)
        else {
            return false;
        };
        match first.as_str() {
            "eval" => rest.iter().any(|word| is_set(word) || substituted(word)),
            _ if is_variable(first) => rest.is_empty() && (is_fetched(first) || segment.piped),
            shell if is_shell(shell) && rest.is_empty() => opened,
            shell if is_shell(shell) => {
                let takes_text = |word: &String| {
                    word.starts_with('-') && !word.starts_with("--") && word.contains('c')
                };
                let text = rest.iter().skip_while(|word| !takes_text(word)).nth(1);
                text.is_some_and(|text| is_set(text) || substituted(text))
            }
            _ => false,
        }
    })
}

/// `bash <(curl …)`, `eval "$(curl …)"`: the download stands where a runner takes its script from.
fn runs_substituted(segments: &[Segment]) -> bool {
    let commands: Vec<&Segment> = segments
        .iter()
        .filter(|segment| !segment.after.is_redirect() && segment.after != After::Wrapper)
        .collect();
    commands.windows(2).any(|pair| {
        let [first, second] = pair else { return false };
        // Another way to split the text starts again.
        let downloads = (head(&second.words).is_some_and(is_download) || decodes(&second.words))
            && second.after == After::Opened
            && first.rough == second.rough;
        let open = |at: usize| {
            let rest = first.words.get(at + 1..).unwrap_or(&[]);
            let (last, before) = rest
                .split_last()
                .map_or((None, rest), |(last, before)| (Some(last), before));
            // Behind a file it is an argument of that.
            let has_file = before.iter().any(|word| !word.starts_with(['-', '+']))
                && !before
                    .iter()
                    .any(|word| matches!(word.as_str(), "-c" | "-e" | "-lc"));
            let is_eval = first.words.get(at).is_some_and(|word| word == "eval");
            last.is_some_and(|last| last.ends_with('$')) && (is_eval || !has_file)
                || rest.iter().all(|word| word.starts_with('-'))
        };
        downloads && (first.words.as_slice() == ["$"] || runner(&first.words).is_some_and(open))
    })
}

/// The program that a command starts, also behind `timeout 5` or `env A=b`.
fn behind_wrappers(words: &[String]) -> Option<&String> {
    let own = |word: &str| {
        word.starts_with(|first: char| first == '-' || first.is_ascii_digit())
            || is_assignment(word)
    };
    words
        .iter()
        .find(|word| !(own(word) || takes_command(word) || is_transparent(word)))
}

/// A file that is downloaded, and run further on.
fn run_after_download(segments: &[Segment]) -> Option<String> {
    fn base(path: &str) -> &str {
        path.rsplit('/')
            .next()
            .unwrap_or(path)
            .split(['?', '#'])
            .next()
            .unwrap_or("")
    }
    let mut names: Vec<String> = Vec::new();
    let runs_input = || {
        segments.iter().any(|segment| {
            !segment.after.is_redirect()
                && (reads_script(&segment.words) || is_bare_language(&segment.words))
        })
    };
    for segment in segments
        .iter()
        .filter(|segment| segment.after != After::Wrapper)
    {
        let words = &segment.words;
        if segment.after == After::Output {
            names.extend(
                words
                    .first()
                    .map(|path| base(path).to_owned())
                    .filter(|name| !name.is_empty()),
            );
            continue;
        }
        let below =
            |word: &str, name: &str| word.split('/').any(|part| part == name) && word.contains('/');
        let is_name = |word: &String| {
            names
                .iter()
                .take(MOST_NAMES)
                .any(|name| (*name == base(word) || below(word, name)) && name != "null")
        };
        if segment.after == After::Input
            && let Some(path) = words.first().filter(|path| is_name(path))
            && runs_input()
        {
            return Some(path.clone());
        }
        let Some(first) = head(words).filter(|_| !segment.after.is_redirect()) else {
            continue;
        };
        let fetches = matches!(first, "scp" | "sftp" | "rsync")
            || first == "git" && words.iter().any(|word| word == "clone");
        if fetches {
            names.extend(
                words
                    .iter()
                    .filter(|word| word.contains(':'))
                    .map(|word| base(word).trim_end_matches(".git").to_owned()),
            );
            names.extend(words.last().map(|word| base(word).to_owned()));
            names.retain(|name| !matches!(name.as_str(), "" | "." | ".."));
            names = names
                .iter()
                .map(|name| name.rsplit(':').next().unwrap_or(name).to_owned())
                .collect();
            names.truncate(MOST_NAMES);
            continue;
        }
        let wrapped = || {
            (takes_command(first) || is_transparent(first))
                && words.iter().any(|word| is_download(word))
        };
        if is_download(first) || wrapped() {
            let values = words.windows(2).filter(|pair| {
                pair.first().is_some_and(|word| {
                    matches!(
                        word.as_str(),
                        "-o" | "-O"
                            | "--output"
                            | "--output-document"
                            | "-sSLo"
                            | "-Lo"
                            | "-sLo"
                            | "-fsSLo"
                            | "-qO"
                    )
                })
            });
            names.extend(values.filter_map(|pair| Some(base(pair.get(1)?).to_owned())));
            names.extend(
                words
                    .iter()
                    .filter(|word| word.contains("://"))
                    .map(|word| base(word).to_owned())
                    .filter(|name| !name.is_empty()),
            );
            continue;
        }
        // Without a file that was downloaded before, none of them runs.
        if names.is_empty() {
            continue;
        }
        let by_itself =
            behind_wrappers(words).is_some_and(|first| first.contains('/') && is_name(first));
        let script = |at: usize| {
            words
                .iter()
                .skip(at + 1)
                .take(4)
                .take_while(|word| !matches!(word.as_str(), "-m" | "-c" | "-e"))
                .find(|word| !word.starts_with('-'))
        };
        let by_runner = runner(words).and_then(script).is_some_and(is_name);
        if by_itself || by_runner {
            return words.iter().find(|word| is_name(word)).cloned();
        }
        names.truncate(MOST_NAMES);
    }
    None
}
