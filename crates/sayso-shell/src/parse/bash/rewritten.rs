//! Substitutions that bash runs otherwise than they are written.
//!
//! bash 5.2 parses `$( … )` and `<( … )`, prints what it parsed, and runs that text. Its printer loses the first `;` behind a heredoc:
//! of `cat <<A⏎A⏎find .;echo -delete` it makes `find . echo -delete`. So a heredoc has to be the last that is printed.

use super::tree::{Node, Redirect, RedirectKind, Script};

/// Whether something is printed behind a heredoc of the substitution that could be joined to what stands before it.
pub(super) fn may_join_commands(script: &Script) -> bool {
    !ends_with_heredoc(&script.0.iter().collect::<Vec<_>>())
}

/// Whether nothing comes behind the first of these commands that has a heredoc, and nothing within it.
fn ends_with_heredoc(commands: &[&Node]) -> bool {
    match commands.iter().position(|command| has_heredoc(command)) {
        None => true,
        Some(at) => at + 1 == commands.len() && commands.get(at).is_some_and(|it| is_last(it)),
    }
}

/// Whether a command with a heredoc prints it last.
fn is_last(command: &Node) -> bool {
    match command {
        Node::Simple(_) => true,
        Node::Not(command) => is_last(command),
        Node::Chain(parts) => {
            ends_with_heredoc(&parts.iter().map(|(_, it)| it).collect::<Vec<_>>())
        }
        // A `|` is not lost; within a simple command there is no `;`.
        Node::Pipeline(commands) => {
            let first = commands.iter().position(has_heredoc).unwrap_or_default();
            let mut rest = commands.iter().skip(first);
            rest.next().is_some_and(is_last) && rest.all(|it| matches!(it, Node::Simple(_)))
        }
        Node::Background(_) => false,
        compound => !bodies(compound).any(script_has_heredoc),
    }
}

fn script_has_heredoc(script: &Script) -> bool {
    script.0.iter().any(has_heredoc)
}

/// Whether a command has a heredoc; those of substitutions in its words are printed with these.
fn has_heredoc(command: &Node) -> bool {
    let inside = match command {
        Node::Pipeline(commands) => commands.iter().any(has_heredoc),
        Node::Chain(parts) => parts.iter().any(|(_, part)| has_heredoc(part)),
        Node::Not(command) | Node::Background(command) => has_heredoc(command),
        Node::Function { body, .. } => has_heredoc(body),
        _ => false,
    };
    inside || bodies(command).any(script_has_heredoc) || redirects(command).iter().any(is_heredoc)
}

fn is_heredoc(redirect: &Redirect) -> bool {
    matches!(redirect.kind, RedirectKind::HereDocument(_))
}

fn redirects(command: &Node) -> &[Redirect] {
    match command {
        Node::Simple(simple) => &simple.redirects,
        Node::Count(count) => &count.redirects,
        Node::Subshell(_, redirects)
        | Node::Group(_, redirects)
        | Node::If { redirects, .. }
        | Node::Loop { redirects, .. }
        | Node::For { redirects, .. }
        | Node::Case { redirects, .. }
        | Node::Test { redirects, .. } => redirects,
        Node::Pipeline(_)
        | Node::Chain(_)
        | Node::Not(_)
        | Node::Background(_)
        | Node::Function { .. } => &[],
    }
}

/// The lists of commands in a compound command.
fn bodies(command: &Node) -> Box<dyn Iterator<Item = &Script> + '_> {
    match command {
        Node::Subshell(body, _) | Node::Group(body, _) => Box::new(std::iter::once(body)),
        Node::For { body, .. } => Box::new(std::iter::once(body)),
        Node::Count(count) => Box::new(std::iter::once(&count.body)),
        Node::Loop {
            condition, body, ..
        } => Box::new([condition, body].into_iter()),
        Node::If {
            branches,
            otherwise,
            ..
        } => {
            let branches = branches
                .iter()
                .flat_map(|(condition, body)| [condition, body]);
            Box::new(branches.chain(otherwise))
        }
        Node::Case { arms, .. } => Box::new(arms.iter().map(|(_, body)| body)),
        Node::Function { body, .. } => bodies(body),
        _ => Box::new(std::iter::empty()),
    }
}
