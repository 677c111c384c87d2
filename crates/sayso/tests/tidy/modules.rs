//! The modules of a crate as its source text has them: which file is reached from which, and which top-level module uses which.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::code;

/// A file of a crate: its path below the crate's folder, and its text.
pub(crate) type Source<'a> = (&'a str, &'a str);

/// Words and signs of code. `::` is one sign.
fn tokens(code: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        if !first.is_whitespace() {
            out.push(token);
        }
        rest = after;
    }
    out
}

/// The first names of the path or of the list of paths that starts here: `a::b` gives `a`, and `{a::b, c}` gives `a` and `c`.
fn first_names<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
    if tokens.first() != Some(&"{") {
        return tokens.first().copied().into_iter().collect();
    }
    let (mut depth, mut names) = (0, Vec::new());
    for pair in tokens.windows(2) {
        match pair[0] {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && matches!(pair[0], "{" | ",") && pair[1] != "}" {
            names.push(pair[1]);
        }
    }
    names
}

/// How deep below the crate root the module of a file lies: 0 for `lib.rs`, 1 for `a.rs` and `a/mod.rs`, 2 for `a/b.rs`.
fn depth_of(path: &str) -> usize {
    let inner = path.trim_end_matches(".rs");
    match inner {
        "lib" | "main" => 0,
        _ => inner.trim_end_matches("/mod").split('/').count(),
    }
}

/// The names behind `crate::`, and behind as many `super::` as lead to the crate root.
fn names_at_root<'a>(tokens: &[&'a str], depth: usize) -> Vec<&'a str> {
    let (mut names, mut inline, mut braces) = (Vec::new(), Vec::new(), 0);
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |at| tokens[at]);
        let rest = &tokens[at + 1..];
        match *token {
            "{" => {
                braces += 1;
                let is_module = at >= 2 && tokens[at - 2] == "mod";
                inline.extend(is_module.then_some(braces));
            }
            "}" => {
                inline.pop_if(|opened| *opened == braces);
                braces -= 1;
            }
            "crate" if rest.first() == Some(&"::") && before != "::" => {
                names.extend(first_names(&rest[1..]));
            }
            "super" if before != "::" => {
                let chain = tokens[at..].chunks(2);
                let supers = chain.take_while(|pair| *pair == ["super", "::"]).count();
                if supers > 0 && supers == depth + inline.len() {
                    names.extend(first_names(&tokens[at + 2 * supers..]));
                }
            }
            _ => {}
        }
    }
    names
}

/// Each name that the crate root lends from a module, with that module: by `pub use a::{B, C}`, or because `a` defines a macro.
fn lent_names<'a>(sources: &[Source<'a>], codes: &'a [String]) -> BTreeMap<&'a str, &'a str> {
    let mut lent = BTreeMap::new();
    for ((path, _), code) in sources.iter().zip(codes) {
        let tokens = tokens(code);
        for (at, token) in tokens.iter().enumerate() {
            match *token {
                "macro_rules" => {
                    lent.insert(tokens[at + 2], top_of(path));
                }
                "use" if depth_of(path) == 0 => {
                    let end = tokens[at..].iter().position(|token| *token == ";");
                    let path = &tokens[at + 1..at + end.unwrap_or_default()];
                    let path = path.strip_prefix(&["self", "::"]).unwrap_or(path);
                    let from = path.first().copied().unwrap_or_default();
                    lent.extend(path.iter().skip(1).map(|name| (*name, from)));
                }
                _ => {}
            }
        }
    }
    lent
}

fn top_of(path: &str) -> &str {
    let top = path.split('/').next().unwrap_or(path);
    top.trim_end_matches(".rs")
}

