//! Real bash as the judge of the judge: whenever bash runs the marker program, the verdict must not be silent.
//!
//! Snippets are made from a seed and run in bubblewrap with a `PATH` that holds nothing but the marker.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use sayso_core::operation::{Call, Operation};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::verdict::Decision;
use sayso_gate::pipeline::{Bench, judge};
use sayso_shell::Bash;

use crate::world::Scripted;

/// A small generator of numbers; the same seed gives the same snippets everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

/// Pieces that are put together; `E` stands for the marker, `S` for another snippet, `W` for a word.
const SHAPES: [&str; 60] = [
    "E",
    "S; S",
    "S && S",
    "S || S",
    "S | S",
    "S & S",
    "S\nS",
    "(S)",
    "{ S; }",
    "if S; then S; fi",
    "if S; then S; else S; fi",
    "for i in W W; do S; done",
    "while S; do S; break; done",
    "case W in W) S;; *) S;; esac",
    ": W",
    ": $(S)",
    ": \"$(S)\"",
    ": `S`",
    ": \"`S`\"",
    ": <(S)",
    "x=$(S)",
    "x=W S",
    ": ${x:-$(S)}",
    ": \"${x:-$(S)}\"",
    "cat <<A\n$(S)\nA\nS",
    "cat <<'A'\n$(S)\nA\nS",
    ": <<A W\nW\nA\nS",
    "! S",
    "time S",
    "[[ W == W ]] && S",
    "[[ -f W || $(S) ]]; S",
    ": $((1+2)); S",
    ": # S\nS",
    ": 'W' ; S",
    ": \"W\" ; S",
    ": \\\n W\nS",
    "S > /dev/null",
    "S 2>&1",
    ": {a,W}; S",
    "eval W",
    ": ${x#$(S)}",
    ": ${x/a/$(S)}",
    "x=(W $(S)); S",
    ": ${x[0]}; S",
    "until S; do S; break; done",
    ": W#W; S",
    "echo W;S",
    ": $'W' ; S",
    ": <<< \"$(S)\"",
    "( S ) > W",
    "{ S; } | S",
    ": ~ ; S",
    "for x in $(S); do :; done",
    ": $x$(S)",
    "S;S;",
    "((1)) && S",
    "$(S)",
    "`S`",
    "\"$(S)\"",
    ": ${#x} ${x:1:2} ; S",
];
const WORDS: [&str; 40] = [
    "a",
    "''",
    "\"\"",
    "$x",
    "\"$x\"",
    "a\\ b",
    "'a b'",
    "\"a $x b\"",
    "a*b",
    "~",
    "{a,b}",
    "$((2))",
    "\\E",
    "E",
    "'E'",
    "\"E\"",
    "a#b",
    "#",
    "$'a\\'b'",
    "${x}",
    "${x:-a}",
    "a=b",
    "-n",
    "$",
    "\"$\"",
    "\\$x",
    "a\\\nb",
    "}",
    "{",
    "!",
    "[",
    "]",
    "*",
    "a;",
    "in",
    "do",
    "esac",
    "fi",
    "done",
    "\"'\"",
];
const NOISE: [&str; 40] = [
    " ", "\n", ";", "&", "|", "(", ")", "<", ">", "'", "\"", "`", "$", "\\", "#", "{", "}", "E", "$(", "${", "<<A", "\nA\n", "&&", "||",
    "=", "[", "]", "~", "!", "*", "-", "\t", "do", "fi", "E;", ";E", " E ", "\\\n", "<(", "$'",
];

fn snippet(dice: &mut Dice, depth: usize) -> String {
    let mut out = String::new();
    for character in dice.pick(&SHAPES).chars() {
        match character {
            'E' => out.push_str("EVIL"),
            'S' if depth == 0 => out.push_str(dice.pick(&["EVIL", ":", "true", "EVIL a", "echo EVIL"])),
            'S' => out.push_str(&snippet(dice, depth - 1)),
            'W' => out.push_str(&dice.pick(&WORDS).replace('E', "EVIL")),
            other => out.push(other),
        }
    }
    out
}

fn mutate(dice: &mut Dice, text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(characters.len() + 1);
        match dice.roll(3) {
            0 if at < characters.len() => {
                characters.remove(at);
            }
            1 if at < characters.len() => {
                let end = (at + 1 + dice.roll(3)).min(characters.len());
                let piece: Vec<char> = characters[at..end].to_vec();
                let to = dice.roll(characters.len() + 1);
                characters.splice(to..to, piece);
            }
            _ => {
                let noise = dice.pick(&NOISE).replace('E', "EVIL");
                characters.splice(at..at, noise.chars());
            }
        }
    }
    characters.into_iter().collect()
}

