//! Whatever is read as one plain command has the same words in bash.

#![expect(
    clippy::disallowed_types,
    reason = "the product starts nothing, but this test asks bash"
)]

use std::process::Command;

use sayso_shell::commands;

/// Pieces that shells treat in special ways; numbers from a fixed row pick them, so that a failure can be repeated.
const PIECES: [&str; 36] = [
    " ",
    " ",
    "\t",
    "a",
    "b",
    "-x",
    "'",
    "'",
    "\"",
    "\"",
    "\\",
    "\\\\",
    "=",
    "a=b",
    "+=",
    "%",
    "^",
    ",",
    ":",
    "@",
    "2>&1",
    " 2>&1 ",
    " >/dev/null",
    "2",
    "1>&2",
    "''",
    "\"\"",
    "'a b'",
    "\"c d\"",
    "\\ ",
    "\\'",
    "~",
    "#",
    "ä",
    "'ä$x*'",
    "/dev/null",
];

#[test]
fn the_words_are_those_of_bash() {
    if Command::new("bash").arg("--version").output().is_err() {
        return;
    }
    let mut number: u64 = 0x5eed;
    let mut pick = |below: usize| {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(number >> 33).unwrap() % below
    };
    let mut compared = 0;
    while compared < 300 {
        let text: String = std::iter::once("args ")
            .chain((0..pick(9)).map(|_| PIECES[pick(PIECES.len())]))
            .collect();
        let Some(read) = commands(&text) else {
            continue;
        };
        // A file that is written or a second command would change what is printed; the words alone are compared here.
        let more = sayso_shell::analyse(&text).effects.iter().any(|effect| {
            effect.manner.redirect
                && effect
                    .place()
                    .is_some_and(|place| place.written != "/dev/null")
        });
        if more || read.len() != 1 || !read[0].literal {
            continue;
        }
        // The function prints to a descriptor of its own, since the text may redirect the usual ones.
        let script = format!("exec 3>&1; args() {{ printf '%s\\0' args \"$@\" >&3; }}; {text}");
        let output = Command::new("bash")
            .args(["--norc", "--noprofile", "-c", &script])
            .output()
            .unwrap();
        let mut expected = read[0].words.join("\0");
        expected.push('\0');
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            expected,
            "{text:?}"
        );
        compared += 1;
    }
}
