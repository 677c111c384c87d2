//! Dangers in the commands of PowerShell and cmd, which may stand in a script for them or reach them from another shell.

use sayso_core::analysis::risk::Tier::{self, Catastrophic, Dangerous};

use super::call::{Call, Found};
use super::critical_paths::{Worth, worth};
use crate::unparsed::other_shells::has_ignoring_case;

/// The dangers of a command of Windows.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    let mut say = |tier, what: String| found.push((tier, what));
    let first = call.lower(0);
    let switch = |letter: &str| call.has(letter);
    match name {
        "remove-item" | "ri" | "rni" => of_remove(call, &mut say),
        // These are also names of cmd; of bash's own only `rmdir` and `rd` exist, which take no `/s`.
        "rd" | "rmdir" | "del" | "erase" | "deltree"
            if switch("/s") || name == "deltree" || call.starts(&["-r"]) && name != "rmdir" =>
        {
            of_remove(call, &mut say);
        }
        "format"
            if call.starts(&["/fs", "/q", "/y"])
                && call.operands().any(|word| word.ends_with(':')) =>
        {
            say(Catastrophic, "`format` erases a disk".to_owned());
        }
        "format-volume" | "clear-disk" | "initialize-disk" | "remove-partition" | "diskpart" => {
            say(Catastrophic, format!("`{name}` erases a disk"));
        }
        "vssadmin" | "wbadmin" if first == "delete" || first == "resize" => {
            say(Dangerous, format!("`{name} {first}` deletes backups"))
        }
        "wmic" if call.has("shadowcopy") && call.has("delete") => say(
            Dangerous,
            "`wmic shadowcopy delete` deletes backups".to_owned(),
        ),
        "bcdedit" | "bootrec" if !call.arguments.is_empty() => say(
            Dangerous,
            format!("`{name}` changes how the machine starts"),
        ),
        "cipher" if call.starts(&["/w"]) => say(Dangerous, "`cipher /w` wipes a disk".to_owned()),
        "reg" if matches!(&*first, "delete" | "add" | "import" | "restore") => {
            say(Dangerous, format!("`reg {first}` changes the registry"));
        }
        "remove-itemproperty" | "set-itemproperty" | "new-itemproperty"
            if call.operands().any(|word| has_ignoring_case(word, "hk")) =>
        {
            say(Dangerous, format!("`{name}` changes the registry"));
        }
        "stop-computer" | "restart-computer" => {
            say(Dangerous, format!("`{name}` stops the machine"))
        }
        "stop-process" | "spps" if call.operands().any(|word| word == "*") || call.has("*") => {
            say(Dangerous, format!("`{name}` ends every process"));
        }
        "stop-process" | "spps" if call.exact && call.arguments.is_empty() => {
            say(Dangerous, format!("`{name}` ends every process it is told"));
        }
        "taskkill"
            if call.has("*")
                || call.has("/im") && call.operands().any(|word| word.contains("sayso")) =>
        {
            say(Dangerous, "`taskkill` ends processes by pattern".to_owned());
        }
        "set-mppreference" | "add-mppreference" | "remove-mppreference"
            if call.starts(&["-disable", "-exclusion"]) =>
        {
            say(
                Dangerous,
                format!("`{name}` turns off what guards the machine"),
            );
        }
        "set-netfirewallprofile"
        | "disable-netfirewallrule"
        | "uninstall-windowsfeature"
        | "disable-bitlocker" => {
            say(
                Dangerous,
                format!("`{name}` turns off what guards the machine"),
            );
        }
        "netsh" if call.has_any(&["off", "disable", "reset", "delete"]) => {
            say(
                Dangerous,
                "`netsh` turns off what guards the machine".to_owned(),
            );
        }
        "set-executionpolicy" if call.has_any(&["bypass", "unrestricted", "remotesigned"]) => {
            say(
                Dangerous,
                "`Set-ExecutionPolicy` lets any script run".to_owned(),
            );
        }
        "clear-eventlog" | "clear-history" | "wevtutil"
            if name != "wevtutil" || matches!(&*first, "cl" | "clear-log") =>
        {
            say(
                Dangerous,
                format!("`{name}` wipes the traces of what was done"),
            );
        }
        "schtasks" if call.has_any(&["/create", "/delete", "/change"]) => say(
            Dangerous,
            "`schtasks` changes what runs by itself".to_owned(),
        ),
        "register-scheduledtask" | "new-service" => {
            say(Dangerous, format!("`{name}` changes what runs by itself"))
        }
        "takeown" | "icacls" if switch("/r") || switch("/t") || call.starts(&["everyone"]) => {
            say(
                Dangerous,
                format!("`{name}` changes who may do what below a folder"),
            );
        }
        "new-localuser" | "add-localgroupmember" | "runas" => {
            say(Dangerous, format!("gains rights by `{name}`"))
        }
        "start-process" if call.has("runas") => {
            say(Dangerous, "gains rights by `Start-Process`".to_owned())
        }
        "iex" | "invoke-expression" if call.exact || !call.arguments.is_empty() => {
            say(Dangerous, format!("`{name}` runs a text as a script"));
        }
        "mshta" | "regsvr32" | "rundll32" | "certutil" | "bitsadmin" | "start-bitstransfer"
            if call
                .arguments
                .iter()
                .any(|word| has_ignoring_case(word, "http")) =>
        {
            say(Dangerous, format!("`{name}` downloads what may be run"));
        }
        "powershell" | "pwsh" | "powershell_ise" => of_powershell(call, &mut say),
        _ => {}
    }
}

