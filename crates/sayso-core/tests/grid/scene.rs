//! A case of the grid from one line: a command or a call, and behind each `|` what it does or what is known.
//!
//! `cat a | run known | read /ws/a` is a command with two effects. A tool is written `@tool {"path": "a"}`. An effect has the kind first, its
//! target, and flags; every other word sets something of the case. A path may be reached by a link (`link=`), or by one to another one
//! (`via=`), or have another name than is written (`is=`).

use sayso_core::analysis::draft::{Command, Danger, Opaque, Reading};
use sayso_core::analysis::effect::{Effect, EffectKind, Manner, Place, Target};
use sayso_core::analysis::fact::{
    BelowFact, GitFact, GitHelper, GitHelperKind, GitScope, Ignored, Link, OwnPath, Owner,
    PathFact, PathKind, ProgramFact, Question, Surroundings,
};
use sayso_core::analysis::risk::{Risk, Tier};
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::call::operation::{Agent, Call, McpIdentity, Operation, ToolSays};
use sayso_core::call::url::Url;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};

/// Everything that a case needs besides the policy.
pub struct Scene {
    pub operation: Operation,
    pub reading: Reading,
    pub grants: Vec<Grant>,
    /// It is known how often rules were used.
    pub counted: bool,
    /// Its runner can contain commands.
    pub contains: bool,
}

fn command(text: &str) -> Command {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    Command {
        normal: words.clone(),
        words,
        literal: true,
        ..Command::default()
    }
}

fn kind(word: &str) -> Option<EffectKind> {
    Some(match word {
        "read" => EffectKind::Read,
        "write" => EffectKind::Write,
        "delete" => EffectKind::Delete,
        "run" => EffectKind::Run,
        "connect" => EffectKind::Connect,
        "environment" => EffectKind::Environment,
        "privilege" => EffectKind::Privilege,
        "signal" => EffectKind::Signal,
        "unknown" => EffectKind::Unknown,
        _ => return None,
    })
}

/// A path is written from `/home/u/ws` unless it is absolute.
fn place(written: &str, flags: &[&str]) -> Target {
    let has = |flag: &str| flags.contains(&flag);
    let link = flags
        .iter()
        .find_map(|flag| flag.strip_prefix("link="))
        .map(|to| sayso_core::paths::join("/home/u/ws", to));
    let via = flags
        .iter()
        .find_map(|flag| flag.strip_prefix("via="))
        .map(|to| sayso_core::paths::join("/home/u/ws", to));
    let is = flags
        .iter()
        .find_map(|flag| flag.strip_prefix("is="))
        .map(|name| sayso_core::paths::join("/home/u/ws", name));
    let at = sayso_core::paths::join("/home/u/ws", written);
    let kind = match () {
        () if has("missing") => PathKind::Missing,
        () if has("folder") => PathKind::Folder,
        () if has("device") => PathKind::Device,
        () if has("channel") => PathKind::Channel,
        () => PathKind::File,
    };
    let fact = PathFact {
        canonical: is.or(link.clone()).unwrap_or_else(|| at.clone()),
        links: links(at, via, link),
        kind,
        hard_links: if has("hard") { 2 } else { 1 },
        owner: if has("root") { Owner::Root } else { Owner::Me },
        writable_by_others: has("others"),
        closed_to_others: has("closed"),
        case_insensitive: has("nocase"),
        ignored: match () {
            () if has("ignored") => Ignored::Yes,
            () if has("perhaps-ignored") => Ignored::Unknown,
            () => Ignored::No,
        },
        size: Some(10),
    };
    Target::Path(Place {
        written: written.to_owned(),
        question: 0,
        fact: Some(fact),
    })
}

/// One link, or two where the first one leads to another.
fn links(at: String, via: Option<String>, to: Option<String>) -> Vec<Link> {
    let ends: Vec<String> = [Some(at), via, to].into_iter().flatten().collect();
    ends.windows(2)
        .map(|pair| Link {
            at: pair[0].clone(),
            to: pair[1].clone(),
            dangling: false,
        })
        .collect()
}

