//! `sayso serve`: opens the inbox and stays, or says something to the one that is open.

use std::io::{self, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use clap::Args;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_world::locations::Whereabouts;

use super::{ArgumentError, Stop, say};
use crate::exit_code::Exit;
use sayso_inbox as serve;
use sayso_inbox::{Listen, Options, ServeError};
use sayso_runtime::inbox_client::client::{Client, Trouble};
use sayso_runtime::inbox_client::folder::Home;
use sayso_runtime::record_folder;

/// Open the inbox: every agent's questions in one place, answered in a browser, a terminal or by a program.
#[derive(Debug, Args)]
#[command(
    after_help = "The page and the API are served on this machine only, at a free port that is another one each time, and on a unix socket in sayso's own folder.\n\
There is one inbox for each person. Ctrl-C ends it: open questions are denied, and whoever waits is told so.\n\n\
Examples:\n  sayso serve\n  sayso serve --listen 127.0.0.1:8080\n  sayso serve --link"
)]
pub(super) struct ServeArgs {
    /// Serve the page at this address of this machine, or `none` for the socket alone.
    #[arg(long, value_name = "ADDR", value_parser = listen)]
    listen: Option<Listen>,

    /// Print a new one-time link to the inbox that is open.
    #[arg(long, conflicts_with_all = ["listen", "status", "stop", "set_pin"])]
    link: bool,

    /// Say whether an inbox is open, and how it does.
    #[arg(long, conflicts_with_all = ["listen", "stop", "set_pin"])]
    status: bool,

    /// Stop the inbox that is open; open questions are denied.
    #[arg(long, conflicts_with_all = ["listen", "set_pin"])]
    stop: bool,

    /// Set a PIN for answers that reach further than once, and for dangerous ones; an empty one takes it away. It is read from the terminal.
    #[arg(long, conflicts_with = "listen")]
    set_pin: bool,

    /// Answer as JSON.
    #[arg(long)]
    json: bool,

    /// As a hook starts it: nobody sits in front of it, and no link is printed.
    #[arg(long, hide = true)]
    detached: bool,
}

impl ServeArgs {
    /// Whether an agent may start it, too: to look, and as its hooks do, where nothing is printed that lets anybody in.
    pub(super) fn only_looks(&self) -> bool {
        (self.status || self.detached) && self.only_opens()
    }

    /// Whether it opens the inbox, or tells about it, and no more.
    pub(super) fn only_opens(&self) -> bool {
        !self.link && !self.stop && !self.set_pin
    }
}

fn listen(text: &str) -> Result<Listen, ArgumentError> {
    if text == "none" {
        return Ok(Listen::Nowhere);
    }
    text.parse::<SocketAddr>()
        .map(Listen::At)
        .map_err(|_| ArgumentError::Listen)
}

/// So long the inbox may take for a small question.
const SHORT: Duration = Duration::from_secs(5);

pub(super) fn run(args: &ServeArgs) -> Result<Exit, Stop> {
    let whereabouts = record_folder::whereabouts().map_err(Stop::usage)?;
    match () {
        () if args.link => link(&whereabouts, args.json),
        () if args.status => status(&whereabouts, args.json),
        () if args.stop => stop(&whereabouts),
        () if args.set_pin => set_pin(&whereabouts),
        () => open(whereabouts, args),
    }
}

fn open(whereabouts: Whereabouts, args: &ServeArgs) -> Result<Exit, Stop> {
    super::warn_at_start();
    let options = Options {
        listen: args.listen.unwrap_or(Listen::Usual),
        detached: args.detached,
        installed: sayso_agents::registry::installed_paths,
    };
    let as_json = args.json;
    let detached = args.detached;
    let ready = move |link: Option<&str>| {
        let text = match (link, as_json) {
            _ if detached => String::new(),
            (link, true) => {
                let link = link.map_or_else(|| Value::Null.into(), Node::text);
                format!(
                    "{}\n",
                    json::write_plain(&Node::map([
                        ("ready", Value::Bool(true).into()),
                        ("link", link)
                    ]))
                )
            }
            (Some(link), false) => {
                format!(
                    "the inbox is open: {link}\nhint: the link is good once, for ten minutes; `sayso serve --link` makes another one\n"
                )
            }
            (None, false) => "the inbox is open, at its socket alone\n".to_owned(),
        };
        // Whoever does not read it asks for a link.
        let _ = io::stdout()
            .write_all(text.as_bytes())
            .and_then(|()| io::stdout().flush());
    };
    serve::run(whereabouts, &options, ready).map_err(|error| match error {
        // It says the way out itself.
        ServeError::NotLocal(_) => Stop::usage(error),
        _ => Stop::hint(error, "`sayso serve --status` says whether one is open"),
    })?;
    Ok(Exit::Allowed)
}

fn client(whereabouts: &Whereabouts) -> Result<Client, Stop> {
    let client = Client::new(&whereabouts.state).map_err(Stop::usage)?;
    client.ok_or_else(|| Stop::usage(Trouble::NotThere.words()))
}

