//! Programs that change or remove files, signal processes, or destroy disks.

use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::Program;
use crate::programs::effect_builder::{PLAIN, Scene};
use sayso_core::analysis::effect::{EffectKind, Manner, Target};

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::new(
        &["rm"],
        "-f,--force -i --interactive? -I -r,-R,--recursive -d,--dir -v,--verbose --one-file-system --preserve-root? --no-preserve-root",
        remove,
    ),
    Program::new(
        &["rmdir"],
        "-p,--parents -v,--verbose --ignore-fail-on-non-empty",
        remove,
    ),
    Program::new(&["unlink"], "", remove),
    Program::new(
        &["shred"],
        "-f,--force -n,--iterations= -s,--size= -u --remove? -v,--verbose -x,--exact -z,--zero",
        remove,
    ),
    Program::new(
        &["mv"],
        "-f,--force -i,--interactive -n,--no-clobber -v,--verbose -u,--update? -b --backup? --suffix= -t,--target-directory= -T,--no-target-directory --strip-trailing-slashes",
        move_files,
    ),
    Program::new(
        &["cp"],
        "-a,--archive -f,--force -i,--interactive -n,--no-clobber -r,-R,--recursive -v,--verbose -u,--update? -p --preserve? -d -l,--link -s,--symbolic-link \
         -L,--dereference -P,--no-dereference -H -x,--one-file-system -b --backup? --suffix= -t,--target-directory= -T,--no-target-directory --parents --reflink? --sparse=",
        copy,
    ),
    Program::new(
        &["install"],
        "-m,--mode= -o,--owner= -g,--group= -d,--directory -v,--verbose -p,--preserve-timestamps -C,--compare -t,--target-directory= -c",
        copy,
    ),
    Program::new(
        &["mkdir"],
        "-p,--parents -m,--mode= -v,--verbose",
        make_folder,
    ),
    Program::new(
        &["touch"],
        "-a -c,--no-create -m -d,--date= -t= -r,--reference=< -h,--no-dereference --time=",
        touch,
    ),
    Program::new(
        &["ln"],
        "-s,--symbolic -f,--force -n,--no-dereference -v,--verbose -r,--relative -t,--target-directory= -T,--no-target-directory -i,--interactive -b --backup? -L,--logical -P,--physical",
        link,
    ),
    Program::new(
        &["chmod"],
        "-R,--recursive -v,--verbose -c,--changes -f,--silent,--quiet --reference=< --preserve-root --no-preserve-root",
        change_mode,
    ),
    Program::new(
        &["chown", "chgrp"],
        "-R,--recursive -v,--verbose -c,--changes -f,--silent,--quiet --reference=< -h,--no-dereference --dereference -H -L -P --from= --preserve-root --no-preserve-root",
        change_mode,
    ),
    Program::new(
        &["truncate"],
        "-s,--size= -c,--no-create -r,--reference=< -o,--io-blocks",
        touch,
    ),
    Program::new(
        &["tee"],
        "-a,--append -i,--ignore-interrupts -p --output-error?",
        touch,
    ),
    Program::raw(&["dd"], copy_raw),
    Program::raw(&["kill", "pkill", "killall"], signal),
    Program::raw(
        &[
            "mkfs",
            "mke2fs",
            "newfs",
            "mkswap",
            "wipefs",
            "blkdiscard",
            "fdisk",
            "parted",
            "sgdisk",
            "sfdisk",
        ],
        disk,
    ),
];

fn remove(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let manner = Manner {
        recursive: parsed.has("--recursive") || parsed.has("--parents"),
        ..PLAIN
    };
    for path in &parsed.operands {
        scene.path(EffectKind::Delete, path, true, manner);
    }
}

/// Where the operands go: the option's folder, or the last operand.
fn target<'p>(parsed: &'p Parsed<'_>) -> (Option<&'p str>, &'p [&'p str]) {
    match parsed.value("--target-directory") {
        Some(folder) => (Some(folder), &parsed.operands),
        None => match parsed.operands.split_last() {
            Some((last, sources)) => (Some(last), sources),
            None => (None, &[]),
        },
    }
}

