//! What is read and what is refused.

use super::read;
use super::tree::{Node, Piece, Script};

/// The names of all commands in a text, in the order they stand there; a word that is not plain is `?`.
fn names(text: &str) -> Result<Vec<String>, String> {
    let document = read(text).map_err(|refusal| refusal.reason)?;
    let mut out = Vec::new();
    script(&document.script, &mut out);
    for body in &document.bodies {
        pieces(&body.pieces, &mut out);
    }
    Ok(out)
}

fn script(given: &Script, out: &mut Vec<String>) {
    given.0.iter().for_each(|one| node(one, out));
}

fn node(given: &Node, out: &mut Vec<String>) {
    match given {
        Node::Simple(simple) => {
            for assignment in &simple.assignments {
                match &assignment.value {
                    super::tree::Assigned::One(word) => pieces(&word.pieces, out),
                    super::tree::Assigned::List(words) => {
                        words.iter().for_each(|word| pieces(&word.pieces, out))
                    }
                }
            }
            if let Some(first) = simple.words.first() {
                out.push(first.literal().unwrap_or_else(|| "?".into()).into_owned());
            }
            simple
                .words
                .iter()
                .for_each(|word| pieces(&word.pieces, out));
            redirects(&simple.redirects, out);
        }
        Node::Pipeline(nodes) => nodes.iter().for_each(|one| node(one, out)),
        Node::Chain(nodes) => nodes.iter().for_each(|(_, one)| node(one, out)),
        Node::Background(one) | Node::Not(one) => node(one, out),
        Node::Subshell(inner, after) | Node::Group(inner, after) => {
            script(inner, out);
            redirects(after, out);
        }
        Node::If {
            branches,
            otherwise,
            redirects: after,
        } => {
            redirects(after, out);
            for (condition, branch) in branches {
                script(condition, out);
                script(branch, out);
            }
            otherwise.iter().for_each(|inner| script(inner, out));
        }
        Node::Loop {
            condition,
            body,
            redirects: after,
        } => {
            redirects(after, out);
            script(condition, out);
            script(body, out);
        }
        Node::For {
            words,
            body,
            redirects: after,
            ..
        } => {
            redirects(after, out);
            words
                .iter()
                .flatten()
                .for_each(|word| pieces(&word.pieces, out));
            script(body, out);
        }
        Node::Count(count) => {
            redirects(&count.redirects, out);
            script(&count.body, out);
        }
        Node::Function { body, .. } => node(body, out),
        Node::Case {
            word,
            arms,
            redirects: after,
        } => {
            redirects(after, out);
            pieces(&word.pieces, out);
            for (patterns, body) in arms {
                patterns.iter().for_each(|word| pieces(&word.pieces, out));
                script(body, out);
            }
        }
        Node::Test {
            words,
            numbers,
            redirects: after,
        } => {
            words
                .iter()
                .chain(numbers)
                .for_each(|word| pieces(&word.pieces, out));
            redirects(after, out);
        }
    }
}

fn redirects(given: &[super::tree::Redirect], out: &mut Vec<String>) {
    use super::tree::RedirectKind::{HereString, Read, Write};
    for redirect in given {
        if let HereString(word) | Read(word) | Write(word) = &redirect.kind {
            pieces(&word.pieces, out);
        }
    }
}

fn pieces(given: &[Piece], out: &mut Vec<String>) {
    for piece in given {
        match piece {
            Piece::Command { script: inner, .. } | Piece::Process { script: inner, .. } => {
                script(inner, out)
            }
            Piece::Parameter {
                form: super::tree::Form::Changed(inner) | super::tree::Form::Or(inner),
                ..
            } => pieces(inner, out),
            _ => {}
        }
    }
}

