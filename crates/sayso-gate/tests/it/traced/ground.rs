//! A real project on the disk, and a sandbox in which commands really run there, under a tracer.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::trace::{self, Trace};
use crate::oracle::sandbox::OWN_SYSTEM;

/// Where programs are looked for, in the sandbox and by git outside of it.
const PATH: &str = "/usr/bin:/bin";
/// The same with all that is installed, if it is asked for.
const WHOLE_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// The programs that commands find: what they start and write is known, and most of them are on every Debian. One that is missing is not
/// found in the sandbox either.
const PROGRAMS: &str = include_str!("programs.txt");

/// Whether commands find all that is installed, and not only the known programs: what they do then depends on the machine.
pub fn is_whole_machine() -> bool {
    std::env::var("SAYSO_TRACED_PROGRAMS").is_ok_and(|which| which == "all")
}

/// The files of the project.
const FILES: [(&str, &str); 26] = [
    ("README.md", "# project\n\nwords\n"),
    ("Cargo.toml", "[package]\nname = \"x\"\n"),
    (
        "package.json",
        "{\"name\": \"x\", \"scripts\": {\"test\": \"true\"}}\n",
    ),
    ("Makefile", "all:\n\ttrue\n"),
    ("go.mod", "module x\n"),
    ("pyproject.toml", "[project]\nname = \"x\"\n"),
    ("src/main.rs", "fn main() {\n    // TODO\n}\n"),
    ("src/lib.rs", "pub fn a() {}\n"),
    ("src/a.rs", "a\n"),
    ("src/b.rs", "b\n"),
    ("src/a", "a\n"),
    ("src/a.md", "# a\n"),
    ("src/app.py", "import os\n"),
    ("src/index.ts", "export {}\n"),
    ("tests/a.rs", "#[test]\nfn a() {}\n"),
    ("docs/guide.md", "# guide\n"),
    ("docs/g.md", "# g\n"),
    ("data.csv", "a,b\n1,2\n"),
    ("data.json", "{\"a\": [1, 2]}\n"),
    ("list.txt", "one\ntwo\n"),
    ("two words.txt", "x\n"),
    ("a", "a\n"),
    ("b", "b\n"),
    ("out/a", "a\n"),
    ("log/app.log", "INFO a\nERROR b\n"),
    (".gitignore", "target/\n"),
];

/// Keeps to what the tracer has to see: programs, and everything that changes a file system.
const CALLS: &str = "trace=execve,execveat,open,openat,openat2,creat,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,unlink,unlinkat,rmdir,\
link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,utime,utimes,futimesat,utimensat,setxattr,lsetxattr,\
fsetxattr,mount,connect";

/// Runs each case under the tracer; what it started and wrote is one file for each.
const DRIVER: &str = r#"
calls=$1
mapfile -d '' -t cases < /log/cases
for i in "${!cases[@]}"; do
    late=
    timeout -s KILL 20 strace -ff -qq -y -s 8192 --seccomp-bpf -e "$calls" -o /log/t -- \
        timeout -s KILL 2 bash --norc --noprofile -c "${cases[i]}" </dev/null >/dev/null 2>&1
    [ $? -lt 128 ] || late=late
    cat /log/t.* > "/log/trace-$i$late" 2>/dev/null
    rm -f /log/t.*
done
: > /log/done
"#;

/// Whether commands find a program.
pub fn is_known(name: &str) -> bool {
    PROGRAMS.lines().any(|known| known == name)
}

/// Where the sandbox has the machine's own `/usr/bin`.
const REAL: &str = "/real-bin";

/// Makes a folder to stand in for `/usr/bin`, with the known programs that this machine has.
fn link_programs(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for name in PROGRAMS.lines() {
        let Ok(file) = fs::canonicalize(Path::new("/usr/bin").join(name)) else {
            continue;
        };
        let target = file
            .strip_prefix("/usr/bin")
            .map_or_else(|_| file.clone(), |inside| Path::new(REAL).join(inside));
        symlink(target, folder.join(name))?;
    }
    Ok(())
}

/// The project; it goes away with the value.
pub struct Ground {
    _scratch: TempDir,
    root: PathBuf,
    pub home: PathBuf,
    pub workspace: PathBuf,
}

