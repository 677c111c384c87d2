//! Snippets from a seed: the same seed gives the same snippets everywhere.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The lists of pieces, by their letter.
static PIECES: LazyLock<HashMap<char, Vec<String>>> = LazyLock::new(|| {
    let mut lists: HashMap<char, Vec<String>> = HashMap::new();
    let mut list = None;
    for line in include_str!("pieces.txt").lines() {
        if let Some(title) = line.strip_prefix("= ") {
            list = title.chars().next();
        } else if let Some(letter) = list {
            lists.entry(letter).or_default().push(plain(line));
        }
    }
    lists
});

/// A line of the file with its signs replaced by what they stand for.
fn plain(line: &str) -> String {
    [
        ("⏎", "\n"),
        ("⇥", "\t"),
        ("␍", "\r"),
        ("␋", "\u{b}"),
        ("␌", "\u{c}"),
        ("∅", ""),
    ]
    .iter()
    .fold(line.to_owned(), |text, (sign, meant)| {
        text.replace(sign, meant)
    })
}

/// Longer snippets say nothing that a shorter one does not.
const LONGEST: usize = 600;

/// A small generator of numbers, with a temper: of ten pieces, so many are of the mild kind, which are silent more often.
pub(crate) struct Dice(u64, usize);

impl Dice {
    /// The generator for a seed; near seeds give far numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Dice(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15), 0)
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }

    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

/// Fills in a piece; at depth 0 only pieces that end soon are taken.
fn fill(dice: &mut Dice, piece: &str, depth: usize) -> String {
    let mut out = String::new();
    let mut characters = piece.chars();
    while let Some(character) = characters.next() {
        if character != '¤' {
            out.push(character);
            continue;
        }
        let letter = characters.next().unwrap_or('E');
        out.push_str(&part(dice, letter, depth));
    }
    out
}

fn part(dice: &mut Dice, letter: char, depth: usize) -> String {
    if depth == 0 {
        return match letter {
            'S' | 'C' => dice.pick(&[
                "EVIL",
                "EVIL",
                "EVIL a",
                "echo EVIL",
                "true",
                "cat a",
                "ls",
                "git status",
                "cat README.md",
            ]),
            'W' | 'L' => dice.pick(&["a", "$x", "\"$x\"", "README.md", "b", "EVIL", "-o", "src"]),
            'P' => dice.pick(&[
                "a",
                "src",
                ".env",
                "README.md",
                "out/a",
                "$x",
                "/etc/passwd",
            ]),
            'R' => dice.pick(&["> out/a", "> a", "2>&1", "< a"]),
            'X' => "1",
            'B' => "[ -f a ]",
            'V' => "x",
            'F' => dice.pick(&["find . -name '*.md'", "find src -type f", "ls"]),
            'H' => dice.pick(&["cat \"$x\"", "cat \"$x/../.env\""]),
            'G' => dice.pick(&["", "/../.env"]),
            'J' => dice.pick(&["-name '*.md'", "-type f", "-print"]),
            'K' => "sort",
            'O' => dice.pick(&["cat", "EVIL"]),
            _ => " ",
        }
        .to_owned();
    }
    let mild = dice.roll(10) < dice.1;
    let list = PIECES
        .get(&letter.to_ascii_lowercase())
        .filter(|_| mild)
        .or_else(|| PIECES.get(&letter));
    let list = list.unwrap_or_else(|| panic!("there is no list `{letter}`"));
    let piece = &list[dice.roll(list.len())];
    fill(dice, piece, depth - 1)
}

/// Puts the evil program where a harmless one was named.
fn spoil(dice: &mut Dice, text: &str) -> String {
    let names = [
        "cat", "ls", "echo", "git", "head", "sort", "grep", "wc", "true", "make", "find", "printf",
    ];
    let mut places: Vec<(usize, &str)> = names
        .iter()
        .flat_map(|name| text.match_indices(name))
        .collect();
    places.sort_unstable();
    if places.is_empty() {
        return text.to_owned();
    }
    let (at, name) = places[dice.roll(places.len())];
    format!("{}EVIL{}", &text[..at], &text[at + name.len()..])
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
                let noise = part(dice, 'N', 1);
                characters.splice(at..at, noise.chars());
            }
        }
    }
    characters.into_iter().collect()
}

