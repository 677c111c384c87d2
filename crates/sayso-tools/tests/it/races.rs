//! Real races: while a tool runs, somebody swaps folders and files for links that lead out, and renames folders to and fro.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::text::node::Node;
use sayso_tools::files::run;
use sayso_tools::open_nofollow::{PathError, Way, folder};

use crate::ground::{Ground, tree};

const SECRET: &str = "the secret of somebody else";
const ROUNDS: u64 = 10_080;

/// A way to be in the way.
#[derive(Clone, Copy, Debug)]
enum Attack {
    /// The folder is swapped for a link to the outside.
    FolderForLink,
    /// The folder above it is.
    UpperForLink,
    /// The file is swapped for a link to the secret.
    FileForLink,
    /// The folder is swapped for another one, which is in the workspace, too.
    FolderForFolder,
}

fn swap(one: &Path, other: &Path) {
    // It may be away for a moment because the tool has it.
    let _ = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
}

/// The files of the workspace by a handle, which no swap of names leads astray.
struct Real {
    folder: File,
    spare: PathBuf,
}

impl Real {
    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}/{name}", self.folder.as_raw_fd()))
    }

    /// Puts a file under a name, whatever is there.
    fn put(&self, name: &str, text: &str) {
        let _ = fs::remove_dir_all(self.path(name));
        fs::write(&self.spare, text).unwrap();
        fs::rename(&self.spare, self.path(name)).unwrap();
    }

    fn clear(&self, name: &str) {
        let path = self.path(name);
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
            let _ = fs::remove_dir_all(path);
        } else {
            let _ = fs::remove_file(path);
        }
    }
}

#[test]
fn h_21_name_by_name_is_as_safe_as_by_the_kernel() {
    let ground = Ground::in_memory();
    fs::create_dir_all(ground.ws.join("u/d/e")).unwrap();
    fs::create_dir_all(ground.outside.join("d/e")).unwrap();
    symlink(&ground.outside, ground.ws.join("to-upper")).unwrap();
    symlink(ground.outside.join("d"), ground.ws.join("to-folder")).unwrap();
    let real = fs::metadata(ground.ws.join("u/d/e")).unwrap().ino();
    let path = ground.ws.join("u/d/e");
    for (one, other) in [("u", "to-upper"), ("u/d", "to-folder")] {
        let stop = AtomicBool::new(false);
        let mut opened = [0; 2];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    swap(&ground.ws.join(one), &ground.ws.join(other));
                }
            });
            for _ in 0..2000 {
                for (count, way) in opened.iter_mut().zip([Way::Best, Way::ByName]) {
                    match folder(&path, way) {
                        Ok(open) => {
                            assert_eq!(rustix::fs::fstat(&open).unwrap().st_ino, real);
                            *count += 1;
                        }
                        Err(trouble) => {
                            assert!(
                                matches!(
                                    trouble,
                                    PathError::Link(_)
                                        | PathError::Missing(_)
                                        | PathError::NotFolder(_)
                                ),
                                "{trouble}"
                            )
                        }
                    }
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        println!(
            "a folder under attack: opened {} of 2000 times by the kernel's rule, {} of 2000 name by name",
            opened[0], opened[1]
        );
    }
}

