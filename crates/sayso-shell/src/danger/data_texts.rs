//! Texts that are handed to a program as one argument, `-m "$(cat <<'EOF' …)"`, or written to a file that nothing in the line names again,
//! taken out before danger is looked for: they are data.

use crate::parse::characters::last_part;

/// How such an argument starts. Without the quote its words could become a command of their own.
const OPENING: &str = "\"$(cat <<";
/// So many are looked at; each may be searched to the end of the text.
const MOST: usize = 16;

/// The text without these bodies, or none if it has none. Only a body with a quoted end is data through and through.
pub(crate) fn without(text: &str) -> Option<String> {
    let bare = without_behind(text, OPENING, |_| true);
    let rest = bare.as_deref().unwrap_or(text);
    without_behind(rest, "<<", |before| writes_prose(before, rest)).or(bare)
}

/// The text without the bodies behind this opening, where what stands before it tells that they are data.
fn without_behind(text: &str, opening: &str, is_data: impl Fn(&str) -> bool) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut any = false;
    for _ in 0..MOST {
        let Some((before, after)) = rest.split_once(opening) else {
            break;
        };
        out.push_str(before);
        out.push_str(opening);
        rest = after;
        if is_data(before)
            && let Some((line, behind)) = body(after)
        {
            any = true;
            out.push_str(line);
            out.push('\n');
            rest = behind;
        }
    }
    out.push_str(rest);
    any.then_some(out)
}

/// Whether `cat > FILE <<` ends a text, with a file for people to read that nothing else in the whole text names or makes a program of.
fn writes_prose(before: &str, whole: &str) -> bool {
    const PROSE: [&str; 5] = [".md", ".txt", ".rst", ".adoc", ".html"];
    let line = before
        .rsplit(['\n', ';', '&', '|'])
        .next()
        .unwrap_or("")
        .trim();
    let Some(file) = line
        .strip_prefix("cat >")
        .map(|file| file.trim_start_matches('>').trim())
    else {
        return false;
    };
    PROSE.iter().any(|end| file.ends_with(end))
        && !file.contains(|letter: char| letter.is_whitespace() || "\"'$`\\<>".contains(letter))
        && whole.matches(last_part(file)).count() == 1
        && !["chmod", "install"].iter().any(|name| whole.contains(name))
}

/// The rest of the first line, and what follows the body from the line that ends it.
fn body(after: &str) -> Option<(&str, &str)> {
    let (line, lines) = after.split_once('\n')?;
    let word = line.strip_prefix('-').unwrap_or(line).trim();
    let quote = word
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"'))?;
    let end = word.strip_prefix(quote)?.strip_suffix(quote)?;
    if end.is_empty()
        || !end
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        return None;
    }
    let tabs = line.starts_with('-');
    let mut at = 0;
    for candidate in lines.split_inclusive('\n') {
        let bare = candidate.strip_suffix('\n').unwrap_or(candidate);
        let bare = if tabs {
            bare.trim_start_matches('\t')
        } else {
            bare
        };
        if bare == end {
            return Some((line, lines.get(at..)?));
        }
        at += candidate.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn only_bodies_with_a_quoted_end_are_taken_out() {
        assert_eq!(
            without("a \"$(cat <<'E'\nrm -rf /\nE\n)\" b").as_deref(),
            Some("a \"$(cat <<'E'\nE\n)\" b")
        );
        assert_eq!(
            without("a \"$(cat <<-'E'\n\tx\n\tE\n)\"").as_deref(),
            Some("a \"$(cat <<-'E'\n\tE\n)\"")
        );
        assert_eq!(
            without("b\ncat > d/a.md <<'E'\nrm -rf /\nE\nls").as_deref(),
            Some("b\ncat > d/a.md <<'E'\nE\nls")
        );
        for text in [
            "a",
            "a \"$(cat <<E\nx\nE\n)",
            "a $(cat <<'E'\nx\nE\n)",
            "a \"$(cat <<'E'\nx\n",
            "a \"$(cat <<'E'; rm x\nx\nE\n)",
            "cat <<'E'\nx\nE",
            "cat > a.sh <<'E'\nx\nE\nsh a.sh",
            "cat > a.md <<E\nx\nE",
            "cat > a <<'E'\nx\nE",
            "cat > a.md <<'E'\nx\nE\nchmod +x *; ./a*",
            "cat > $a <<'E'\nx\nE",
            "sh > a <<'E'\nx\nE",
        ] {
            assert_eq!(without(text), None, "{text}");
        }
    }
}
