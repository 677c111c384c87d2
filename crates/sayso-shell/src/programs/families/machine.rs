//! Programs that tell about the machine: its parts, processes, users, services and networks.

use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::effect_builder::Scene;
use crate::programs::{Program, reads, says, takes_none};

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::new(
        &["lscpu"],
        "-a,--all -b,--online -B,--bytes -C,--caches~ -c,--offline -J,--json -e,--extended~ -p,--parse~ -x,--hex -y,--physical --output-all -V,--version",
        takes_none,
    ),
    Program::new(
        &["lsblk"],
        "-A,--noempty -D,--discard -J,--json -M,--merge -O,--output-all -P,--pairs -S,--scsi -T,--tree~ -a,--all -b,--bytes -d,--nodeps -e,--exclude= \
         -I,--include= -f,--fs -i,--ascii -l,--list -m,--perms -n,--noheadings -o,--output= -p,--paths -r,--raw -s,--inverse -t,--topology -x,--sort= -z,--zoned -V,--version",
        says,
    ),
    Program::new(
        &["lsusb"],
        "-v,--verbose -s= -d= -t,--tree -V,--version",
        takes_none,
    ),
    Program::new(&["lspci"], "-m -t -v -k -x -b -D -P -n -s= -d=", takes_none),
    Program::new(&["lsmod"], "", takes_none),
    Program::new(
        &["lsb_release"],
        "-a,--all -d,--description -r,--release -c,--codename -i,--id -s,--short -v,--version",
        takes_none,
    ),
    Program::new(
        &["vmstat"],
        "-a,--active -f,--forks -m,--slabs -n,--one-header -s,--stats -d,--disk -D,--disk-sum -S,--unit= -w,--wide -t,--timestamp",
        says,
    ),
    Program::new(
        &["iostat", "mpstat"],
        "-c -d -h -k -m -N -s -t -x -y -z -A -u -P= --human --pretty --compact -V",
        says,
    ),
    Program::new(
        &["w"],
        "-h,--no-header -u,--no-current -s,--short -f,--from -o,--old-style -i,--ip-addr -V,--version",
        says,
    ),
    Program::new(
        &["who"],
        "-a,--all -b,--boot -d,--dead -H,--heading --ips -l,--login -m -p,--process -q,--count -r,--runlevel -s,--short -t,--time -T,-w,--mesg -u,--users --help --version",
        who,
    ),
    Program::new(&["users"], "--help --version", reads),
    Program::new(
        &["last", "lastb"],
        "-a,--hostlast -F,--fulltimes -i,--ip -#,-n,--limit= -R,--nohostname -w,--fullnames -x,--system -V,--version",
        logins,
    ),
    Program::new(
        &["lastlog", "faillog"],
        "-u,--user= -t,--time= -b,--before= -h,--help",
        logins,
    ),
    Program::new(&["getent"], "", entries),
    Program::new(&["getconf"], "-a", says),
    Program::new(
        &["locale"],
        "-a,--all-locales -m,--charmaps -c,--category-name -k,--keyword-name -v,--verbose",
        says,
    ),
    Program::new(
        &["cal", "ncal"],
        "-1 -3 -y -Y -j -s -h -M -w -b -e -o -N -m= -A= -B= -n=",
        says,
    ),
    Program::raw(&["yes"], prints_without_end),
    Program::raw(&["tput"], terminal),
    Program::new(&["clear"], "-x", takes_none),
    Program::new(
        &["dmesg"],
        "-T,--ctime -x,--decode -k,--kernel -u,--userspace -l,--level= -f,--facility= -r,--raw -t,--notime -w,--follow -W,--follow-new -S,--syslog -P,--nopager \
         -d,--show-delta -e,--reltime -L,--color~ --time-format= --since= --until= -J,--json -V,--version",
        kernel_log,
    ),
    Program::new(
        &["journalctl"],
        "-u,--unit= --user-unit= -n,--lines~ -f,--follow -k,--dmesg -p,--priority= -r,--reverse -o,--output= -S,--since= -U,--until= --no-pager -x,--catalog \
         -q,--quiet -t,--identifier= -g,--grep= --list-boots --disk-usage --user --system -a,--all --utc --no-hostname --no-full -l,--full -e,--pager-end \
         -b,--boot~ -m,--merge --case-sensitive? --output-fields= --header -N,--fields -F,--field= --version",
        journal,
    ),
    Program::new(
        &["systemctl"],
        "-a,--all -l,--full --no-pager --no-legend --plain -q,--quiet -t,--type= --state= --failed --user --system -n,--lines= -o,--output= -p,-P,--property= \
         --value -r,--recursive --reverse --after --before --with-dependencies --show-types --version",
        services,
    ),
    Program::new(
        &["pgrep"],
        "-l,--list-name -a,--list-full -f,--full -x,--exact -n,--newest -o,--oldest -i,--ignore-case -c,--count -v,--inverse -w,--lightweight -u,--euid= -U,--uid= \
         -P,--parent= -d,--delimiter= -t,--terminal= -g,--pgroup= -G,--group= -s,--session= -V,--version",
        says,
    ),
    Program::new(&["pidof"], "-s -x -c -q", says),
    Program::new(
        &["pstree"],
        "-a,--arguments -A,--ascii -c,--compact-not -g,--show-pgids -G,--vt100 -h,--highlight-all -l,--long -n,--numeric-sort -p,--show-pids -s,--show-parents \
         -S,--ns-changes -t,--thread-names -T,--hide-threads -u,--uid-changes -U,--unicode -Z,--security-context -V,--version",
        says,
    ),
    Program::new(
        &["top"],
        "-b -n= -d= -o= -p= -u= -U= -c -H -i -l= -s=",
        watch_once,
    ),
    Program::new(
        &["mount"],
        "-l,--show-labels -t,--types= -V,--version",
        mounts,
    ),
    Program::new(
        &["findmnt"],
        "-A,--all -a,--ascii -b,--bytes -D,--df -e,--evaluate -f,--first-only -i,--invert -J,--json -l,--list -n,--noheadings -O,--options= -o,--output= --output-all \
         -P,--pairs --real --pseudo -R,--submounts -r,--raw -S,--source= -T,--target= -M,--mountpoint= --tree -t,--types= -U,--uniq -u,--notruncate -v,--nofsroot -V,--version",
        says,
    ),
    Program::new(
        &["swapon"],
        "-s,--summary --show? --noheadings --raw --bytes -V,--version",
        swaps,
    ),
    Program::new(
        &["sysctl"],
        "-n,--values -a,--all -e,--ignore -N,--names -b,--binary -h",
        kernel_settings,
    ),
    Program::new(
        &["nvidia-smi"],
        "-L,--list-gpus -q,--query --query-gpu=+ --query-compute-apps=+ --format=+ --id=+",
        takes_none,
    ),
    Program::new(&["whereis"], "-b -m -s -u", says),
    Program::new(
        &["whatis", "apropos"],
        "-e,--exact -w,--wildcard -r,--regex -l,--long -a,--and -V,--version",
        says,
    ),
];