#[test]
fn commands_are_found_wherever_they_stand() {
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("ls", "ls"),
        (
            "ls -la | grep x && wc; true || false &",
            "ls grep wc true false",
        ),
        ("a;b\nc", "a b c"),
        ("{ a; b; }", "a b"),
        ("(a; (b))", "a b"),
        ("if a; then b; elif c; then d; else e; fi", "a b c d e"),
        ("for i in 1 2 3; do a $i; done", "a"),
        ("for i in $(a); do b; done > f", "a b"),
        ("while read x; do b; done < f", "read b"),
        ("case $x in a|b) c;; *) d;; esac", "c d"),
        ("echo \"$(a \"$(b)\")\" `c`", "echo a b c"),
        ("wc -l <(a) <(b)", "wc a b"),
        ("x=$(a) y=1 b", "a b"),
        ("cat <<E\n$(a)\nE\nb", "cat b a"),
        ("cat <<'E'\n$(a)\nE\n", "cat"),
        ("cat <<-E | b\n\tx\n\tE\nc", "cat b c"),
        ("echo ${x:-$(a)}", "echo a"),
        ("! a", "a"),
        ("time -p a | b", "time b"),
        ("[[ $(a) == b* ]] && c", "a c"),
        ("[[ -f x && $(a) == b* ]] && c", "a c"),
        ("! [[ -f x && $(a) == b* ]] && c", "!"),
        ("a &>f b", "!"),
        ("a &>f", "a"),
        ("a &>/dev/null", "a"),
        ("a &>/dev/null && b", "a b"),
        ("a >! b", "!"),
        ("=a", "!"),
        ("a \\\n  -b | c", "a c"),
        ("a # b; c\nd", "a d"),
        ("echo a#b; c", "echo c"),
        ("l\\\ns", "!"),
        ("echo 2\\\n>x", "!"),
        ("if a; then b; else\\\n/c; fi", "!"),
        ("cat {z}q,a}", "!"),
        ("cat {,a}", "cat"),
        ("cat {a,{b}c}", "!"),
        ("cat {a,b}", "cat"),
        ("git show HEAD@{1}", "git"),
        ("cat <1-9>/dev/null", "!"),
        ("c\"a\"t f", "cat"),
        ("$'\\143at' f", "?"),
        ("$'a\\'b' f", "!"),
        ("echo $((1+2))", "echo"),
        ("echo {a,b}.txt {1..3}", "echo"),
        ("find . -exec ls {} +", "find"),
        ("> f", ""),
        ("a 2>&1 >/dev/null | b |& c", "a b c"),
        ("arr=(1 2 $(a)); echo \"${arr[@]}\"", "a echo"),
        ("echo '", "!"),
        ("f() { a; }", "a"),
        ("function f { a; }", "!"),
        ("echo ${!x}", "!"),
        ("echo ${x@P}", "!"),
        ("echo ${x:=y}", "!"),
        ("echo $((x))", "echo"),
        ("echo $((x=1))", "!"),
        ("echo $((x++))", "!"),
        ("echo $((x[0]))", "!"),
        ("a[0]=1", "!"),
        ("echo \"${x:-'$(a)'}\"", "!"),
        ("cat <<E\nx", "!"),
        ("a &\\\n& b", "!"),
        ("coproc a", "!"),
        ("[[ $x -eq 1 ]]", ""),
        ("[[ -v x ]]", "!"),
        ("echo ~root", "!"),
        ("a\r\nb", "!"),
        ("echo `a \\`b\\``", "echo a b"),
        ("((x=1))", "!"),
        (": | ( ( a ) )", ": a"),
        ("{fd}>/dev/null a", "!"),
        ("echo a=~/x", "!"),
        ("$((a); b)", "!"),
        ("if a; then; fi", "!"),
        ("a && ", "!"),
        ("()", "!"),
        ("a ) b", "!"),
        ("a; ; b", "!"),
    ] {
        let got = names(text).map_or_else(|_| "!".to_owned(), |names| names.join(" "));
        if got != expected {
            wrong.push(format!(
                "{text:?}: expected {expected}, got {got}: {:?}",
                read(text).err()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// bash prints a substitution anew and loses the first `;` behind a heredoc, so `find .;echo -delete` deletes there.
#[test]
fn a_command_behind_a_heredoc_of_a_substitution_is_refused() {
    for text in [
        "cat <(cat <<'A'\nx\nA\nfind .;echo -delete)",
        "echo $(cat <<A\nx\nA\necho 1;echo 2)",
        "echo \"$(cat <<A\nx\nA\necho 1\necho 2)\"",
        "echo $(cat <<A; echo 1;echo 2\nx\nA\n)",
        "echo $(cat <<A && echo 1;echo 2\nx\nA\n)",
        "echo $(cat <<A | cat;echo 2\nx\nA\n)",
        "echo $(cat <<A & echo 1\nx\nA\n)",
        "echo $(if cat <<A; then echo 1;echo 2; fi\nx\nA\n)",
        "echo $(for i in 1 2; do cat <<A; echo 1;echo 2; done\nx\nA\n)",
        "echo $({ cat <<A\nx\nA\necho 1;echo 2;})",
        "echo $( (cat <<A\nx\nA\n) )",
        "tee >(cat <<A\nx\nA\necho 1;echo 2)",
    ] {
        assert_eq!(
            names(text),
            Err("a command stands behind a heredoc inside of a substitution".to_owned()),
            "{text}"
        );
    }
    for text in [
        "git commit -m \"$(cat <<'EOF'\nwords; more\nEOF\n)\"",
        "echo $(cd src; true && cat <<A | sort\nx\nA\n)",
        "echo $(while read -r a; do echo 1;echo 2; done <<A\nx\nA\n)",
        "echo $(echo $(cat <<A\nx\nA\n); echo 1;echo 2)",
        "cat <<A\nx\nA\necho 1;echo 2",
        "echo $(cat <<<a; echo 1;echo 2)",
    ] {
        assert!(names(text).is_ok(), "{text}: {:?}", names(text));
    }
}
