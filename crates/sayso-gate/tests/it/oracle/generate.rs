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
    [("⏎", "\n"), ("⇥", "\t"), ("␍", "\r"), ("␋", "\u{b}"), ("␌", "\u{c}"), ("∅", "")]
        .iter()
        .fold(line.to_owned(), |text, (sign, meant)| text.replace(sign, meant))
}

/// Longer snippets say nothing that a shorter one does not.
const LONGEST: usize = 600;

/// A small generator of numbers, with a temper: of ten pieces, so many are of the mild kind, which are silent more often.
struct Dice(u64, usize);

impl Dice {
    /// The generator for a seed; near seeds give far numbers.
    fn new(seed: u64) -> Self {
        Dice(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15), 0)
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
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
            'S' | 'C' => dice.pick(&["EVIL", "EVIL", "EVIL a", "echo EVIL", "true", "cat a", "ls", "git status", "cat README.md"]),
            'W' | 'L' => dice.pick(&["a", "$x", "\"$x\"", "README.md", "b", "EVIL", "-o", "src"]),
            'P' => dice.pick(&["a", "src", ".env", "README.md", "out/a", "$x", "/etc/passwd"]),
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
    let list = PIECES.get(&letter.to_ascii_lowercase()).filter(|_| mild).or_else(|| PIECES.get(&letter));
    let list = list.unwrap_or_else(|| panic!("there is no list `{letter}`"));
    let piece = &list[dice.roll(list.len())];
    fill(dice, piece, depth - 1)
}

/// Puts the evil program where a harmless one was named.
fn spoil(dice: &mut Dice, text: &str) -> String {
    let names = ["cat", "ls", "echo", "git", "head", "sort", "grep", "wc", "true", "make", "find", "printf"];
    let mut places: Vec<(usize, &str)> = names.iter().flat_map(|name| text.match_indices(name)).collect();
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
