//! What a prompt says, in lines: the question with all that decides, and the details that are one key away.

use sayso_core::call::tool::{Kind, Role};
use sayso_core::prompt::presentation::{Body, Change, Diff, cut_warning};
use sayso_core::prompt::{Member, Prompt, Style, Why};
use sayso_core::text::digest::Digest;
use sayso_core::text::size;
use sayso_core::text::visible::{visible, visible_block};

use crate::fold::{Spans, line};
use crate::prompt_style::Look;
use crate::theme::Tone;

/// So many changed lines stand in a compact prompt; the view has all of them.
const MAX_CHANGED: usize = 8;
/// So many arguments stand in a compact prompt on the status lines.
const MAX_ARGUMENTS: usize = 2;

/// The call as one line: `terminal(cargo test)`, `Edit(src/main.rs)`, `MCP(github/get_issue)`.
pub fn call(prompt: &Prompt) -> String {
    let operation = &prompt.operation;
    let text = |role| visible(operation.text(role).unwrap_or_default()).into_owned();
    match operation.kind() {
        Kind::Terminal => format!("terminal({})", text(Role::Command)),
        Kind::FileEdit | Kind::FileInsertAfter | Kind::FileInsertBefore | Kind::FileAppend => {
            format!("Edit({})", text(Role::Path))
        }
        Kind::FileWrite | Kind::FileCreate | Kind::FileCreateOverwrite => {
            format!("Write({})", text(Role::Path))
        }
        Kind::FileDelete | Kind::FileRmdir => format!("Delete({})", text(Role::Path)),
        Kind::FileMove => format!("Move({} → {})", text(Role::From), text(Role::To)),
        Kind::FileCopy => format!("Copy({} → {})", text(Role::From), text(Role::To)),
        Kind::Mcp => format!("MCP({}/{})", text(Role::Server), text(Role::ServerTool)),
        Kind::WebFetch => format!("Fetch({})", text(Role::Url)),
        Kind::Delegate => format!("Delegate({})", text(Role::Agent)),
        _ => sayso_core::answer::explain::subject(operation),
    }
}

/// The call in the words of a profile: one has a line of its own for each kind.
fn call_words(prompt: &Prompt, look: &Look) -> String {
    if shows_description(look) {
        prompt.description.clone()
    } else {
        call(prompt)
    }
}

/// Whether the profile shows the description of its specification.
fn shows_description(look: &Look) -> bool {
    look.keymap.name == "kollabor-spec"
}

/// The sentence, as the first line of a text.
pub(crate) fn sentence(prompt: &Prompt) -> Spans {
    line(Tone::Strong, &prompt.sentence)
}

/// The call of a compact prompt: a command whole, a change in short.
pub(crate) fn compact_call(prompt: &Prompt, look: &Look) -> Vec<Spans> {
    match prompt.presentation.whole() {
        Body::Command { lines, folder, .. } => {
            let mut out = command(prompt, lines, look);
            if *folder != *visible(prompt.operation.workspace()) {
                out.push(line(Tone::Faint, format!("  in {folder}")));
            }
            out
        }
        Body::Diff(diff) => {
            let mut out = vec![with_summary(
                prompt,
                look,
                &format!("+{} -{}", diff.added, diff.removed),
            )];
            out.extend(diff.notes.iter().map(|note| line(Tone::Warning, note)));
            if prompt.style != Style::Status {
                out.extend(changed(diff));
            }
            out
        }
        Body::Content {
            language,
            lines,
            size,
            notes,
            ..
        } => {
            let what = language.map_or(String::new(), |language| format!(", {language}"));
            let mut out = vec![with_summary(
                prompt,
                look,
                &format!("{}{what}", size::words(*size)),
            )];
            out.extend(notes.iter().map(|note| line(Tone::Warning, note)));
            if prompt.style != Style::Status {
                let row = |text: &String| line(Tone::Added, format!("+ {text}"));
                out.extend(limited(
                    lines.iter().map(row).collect(),
                    MAX_CHANGED,
                    "line",
                ));
            }
            out
        }
        Body::Structured(rows) => {
            let most = if prompt.style == Style::Status {
                MAX_ARGUMENTS
            } else {
                MAX_CHANGED
            };
            let said = call(prompt);
            // What stands in the call is not said twice.
            let rows: Vec<_> = rows
                .iter()
                .filter(|(_, value)| value.is_empty() || !said.contains(value.as_str()))
                .cloned()
                .collect();
            let mut out = vec![line(Tone::Strong, call_words(prompt, look))];
            out.extend(limited(table(&rows), most, "row"));
            out
        }
        Body::Text(lines) => {
            let mut out = vec![line(Tone::Strong, call_words(prompt, look))];
            if prompt.style != Style::Status {
                out.extend(limited(
                    lines.iter().map(|text| line(Tone::Text, text)).collect(),
                    MAX_CHANGED,
                    "line",
                ));
            }
            out
        }
        Body::Binary { media, size, .. } => vec![with_summary(
            prompt,
            look,
            &format!("binary file, {media} ({})", size::words(*size)),
        )],
    }
}

