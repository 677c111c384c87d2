//! What a path means: where it lies, whether it is protected, secret, active or prose, and whether it is oddly spelled.
//!
//! Everything here is a question about names. Links, owners and what stands on the disk are facts, which the world finds out first;
//! so apart from [`odd()`] and [`join()`] every function takes an absolute path in normal form, as [`join()`] makes it.

mod active;
mod ambiguous_secret;
mod autoloaded;
mod braces;
mod build_dirs;
mod cloud_credentials;
mod credentials;
mod critical;
mod entries;
mod exec_locations;
mod extra_protected;
mod fold;
mod glob;
mod hidden;
mod layout;
mod lexical;
mod look_alike;
mod person_credentials;
mod private;
mod prose;
mod protected;
mod public_system;
mod secret;
#[cfg(test)]
mod secret_tests;
mod secret_words;
mod suspicious;
mod table;
mod takeover;
mod tool_credentials;
mod vault_names;

pub use active::active;
pub use braces::{BracesError, alternatives_of};
pub use build_dirs::made_or_kept_by_tools;
pub use critical::{of_the_system, raw_device, vital};
pub use entries::Entries;
pub use extra_protected::{ExtraProtected, ProtectedPathError};
pub use fold::{fold, is_short_name_of};
pub use glob::wild;
pub use hidden::{hidden_in_home, tools_in_home};
pub use lexical::join;
pub use look_alike::{as_seen, looks_like_another};
pub use prose::{active_in, prose_in};
pub use protected::{protected, protected_names};
pub use public_system::{Common, common};
pub use secret::{secret, secret_folder, secret_names};
pub use suspicious::{Odd, odd};
pub use takeover::takeover;

/// Whether a path is a folder or lies below it, by whole components: `/ws-evil` is not below `/ws`.
pub fn below(path: &str, folder: &str) -> bool {
    relative(path, folder).is_some()
}

/// The part of a path below a folder, without a leading slash; empty if the path is the folder.
pub fn relative<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    // Without this, `relative("x", "/")` would take a path that is not absolute for one below the root.
    if rest.is_empty() {
        Some(rest)
    } else {
        rest.strip_prefix('/')
    }
}

/// [`below()`], with names that differ only in their [`fold()`] taken as the same.
///
/// It answers yes too often on a file system that tells `A` from `a`. Ask it to find out what must be guarded there, never what is allowed.
pub fn below_folded(path: &str, folder: &str) -> bool {
    let mut names = components(path);
    components(folder).all(|wanted| {
        names
            .next()
            .is_some_and(|name| name == wanted || fold(name) == fold(wanted))
    })
}

/// The names in a path.
pub(crate) fn components(path: &str) -> Components<'_> {
    Components { rest: path }
}

/// Walks bytes, as `str::split` takes several times as long on names this short.
#[derive(Clone)]
pub(crate) struct Components<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Components<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let start = self.rest.bytes().position(|byte| byte != b'/')?;
        let rest = self.rest.get(start..)?;
        let end = rest
            .bytes()
            .position(|byte| byte == b'/')
            .unwrap_or(rest.len());
        let (name, rest) = rest.split_at_checked(end)?;
        self.rest = rest;
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h_20_below_goes_by_whole_components() {
        assert!(below("/ws", "/ws"));
        assert!(below("/ws/", "/ws"));
        assert!(below("/ws/a/b", "/ws"));
        assert!(below("/ws/a", "/ws/"));
        assert!(below("/ws", "/"));
        assert!(below("/", "/"));
        assert!(!below("/ws-evil", "/ws"));
        assert!(!below("/w", "/ws"));
        assert!(!below("/", "/ws"));
        assert!(!below("/WS/a", "/ws"));
        assert!(!below("ws", "/"));
    }

    #[test]
    fn the_rest_is_named() {
        assert_eq!(relative("/ws/a/b", "/ws"), Some("a/b"));
        assert_eq!(relative("/ws", "/ws"), Some(""));
        assert_eq!(relative("/ws/a", "/"), Some("ws/a"));
        assert_eq!(relative("/wsa", "/ws"), None);
    }

    #[test]
    fn below_folded_takes_spellings_as_the_same() {
        assert!(below_folded("/Users/U/WS/x", "/users/u/ws"));
        assert!(below_folded("/ws/x", "/"));
        assert!(below_folded("/stra\u{df}e/x", "/STRASSE"));
        assert!(!below_folded("/WS-evil", "/ws"));
        assert!(!below_folded("/", "/ws"));
    }

    /// What is judged is where a path leads, and not the text that leads there.
    #[test]
    fn h_21_h_22_a_link_is_judged_by_where_it_leads() {
        assert!(prose_in("/ws/docs/notes.md", "/ws"));
        for leads_to in [join("/ws/docs", "../.env"), join("/ws", "/etc/cron.d/x")] {
            assert!(
                !prose_in(&leads_to, "/ws") && protected(&leads_to, None).is_some(),
                "{leads_to}"
            );
        }
        assert!(!below("/etc/cron.d/x", "/ws"));
    }

    #[test]
    fn h_23_a_safe_ending_does_not_bring_a_path_inside() {
        let workspace = "/home/u/ws";
        assert!(!below(&join(workspace, "/etc/x.json"), workspace));
        let cloud = join(workspace, "../../u/.aws/x.json");
        assert!(!below(&cloud, workspace));
        assert_eq!(secret(&cloud, None), Some("credentials of a cloud"));
    }

    #[test]
    fn h_24_both_ends_of_a_copy_are_told_apart() {
        let (from, to) = (join("/ws", ".env"), join("/ws", "public/x"));
        assert!(secret(&from, None).is_some() && protected(&from, None).is_some());
        assert!(secret(&to, None).is_none() && protected(&to, None).is_none());
        let mut extra = ExtraProtected::default();
        extra.add("main.py").expect("a plain name");
        assert_eq!(
            extra.matches(&join("/ws", "./main.py"), "/ws", None),
            Some("main.py")
        );
    }
}
