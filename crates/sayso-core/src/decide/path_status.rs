//! Where a path stands: in the workspace or not, protected, secret, one of sayso's own.

use crate::analysis::draft::Reading;
use crate::analysis::effect::{Effect, EffectKind};
use crate::analysis::fact::{OwnPath, Owner, PathFact, PathKind, Surroundings};
use crate::analysis::own_files::OwnReason;
use crate::answer::cause::Guard;
use crate::call::operation::Operation;
use crate::paths::{
    Common, below, below_folded, common, hidden_in_home, join, protected, secret, secret_folder,
};
use crate::policy::settings::{Resolved, Root};

/// What is known of the path of one effect.
pub(super) struct Standing<'a> {
    pub(super) fact: &'a PathFact,
    /// The path as written, made absolute but not resolved.
    pub(super) written: String,
    /// In the workspace, or in a named root.
    pub(super) inside: bool,
    /// In the workspace itself.
    pub(super) in_workspace: bool,
    /// The named root it lies in.
    pub(super) root: Option<&'a Root>,
    /// One of sayso's own files, or above one that a recursive effect would reach.
    pub(super) own: Option<&'a OwnPath>,
    /// A recursive write could reach one of sayso's own files.
    pub(super) own_below: bool,
    /// Why it is protected from silent changes.
    pub(super) protected: Option<Guard>,
    /// Why reading it would show secrets.
    pub(super) secret: Option<&'static str>,
    /// `/dev/null` and its like.
    pub(super) sink: bool,
    /// It lies outside, and is a file of the system that everybody may know.
    pub(super) common: bool,
}

impl<'a> Standing<'a> {
    pub(super) fn of(
        effect: &'a Effect,
        reading: &'a Reading,
        operation: &Operation,
        settings: &'a Resolved,
    ) -> Option<Standing<'a>> {
        let place = effect.place()?;
        let fact = place.fact.as_ref()?;
        let around = &reading.surroundings;
        let home = around.home.as_deref();
        let path = fact.canonical.as_str();
        let holds = |folder: &str| {
            if fact.case_insensitive {
                below_folded(path, folder)
            } else {
                below(path, folder)
            }
        };
        let in_workspace = holds(&around.workspace);
        // The nearest root counts; of two for the same folder the stricter, whichever layer it stands in.
        let strictness = |root: &Root| {
            (
                !root.writable,
                root.write_approval,
                root.read_approval,
                !root.suffixes.is_empty(),
            )
        };
        let nearest = settings.roots.iter().filter_map(|root| {
            let folder = join(&around.workspace, &root.root);
            holds(&folder).then(|| (folder.len(), strictness(root), root))
        });
        let root = nearest
            .max_by_key(|(depth, strictness, _)| (*depth, *strictness))
            .map(|(_, _, root)| root);
        let may_replace = effect.kind == EffectKind::Write && effect.manner.recursive;
        let own = own(effect, fact, around);
        // `git checkout` and `cp -r` write below a folder, perhaps over our files and mostly not: a person can tell.
        let own_below =
            own.is_none() && may_replace && around.own.iter().any(|own| own.is_taken_along(path));
        let protected = protected(path, home).map(Guard::BuiltIn).or_else(|| {
            let extra = settings
                .protected_paths
                .iter()
                .find_map(|extra| extra.matches(path, &around.workspace, home));
            extra.map(|written| Guard::Listed(written.to_owned()))
        });
        // A workspace or root below a hidden folder of the home is open; one that is the home folder itself opens nothing hidden in it.
        let opens = |folder: &str, home: &str| holds(folder) && !below_folded(home, folder);
        let hidden = |home: &str| {
            let opened = opens(&around.workspace, home)
                || root.is_some_and(|root| opens(&join(&around.workspace, &root.root), home));
            (!opened && hidden_in_home(path, home)).then_some("hidden in the home folder")
        };
        let stays_closed =
            effect.kind == EffectKind::Read && effect.manner.listing && fact.kind == PathKind::File;
        let by_name = if fact.kind == PathKind::Folder {
            secret_folder(path, home)
        } else {
            secret(path, home)
        };
        Some(Standing {
            fact,
            written: join(&operation.cwd(), &place.written),
            inside: in_workspace || root.is_some(),
            in_workspace,
            root,
            own,
            own_below,
            protected,
            secret: by_name.filter(|_| !stays_closed).or_else(|| hidden(home?)),
            sink: is_sink(path, effect),
            common: effect.kind == EffectKind::Read && is_common(effect, fact, &place.written),
        })
    }
}

/// The file of sayso's own that an effect touches: by its name, or through a folder above it.
fn own<'a>(effect: &Effect, fact: &PathFact, around: &'a Surroundings) -> Option<&'a OwnPath> {
    let path = fact.canonical.as_str();
    let manner = effect.manner;
    let is_write = effect.kind == EffectKind::Write && !manner.makes_folder && !manner.moved_away;
    let takes_away = effect.kind == EffectKind::Delete && manner.recursive || manner.moved_away;
    // Something else than a folder of this name, or a tree that is copied into it, brings its own file along.
    let replaces =
        is_write && !manner.permissions && (manner.recursive || fact.kind != PathKind::Folder);
    // A folder that cannot be entered hides the file from the program that reads it.
    let closes = is_write && manner.permissions && path != around.workspace;
    around.own.iter().find(|own| {
        own.holds(path)
            || takes_away && own.is_taken_along(path)
            || replaces && own.is_replaced_through(path)
            || closes && own.reason != OwnReason::Sayso && own.is_taken_along(path)
    })
}

/// Whether reading a path shows nothing of the person's own. What is not there shows nothing at all.
fn is_common(effect: &Effect, fact: &PathFact, written: &str) -> bool {
    let is_file = matches!(fact.kind, PathKind::File | PathKind::Missing);
    let by_root = !fact.writable_by_others && fact.owner == Owner::Root;
    // What root keeps from everybody else is no more common to root.
    let is_open = !fact.closed_to_others;
    match common(&fact.canonical) {
        None => false,
        Some(Common::Machine) => is_file && is_open && !fact.writable_by_others,
        // The world does not look there: the path is text, in which nothing but the kernel's own links and no step back may lead.
        Some(Common::Process) => {
            let of_kernel = |at: &str| matches!(at, "/proc/net" | "/proc/mounts");
            let plain = fact.links.iter().all(|link| of_kernel(&link.at))
                && !written.split('/').any(|name| name == "..");
            fact.kind == PathKind::Channel && plain && !effect.manner.recursive
        }
        Some(Common::Package { deep }) => {
            by_root
                && is_open
                && (is_file || fact.kind == PathKind::Folder && (deep || !effect.manner.recursive))
        }
    }
}

/// Devices that keep nothing and show nothing. The terminal is none of them: who writes to it can fake a prompt, who reads it takes the answer.
fn is_sink(path: &str, effect: &Effect) -> bool {
    let by_command = effect.part.is_some();
    match path {
        "/dev/null" => true,
        "/dev/stdout" | "/dev/stderr" => by_command,
        // To read these never ends, unless a program stops early; then it is no effect at all.
        "/dev/zero" | "/dev/full" => by_command && effect.kind != EffectKind::Read,
        "/dev/stdin" => by_command && effect.kind == EffectKind::Read,
        _ => false,
    }
}