/// Prints the same line until something ends it.
fn prints_without_end(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    says(scene, parsed);
    if !scene.is_cut {
        scene.unknown("`yes` prints without end");
    }
}

/// Whether it tells only about itself.
fn only_version(parsed: &Parsed<'_>) -> bool {
    parsed.operands.is_empty()
        && !parsed.options.is_empty()
        && parsed
            .options
            .iter()
            .all(|given| matches!(&*given.name, "--version" | "--help"))
}

/// The log of the kernel lies outside of the workspace, as all logs of the system do.
fn kernel_log(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    takes_none(scene, parsed);
    if !only_version(parsed) {
        scene.read("/dev/kmsg", false);
    }
}

fn journal(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    says(scene, parsed);
    if !only_version(parsed) {
        scene.read("/var/log/journal", true);
    }
}

/// Who was logged in, by the records of the system.
fn logins(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    says(scene, parsed);
    if !only_version(parsed) {
        let file = match scene.name.as_str() {
            "lastb" => "/var/log/btmp",
            "lastlog" => "/var/log/lastlog",
            "faillog" => "/var/log/faillog",
            _ => "/var/log/wtmp",
        };
        scene.read(file, false);
    }
}

/// One operand is a file; two are only a way to ask `who am i`.
fn who(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if let [file] = parsed.operands.as_slice() {
        scene.read(file, false);
    }
}