fn move_files(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let (target, sources) = target(parsed);
    for source in sources {
        scene.path(
            EffectKind::Write,
            source,
            true,
            Manner {
                moved_away: true,
                recursive: true,
                ..PLAIN
            },
        );
        // What was moved can be read at its new place.
        scene.read(source, true);
    }
    if let Some(target) = target {
        scene.write_into(target, sources, true);
    }
}

fn copy(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if scene.name == "install" && parsed.has("--directory") {
        return make_folder(scene, parsed);
    }
    let recursive = parsed.has("--recursive") || parsed.has("--archive");
    let (target, sources) = target(parsed);
    for source in sources {
        scene.read(source, recursive);
    }
    if parsed.has("--parents") {
        scene.unknown("`cp --parents` writes below folders that are not named");
    }
    if let Some(target) = target {
        scene.write_into(target, sources, recursive);
    }
}

fn make_folder(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    for path in &parsed.operands {
        scene.path(
            EffectKind::Write,
            path,
            false,
            Manner {
                makes_folder: true,
                ..PLAIN
            },
        );
    }
}

fn touch(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    for path in &parsed.operands {
        scene.write(path);
    }
}

/// A link makes what it leads to reachable by another name, so that counts as read and written.
fn link(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let (target, sources) = target(parsed);
    // With one operand the link gets its name in the current folder.
    let (target, sources) = match (target, sources) {
        (Some(only), []) => (Some("."), vec![only]),
        (target, sources) => (target, sources.to_vec()),
    };
    for source in &sources {
        let below = Manner {
            recursive: true,
            ..PLAIN
        };
        scene.path(EffectKind::Read, source, true, below);
        // A symbolic link is followed from where it stands: beside its name, or in the folder of that name.
        if parsed.has("--symbolic") && !source.starts_with('/') {
            let beside =
                target.and_then(|target| Some(target.trim_end_matches('/').rsplit_once('/')?.0));
            for folder in beside.into_iter().chain(target) {
                scene.path(
                    EffectKind::Read,
                    &format!("{}/{source}", folder.trim_end_matches('/')),
                    true,
                    below,
                );
                scene.doubt();
            }
        }
        if !parsed.has("--symbolic") {
            scene.path(EffectKind::Write, source, true, PLAIN);
        }
    }
    if let Some(target) = target {
        scene.path(EffectKind::Write, target, true, PLAIN);
        scene.write_into(target, &sources, false);
    }
}

fn change_mode(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let manner = Manner {
        recursive: parsed.has("--recursive"),
        permissions: true,
        ..PLAIN
    };
    // The options of a mode (`chmod -x f`) are unknown to the table, so the first operand may already be a path.
    let skipped = usize::from(!parsed.has("--reference") && parsed.unknown.is_empty());
    for path in parsed.operands.iter().skip(skipped) {
        scene.path(EffectKind::Write, path, false, manner);
    }
}

fn copy_raw(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    for word in &parsed.operands {
        if placeholder::may_be_several(word) {
            scene.unknown("a word of `dd` may be several");
        }
        match word.split_once('=') {
            Some(("if", path)) => scene.read(path, false),
            Some(("of", path)) => scene.write(path),
            Some((
                "bs" | "ibs" | "obs" | "count" | "skip" | "seek" | "status" | "conv" | "iflag"
                | "oflag",
                _,
            )) => {}
            _ => scene.unknown(format!("`{word}` of `dd` is not known")),
        }
    }
}

fn signal(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let digits = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    match parsed.operands.as_slice() {
        // The names of signals, and whether a process is there: nothing is sent to it.
        ["-l"] if scene.name == "kill" => return,
        ["-0", processes @ ..] | ["-s", "0", processes @ ..]
            if scene.name == "kill" && !processes.is_empty() && processes.iter().all(digits) =>
        {
            return;
        }
        _ => {}
    }
    scene.effect(EffectKind::Signal, Target::Nothing, PLAIN);
}

fn disk(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let file_system = matches!(scene.name.as_str(), "mkfs" | "mke2fs");
    for path in parsed
        .operands
        .iter()
        .filter(|word| word.starts_with('/') || file_system && !word.starts_with('-'))
    {
        scene.path(
            EffectKind::Write,
            path,
            false,
            Manner {
                recursive: true,
                ..PLAIN
            },
        );
    }
    scene.runs("changes a whole disk");
}