fn ask(client: &Client, method: &str, path: &str) -> Result<Node, Stop> {
    let answer = client
        .request(method, path, None, Instant::now() + SHORT)
        .map_err(|trouble| Stop::usage(trouble.words()))?;
    if answer.is_done() {
        Ok(answer.body)
    } else {
        Err(Stop::usage(answer.problem()))
    }
}

fn link(whereabouts: &Whereabouts, as_json: bool) -> Result<Exit, Stop> {
    let node = ask(&client(whereabouts)?, "POST", "/v1/links")?;
    let url = node.get("url").and_then(Node::as_text).unwrap_or_default();
    say(&if as_json {
        format!("{}\n", json::write_plain(&node))
    } else {
        format!("{url}\n")
    })?;
    Ok(Exit::Allowed)
}

fn status(whereabouts: &Whereabouts, as_json: bool) -> Result<Exit, Stop> {
    let client = Client::new(&whereabouts.state).map_err(Stop::usage)?;
    let told = client.as_ref().and_then(|client| client.home().told());
    let answer = client
        .as_ref()
        .map(|client| client.request("GET", "/v1/me", None, Instant::now() + SHORT));
    let (node, text, exit) = match (answer, told) {
        (Some(Ok(answer)), Some(told)) if answer.is_done() => {
            let watching = answer
                .body
                .get("watching")
                .and_then(Node::as_whole)
                .unwrap_or(0);
            let present = answer
                .body
                .get("present")
                .and_then(Node::as_whole)
                .unwrap_or(0);
            let url = told
                .url
                .clone()
                .unwrap_or_else(|| "its socket alone".to_owned());
            let text = format!(
                "the inbox is open at {url}, process {}, sayso {}; {watching} open {}, {present} looked at\n",
                told.pid,
                told.version,
                if watching == 1 { "screen" } else { "screens" }
            );
            let number = |number: u64| -> Node { Value::Number(number.to_string()).into() };
            let node = Node::map([
                ("open", Value::Bool(true).into()),
                (
                    "url",
                    told.url.map_or_else(|| Value::Null.into(), Node::text),
                ),
                ("pid", number(told.pid.into())),
                ("version", Node::text(told.version)),
                ("watching", number(watching)),
                ("present", number(present)),
            ]);
            (node, text, Exit::Allowed)
        }
        (Some(Err(trouble)), _) if trouble != Trouble::NotThere => {
            return Err(Stop::usage(trouble.words()));
        }
        _ => (
            Node::map([("open", Value::Bool(false).into())]),
            "the inbox is not open\n".to_owned(),
            Exit::Failed,
        ),
    };
    say(&if as_json {
        format!("{}\n", json::write_plain(&node))
    } else {
        text
    })?;
    Ok(exit)
}

fn stop(whereabouts: &Whereabouts) -> Result<Exit, Stop> {
    let client = client(whereabouts)?;
    match client.request("POST", "/v1/stop", None, Instant::now() + SHORT) {
        Ok(answer) if answer.is_done() => {}
        // One of another version is stopped as any process is.
        Err(Trouble::Other) => end(client.home())?,
        Ok(answer) => return Err(Stop::usage(answer.problem())),
        Err(trouble) => return Err(Stop::usage(trouble.words())),
    }
    let until = Instant::now() + SHORT;
    while client.home().is_running().map_err(Stop::usage)? {
        if Instant::now() > until {
            return Err(Stop::usage("the inbox was told to stop, and still runs"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    say("the inbox has stopped\n")?;
    Ok(Exit::Allowed)
}

/// Ends the process that has the lock.
fn end(home: &Home) -> Result<(), Stop> {
    let told = home.told().filter(|_| home.is_running().unwrap_or(false));
    let process = told
        .and_then(|told| i32::try_from(told.pid).ok())
        .and_then(rustix::process::Pid::from_raw);
    let process = process.ok_or_else(|| Stop::usage("nobody knows which process the inbox is"))?;
    rustix::process::kill_process(process, rustix::process::Signal::TERM)
        .map_err(|error| Stop::usage(format!("it cannot be ended: {error}")))
}

fn set_pin(whereabouts: &Whereabouts) -> Result<Exit, Stop> {
    let home = Home::open(&whereabouts.state).map_err(Stop::usage)?;
    if io::stdin().is_terminal() {
        say("the PIN (it is shown as you type; empty takes it away): ")?;
    }
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|error| Stop::usage(format!("the PIN cannot be read: {error}")))?;
    let pin = line.trim_end_matches(['\r', '\n']);
    serve::set_pin(&home, pin).map_err(Stop::usage)?;
    say(if pin.is_empty() {
        "there is no PIN now\n"
    } else {
        "the PIN is set; it counts for the inbox that is open, too\n"
    })?;
    Ok(Exit::Allowed)
}
