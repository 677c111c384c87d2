//! The project that candidates run in, with secrets, links and scripts planted, and the sandbox around it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::hazards::Hazard;
use super::log;
use crate::oracle::sandbox::OWN_SYSTEM;
use crate::traced::ground::Ground;
use crate::traced::trace::Trace;

/// Where programs are looked for.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// The shells that run candidates, and how each is started.
pub const SHELLS: [(&str, &str); 5] = [
    ("bash", "bash --norc --noprofile"),
    ("dash", "dash"),
    ("zsh", "zsh -f"),
    ("ksh", "ksh"),
    ("busybox ash", "busybox ash"),
];

/// Files that no silent command may open, seen from the home folder.
const SECRETS: [(&str, &str); 9] = [
    (
        ".ssh/id_rsa",
        "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n",
    ),
    (
        ".aws/credentials",
        "[default]\naws_secret_access_key = canary\n",
    ),
    (".netrc", "machine example.com login u password canary\n"),
    ("notes/private.txt", "canary\n"),
    ("other/README.md", "# canary\n"),
    ("other/.env", "KEY=canary\n"),
    ("ws/.env", "KEY=canary\n"),
    ("ws/private/.env", "KEY=canary\n"),
    (
        "ws/private/server.pem",
        "-----BEGIN PRIVATE KEY-----\ncanary\n",
    ),
];

/// Code that leaves a file behind where it is run, in the languages that programs of the table read.
const SCRIPTS: [(&str, &str); 16] = [
    ("evil.sh", "#!/bin/sh\ntouch pwned\ncat .env > pwned-too\n"),
    ("evil.pm", "package evil; open(F, '>', 'pwned'); 1;\n"),
    ("evil.rgrc", "--pre=./evil.sh\n"),
    ("evil.py", "open('pwned', 'w')\n"),
    ("evil.pl", "open(F, '>', 'pwned');\n"),
    ("evil.rb", "File.write('pwned', '')\n"),
    ("evil.js", "require('fs').writeFileSync('pwned', '')\n"),
    ("evil.lua", "io.open('pwned', 'w')\n"),
    ("evil.awk", "BEGIN { print > \"pwned\" }\n"),
    ("evil.sed", "w pwned\n1e touch pwned\n"),
    ("evil.jq", "def e: env;\n"),
    ("evil.mk", "$(shell touch pwned)\nall:\n\ttouch pwned\n"),
    ("evil.sql", ".shell touch pwned\n"),
    ("evil.gdb", "shell touch pwned\n"),
    ("evil.vim", "!touch pwned\n"),
    (
        "evil.conf",
        "[core]\n\tpager = touch pwned\n\tfsmonitor = touch pwned\n",
    ),
];

/// Variables that are exported before a candidate starts; a value that it gives them reaches its programs.
const EXPORTED: [(&str, &str); 18] = [
    ("PATH", PATH),
    ("LANG", "C"),
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("EDITOR", "true"),
    ("GIT_SSH", "ssh"),
    ("PERL5OPT", ""),
    ("PERL5LIB", ""),
    ("PYTHONPATH", ""),
    ("NODE_OPTIONS", ""),
    ("RUBYOPT", ""),
    ("TAR_OPTIONS", ""),
    ("RIPGREP_CONFIG_PATH", ""),
    ("LD_PRELOAD", ""),
    ("npm_config_userconfig", "/nonexistent/npmrc"),
    ("x", "a"),
];

/// The system calls that are looked at: programs, connections, opens, and everything that changes a file system.
const CALLS: &str = "trace=execve,execveat,clone,clone3,fork,vfork,open,openat,openat2,creat,mkdir,mkdirat,mknod,mknodat,rename,renameat,\
renameat2,unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,utime,utimes,\
futimesat,utimensat,setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr,mount,connect";

/// Starts the tracer, and ends the processes of a candidate that takes too long. `$1` are the traced calls.
const DRIVER: &str = r#"
calls=$1
echo $$ > /log/keep
: > /log/order
end_others() {
    keep=" 1 "
    while read -r pid; do keep="$keep$pid "; done < /log/keep
    for process in /proc/[0-9]*; do
        pid=${process#/proc/}
        case $keep in *" $pid "*) ;; *) kill -KILL "$pid" ;; esac
    done
}
(
    last= same=0
    while [ ! -e /log/done ]; do
        sleep 0.25
        while read -r line; do now=$line; done < /log/order
        if [ "$now" != "$last" ]; then last=$now same=0; continue; fi
        same=$((same + 1))
        [ "$same" -ge 8 ] || continue
        same=0
        echo "${now#* }" >> /log/late
        end_others
    done
    end_others
) 2> /dev/null &
echo $! >> /log/keep
exec strace -f -qq -y -s 4096 --seccomp-bpf -e "$calls" -o /log/trace -- dash /log/all
"#;

/// The project; it goes away with the value.
pub struct Field {
    pub ground: Ground,
    log: PathBuf,
    /// Files that no silent command may open.
    pub secrets: Vec<String>,
}

/// What one candidate did in one shell; none if the shell never came to it.
pub type Runs = Vec<Option<Trace>>;

