//! `[[ … ]]`: tests of files and texts. Comparisons of numbers evaluate their operands, so they need plain numbers.

use super::Reading;
use super::cursor::Cursor;
use super::tree::Word;

/// Operators with one operand that only look. `-v` and `-R` evaluate subscripts.
const ONE: [&str; 23] = [
    "-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-p", "-S", "-b", "-c", "-g", "-k", "-u",
    "-O", "-G", "-N", "-z", "-n", "-a", "!",
];
const TEXTS: [&str; 7] = ["==", "=", "!=", "=~", "-nt", "-ot", "-ef"];
const NUMBERS: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Cursor<'_> {
    /// From behind `[[` to behind `]]`: the words it looks at, and those that it compares as numbers.
    ///
    /// `&&` in it is read: where `[[` is no construct it is a program that is not there or that misses its end, so that nothing behind
    /// `&&` runs. `||` and `(` would start commands there, and so would `&&` behind a `!`.
    pub(super) fn conditional(&mut self) -> Reading<(Vec<Word>, Vec<Word>)> {
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        loop {
            self.blanks();
            self.primary(&mut words, &mut numbers)?;
            self.blanks();
            // Where a test of a file follows, it is no command that could be there.
            let file_follows = |rest: &str| {
                rest.trim_start().as_bytes().first_chunk::<3>().is_some_and(
                    |[dash, letter, blank]| {
                        *dash == b'-' && letter.is_ascii_lowercase() && *blank == b' '
                    },
                )
            };
            if self.rest().strip_prefix("||").is_some_and(file_follows) {
                self.at += 2;
                continue;
            }
            if self.negated || !self.take("&&") {
                break;
            }
        }
        if self.keyword() != Some("]]") {
            return self.refuse("a test that is not plain");
        }
        self.at += 2;
        Ok((words, numbers))
    }

    fn primary(&mut self, words: &mut Vec<Word>, numbers: &mut Vec<Word>) -> Reading<()> {
        while self.keyword() == Some("!") {
            self.at += 1;
            self.blanks();
        }
        let first = self.one_word()?;
        self.blanks();
        // Which descriptor `-t` means is evaluated.
        if first.bare() == Some("-t") {
            numbers.push(self.one_word()?);
            return Ok(());
        }
        if first.bare().is_some_and(|text| ONE.contains(&text)) {
            words.push(self.one_word()?);
            return Ok(());
        }
        if first
            .bare()
            .is_some_and(|text| text.starts_with('-') && text.len() == 2)
        {
            return self.refuse("an operator of `[[` that is not known");
        }
        if self.keyword() == Some("]]")
            || self.rest().starts_with("&&")
            || self.rest().starts_with("||")
        {
            words.push(first);
            return Ok(());
        }
        let rest = self.rest();
        let operator = TEXTS.iter().chain(&NUMBERS).copied().filter(|operator| {
            rest.strip_prefix(operator)
                .is_some_and(|after| after.starts_with([' ', '\t']))
        });
        let Some(operator) = operator.max_by_key(|operator| operator.len()) else {
            return self.refuse("an operator of `[[` that is not read");
        };
        self.at += operator.len();
        self.blanks();
        let second = self.one_word()?;
        if NUMBERS.contains(&operator) {
            numbers.push(first);
            numbers.push(second);
        } else {
            words.push(first);
            words.push(second);
        }
        Ok(())
    }
}