/// A command, line by line, whole: each line is marked as a shell would, so that none passes for a line of ours.
fn command(prompt: &Prompt, lines: &[String], look: &Look) -> Vec<Spans> {
    match (look.keymap.name, lines) {
        // Two systems have words of their own for it.
        ("kollabor" | "kollabor-spec", [_]) => vec![line(Tone::Strong, call_words(prompt, look))],
        _ => {
            let sign = |at: usize| if at == 0 { "$ " } else { "> " };
            let row = |(at, text): (usize, &String)| {
                vec![
                    (Tone::Faint, sign(at).to_owned()),
                    (Tone::Strong, text.clone()),
                ]
            };
            lines.iter().enumerate().map(row).collect()
        }
    }
}

fn with_summary(prompt: &Prompt, look: &Look, summary: &str) -> Spans {
    vec![
        (Tone::Strong, call_words(prompt, look)),
        (Tone::Faint, format!("  {summary}")),
    ]
}

/// The changed lines of a diff, as many as a compact prompt has room for.
fn changed(diff: &Diff) -> Vec<Spans> {
    let lines = diff
        .hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .filter(|line| line.change != Change::Same);
    let row = |changed: &sayso_core::prompt::presentation::DiffLine| {
        let tone = if changed.change == Change::Added {
            Tone::Added
        } else {
            Tone::Removed
        };
        let number = changed
            .new
            .or(changed.old)
            .map_or(String::new(), |number| number.to_string());
        vec![
            (Tone::Faint, format!("{number:>4} ")),
            (
                tone,
                format!("{} {}", changed.change.sign(), changed.text()),
            ),
        ]
    };
    limited(lines.map(row).collect(), MAX_CHANGED, "changed line")
}

fn limited(mut rows: Vec<Spans>, most: usize, what: &str) -> Vec<Spans> {
    if rows.len() > most {
        let more = rows.len() - most;
        rows.truncate(most);
        rows.push(line(
            Tone::Reach,
            format!("… {more} more {what}{}", if more == 1 { "" } else { "s" }),
        ));
    }
    rows
}

/// Why a compact prompt asks: every warning, and the strongest reason.
pub(crate) fn compact_why(prompt: &Prompt, look: &Look) -> Vec<Spans> {
    let mut out: Vec<Spans> = prompt
        .why
        .iter()
        .filter(|why| why.is_warning)
        .flat_map(|why| warning(why, look))
        .collect();
    let mut reasons = prompt.why.iter().filter(|why| !why.is_warning);
    if let Some(first) = reasons.next() {
        let mut rows = reason(first, look);
        let more = reasons.count();
        if let Some(last) = rows.last_mut().filter(|_| more > 0) {
            last.push((Tone::Faint, format!(" (and {more} more)")));
        }
        out.extend(rows);
    }
    out
}

/// What stands above the body of a prompt with a frame: the sentence, and every warning.
pub(crate) fn head(prompt: &Prompt, look: &Look) -> Vec<Spans> {
    let mut out = vec![sentence(prompt)];
    if shows_description(look) && !matches!(prompt.presentation.whole(), Body::Command { .. }) {
        out.push(line(Tone::Text, &prompt.description));
    }
    // Here everything can be scrolled to, and the last row says what is out of sight.
    let cut = cut_warning(prompt.presentation.hidden_lines);
    let warnings = prompt
        .why
        .iter()
        .filter(|why| why.is_warning && Some(&why.text) != cut.as_ref());
    out.extend(warnings.flat_map(|why| warning(why, look)));
    if prompt.style == Style::Modal {
        out.push(Vec::new());
    }
    out
}

/// The body of a prompt with a frame: a command without what is only known of it.
pub(crate) fn body(prompt: &Prompt) -> Body {
    match prompt.presentation.whole() {
        Body::Command {
            lines,
            marks,
            folder,
            ..
        } => {
            let folder = if *folder == *visible(prompt.operation.workspace()) {
                String::new()
            } else {
                folder.clone()
            };
            Body::Command {
                lines: lines.clone(),
                marks: marks.clone(),
                folder,
                parts: Vec::new(),
                effects: Vec::new(),
            }
        }
        other => other.clone(),
    }
}

/// What stands below it: what else decides, why it asks, and which others are like it.
pub(crate) fn tail(prompt: &Prompt, look: &Look) -> Vec<Spans> {
    let mut out = table(
        prompt
            .presentation
            .details
            .get(..prompt.presentation.deciding)
            .unwrap_or_default(),
    );
    out.extend(
        prompt
            .why
            .iter()
            .filter(|why| !why.is_warning)
            .flat_map(|why| reason(why, look)),
    );
    if let Some(alike) = &prompt.alike {
        out.push(line(
            Tone::Warning,
            format!(
                "{} prompts like this one are open; this one differs in:",
                alike.count
            ),
        ));
        out.extend(
            alike
                .differs
                .iter()
                .map(|text| line(Tone::Text, format!("  {text}"))),
        );
    }
    if prompt.style == Style::Modal && !out.is_empty() {
        out.insert(0, Vec::new());
    }
    out
}

