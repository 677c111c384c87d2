//! Takes the bodies of here-documents that are only printed out of a text that could not be read whole.
//!
//! A usage text that says what never to run is no command. But a body may only be taken out where it is certain to be one: whatever stands
//! before it must leave no quote, substitution or arithmetic open and give `cat` no other meaning, and nothing may take what it prints.

use crate::danger_code::is_language;
use crate::wrappers::is_shell;

/// The text without such bodies, or nothing if there are none.
pub(crate) fn without_plain_bodies(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut lines = text.split_inclusive('\n');
    let mut found = false;
    while let Some(line) = lines.next() {
        let Some(mark) = printed_until(line).filter(|_| leaves_nothing_open(&out)) else {
            out.push_str(line);
            continue;
        };
        let rest: String = lines.clone().collect();
        let Some(length) = body(&rest, &mark) else {
            out.push_str(line);
            continue;
        };
        // The body goes, and what stood before it stays without its operator.
        out.push_str("cat\n");
        found = true;
        let mut taken = 0;
        while taken < length {
            taken += lines.next().map_or(length, str::len);
        }
    }
    (found && !may_run_text(&out)).then_some(out)
}

/// Whether something in a text may run what another command of it prints, or a file that it writes.
fn may_run_text(text: &str) -> bool {
    const RUNNERS: [&str; 11] = ["eval", "source", "exec", "xargs", "parallel", "ssh", "at", "batch", "chmod", "env", "trap"];
    let code = text.lines().filter(|line| !line.starts_with('#'));
    let words = |line: &str| {
        line.split(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '.' | '/' | '_' | '-'))).any(|word| {
            let name = word.rsplit('/').next().unwrap_or(word);
            matches!(word, ".") || word.starts_with("./") || RUNNERS.contains(&name) || is_shell(name) || is_language(name)
        })
    };
    code.into_iter().any(words)
}

/// Where a here-document ends, and whether its body is expanded.
struct Mark {
    word: String,
    tabs: bool,
    expands: bool,
}

/// A line that is nothing but `cat <<MARK`.
fn printed_until(line: &str) -> Option<Mark> {
    let rest = line.trim().strip_prefix("cat")?.trim_start().strip_prefix("<<")?;
    let (rest, tabs) = rest.strip_prefix('-').map_or((rest, false), |rest| (rest, true));
    let rest = rest.trim_start();
    let quoted = ['\'', '"'].into_iter().find_map(|quote| rest.strip_prefix(quote)?.strip_suffix(quote));
    let word = quoted.unwrap_or(rest);
    let plain = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    plain.then(|| Mark { word: word.to_owned(), tabs, expands: quoted.is_none() })
}

/// How many bytes the body has, with its end; nothing if it has none, or if something in it runs.
fn body(rest: &str, mark: &Mark) -> Option<usize> {
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        let plain = line.trim_end_matches('\n');
        let plain = if mark.tabs { plain.trim_start_matches('\t') } else { plain };
        length += line.len();
        if plain == mark.word {
            return Some(length);
        }
        if mark.expands && plain.contains(['$', '`', '\\']) {
            return None;
        }
    }
    None
}

/// Whether what stands before a line is certain to be over there.
fn leaves_nothing_open(before: &str) -> bool {
    let code = before.lines().filter(|line| !line.starts_with('#') && line.trim() != "cat");
    let plain = |line: &str| !line.contains(['\'', '"', '`', '\\', '$', '<', '#']) && !line.contains("((") && !line.contains("[[");
    let meanings = ["cat", "alias", "exec", "eval", "source", "hash", "enable", "shopt"];
    let words = |line: &str| line.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| meanings.contains(&word));
    let pipes = |line: &str| line.contains(['|', '&']);
    code.into_iter().all(|line| plain(line) && !words(line) && !pipes(line))
}

#[cfg(test)]
mod tests {
    use super::without_plain_bodies;

    #[test]
    fn a_text_that_is_only_printed_is_taken_out() {
        let usage = "#!/bin/sh\nusage() {\n  cat <<EOF\nrm -rf / is bad\nEOF\n}\nusage\n";
        assert_eq!(without_plain_bodies(usage).as_deref(), Some("#!/bin/sh\nusage() {\ncat\n}\nusage\n"));
        let two = "f() { :; }\ncat <<'A'\n$(x)\nA\ncat <<-B\n\tx\n\tB\nls\n";
        assert_eq!(without_plain_bodies(two).as_deref(), Some("f() { :; }\ncat\ncat\nls\n"));
    }

    #[test]
    fn whatever_may_run_stays() {
        for text in [
            "f() { :; }\nbash <<EOF\nrm -rf /\nEOF\n",
            "f() { :; }\ncat <<EOF | sh\nrm -rf /\nEOF\n",
            "f() { :; }\ncat <<EOF\n$(rm -rf /)\nEOF\n",
            "f() { :; }\ncat <<EOF\n`rm -rf /`\nEOF\n",
            "echo '\ncat <<X\n'\nrm -rf /\nX\n",
            "cat() { sh; }\ncat <<EOF\nrm -rf /\nEOF\n",
            "alias cat=sh\ncat <<EOF\nrm -rf /\nEOF\n",
            "(( a = 1 \ncat <<EOF\nrm -rf /\nEOF\n",
            "{\ncat <<EOF\nrm -rf /\n",
            "exec > >(sh)\ncat <<EOF\nrm -rf /\nEOF\n",
            "x <<A\ncat <<B\nA\nrm -rf /\nB\n",
            "f() { :; }\ncat <<EOF\nx\\\nEOF\nrm -rf /\nEOF\n",
        ] {
            assert_eq!(without_plain_bodies(text), None, "{text}");
        }
    }

    #[test]
    fn a_body_whose_output_is_taken_stays() {
        for after in
            ["} | sh\n", "}\nf | bash\n", "}\neval \"$(f)\"\n", "}\n. <(f)\n", "} > x\n./x\n", "} > x\nchmod +x x; x\n", "}\nf | python3\n"]
        {
            let piped = format!("f() {{\ncat <<EOF\nrm -rf /\nEOF\n{after}");
            assert_eq!(without_plain_bodies(&piped), None, "{after}");
        }
    }
}