/// Other databases than these may ask other machines, and so does the name of any other machine than this.
fn entries(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let local = match parsed.operands.as_slice() {
        [database, ..] if matches!(*database, "passwd" | "group" | "services" | "protocols") => {
            true
        }
        ["hosts" | "ahosts", host] => matches!(*host, "localhost" | "127.0.0.1" | "::1"),
        _ => false,
    };
    if !local {
        scene.unknown("`getent` may ask other machines for names");
    }
}

fn terminal(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let plain = |word: &&str| {
        placeholder::is_literal(word) && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    if !parsed.operands.iter().all(plain)
        || parsed
            .operands
            .iter()
            .any(|word| matches!(*word, "init" | "reset"))
    {
        scene.unknown("this form of `tput` is not known");
    }
}

/// What systemd tells about its units; everything else changes them.
fn services(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let subcommand = parsed.operands.first().copied().unwrap_or("list-units");
    let looks = matches!(
        subcommand,
        "status"
            | "show"
            | "is-active"
            | "is-enabled"
            | "is-failed"
            | "is-system-running"
            | "get-default"
            | "list-units"
            | "list-unit-files"
            | "list-sockets"
            | "list-timers"
            | "list-jobs"
            | "list-dependencies"
            | "list-machines"
    );
    let literal = placeholder::is_literal(subcommand);
    let changes = matches!(
        subcommand,
        "start"
            | "stop"
            | "restart"
            | "reload"
            | "try-restart"
            | "reload-or-restart"
            | "enable"
            | "disable"
            | "mask"
            | "unmask"
            | "daemon-reload"
            | "reset-failed"
    );
    if changes {
        return scene.runs("starts, stops or changes services of the machine");
    }
    if !looks || !literal {
        return scene.unknown("starts, stops or changes services of the machine");
    }
    // The environment of a service may hold secrets.
    let mut properties = parsed
        .options
        .iter()
        .filter(|option| option.name == "--property")
        .filter_map(|option| option.value)
        .peekable();
    if subcommand == "show"
        && (properties.peek().is_none()
            || properties.any(|names| names.to_ascii_lowercase().contains("env")))
    {
        scene.unknown("shows the environment of a service, which may hold secrets");
    }
}

/// Without `-b` (or `-l` on macOS) it stays on the screen and takes keys.
fn watch_once(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if !parsed.keeps_one_mode(&["-b", "-l"]) {
        scene.unknown("`top` takes keys that stop other programs");
    }
    takes_none(scene, parsed);
}

fn mounts(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if !parsed.operands.is_empty() {
        scene.runs("mounts a file system");
        parsed
            .operands
            .iter()
            .for_each(|path| scene.read(path, false));
    }
}

fn swaps(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if !parsed.operands.is_empty() || !parsed.keeps_one_mode(&["--show", "--summary", "--version"])
    {
        scene.unknown("changes what the machine swaps to");
    }
}

/// `name=value` sets.
fn kernel_settings(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if parsed
        .operands
        .iter()
        .any(|word| word.contains('=') || !placeholder::is_literal(word))
    {
        scene.unknown("changes settings of the kernel");
    }
    // A name is turned into a path, and may lead to any other file.
    let leads_out = |word: &&&str| {
        word.starts_with(['/', '.'])
            || word.contains("..")
            || word.contains("/.")
            || word.contains("./")
    };
    if let Some(word) = parsed.operands.iter().find(leads_out) {
        scene.unlisted_word(word, "`sysctl` may read any file by such a name");
    }
}