/// The snippets for a seed.
fn snippets(seed: u64, count: usize) -> Vec<String> {
    let mut dice = Dice(seed);
    (0..count)
        .map(|index| {
            let depth = dice.roll(3);
            let text = snippet(&mut dice, depth);
            if index % 2 == 0 { text } else { mutate(&mut dice, &text) }
        })
        .filter(|text| !text.contains('\0') && !text.trim().is_empty())
        .collect()
}

const DRIVER: &str = r#"
cd /tmp/play
for file in /tmp/cases/*; do
  export MARK="/tmp/marks/${file##*/}"
  ( ulimit -t 2 -u 64; exec /usr/bin/timeout -s KILL 3 /bin/bash --norc --noprofile -c "$(/bin/cat "$file"; echo x)" ) </dev/null >/dev/null 2>&1
done
/bin/sleep 1
/bin/ls /tmp/marks
"#;

/// Which snippets made bash run the marker; none if there is no sandbox here.
fn ran(texts: &[String]) -> Option<Vec<usize>> {
    let scratch = std::env::temp_dir().join(format!("sayso-oracle-{}-{}", std::process::id(), texts.len()));
    let make = |name: &str| std::fs::create_dir_all(scratch.join(name));
    make("cases").ok()?;
    make("play").ok()?;
    make("evil").ok()?;
    make("marks").ok()?;
    let marker = scratch.join("evil/EVIL");
    std::fs::write(&marker, "#!/bin/sh\n: > \"$MARK\"\n").ok()?;
    set_executable(&marker);
    for (index, text) in texts.iter().enumerate() {
        // The driver adds a character that the last line end is not lost by; a comment takes it.
        std::fs::write(scratch.join(format!("cases/{index:06}")), format!("{text}\n#")).ok()?;
    }
    let output = Command::new("bwrap")
        .args([
            "--ro-bind",
            "/usr",
            "/usr",
            "--symlink",
            "usr/bin",
            "/bin",
            "--symlink",
            "usr/lib",
            "/lib",
            "--symlink",
            "usr/lib64",
            "/lib64",
        ])
        .args([
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--clearenv",
            "--setenv",
            "PATH",
            "/tmp/evil",
        ])
        .arg("--bind")
        .arg(&scratch)
        .arg("/tmp")
        .args(["--", "/bin/bash", "--norc", "--noprofile", "-c", DRIVER])
        .env("PATH", std::env::var("PATH").unwrap_or_default())
        .stdin(Stdio::null())
        .output();
    let _ = std::fs::remove_dir_all(&scratch);
    let output = output.ok()?;
    if !output.status.success() {
        let _ = std::io::stderr().write_all(&output.stderr);
        return None;
    }
    Some(String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.parse().ok()).collect())
}

fn set_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755));
}

/// The decision of the default policy on a snippet.
fn decision(policy: &Policy, world: &Scripted, text: &str) -> Decision {
    let Ok(operation) = Operation::freeze(Call::command(text, "/ws")) else { return Decision::Deny };
    let bench = Bench { world, policy, grants: &[], uses: None, run: Default::default(), now: 0, trace: false };
    judge(&bench, &operation).verdict.decision
}

#[test]
fn whatever_bash_runs_is_never_silent() {
    let count = std::env::var("SAYSO_ORACLE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1500);
    let seed = std::env::var("SAYSO_ORACLE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(7);
    let texts = snippets(seed, count);
    let Some(ran) = ran(&texts) else {
        eprintln!("SKIPPED: bubblewrap with bash does not work here, so the reader was not compared with bash");
        return;
    };
    let policy = Policy::assemble(Vec::new(), &Overrides::default(), &Bash);
    let world = Scripted::default();
    let silent = |text: &str| decision(&policy, &world, text) == Decision::Allow;
    let missed: Vec<&String> = ran.iter().filter_map(|index| texts.get(*index)).filter(|text| silent(text)).collect();
    let read = texts.iter().filter(|text| sayso_shell::commands(text).is_some()).count();
    let quiet = texts.iter().filter(|text| silent(text)).count();
    eprintln!(
        "{} snippets: bash ran the marker in {}, {read} were read whole, {quiet} are silent, {} missed",
        texts.len(),
        ran.len(),
        missed.len()
    );
    assert!(ran.len() > texts.len() / 10, "the sandbox ran the marker in only {} of {} snippets", ran.len(), texts.len());
    assert!(missed.is_empty(), "{missed:#?}");
}