/// The snippets for a seed. Some are damaged somewhere, some have the evil program put in, and some have nothing evil at all.
pub fn snippets(seed: u64, count: usize) -> Vec<String> {
    let mut out = Vec::with_capacity(count);
    let mut turn = 0;
    while out.len() < count {
        turn += 1;
        let mut dice = Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(turn));
        dice.roll(2);
        dice.1 = [0, 4, 7, 9, 10][dice.roll(5)];
        let depth = 2 + dice.roll(4);
        let mut text = part(&mut dice, 'S', depth);
        match turn % 6 {
            0 => text = mutate(&mut dice, &text),
            1 => text = text.replace("EVIL", "b"),
            2 | 3 => text = spoil(&mut dice, &text),
            _ => {}
        }
        if !text.trim().is_empty() && text.len() <= LONGEST && !text.contains('\0') {
            out.push(text);
        }
    }
    out
}

/// How one script stands in another.
const AROUND: [&str; 24] = [
    "{ ¤1; }",
    "( ¤1 )",
    "¤1 | ¤2",
    "¤1 && ¤2",
    "¤1; ¤2",
    "¤1\n¤2",
    "if ¤1; then ¤2; fi",
    "if false; then ¤1; else ¤2; fi",
    "while ¤1; do ¤2; break; done",
    "until ¤1; do ¤2; break; done",
    "for x in a b; do ¤1; ¤2; done",
    "case a in a) ¤1;; *) ¤2;; esac",
    "case a in b) ¤1;; a) ¤2 ;; esac",
    "x=$(¤1); ¤2",
    "cat \"$(¤1)\"; ¤2",
    "cat `¤1`; ¤2",
    "cat <(¤1); ¤2",
    "cat <<A\n$(¤1)\nA\n¤2",
    "cat <<'A'\n¤1\nA\n¤2",
    "f() { ¤1; }; ¤2; f",
    "¤1 & ¤2",
    "! ¤1 || ¤2",
    "[[ -n $(¤1) ]] && ¤2",
    "x=a ¤1; ¤2 \"$x\"",
];

/// Words and operators, each with the blanks before it: where a script can be cut without hurting a word.
fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, letter) in text.char_indices().skip(1) {
        if letter == ' ' || letter == '\n' || ";|&()<>{}".contains(letter) {
            out.push(&text[start..at]);
            start = at;
        }
    }
    out.push(&text[start..]);
    out
}

/// The first part of one script and the last part of another, or one with some of its words in other places.
fn cross(dice: &mut Dice, one: &str, two: &str) -> String {
    let (one, two) = (tokens(one), tokens(two));
    let (until, from) = (dice.roll(one.len() + 1), dice.roll(two.len() + 1));
    match dice.roll(3) {
        0 => one[..until].concat() + &two[from..].concat(),
        1 => one[..until].concat() + two.get(from).unwrap_or(&" ") + &one[until..].concat(),
        _ => {
            let mut moved = one.clone();
            let (left, right) = (dice.roll(moved.len()), dice.roll(moved.len()));
            moved.swap(left, right);
            moved.concat()
        }
    }
}

/// Scripts for the comparison of the reader with bash: a third from the grammar of the pieces, the others from these rows, damaged, crossed
/// with each other and put into one another.
pub fn scripts(seed: u64, count: usize, rows: &[String]) -> Vec<String> {
    let made = snippets(seed ^ 0x5eed, count);
    let mut out = Vec::with_capacity(count);
    for (turn, one) in made.iter().enumerate() {
        let mut dice = Dice::new(seed.wrapping_mul(7_777_777).wrapping_add(turn as u64));
        dice.roll(2);
        let row = |dice: &mut Dice| {
            rows.get(dice.roll(rows.len().max(1)))
                .cloned()
                .unwrap_or_else(|| "ls".to_owned())
        };
        let (other, more) = (row(&mut dice), row(&mut dice));
        let text = match dice.roll(9) {
            0..3 => one.clone(),
            3 => mutate(&mut dice, &other),
            4 => spoil(&mut dice, &other),
            5 => cross(&mut dice, one, &other),
            6 => cross(&mut dice, &other, &more),
            7 => dice.pick(&AROUND).replace("¤1", one).replace("¤2", &other),
            _ => dice
                .pick(&AROUND)
                .replace("¤1", &other)
                .replace("¤2", &more),
        };
        out.push(
            if text.trim().is_empty() || text.len() > 2 * LONGEST || text.contains('\0') {
                one.clone()
            } else {
                text
            },
        );
    }
    out
}