fn effect(kind: EffectKind, words: &[&str], part: usize) -> Effect {
    let (target, flags) = match (kind, words.split_first()) {
        (EffectKind::Read | EffectKind::Write | EffectKind::Delete, Some((written, flags))) => {
            match written.strip_prefix('$') {
                Some(name) => (Target::UnknownPath(format!("${name}")), flags),
                None => (place(written, flags), flags),
            }
        }
        (EffectKind::Connect, Some((address, flags))) => match Url::parse(address) {
            Ok(url) if address.contains("://") => (Target::Url(url), flags),
            _ => (Target::Host((*address).to_owned()), flags),
        },
        (_, Some((&"tool", [name, flags @ ..]))) => (Target::Tool((*name).to_owned()), flags),
        (_, Some((&"mcp", [server, tool, flags @ ..]))) => (
            Target::McpTool {
                server: (*server).to_owned(),
                tool: (*tool).to_owned(),
            },
            flags,
        ),
        (_, Some((&"agent", [name, flags @ ..]))) => (Target::Agent((*name).to_owned()), flags),
        (EffectKind::Run, _) => (Target::Command, words),
        _ => (Target::Nothing, words),
    };
    let has = |flag: &str| flags.contains(&flag);
    let manner = Manner {
        recursive: has("recursive"),
        overwrite: has("overwrite"),
        moved_away: has("moved"),
        redirect: has("redirect"),
        file_tool: has("tool-file"),
        makes_folder: has("makes-folder"),
        repository: has("repository"),
        unlisted: has("unlisted"),
        known_program: has("known"),
        listing: has("listing"),
        maybe_option: false,
        named: false,
        absent: false,
        permissions: false,
        argument: has("argument"),
    };
    let part = (!has("alone") && !has("tool-file")).then_some(part);
    let note = has("noted").then(|| "a note".to_owned());
    Effect {
        manner,
        certain: !has("maybe"),
        part,
        note,
        at: has("seen").then_some((2, 5)),
        ..Effect::new(kind, target)
    }
}

fn helper(name: &str, on_read: bool, scope: GitScope) -> GitHelper {
    let kind = match name {
        "hook" => GitHelperKind::Hook,
        "login" => GitHelperKind::Login,
        _ => GitHelperKind::Program,
    };
    GitHelper {
        name: name.to_owned(),
        value: "x".to_owned(),
        file: "/home/u/ws/.git/config".to_owned(),
        scope,
        kind,
        on_read,
    }
}