#[test]
fn h_21_none_of_many_races_leads_out_of_the_workspace() {
    let (mut rounds, mut done, mut refused) = (0_u64, 0_u64, 0_u64);
    let swaps = AtomicU64::new(0);
    for attack in [
        Attack::FolderForLink,
        Attack::UpperForLink,
        Attack::FileForLink,
        Attack::FolderForFolder,
    ] {
        let ground = Ground::in_memory();
        let (ws, outside) = (&ground.ws, &ground.outside);
        // The same names are outside, so that a tool that is led there finds what it looks for.
        for top in [ws.join("u"), outside.clone()] {
            fs::create_dir_all(top.join("d/sub")).unwrap();
            fs::create_dir_all(top.join("sub")).unwrap();
            let text = if top.starts_with(outside) {
                SECRET
            } else {
                "inside"
            };
            for name in ["x", "d/x", "sub/y", "d/sub/y"] {
                fs::write(top.join(name), text).unwrap();
            }
        }
        fs::write(ws.join("here"), "here").unwrap();
        fs::create_dir_all(ws.join("other/sub")).unwrap();
        fs::write(ws.join("other/x"), "inside").unwrap();
        symlink(outside.join("d"), ws.join("to-folder")).unwrap();
        symlink(outside, ws.join("to-upper")).unwrap();
        symlink(outside.join("x"), ws.join("to-file")).unwrap();
        let untouched = tree(outside);

        let text = |text: &str| Node::text(text);
        let content = ("content", text("ours"));
        let calls: Vec<(&str, Vec<(&str, Node)>)> = vec![
            ("file_read", vec![("path", text("u/d/x"))]),
            (
                "file_grep",
                vec![("path", text("u/d")), ("pattern", text("."))],
            ),
            ("file_write", vec![("path", text("u/d/x")), content.clone()]),
            (
                "file_append",
                vec![("path", text("u/d/x")), content.clone()],
            ),
            (
                "file_create",
                vec![("path", text("u/d/new")), content.clone()],
            ),
            ("file_create", vec![("path", text("u/d/deep/new")), content]),
            ("file_delete", vec![("path", text("u/d/x"))]),
            (
                "file_move",
                vec![("from", text("u/d/x")), ("to", text("moved"))],
            ),
            (
                "file_move",
                vec![("from", text("here")), ("to", text("u/d/here"))],
            ),
            (
                "file_copy",
                vec![("from", text("u/d/x")), ("to", text("copied"))],
            ),
            (
                "file_copy",
                vec![("from", text("u/d")), ("to", text("copied"))],
            ),
            (
                "file_copy",
                vec![("from", text("here")), ("to", text("u/d/here"))],
            ),
            ("file_mkdir", vec![("path", text("u/d/made/deeper"))]),
            (
                "file_rmdir",
                vec![
                    ("path", text("u/d/sub")),
                    ("recursive", crate::ground::yes()),
                ],
            ),
        ];
        let judged: Vec<(Operation, Verdict)> = calls
            .iter()
            .map(|(tool, args)| {
                let operation = ground.op(tool, args);
                let verdict = ground.judge(&operation);
                (operation, verdict)
            })
            .collect();
        let real = Real {
            folder: File::open(ws.join("u/d")).unwrap(),
            spare: ws.join("spare"),
        };
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (one, other) = match attack {
                Attack::FolderForLink => (ws.join("u/d"), ws.join("to-folder")),
                Attack::UpperForLink => (ws.join("u"), ws.join("to-upper")),
                Attack::FileForLink => (ws.join("u/d/x"), ws.join("to-file")),
                Attack::FolderForFolder => (ws.join("u/d"), ws.join("other")),
            };
            let (stop, swaps) = (&stop, &swaps);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    // In bursts: without a pause the disk would be busy with the swaps alone.
                    (0..5).for_each(|_| swap(&one, &other));
                    swaps.fetch_add(5, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_micros(20));
                }
            });
            for round in 0..ROUNDS / 4 {
                let index = usize::try_from(round).unwrap() % judged.len();
                let (operation, verdict) = &judged[index];
                let result = run(&ground.kit, operation, verdict);
                rounds += 1;
                if result.success {
                    done += 1
                } else {
                    refused += 1
                }
                let said = format!("{}{}", result.output, result.error);
                assert!(
                    !said.contains(SECRET),
                    "{attack:?} {}: {said}",
                    operation.tool()
                );
                assert!(
                    result.success
                        || result.error.ends_with("nothing was changed")
                        || matches!(index, 0 | 1),
                    "{attack:?}: {said}"
                );
                // Everything as before for the next round, by handles only.
                match index {
                    2 | 3 | 6 | 7 if !matches!(attack, Attack::FileForLink) => {
                        real.put("x", "inside")
                    }
                    2 | 3 | 6 | 7 => {
                        let link = ws.join("spare-link");
                        let _ = symlink(outside.join("x"), &link);
                        real.put("x", "inside");
                        let _ = fs::rename(&link, ws.join("to-file"));
                    }
                    _ => {}
                }
                ["new", "deep", "here", "made"]
                    .iter()
                    .for_each(|name| real.clear(name));
                if index == 13 {
                    let _ = fs::create_dir(real.path("sub"));
                }
                for name in ["copied", "moved"] {
                    let path = ws.join(name);
                    // What came in must not be the secret, unless it is a link that was moved as a link.
                    let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
                    if !is_link && path.is_file() {
                        assert_ne!(fs::read_to_string(&path).unwrap(), SECRET, "{attack:?}");
                    }
                    if !is_link && path.is_dir() {
                        let inside = fs::read_to_string(path.join("x")).unwrap_or_default();
                        let through_link = fs::symlink_metadata(path.join("x"))
                            .is_ok_and(|found| found.is_symlink());
                        assert!(through_link || inside != SECRET, "{attack:?}");
                        fs::remove_dir_all(&path).unwrap();
                    } else {
                        let _ = fs::remove_file(&path);
                    }
                }
                fs::write(ws.join("here"), "here").unwrap();
                if round % 50 == 0 {
                    assert_eq!(untouched, tree(outside), "{attack:?} {}", operation.tool());
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(untouched, tree(outside), "{attack:?}");
    }
    println!(
        "races: {rounds} rounds, {done} done, {refused} refused, {} swaps, 0 left the workspace",
        swaps.load(Ordering::Relaxed)
    );
    assert!(rounds >= 10_000);
}