/// A delete that goes deep when it says so.
fn of_remove(call: &Call<'_>, say: &mut impl FnMut(Tier, String)) {
    let deep = call.starts(&["-r", "/s"]) || matches!(call.name, "deltree");
    let is_switch = |word: &str| {
        word.starts_with('/')
            && matches!(word.len(), 2 | 3)
            && word.bytes().skip(1).all(|byte| byte.is_ascii_alphabetic())
    };
    let vital = call
        .operands()
        .filter(|word| !is_switch(word))
        .find(|word| worth(word) == Worth::Vital);
    match vital {
        Some(path) if deep => say(
            Catastrophic,
            format!("deletes `{path}` with everything below"),
        ),
        Some(path) => say(Dangerous, format!("`{}` deletes from `{path}`", call.name)),
        None if deep => say(
            Dangerous,
            format!("`{}` deletes folders with everything below", call.name),
        ),
        None => {}
    }
}

/// Options that hide a script, or turn off the check of scripts.
fn of_powershell(call: &Call<'_>, say: &mut impl FnMut(Tier, String)) {
    let option = |full: &str, least: usize| {
        call.arguments.iter().any(|word| {
            let lower = word.to_ascii_lowercase();
            lower.len() >= least && lower.starts_with('-') && full.starts_with(lower.as_str())
        })
    };
    if option("-encodedcommand", 2) && !option("-exit", 5) || option("-ec", 3) {
        say(
            Dangerous,
            format!("`{}` runs a script that is written in code", call.name),
        );
    }
    if option("-executionpolicy", 3) && call.has_any(&["bypass", "unrestricted"]) {
        say(Dangerous, format!("`{}` lets any script run", call.name));
    }
}

/// The dangers of a text for such a shell that no single command shows: downloads that are run, and names cut by an escape.
pub(crate) fn of_text(text: &str, found: &mut Vec<Found>) {
    let runs = has_ignoring_case(text, "iex") || has_ignoring_case(text, "invoke-expression");
    let downloads = [
        "iwr",
        "irm",
        "invoke-webrequest",
        "invoke-restmethod",
        "downloadstring",
        "downloadfile",
        "net.webclient",
    ];
    if runs && downloads.iter().any(|name| has_ignoring_case(text, name)) {
        found.push((Dangerous, "runs what it downloads, by `iex`".to_owned()));
    }
    if has_ignoring_case(text, "%0|%0") || has_ignoring_case(text, "%0 | %0") {
        found.push((Catastrophic, "is a fork bomb".to_owned()));
    }
}

/// The text without the escapes that cut a name in two: `r^d`, `Remove-It` with a backtick before `em`.
pub(crate) fn without_escapes(text: &str) -> Option<String> {
    text.contains(['^', '`'])
        .then(|| text.replace(['^', '`'], ""))
}
