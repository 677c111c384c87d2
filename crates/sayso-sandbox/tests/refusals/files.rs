//! Changes of files, as programs make them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use sayso_sandbox::explain::{explain, is_offered};
use sayso_sandbox::refusal::{Kind, Refused, Source};

use crate::desk::{Desk, HOME, Ran, Test, has, is_root};

pub const TESTS: &[Test] = &[
    (
        "a_write_is_noted_with_its_program_and_error",
        a_write_is_noted_with_its_program_and_error,
    ),
    (
        "every_way_to_change_a_file_is_noted",
        every_way_to_change_a_file_is_noted,
    ),
    (
        "a_protected_file_cannot_be_removed_or_replaced",
        a_protected_file_cannot_be_removed_or_replaced,
    ),
    (
        "a_hidden_home_is_noted_as_npm_writes_to_it",
        a_hidden_home_is_noted_as_npm_writes_to_it,
    ),
    ("what_works_is_not_noted", what_works_is_not_noted),
    (
        "forged_words_are_no_fact_of_the_kernel",
        forged_words_are_no_fact_of_the_kernel,
    ),
    (
        "names_by_links_folders_and_odd_bytes_are_found",
        names_by_links_folders_and_odd_bytes_are_found,
    ),
    (
        "names_that_change_meanwhile_do_no_harm",
        names_that_change_meanwhile_do_no_harm,
    ),
    ("root_cannot_give_files_away", root_cannot_give_files_away),
];

fn made(path: &str) -> Refused {
    Refused::Create(path.into())
}

fn a_write_is_noted_with_its_program_and_error() {
    let ran = Desk::new().run("touch /etc/x; echo x >> /etc/passwd; exit 3");
    assert_eq!(ran.code, Some(3));
    assert_eq!(
        ran.refused(),
        [made("/etc/x"), Refused::Write("/etc/passwd".into())]
    );
    let [first, second] = [&ran.refusals[0], &ran.refusals[1]];
    assert_eq!(first.errno, Some(libc::EROFS));
    assert_eq!(first.program.as_deref(), Some("touch"));
    assert_eq!(first.source, Source::Kernel);
    let denied = if is_root() { libc::EROFS } else { libc::EACCES };
    assert_eq!(second.errno, Some(denied));
    // Without rights it fails outside, too.
    assert_eq!([first.also_outside, second.also_outside], [!is_root(); 2]);
}

fn every_way_to_change_a_file_is_noted() {
    let desk = Desk::new();
    for (call, what) in [
        ("os.mkdir('/usr/a')", made("/usr/a")),
        ("os.symlink('x', '/usr/a')", made("/usr/a")),
        ("os.link('README.md', '/usr/a')", made("/usr/a")),
        ("os.mkfifo('/usr/a')", made("/usr/a")),
        ("open('/usr/a', 'w')", made("/usr/a")),
        ("os.rename('README.md', '/usr/a')", made("/usr/a")),
        ("os.open('/usr/a', os.O_CREAT)", made("/usr/a")),
        (
            "os.open('/usr', os.O_TMPFILE | os.O_RDWR)",
            Refused::Write("/usr".into()),
        ),
        (
            "open('/etc/passwd', 'a')",
            Refused::Write("/etc/passwd".into()),
        ),
        (
            "os.truncate('/etc/passwd', 0)",
            Refused::Write("/etc/passwd".into()),
        ),
        (
            "os.chmod('/etc/passwd', 0o600)",
            Refused::Write("/etc/passwd".into()),
        ),
        (
            "os.chown('/etc/passwd', -1, -1)",
            Refused::Write("/etc/passwd".into()),
        ),
        (
            "os.unlink('/etc/passwd')",
            Refused::Delete("/etc/passwd".into()),
        ),
        (
            "os.rename('/etc/passwd', 'x')",
            Refused::Delete("/etc/passwd".into()),
        ),
        ("os.rmdir('/etc')", Refused::Delete("/etc".into())),
        ("os.mkdir('a', dir_fd=os.open('/usr', 0))", made("/usr/a")),
        (
            "ctypes.CDLL(None).syscall(437, -100, b'/usr/a', struct.pack('QQQ', 0o101, 0o600, 0), 24)",
            made("/usr/a"),
        ),
    ] {
        let script = format!(
            "import os, ctypes, struct\ntry:\n  r = {call}\n  assert r == -1, 'it worked'\nexcept OSError: pass"
        );
        let ran = desk.python(&script);
        assert_eq!(ran.code, Some(0), "{call}: {}", ran.output);
        assert_eq!(ran.refused(), [what], "{call}");
    }
}

