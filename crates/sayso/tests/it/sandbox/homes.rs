//! A home folder below a folder of the system: it is not seen with it.

use std::process::Command;

use sayso_sandbox::backend::{Backend, Name};

use super::escapes::ground::{NOBODY, program_for_everybody};
use crate::program::run;
use crate::scene::PATH;

/// Makes a home folder below `$TOP`, which is a file system of this process alone, and runs a command in a workspace there.
const SCRIPT: &str = r#"
set -e
mount -t tmpfs -o mode=755 sayso-test "$TOP"
mkdir -p "$REAL/.ssh" "$REAL/.config/app" "$REAL/ws" "$TOP/app/conf" "$TOP/app/bin"
echo hush > "$REAL/.ssh/id_rsa"; echo hush > "$REAL/notes"; echo hush > "$REAL/.netrc"; echo hush > "$REAL/.config/app/settings"
# What is in other folders of `/usr` comes with packages.
[ "$TOP" = /usr/games ] || { echo hush > "$TOP/app/conf/.env"; echo hush > "$TOP/app/id_ed25519"; }
printf '#!/bin/sh\necho tool\n' > "$TOP/app/bin/tool"; chmod 755 "$TOP/app/bin/tool"
echo mine > "$REAL/ws/own.txt"
[ "$HOME" = "$REAL" ] || ln -s "$REAL" "$HOME"
chown -R "$OWNER:$OWNER" "$REAL" "$TOP/app" 2> /dev/null || [ "$OWNER" = 0 ]
cd "$HOME/ws"
LOOK='cat own.txt; echo new > new.txt && echo wrote; cat ~/.ssh/id_rsa ~/notes ~/.netrc ~/.config/app/settings "$1/.ssh/id_rsa" "$1/notes"
      cat ../notes ../.ssh/id_rsa; find ~ ../ "$1" "$2" -type f -exec cat {} +; cat "$2/app/conf/.env" "$2/app/id_ed25519"; exit 0'
exec setpriv --reuid="$OWNER" --regid="$OWNER" --clear-groups "$SAYSO" sandbox --backend "$BACKEND" -- bash -c "$LOOK" bash "$REAL" "$TOP"
"#;

struct Case<'a> {
    top: &'a str,
    /// The home folder, and where it really is.
    home: &'a str,
    real: &'a str,
    owner: u32,
    backend: &'a str,
}

fn look(program: &std::path::Path, case: &Case<'_>) -> crate::program::Outcome {
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "--propagation", "private", "bash", "-c", SCRIPT])
        .env_clear()
        .env("PATH", PATH);
    command
        .env("TOP", case.top)
        .env("HOME", case.home)
        .env("REAL", case.real);
    command
        .env("OWNER", case.owner.to_string())
        .env("BACKEND", case.backend)
        .env("SAYSO", program);
    run(&mut command, b"")
}

#[test]
fn finding_d_01_a_home_below_a_folder_of_the_system_is_not_seen() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("NOT CHECKED: homes below folders of the system: only root can make them");
        return;
    }
    let program = program_for_everybody();
    for (backend, name) in [
        ("bubblewrap", Name::Bubblewrap),
        ("landlock", Name::Landlock),
    ] {
        if let Err(why) = Backend::named(name) {
            eprintln!("NOT CHECKED: homes below folders of the system, {backend}: {why}");
            continue;
        }
        for top in ["/opt", "/usr/games", "/usr/local", "/srv", "/var/lib"] {
            let below = format!("{top}/people/me");
            let linked = format!("{top}/link");
            // Below it, by a link, and the folder itself.
            for (home, real) in [(&*below, &*below), (&*linked, &*below), (top, top)] {
                if top == "/usr/games" && real == top {
                    continue;
                }
                for owner in [0, NOBODY] {
                    let done = look(
                        program.path(),
                        &Case {
                            top,
                            home,
                            real,
                            owner,
                            backend,
                        },
                    );
                    let shown = format!("{backend}, HOME={home} ({real}), {owner}: {done:?}");
                    assert!(
                        done.out.contains("mine") && done.out.contains("wrote"),
                        "the workspace is there: {shown}"
                    );
                    assert!(!done.out.contains("hush"), "{shown}");
                }
            }
        }
    }
}
