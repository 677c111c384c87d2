//! How wide a rule from a prompt may be: this file or its folder, this address or its host, these words or the subcommand.

use sayso_core::analysis::draft::Reading;
use sayso_core::analysis::effect::Target;
use sayso_core::analysis::fact::PathKind;
use sayso_core::answer::learned_rule::RuleKey;
use sayso_core::call::operation::Operation;
use sayso_core::call::url::Url;
use sayso_core::paths::relative;

/// What is more than itself in a pattern.
const PATTERN_SIGNS: [char; 7] = ['*', '?', '{', '}', '[', ']', '\\'];

/// The patterns that sayso proposes for an operation, narrowest first; none where nothing can be named exactly.
pub(crate) fn patterns(key: RuleKey, operation: &Operation, reading: &Reading) -> Vec<String> {
    match key {
        RuleKey::Command => match reading.commands.as_slice() {
            [command] if reading.opaque.is_none() => sayso_shell::proposals(command),
            _ => Vec::new(),
        },
        RuleKey::Read | RuleKey::Write => paths(reading),
        RuleKey::Fetch => match reading.effects.as_slice() {
            [effect] => match &effect.target {
                Target::Url(url) => addresses(url),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        },
        RuleKey::Tool => vec![operation.tool().to_owned()],
    }
}

/// This file, and everything in its folder; of a folder, everything in it. The whole workspace is never one of them.
fn paths(reading: &Reading) -> Vec<String> {
    let [effect] = reading.effects.as_slice() else {
        return Vec::new();
    };
    let Some(fact) = effect.place().and_then(|place| place.fact.as_ref()) else {
        return Vec::new();
    };
    let Some(path) = relative(&fact.canonical, &reading.surroundings.workspace) else {
        return Vec::new();
    };
    if path.is_empty() || path.starts_with('~') || path.contains(PATTERN_SIGNS) {
        return Vec::new();
    }
    if fact.kind == PathKind::Folder {
        return vec![format!("{path}/**")];
    }
    let mut out = vec![path.to_owned()];
    out.extend(
        path.rsplit_once('/')
            .map(|(folder, _)| format!("{folder}/**")),
    );
    out
}

/// This address, and every page of its host. A query has signs of patterns in it, so such an address has no pattern of its own.
fn addresses(url: &Url) -> Vec<String> {
    let own_port = if url.scheme == "http" { 80 } else { 443 };
    let port = if url.port == own_port {
        String::new()
    } else {
        format!(":{}", url.port)
    };
    let host = format!("{}://{}{port}", url.scheme, url.host);
    let mut out = Vec::new();
    if !url.path.contains(PATTERN_SIGNS) {
        out.push(format!("{host}{}", url.path));
    }
    out.push(format!("{host}/**"));
    out
}