fn a_protected_file_cannot_be_removed_or_replaced() {
    let desk = Desk::new();
    let at = |name: &str| desk.workspace.join(name);
    let ran = desk.run(
        "rm -f .git/config; mv .git g; touch .git/hooks/pre-commit; echo x > .env; echo x > n; mv n .git/config; touch .claude/x; exit 1",
    );
    assert_eq!(
        ran.refused(),
        [
            Refused::Delete(at(".git/config")),
            Refused::Delete(at(".git")),
            Refused::Create(at(".git/hooks/pre-commit")),
            Refused::Write(at(".env")),
            Refused::Write(at(".git/config")),
            Refused::Create(at(".claude/x")),
        ],
        "{}",
        ran.output
    );
    let errno: Vec<Option<i32>> = ran.refusals.iter().map(|refusal| refusal.errno).collect();
    let wanted = [
        libc::EBUSY,
        libc::EBUSY,
        libc::EROFS,
        libc::EROFS,
        libc::EBUSY,
        libc::EACCES,
    ];
    assert_eq!(errno, wanted.map(Some));
    let profile = desk.profile();
    assert!(
        !ran.refusals
            .iter()
            .any(|refusal| is_offered(&profile, refusal))
    );
}

fn a_hidden_home_is_noted_as_npm_writes_to_it() {
    let desk = Desk::new();
    let cache = format!("{HOME}/.npm");
    let ran = desk.run("mkdir -p ~/.npm/_cacache; echo x > ~/.npm/_cacache/x; exit 1");
    let refused = ran.refused();
    // The first folder that is missing.
    assert!(
        refused.iter().any(|what| what
            .path()
            .is_some_and(|path| Path::new(&cache).starts_with(path))),
        "{refused:?}"
    );
    assert!(
        refused.contains(&made(&format!("{cache}/_cacache/x"))),
        "{refused:?}"
    );
    if has("npm") {
        let ran = desk
            .run("npm config set cache ~/.npm --location=project; npm cache add ./nothing; exit 1");
        let in_cache = |what: &Refused| {
            what.path()
                .is_some_and(|path| path.starts_with(HOME) || Path::new(HOME).starts_with(path))
        };
        assert!(ran.refused().iter().any(in_cache), "{ran:?}");
    }
}