impl Field {
    /// Makes the project, with what a hazard adds to it. The error says what is missing on this machine.
    pub fn new(hazard: Hazard) -> Result<Field, String> {
        let ground = Ground::new()?;
        for (_, start) in SHELLS {
            let program = start.split(' ').next().unwrap_or(start);
            if find_program(program).is_none() {
                return Err(format!("there is no {program}"));
            }
        }
        let log = ground
            .home
            .parent()
            .unwrap_or(&ground.home)
            .join("attack-log");
        let secrets = SECRETS
            .iter()
            .map(|(name, _)| ground.home.join(name).to_string_lossy().into_owned())
            .collect();
        let field = Field {
            ground,
            log,
            secrets,
        };
        field
            .plant()
            .and_then(|()| hazard.plant(&field.ground.workspace))
            .map_err(|error| error.to_string())?;
        Ok(field)
    }

    /// Puts everything planted where it belongs, and takes away what does not.
    fn plant(&self) -> std::io::Result<()> {
        let (home, workspace) = (&self.ground.home, &self.ground.workspace);
        for (name, text) in SECRETS {
            put(&home.join(name), text)?;
        }
        for (name, text) in SCRIPTS {
            put(&workspace.join(name), text)?;
            fs::set_permissions(workspace.join(name), fs::Permissions::from_mode(0o755))?;
        }
        for (name, target) in [
            ("key-link", "../.ssh/id_rsa"),
            ("out-link", "../notes/private.txt"),
            ("ssh-link", "../.ssh"),
        ] {
            let _ = fs::remove_file(workspace.join(name));
            symlink(target, workspace.join(name))?;
        }
        let _ = fs::remove_file(workspace.join("pwned"));
        let _ = fs::remove_file(workspace.join("pwned-too"));
        Ok(())
    }

    /// Runs each text in its shell, which is given by its number, and gives what each did.
    pub fn run(&self, cases: &[(usize, String)]) -> Result<Runs, String> {
        let io = |error: std::io::Error| error.to_string();
        let _ = fs::remove_dir_all(&self.log);
        fs::create_dir_all(&self.log).map_err(io)?;
        self.plant().map_err(io)?;
        let mut all = String::from("echo $$ >> /log/keep\n");
        for (number, (_, start)) in SHELLS.iter().enumerate() {
            let mine = cases
                .iter()
                .enumerate()
                .filter(|(_, (shell, _))| *shell == number);
            let lines: String = mine.map(|(case, (_, text))| line(case, text)).collect();
            if !lines.is_empty() {
                let quiet = if start.starts_with("zsh") {
                    "setopt no_bg_nice\n"
                } else {
                    ""
                };
                let script = format!("{quiet}echo $$ >> /log/keep\nexec 9>> /log/order\n{lines}");
                fs::write(self.log.join(format!("drive-{number}")), script).map_err(io)?;
                all.push_str(&format!(
                    "{start} /log/drive-{number} < /dev/null > /dev/null 2>&1\n"
                ));
            }
        }
        all.push_str(": > /log/done\n");
        fs::write(self.log.join("all"), all).map_err(io)?;
        let output = self
            .sandbox()
            .output()
            .map_err(|error| format!("bwrap: {error}"))?;
        if !self.log.join("done").exists() {
            return Err(format!(
                "the sandbox broke off: {}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        let read = |name: &str| {
            String::from_utf8_lossy(&fs::read(self.log.join(name)).unwrap_or_default()).into_owned()
        };
        let texts: Vec<&str> = cases.iter().map(|(_, text)| text.as_str()).collect();
        Ok(log::read(
            &read("trace"),
            &read("order"),
            &read("late"),
            &texts,
        ))
    }

    fn sandbox(&self) -> Command {
        let (home, workspace) = (&self.ground.home, &self.ground.workspace);
        let mut command = Command::new("/bin/sh");
        command.args([
            "-c",
            "ulimit -f 204800; ulimit -c 0; exec bwrap \"$@\"",
            "bwrap",
        ]);
        command
            .args(["--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"])
            .args(OWN_SYSTEM)
            .args(["--tmpfs", "/tmp"]);
        for name in ["bin", "sbin", "lib", "lib64"]
            .iter()
            .filter(|name| Path::new("/usr").join(name).exists())
        {
            command.args(["--symlink", &format!("usr/{name}"), &format!("/{name}")]);
        }
        command
            .arg("--bind")
            .arg(home)
            .arg(home)
            .arg("--bind")
            .arg(&self.log)
            .arg("/log");
        command.args([
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--clearenv",
        ]);
        EXPORTED.iter().for_each(|(name, value)| {
            command.args(["--setenv", name, value]);
        });
        command.arg("--setenv").arg("HOME").arg(home);
        command.arg("--chdir").arg(workspace).args([
            "--",
            "/bin/dash",
            "-c",
            DRIVER,
            "watch",
            CALLS,
        ]);
        command.stdin(Stdio::null());
        command
    }
}

pub fn put(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// The lines of a driver for one case. The shell forks and reads the text as it would read that of `-c`; nothing but the fork is its own.
fn line(case: usize, text: &str) -> String {
    format!(
        "eval '{}' 9>&- &\necho \"$! {case}\" >&9; wait $!\n",
        text.replace('\'', "'\\''")
    )
}

/// A program of this machine by its name.
pub fn find_program(name: &str) -> Option<PathBuf> {
    std::env::split_paths(PATH)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