impl Ground {
    /// Makes the project. The error says what is missing on this machine.
    pub fn new() -> Result<Ground, String> {
        for program in ["bwrap", "strace", "git", "bash"] {
            let found = std::env::split_paths(PATH).any(|folder| folder.join(program).exists());
            if !found {
                return Err(format!("there is no {program}"));
            }
        }
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        let root = fs::canonicalize(scratch.path()).map_err(|error| error.to_string())?;
        let home = root.join("home");
        let workspace = home.join("ws");
        for (name, content) in FILES {
            let path = workspace.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        fs::create_dir_all(root.join("log")).unwrap();
        link_programs(&root.join("bin")).map_err(|error| error.to_string())?;
        let ground = Ground {
            _scratch: scratch,
            root,
            home,
            workspace,
        };
        for words in [
            &["init", "--quiet", "--initial-branch=main", "."][..],
            &["add", "--all"],
            &[
                "-c",
                "user.name=u",
                "-c",
                "user.email=u@example.com",
                "commit",
                "--quiet",
                "-m",
                "first",
            ],
        ] {
            ground.git(words)?;
        }
        fs::write(
            ground.workspace.join("src/lib.rs"),
            "pub fn a() {}\npub fn b() {}\n",
        )
        .unwrap();
        Ok(ground)
    }

    fn git(&self, words: &[&str]) -> Result<(), String> {
        let mut git = Command::new("git");
        git.env_clear()
            .env("PATH", PATH)
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TEMPLATE_DIR", "");
        let done = git
            .current_dir(&self.workspace)
            .args(words)
            .output()
            .map_err(|error| error.to_string())?;
        if done.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&done.stderr).into_owned())
        }
    }

    /// Runs some commands, and gives what each of them did.
    pub fn run(&self, texts: &[String]) -> Result<Vec<Trace>, String> {
        let log = self.root.join("log");
        let _ = fs::remove_dir_all(&log);
        fs::create_dir_all(&log).map_err(|error| error.to_string())?;
        fs::write(
            log.join("cases"),
            texts
                .iter()
                .map(|text| format!("{text}\0"))
                .collect::<String>(),
        )
        .map_err(|error| error.to_string())?;
        let output = self
            .sandbox(&log)
            .output()
            .map_err(|error| format!("bwrap: {error}"))?;
        if !log.join("done").exists() {
            return Err(format!(
                "the sandbox broke off: {}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        let read = |index: usize, text: &String| {
            let (whole, late) = (
                log.join(format!("trace-{index}")),
                log.join(format!("trace-{index}late")),
            );
            let bytes = fs::read(if late.exists() { &late } else { &whole }).unwrap_or_default();
            trace::read(&String::from_utf8_lossy(&bytes), text, late.exists())
        };
        let traces: Vec<Trace> = texts
            .iter()
            .enumerate()
            .map(|(index, text)| read(index, text))
            .collect();
        match traces.iter().find(|trace| !trace.began) {
            Some(_) => Err("the tracer does not work here".to_owned()),
            None => Ok(traces),
        }
    }

    fn sandbox(&self, log: &Path) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "ulimit -f 204800; exec bwrap \"$@\"", "bwrap"]);
        command
            .args(["--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"])
            .args(OWN_SYSTEM)
            .args(["--tmpfs", "/tmp"]);
        let path = if is_whole_machine() { WHOLE_PATH } else { PATH };
        if !is_whole_machine() {
            command
                .args(["--ro-bind", "/usr/bin", REAL])
                .arg("--ro-bind")
                .arg(self.root.join("bin"))
                .arg("/usr/bin");
            for folder in ["/usr/local", "/etc/profile.d"]
                .into_iter()
                .filter(|folder| Path::new(folder).is_dir())
            {
                command.args(["--tmpfs", folder]);
            }
        }
        for name in ["bin", "sbin", "lib", "lib64"] {
            if Path::new("/usr").join(name).exists() {
                command.args(["--symlink", &format!("usr/{name}"), &format!("/{name}")]);
            }
        }
        command
            .arg("--bind")
            .arg(&self.home)
            .arg(&self.home)
            .arg("--bind")
            .arg(log)
            .arg("/log");
        command.args([
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--clearenv",
        ]);
        command
            .args([
                "--setenv", "PATH", path, "--setenv", "LANG", "C.UTF-8", "--setenv", "HOME",
            ])
            .arg(&self.home);
        command.arg("--chdir").arg(&self.workspace).args([
            "--",
            "/bin/bash",
            "--norc",
            "--noprofile",
            "-c",
            DRIVER,
            "driver",
            CALLS,
        ]);
        command.stdin(Stdio::null());
        command
    }
}