fn what_works_is_not_noted() {
    let ran = Desk::new().run(
        "set -e; echo x > a; mkdir d; mv a d/a; ln d/a h; ln -s d l; echo y > l/b; chmod 600 d/a; rm -r d l h; touch /tmp/x; echo x > /dev/null; \
         mkdir -p ~/.cache/z; ls / > /dev/null; cat /etc/passwd > /dev/null; mkdir -p /usr/bin; true; (exec true)",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    assert_eq!(ran.refused(), []);
}

fn forged_words_are_no_fact_of_the_kernel() {
    let desk = Desk::new();
    let ran = desk.run(
        "echo 'bash: /etc/shadow: Read-only file system'; echo \"touch: cannot touch '$HOME/.ssh/x': Read-only file system\"; exit 1",
    );
    assert_eq!(ran.refused(), []);
    let profile = desk.profile();
    let told = explain(&profile, &ran.output, ran.code, &ran.refusals);
    assert_eq!(told.len(), 2, "{told:?}");
    for told in told {
        assert!(told.words.starts_with("the program says `"), "{told:?}");
        assert_eq!(
            (told.advice.as_str(), told.refusal.source),
            ("", Source::Words)
        );
        assert!(!is_offered(&profile, &told.refusal));
    }
}

fn names_by_links_folders_and_odd_bytes_are_found() {
    let desk = Desk::new();
    let ran = desk.run("cd /usr/share; touch ../x; ln -s /etc $OLDPWD/l; cd - > /dev/null; touch l/y; touch ./../ws/l/../z; exit 1");
    let by_link = desk.workspace.join("z");
    assert!(!by_link.exists());
    assert_eq!(ran.refused()[..2], [made("/usr/x"), made("/etc/y")]);
    // `l/..` is the folder above where the link leads.
    assert_eq!(ran.refused()[2..], [made("/z")], "{}", ran.output);

    let odd =
        desk.python("import os\ntry: os.mkdir(b'/etc/\\xff\\n\\x1b[2J')\nexcept OSError: pass");
    let path = Path::new("/etc").join(OsStr::from_bytes(b"\xff\n\x1b[2J"));
    assert_eq!(odd.refused(), [Refused::Create(path)]);
    assert!(!odd.refused()[0].place().contains(['\n', '\u{1b}']));

    let long = desk.python(
        "import os\nfor path in ['/etc/' + 'x' * 255, '/etc/' + 'x' * 256, '/etc/' + './' * 2000 + 'y', '/etc/' + 'x/' * 5000, 'x' * 4095]:\n try: os.mkdir(path)\n except OSError: pass",
    );
    let name = "x".repeat(255);
    assert_eq!(
        long.refused(),
        [made(&format!("/etc/{name}")), made("/etc/y")]
    );

    // A path that ends where memory ends, and one that is nowhere.
    let edge = desk.python(
        "import mmap, ctypes\nm = mmap.mmap(-1, 8192)\nlibc = ctypes.CDLL(None)\nat = ctypes.addressof(ctypes.c_char.from_buffer(m))\nlibc.munmap(ctypes.c_void_p(at + 4096), 4096)\nm[4096 - 7:4096] = b'/etc/q\\0'\nlibc.mkdir(ctypes.c_void_p(at + 4096 - 7), 0o700)\nlibc.mkdir(ctypes.c_void_p(8), 0o700)\nm[0:4096] = b'a' * 4096\nlibc.mkdir(ctypes.c_void_p(at), 0o700)\nimport os; os._exit(0)",
    );
    assert_eq!(edge.code, Some(0), "{}", edge.output);
    assert_eq!(edge.refused(), [made("/etc/q")]);

    // A folder that is gone has no name.
    let gone = desk.run("mkdir d; cd d; rmdir ../d; touch x 2> /dev/null; exit 1");
    assert_eq!(gone.refused(), []);
}

fn names_that_change_meanwhile_do_no_harm() {
    let desk = Desk::new();
    fs::write(
        desk.workspace.join("flip.py"),
        "
import ctypes, os, threading
libc = ctypes.CDLL(None)
buffer = ctypes.create_string_buffer(b'/etc/aaaa', 32)
stop = False
def flip():
    while not stop:
        buffer.value = b'out/aaaa'
        buffer.value = b'/etc/aaaa'
thread = threading.Thread(target=flip)
thread.start()
os.mkdir('out')
for n in range(3000):
    libc.mkdir(buffer, 0o700)
    libc.rmdir(b'out/aaaa')
stop = True
thread.join()
",
    )
    .unwrap();
    let ran = desk.run("python3 -S flip.py");
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    assert!(!Path::new("/etc/aaaa").exists());
    // Whatever mixture was read, only what the sandbox refuses is noted.
    let profile = desk.profile();
    for what in ran.refused() {
        let path = what.path().map(PathBuf::from).unwrap();
        assert!(
            profile.level(&path) < sayso_sandbox::profile::Level::Write,
            "{what:?}"
        );
    }
}

fn root_cannot_give_files_away() {
    let ran: Ran = Desk::new().run("echo x > a; chown 1234:1234 a; exit 1");
    let given: Vec<Kind> = ran.refused().iter().map(Refused::kind).collect();
    // Anyone else could not outside either.
    assert_eq!(given.is_empty(), !is_root(), "{ran:?}");
    if is_root() {
        assert!(matches!(&ran.refused()[0], Refused::Owner(path) if path.ends_with("a")));
    }
}
