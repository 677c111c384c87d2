//! The texts that are measured: everyday ones, a script, and such as are made to be slow.

/// 200 characters of several commands.
const COMPOUND: &str = "cd src && git status --short | head -n 20 && cargo test --workspace --quiet 2>&1 | tail -n 40; for f in a b c; do wc -l \"$f.rs\"; done; grep -rn judgement . || echo 'nothing was found in this folder' ..";
/// One part of a script; the whole has 10 KiB of them.
const PART: &str = r#"# step
set -eu
name="part"
for file in src/a.rs src/b.rs "$name.rs"; do
  if [ -f "$file" ]; then
    grep -n 'fn main' "$file" | sort -u | head -n 5
  else
    echo "no $file: $(basename "$file" .rs)" >&2
  fi
done
case "$name" in
  a|b) git log --oneline -5 -- "$name" ;;
  *) cat <<END
the value is ${name:-none} and $((1 + 2))
END
  ;;
esac
x=$(git rev-parse HEAD) && printf '%s\n' "$x" | cut -c 1-8
"#;

/// Pieces that a hostile text repeats.
pub(crate) const HOSTILE: [(&str, &str); 26] = [
    ("open subshells", "("),
    ("open substitutions", "$("),
    ("open quoted substitutions", "\"$("),
    ("open process substitutions", "<("),
    ("open parameters", "${x:-"),
    ("open arithmetic", "$(("),
    ("open tests", "[[ "),
    ("open groups", "{ "),
    ("open branches", "if a; then "),
    ("open cases", "case a in a) "),
    ("open lists", "{a,"),
    ("brace lists", "{a,b}"),
    ("quotes", "'\"'\""),
    ("heredocs", "<<a "),
    ("heredocs with bodies", "cat <<a\nb\na\n"),
    ("continued lines", "\\\n"),
    ("names", "$x"),
    ("assigned names", "x=$x$x;"),
    ("globs", "*?"),
    ("semicolons", ";"),
    ("backticks", "`a`"),
    ("escaped backticks", "`\\`"),
    ("chains", "a && "),
    ("pipes", "cat a | "),
    ("folders", "cd a; "),
    ("loops in a row", "for x in a b; do cat $x; done; "),
];

/// One text with its budget in nanoseconds.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) budget: Option<f64>,
    piece: &'static str,
    size: usize,
}

impl Case {
    pub(crate) fn text(&self) -> String {
        repeat(self.piece, self.size)
    }
}

/// A piece again and again, up to a size.
pub(crate) fn repeat(piece: &str, size: usize) -> String {
    piece.repeat((size / piece.len()).max(1))
}

/// Just below what is read at all.
pub(crate) const NEARLY: usize = 64 * 1024 - 64;
/// As large as a hostile text is measured.
pub(crate) const MEBIBYTE: usize = 1024 * 1024;

/// All texts.
pub(crate) fn all() -> Vec<Case> {
    let once = |name: &str, piece: &'static str, budget: f64| Case {
        name: name.to_owned(),
        budget: Some(budget),
        piece,
        size: 0,
    };
    let mut out = vec![
        once("`git status`", "git status", 5e3),
        once("a compound of 200 characters", COMPOUND, 25e3),
    ];
    out.push(Case {
        size: 10 * 1024,
        ..once("a script of 10 KiB", PART, 1.5e6)
    });
    for (name, piece) in HOSTILE {
        for (size, words) in [(NEARLY, "64 KiB"), (MEBIBYTE, "1 MiB")] {
            out.push(Case {
                name: format!("{words} of {name}"),
                budget: Some(50e6),
                piece,
                size,
            });
        }
    }
    out
}
