//! Dangers to the person's own hands: typing into other terminals and windows.

use sayso_core::analysis::risk::Tier::Dangerous;

use super::call::{Call, Found};

/// The dangers of a program that reaches other terminals.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    let types = match name {
        "tmux" => call.arguments.iter().any(|word| {
            word.starts_with("send")
                || matches!(
                    word.as_str(),
                    "pasteb"
                        | "paste-buffer"
                        | "run"
                        | "run-shell"
                        | "respawn-pane"
                        | "respawnp"
                        | "respawn-window"
                        | "respawnw"
                        | "pipe-pane"
                        | "pipep"
                        | "set-hook"
                        | "bind-key"
                        | "bind"
                        | "if-shell"
                        | "source-file"
                )
        }),
        "screen" => call.short(&['X']),
        "kitty" | "kitten" => {
            call.has("@") && call.has_any(&["send-text", "send-key", "launch", "run"])
                || call.starts(&["@send", "@launch"])
        }
        "wezterm" => call.has("send-text"),
        "zellij" => call.has_any(&["write", "write-chars"]),
        "qdbus" | "dbus-send" | "gdbus" | "busctl" => call
            .arguments
            .iter()
            .any(|word| word.contains("sendText") || word.contains("runCommand")),
        "osascript" => call.arguments.iter().any(|word| {
            let lower = word.to_ascii_lowercase();
            [
                "keystroke",
                "key code",
                "do script",
                "system events",
                "write text",
            ]
            .iter()
            .any(|phrase| lower.contains(phrase))
        }),
        "vim" | "nvim" | "vi" | "gvim" => call.starts(&["--remote-send", "--remote-expr"]),
        "wall" => call.exact || call.arguments.is_empty(),
        "write" => {
            call.exact
                || call
                    .operands()
                    .any(|word| word.starts_with("pts/") || word.starts_with("tty"))
        }
        "ttyecho" => true,
        _ => false,
    };
    if types {
        found.push((Dangerous, format!("`{name}` types into another terminal")));
    }
    if matches!(
        name,
        "xdotool" | "ydotool" | "wtype" | "dotool" | "xte" | "xvkbd" | "cliclick"
    ) {
        found.push((Dangerous, format!("`{name}` types into other windows")));
    }
}

/// Whether a redirect to this path shows up in a terminal: another one, since the own is `/dev/tty`.
pub(crate) fn is_terminal(path: &str) -> bool {
    let numbered = |start: &str| {
        path.strip_prefix(start).is_some_and(|rest| {
            rest.starts_with(|first: char| first.is_ascii_digit() || "$S*".contains(first))
        })
    };
    path.starts_with("/dev/pts/")
        || numbered("/dev/tty")
        || path.starts_with("/dev/vcs")
        || path == "/dev/console"
}