impl Scene {
    /// Reads a line.
    pub fn read(line: &str) -> Scene {
        let mut fields = line.split(" | ");
        let first = fields.next().unwrap_or_default();
        let (mut call, mut reading) = match first.strip_prefix('@') {
            Some(tool) => {
                let (name, args) = tool.split_once(' ').unwrap_or((tool, "{}"));
                (
                    Call::new(
                        name,
                        json::read(args, &Limits::default()).unwrap(),
                        "/home/u/ws",
                    ),
                    Reading::default(),
                )
            }
            None => (
                Call::command(first, "/home/u/ws"),
                Reading {
                    commands: vec![command(first)],
                    ..Reading::default()
                },
            ),
        };
        let own = |path: &str, private: bool| OwnPath {
            path: path.to_owned(),
            private,
            exists: true,
            reason: Default::default(),
        };
        reading.surroundings = Surroundings {
            workspace: "/home/u/ws".to_owned(),
            cwd: "/home/u/ws".to_owned(),
            home: Some("/home/u".to_owned()),
            own: vec![
                own("/home/u/.config/sayso", false),
                own("/home/u/.local/state/sayso", true),
            ],
        };
        call.id = "call".to_owned();
        call.session = "session".to_owned();
        let (mut grants, mut counted, mut contains) = (Vec::new(), false, false);
        for field in fields {
            let words: Vec<&str> = field.split(' ').collect();
            let part = reading.commands.len().saturating_sub(1);
            match (words[0], words.get(1..).unwrap_or_default()) {
                ("agent", names) => {
                    call.agent = Agent {
                        name: names[0].to_owned(),
                        parents: names[1..].iter().map(|name| (*name).to_owned()).collect(),
                    };
                }
                ("then", words) => reading.commands.push(command(&words.join(" "))),
                ("danger", [tier, words @ ..]) => {
                    let tier = if *tier == "catastrophic" {
                        Tier::Catastrophic
                    } else {
                        Tier::Dangerous
                    };
                    let shown_by_effect = words.contains(&"shown");
                    reading.dangers.push(Danger {
                        tier,
                        what: words.join(" "),
                        part: Some(part),
                        shown_by_effect,
                    });
                }
                ("opaque", words) => {
                    let seen = words
                        .split(|word| *word == ";")
                        .map(|row| row.iter().map(|word| (*word).to_owned()).collect())
                        .collect();
                    reading.opaque = Some(Opaque {
                        reason: "a reason".to_owned(),
                        start: 1,
                        end: 3,
                        seen,
                    });
                    reading.commands.clear();
                }
                ("unplaced", []) => {
                    let opaque = reading.opaque.as_mut().unwrap();
                    opaque.end = opaque.start;
                }
                ("search", words) => {
                    let list = |key: &str| {
                        words
                            .iter()
                            .filter_map(|word| word.strip_prefix(key))
                            .map(str::to_owned)
                            .collect()
                    };
                    let incomplete = words.contains(&"incomplete");
                    reading.searches.push(Some(BelowFact {
                        secrets: list("secret="),
                        private: list("private="),
                        odd: list("odd="),
                        incomplete,
                        tracked: false,
                    }));
                }
                ("program", [file, flags @ ..]) => {
                    let fact = ProgramFact {
                        file: Some((*file).to_owned()),
                        changeable: flags.contains(&"changeable"),
                        inside_workspace: sayso_core::paths::below(file, "/home/u/ws"),
                    };
                    reading.programs.resize(part, None);
                    reading.programs.push(Some(fact));
                }
                ("wrapper", [name, file]) => {
                    reading.commands[part].wrappers.push((*name).to_owned());
                    let inside_workspace = sayso_core::paths::below(file, "/home/u/ws");
                    reading.wrapper_programs.resize(part, Vec::new());
                    reading.wrapper_programs.push(vec![ProgramFact {
                        file: Some((*file).to_owned()),
                        changeable: false,
                        inside_workspace,
                    }]);
                }
                ("git", words) => {
                    let scope = if words.contains(&"person") {
                        GitScope::Person
                    } else {
                        GitScope::Repository
                    };
                    let helpers = words
                        .iter()
                        .filter_map(|word| word.strip_prefix("helper="))
                        .map(|name| helper(name, true, scope))
                        .collect();
                    let root = if words.contains(&"elsewhere") {
                        "/home/u/ws/sub"
                    } else {
                        "/home/u/ws"
                    };
                    reading.git.resize(part, None);
                    reading.git.push(Some(GitFact {
                        root: Some(root.to_owned()),
                        helpers,
                        incomplete: words.contains(&"incomplete"),
                    }));
                }
                ("command", flags) => {
                    let command = &mut reading.commands[part];
                    for flag in flags {
                        match flag.split_once('=').unwrap_or((flag, "")) {
                            ("open", _) => command.literal = false,
                            ("modelled", _) => command.modelled = true,
                            ("folder", folder) => command.folders.push(folder.to_owned()),
                            ("stage", words) => command
                                .stages
                                .push(words.split('+').map(str::to_owned).collect()),
                            ("normal", words) => {
                                command.normal = words.split('+').map(str::to_owned).collect()
                            }
                            other => panic!("{other:?}"),
                        }
                    }
                }
                ("cwd", [folder]) => call.cwd = (*folder).to_owned(),
                ("contains", []) => contains = true,
                ("counted", []) => counted = true,
                ("unanswered", [path]) => reading.unanswered.push(Question::Path {
                    path: (*path).to_owned(),
                    no_follow: false,
                }),
                ("says", ["approved"]) => call.says = ToolSays::PreApproved,
                ("says", ["blocked"]) => {
                    call.says = ToolSays::Blocked {
                        reason: "no".to_owned(),
                    }
                }
                ("says", ["asks"]) => {
                    call.says = ToolSays::NeedsApproval {
                        payload: Node::text("x"),
                        description: "please".to_owned(),
                    }
                }
                ("mcp", flags) => {
                    let annotations = flags
                        .iter()
                        .filter_map(|flag| flag.strip_prefix("hint="))
                        .map(|name| (name.to_owned(), true))
                        .collect();
                    call.mcp = Some(McpIdentity {
                        changed: flags.contains(&"changed"),
                        annotations,
                        ..McpIdentity::default()
                    });
                }
                ("grant", [what, flags @ ..]) => grants.push((
                    (*what).to_owned(),
                    flags.contains(&"low"),
                    flags.contains(&"batch"),
                )),
                (word, words) => match kind(word) {
                    Some(kind) => reading.effects.push(effect(kind, words, part)),
                    None => panic!("`{word}` of `{line}` is not known"),
                },
            }
        }
        call.batch = grants
            .iter()
            .any(|(.., batch)| *batch)
            .then(|| "batch".to_owned());
        let operation = Operation::freeze(call).unwrap();
        let grants = grants
            .into_iter()
            .map(|(what, low, batch)| grant(&what, low, batch, &operation))
            .collect();
        Scene {
            operation,
            reading,
            grants,
            counted,
            contains,
        }
    }
}

fn grant(what: &str, low: bool, batch: bool, operation: &Operation) -> Grant {
    let key = match what {
        "exact" => GrantKey::Exact(operation.digest()),
        "other" => GrantKey::Exact(Digest::of_node(&Node::text("other"))),
        "rest" => GrantKey::RestOfBatch,
        "reads" => GrantKey::Reads(operation.workspace().to_owned()),
        words => GrantKey::Command {
            words: words.split('+').map(str::to_owned).collect(),
            folder: operation.cwd(),
        },
    };
    let reach = if batch {
        Reach::Batch("batch".to_owned())
    } else {
        Reach::Session("session".to_owned())
    };
    Grant {
        id: "g".to_owned(),
        key,
        reach,
        agent: operation.agent().line(),
        expires: None,
        uses_left: None,
        risk: if low { Risk::Low } else { Risk::Unknown },
        seal: None,
    }
}