/// All that is only known of a call: every reason, what each part does, facts, the digest.
pub(crate) fn details(prompt: &Prompt, look: &Look) -> Vec<Spans> {
    let mut out = vec![
        sentence(prompt),
        line(Tone::Faint, &prompt.description),
        Vec::new(),
    ];
    let reasons = prompt.verdict.main_reasons();
    let texts: Vec<String> = reasons
        .iter()
        .map(|reason| visible(&reason.text()).into_owned())
        .collect();
    let is_reason = |warning: &String| texts.contains(warning);
    for text in prompt
        .presentation
        .warnings
        .iter()
        .filter(|text| !is_reason(text))
    {
        out.extend(warning(
            &Why {
                text: text.clone(),
                is_warning: true,
                rule: None,
            },
            look,
        ));
    }
    for one in &reasons {
        let rule = Some(format!(
            "{}, {}",
            visible(one.rule.name()),
            visible(&one.rule.source())
        ));
        out.extend(reason(
            &Why {
                text: visible_block(&one.text()).to_string(),
                is_warning: false,
                rule,
            },
            look,
        ));
    }
    if let Body::Command {
        folder,
        parts,
        effects,
        ..
    } = prompt.presentation.whole()
    {
        out.push(Vec::new());
        out.push(vec![
            (Tone::Faint, "in ".to_owned()),
            (Tone::Text, folder.clone()),
        ]);
        out.extend(
            parts
                .iter()
                .map(|part| line(Tone::Text, format!("• {}", part.words()))),
        );
        let told = |effect: &&String| parts.iter().any(|part| part.effects.contains(effect));
        out.extend(
            effects
                .iter()
                .filter(|effect| !told(effect))
                .map(|effect| line(Tone::Text, format!("• {effect}"))),
        );
    }
    out.push(Vec::new());
    out.extend(table(&prompt.presentation.details));
    out.push(line(
        Tone::Faint,
        format!("digest {}", short(&prompt.operation.digest())),
    ));
    out.extend(
        prompt
            .group
            .iter()
            .map(|member| line(Tone::Faint, format!("   and {}", short(&member.digest)))),
    );
    out
}

/// What stands above the body of another operation of a group.
pub(crate) fn member_head(prompt: &Prompt, member: &Member) -> Vec<Spans> {
    let mut out = Vec::new();
    if prompt.style == Style::Modal {
        out.push(Vec::new());
    }
    out.push(line(Tone::Strong, format!("and {}", member.description)));
    out.extend(
        member
            .presentation
            .warnings
            .iter()
            .map(|text| line(Tone::Warning, format!("⚠ {text}"))),
    );
    out.extend(table(
        member
            .presentation
            .details
            .get(..member.presentation.deciding)
            .unwrap_or_default(),
    ));
    out
}

fn warning(why: &Why, look: &Look) -> Vec<Spans> {
    rows(why, look, Tone::Warning, ("⚠ ", "  "), Tone::Warning)
}

fn reason(why: &Why, look: &Look) -> Vec<Spans> {
    rows(why, look, Tone::Text, ("asks because ", "  "), Tone::Faint)
}

fn rows(why: &Why, look: &Look, tone: Tone, (first, next): (&str, &str), sign: Tone) -> Vec<Spans> {
    let mut out: Vec<Spans> = Vec::new();
    for (at, text) in why.text.split('\n').enumerate() {
        out.push(vec![
            (sign, if at == 0 { first } else { next }.to_owned()),
            (tone, text.to_owned()),
        ]);
    }
    if let (Some(first), Some(rule), true) = (out.first_mut(), &why.rule, look.rule) {
        first.push((Tone::Faint, format!(" [{rule}]")));
    }
    out
}

/// As much of a digest as nobody can make twice, and as fits a line.
fn short(digest: &Digest) -> String {
    const LETTERS: usize = "sha256:".len() + 40;
    digest.to_string().chars().take(LETTERS).collect()
}

/// Names and values, one below the other; a value may have several lines.
fn table(rows: &[(String, String)]) -> Vec<Spans> {
    const WIDEST: usize = 28;
    let width = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or_default()
        .min(WIDEST);
    let mut out = Vec::new();
    for (name, value) in rows {
        for (at, text) in value.split('\n').enumerate() {
            let name = if at == 0 { name.as_str() } else { "" };
            out.push(vec![
                (Tone::Faint, format!("{name:<width$}  ")),
                (Tone::Text, text.to_owned()),
            ]);
        }
    }
    out
}
