//! `for ((i = 0; i < 3; i++))`: one variable that starts with a number, is compared and takes steps.
//!
//! Shells without this form refuse the line before they run anything of it.

use super::Reading;
use super::cursor::Cursor;
use super::tree::{Count, Node, Piece, Script, Simple, Word};

impl Cursor<'_> {
    /// The loop, from its parentheses on.
    pub(super) fn counting_loop(&mut self) -> Reading<Node> {
        let start = self.at;
        let inner = self.rest().get(2..).unwrap_or("");
        let length = inner
            .find("))")
            .filter(|end| !inner.get(..*end).unwrap_or("").contains(['\n', '#']));
        let Some(length) = length else {
            return self.refuse("arithmetic is not closed");
        };
        let parts: Vec<&str> = inner
            .get(..length)
            .unwrap_or("")
            .split(';')
            .map(str::trim)
            .collect();
        let &[first, test, step] = parts.as_slice() else {
            return self.refuse("a loop over numbers that is not plain");
        };
        let end = start + length + 4;
        let endless = first.is_empty() && test.is_empty() && step.is_empty();
        let read = if endless {
            None
        } else {
            numbers(first, test, step)
        };
        if read.is_none() && !endless {
            return self.refuse_at(start, end, "a loop over numbers that is not plain");
        }
        self.at = end;
        self.blanks();
        if self.peek() == Some(b';') {
            self.at += 1;
        }
        let body = self.body()?;
        let redirects = self.redirects()?;
        Ok(match read {
            Some((name, names, signed)) => Node::Count(Count {
                name,
                names,
                signed,
                body,
                redirects,
            }),
            None => Node::Loop {
                condition: always(start, end),
                body,
                redirects,
            },
        })
    }
}

/// `true` as a script.
fn always(start: usize, end: usize) -> Script {
    let pieces = vec![Piece::Text {
        text: "true".into(),
        quoted: false,
    }];
    Script(vec![Node::Simple(Simple {
        words: vec![Word { pieces, start, end }],
        start,
        end,
        ..Simple::default()
    })])
}

/// The variable of a loop, the names that its arithmetic looks at, and whether its numbers may be below zero.
fn numbers(first: &str, test: &str, step: &str) -> Option<(String, Vec<String>, bool)> {
    let (name, from) = first.split_once('=')?;
    let name = name.trim_end();
    let (mut names, mut signed) = expression(from)?;
    let (tested, _) = if test.is_empty() {
        Default::default()
    } else {
        expression(test)?
    };
    names.extend(tested);
    let changed = |end: &str| {
        step.strip_suffix(end)
            .or_else(|| step.strip_prefix(end))
            .map(str::trim)
    };
    let by = |sign: &str| {
        step.split_once(sign)
            .filter(|(stepped, _)| stepped.trim() == name)
    };
    if changed("++") == Some(name) {
    } else if changed("--") == Some(name) {
        signed = true;
    } else if let Some((_, more)) = by("+=").or_else(|| by("-=")).or_else(|| by("*=")) {
        let (stepped, below_zero) = expression(more)?;
        names.extend(stepped);
        signed |= below_zero || !step.contains("+=");
    } else {
        return None;
    }
    names.retain(|looked_at| looked_at != name);
    crate::parse::characters::is_name(name).then(|| (name.to_owned(), names, signed))
}

/// The names in an expression that sets nothing, and whether it may come out below zero.
fn expression(text: &str) -> Option<(Vec<String>, bool)> {
    let text = format!("(({}))", text.trim());
    let mut cursor = Cursor::new(&text).ok()?;
    match cursor.arithmetic(false).ok()? {
        Piece::Number { names, signed, .. } if cursor.peek().is_none() && text.len() > 4 => {
            Some((names, signed))
        }
        _ => None,
    }
}