/// Which top-level module of a crate uses which. Paths are those below `src`.
pub(crate) fn uses(sources: &[Source<'_>]) -> BTreeMap<String, BTreeSet<String>> {
    let codes: Vec<String> = sources.iter().map(|(_, text)| code(text)).collect();
    let is_root = |name: &str| matches!(name, "lib" | "main");
    let modules: BTreeSet<&str> = sources.iter().map(|(path, _)| top_of(path)).collect();
    let lent = lent_names(sources, &codes);
    let mut out = BTreeMap::<String, BTreeSet<String>>::new();
    for ((path, _), code) in sources.iter().zip(&codes) {
        let user = top_of(path);
        if is_root(user) {
            continue;
        }
        let edges = out.entry(user.to_owned()).or_default();
        for name in names_at_root(&tokens(code), depth_of(path)) {
            let used = if modules.contains(name) {
                Some(name)
            } else {
                lent.get(name).copied()
            };
            let used = used.filter(|used| modules.contains(used) && *used != user);
            edges.extend(used.map(str::to_owned));
        }
    }
    out
}

/// The groups of modules that use each other in a circle.
pub(crate) fn cycles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach = |start: &String| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![start.clone()]);
        while let Some(module) = todo.pop() {
            for other in uses.get(&module).into_iter().flatten() {
                if seen.insert(other.clone()) {
                    todo.push(other.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<String>> =
        uses.keys().map(|module| (module, reach(module))).collect();
    let mut groups = Vec::new();
    for (module, others) in reached
        .iter()
        .filter(|(module, others)| others.contains(**module))
    {
        let group: Vec<String> = others
            .iter()
            .filter(|other| {
                reached
                    .get(other)
                    .is_some_and(|back| back.contains(*module))
            })
            .cloned()
            .collect();
        if group.first() == Some(module) {
            groups.push(group);
        }
    }
    groups
}

/// The files of a package that no crate root reaches by `mod`. Paths are those below the package's folder.
pub(crate) fn orphans(sources: &[Source<'_>]) -> Vec<String> {
    let texts: BTreeMap<&str, &str> = sources.iter().copied().collect();
    let mut todo: Vec<String> = texts
        .keys()
        .filter(|path| is_crate_root(path))
        .map(|path| (*path).to_owned())
        .collect();
    let mut reached: BTreeSet<String> = todo.iter().cloned().collect();
    while let Some(path) = todo.pop() {
        for found in declared(&path, texts.get(path.as_str()).copied().unwrap_or_default()) {
            if texts.contains_key(found.as_str()) && reached.insert(found.clone()) {
                todo.push(found);
            }
        }
    }
    texts
        .keys()
        .filter(|path| !reached.contains(**path))
        .map(|path| (*path).to_owned())
        .collect()
}

/// Files that cargo compiles without being told by another file.
fn is_crate_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts.as_slice(),
        ["build.rs"]
            | ["src", "lib.rs" | "main.rs"]
            | ["src", "bin", ..]
            | ["tests" | "benches" | "examples" | "fuzz_targets", _]
            | ["tests" | "benches" | "examples", _, "main.rs"]
    )
}

/// The files that a file may mean by its `mod` items.
fn declared(path: &str, text: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.trim_end_matches(".rs");
    let base = if is_crate_root(path) || stem == "mod" {
        folder.to_owned()
    } else {
        format!("{folder}/{stem}")
    };
    let (mut out, mut named) = (Vec::new(), None);
    for line in text.lines().map(str::trim) {
        // A program that a test compiles by itself.
        if let Some((_, file)) = line.split_once("include_str!(\"") {
            let name = file.split('"').next().unwrap_or_default();
            out.push(normal(&format!("{folder}/{name}")));
        }
        if let Some(file) = line.strip_prefix("#[path = \"") {
            named = file.split('"').next();
            continue;
        }
        let item = line.strip_prefix("pub ").unwrap_or(line);
        let item = item
            .strip_prefix("pub(")
            .and_then(|rest| rest.split_once(") "))
            .map_or(item, |(_, rest)| rest);
        let Some(module) = item
            .strip_prefix("mod ")
            .and_then(|rest| rest.strip_suffix(';'))
        else {
            continue;
        };
        match named.take() {
            Some(file) => out.push(normal(&format!("{folder}/{file}"))),
            None => {
                out.push(normal(&format!("{base}/{module}.rs")));
                out.push(normal(&format!("{base}/{module}/mod.rs")));
            }
        }
    }
    out
}

/// The path without `..` and without a slash in front.
fn normal(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        match part {
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}
