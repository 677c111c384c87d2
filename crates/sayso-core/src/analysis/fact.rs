//! What the analysis must know of the world ([`Question`]), and the answers ([`Fact`]).
//!
//! The core never looks: a question without an answer makes the verdict a denial.

use crate::analysis::own_files::OwnReason;

/// A path in a question that starts with this character is below the person's home; no path may hold it otherwise.
pub const HOME: char = '\0';

/// A path in a question that starts with this text is below the top of the repository that the operation's folder belongs to, as
/// `git rev-parse --show-toplevel` prints it; without a repository it is that folder itself.
pub const TOP: &str = "\0\0";

/// In a pattern of names: any characters of one name (`*`). Two of them as a whole component stand for folders at any depth (`**`).
pub const MANY: char = '\u{1}';

/// In a pattern of names: one character (`?`, or any set of characters).
pub const ONE: char = '\u{2}';

/// Something only the machine can tell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// What is at this path? Absolute, or relative to the operation's folder.
    Path {
        /// As it will be opened.
        path: String,
        /// The last component is opened itself and not what it links to (`rm`, `mv`, `ln`).
        no_follow: bool,
    },
    /// Which secrets would a search through everything below this path show?
    Below {
        /// The folder, absolute or relative to the operation's folder; with [`MANY`] or [`ONE`], every folder of that pattern.
        path: String,
        /// How it searches.
        search: Search,
        /// It looks only at files with a name of one of these patterns, in any case; at all if there are none.
        only: Vec<String>,
    },
    /// Which secrets does git track, among the files whose content a command of git shows?
    Tracked {
        /// The folder that git runs in, absolute or relative to the operation's folder.
        folder: String,
        /// What of the repository it shows.
        reach: Reach,
    },
    /// Which files does this pattern of a shell stand for?
    Names {
        /// A path with [`MANY`] and [`ONE`], absolute or relative to the operation's folder.
        pattern: String,
        /// The names stand in the command without quotes, so that a blank in one of them parts it.
        parted: bool,
    },
    /// Which file would this program name start, and who can change it?
    Program {
        /// The command word.
        name: String,
    },
    /// Which helpers would git run in the repository of this folder?
    GitHelpers {
        /// A folder, absolute or relative to the operation's folder.
        folder: String,
        /// What the command shows besides files that git tracks.
        shows: Shows,
    },
    /// Which settings in this folder, or in one above it, would make a program do something else than its words say?
    ///
    /// The person's home and what is above it do not count: what stands there is the person's own.
    Settings {
        /// A folder, absolute or relative to the operation's folder.
        folder: String,
        /// What is looked for in each.
        settings: Vec<Setting>,
    },
}

/// A file that would make a program do something else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setting {
    /// Its name, or its path below the folder that is looked at.
    pub file: String,
    /// When it counts.
    pub counts: Counts,
    /// Whether it counts in the person's home and in every folder above, too, and not only in a project.
    pub everywhere: bool,
}

/// When a file that stands there counts as a setting.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Counts {
    /// Whatever it says.
    Always,
    /// If this text stands in it, or it cannot be read.
    WithText(String),
    /// If it is a link.
    AsLink,
    /// If it is a database that is repaired by opening it: a journal lies beside it, which may name other files to delete.
    Repaired,
    /// The same, of every file of this name below the folder.
    RepairedBelow,
    /// If it names a version of Go that is newer than the one installed, which would be fetched then, or if that cannot be told.
    WithNewerGo,
}

/// What a command of git shows besides files that git tracks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shows {
    /// Addresses of other repositories, so a password among them counts.
    pub logins: bool,
    /// Settings that it does not name, so a password in any of them counts.
    pub settings: bool,
    /// What is in every commit it can reach, so a stash counts, which may hold files that git does not track.
    pub stash: bool,
    /// What is in any two files or folders, where there is no repository.
    pub untracked: bool,
}

/// What of a repository a command of git shows, by its words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reach {
    /// Paths that it is bound to, seen from its folder or, with a `/` at the start, from the top of the repository.
    pub paths: Vec<String>,
    /// Words that are paths where a file of this name is there, and names of revisions otherwise.
    pub words: Vec<String>,
    /// It shows everything unless one of the words above is a path.
    pub whole: bool,
    /// Everything is what lies below its folder, and not the whole repository.
    pub here: bool,
    /// It may also show what submodules track.
    pub submodules: bool,
    /// Unless one of the words is a revision, it shows only files that are not what the index says.
    pub changed: bool,
}

/// How a search goes through a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Search {
    /// It looks into hidden files, too.
    pub hidden: bool,
    /// It follows links, wherever they stand.
    pub follow: bool,
    /// It looks into files that git ignores, too.
    pub ignored: bool,
    /// Its names are handed to another program word by word, as `| xargs` does.
    pub words: bool,
    /// Its names are handed to another program each as one whole word, as `| xargs -0` does: a blank parts none of them.
    pub whole: bool,
    /// It only goes through the names, and opens nothing.
    pub names: bool,
    /// It leaves alone what git ignores, exactly as git says, so that a secret which git ignores is not met.
    pub as_git: bool,
    /// It gets only names that git tracks, so that a secret which git does not track is not met.
    pub tracked: bool,
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// To [`Question::Path`].
    Path(PathFact),
    /// To [`Question::Below`] and [`Question::Tracked`].
    Below(BelowFact),
    /// To [`Question::Names`].
    Names(NamesFact),
    /// To [`Question::Program`].
    Program(ProgramFact),
    /// To [`Question::GitHelpers`].
    Git(GitFact),
    /// To [`Question::Settings`].
    Settings(SettingsFact),
}

/// All answers for one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// What holds for every question of this operation.
    pub surroundings: Surroundings,
    /// One slot for each question, in the same order; `None` is "could not find out".
    pub answers: Vec<Option<Fact>>,
}

/// Where an operation happens. All paths are absolute and free of links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The workspace.
    pub workspace: String,
    /// The folder the operation runs in.
    pub cwd: String,
    /// The person's home folder.
    pub home: Option<String>,
    /// sayso's own files and folders, which no rule, mode or grant may change.
    pub own: Vec<OwnPath>,
}

/// One of sayso's own files or folders (with everything below).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnPath {
    /// Absolute and free of links; a relative one names such a file in any folder.
    pub path: String,
    /// Whether reading is refused too (tokens, keys, the record).
    pub private: bool,
    /// Something stands there now; taking away a folder above it would take it along.
    pub exists: bool,
    /// Why it counts as sayso's own.
    pub reason: OwnReason,
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFact {
    /// The absolute path with every link of its existing part resolved and no `.` or `..`.
    pub canonical: String,
    /// The links met on the way, in order.
    pub links: Vec<Link>,
    /// What stands there.
    pub kind: PathKind,
    /// How many names the file has; more than one means another path shows the same content.
    pub hard_links: u64,
    /// Who owns it (or, where nothing stands yet, its nearest existing folder).
    pub owner: Owner,
    /// Whether others than its owner may write it.
    pub writable_by_others: bool,
    /// Whether it is there for its owner and its group alone: nobody else may read it.
    pub closed_to_others: bool,
    /// Whether the file system takes `A` and `a` for the same name.
    pub case_insensitive: bool,
    /// Whether git leaves it alone.
    pub ignored: Ignored,
    /// Size in bytes of a file.
    pub size: Option<u64>,
}

/// A symbolic link met on the way to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where the link stands.
    pub at: String,
    /// Where it leads, absolute.
    pub to: String,
    /// Nothing stands where it leads.
    pub dangling: bool,
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link that is meant itself.
    Link,
    /// A device.
    Device,
    /// A pipe or a socket.
    Channel,
}

/// Who owns a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The user that sayso runs as, if that is not the administrator.
    Me,
    /// The system's administrator.
    Root,
    /// Somebody else.
    Other,
}

/// Whether git ignores a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// There is no repository.
    NoRepository,
    /// Could not be found out; counts as [`Ignored::Yes`].
    Unknown,
}

/// What a search through a folder would show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BelowFact {
    /// Files that hold secrets, and links that lead out of the workspace; the first few.
    pub secrets: Vec<String>,
    /// Files that git ignores and that nothing has built or installed; the first few, and only for a search that looks into them.
    pub private: Vec<String>,
    /// Names that are not one plain word; the first few, and only where they are handed on word by word.
    pub odd: Vec<String>,
    /// There is more below than was looked at.
    pub incomplete: bool,
    /// They are files that git tracks and shows, which need not be on disk.
    pub tracked: bool,
}

/// The files that a pattern of names stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamesFact {
    /// Each name as a shell would write it, with what is there; where nothing fits, the pattern itself.
    pub files: Vec<(String, PathFact)>,
    /// Of those that are links, what is known of the link itself: a delete or a move acts on that.
    pub links: Vec<(String, PathFact)>,
    /// There may be more files than these.
    pub incomplete: bool,
}

/// What a program name would start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFact {
    /// The file, absolute and free of links; none if the name is not found.
    pub file: Option<String>,
    /// Somebody but the administrator could have put it there: it, or a folder on its path, can be written by this user or by others.
    pub changeable: bool,
    /// It lies in the workspace.
    pub inside_workspace: bool,
}

/// What git would run by itself in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFact {
    /// The repository's folder with the work tree; none outside of any repository.
    pub root: Option<String>,
    /// What makes git do more than its command says (`core.fsmonitor`, `diff.x.textconv`, hooks), each with its file.
    pub helpers: Vec<GitHelper>,
    /// The configuration could not be read whole, so there may be more helpers.
    pub incomplete: bool,
}

/// The settings that make a program do something else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsFact {
    /// The first file that was found to count.
    pub found: Option<String>,
}

/// A setting, a hook or a layout that makes git do more than its command says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitHelper {
    /// Lowercase name, such as `core.fsmonitor`.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The file it stands in.
    pub file: String,
    /// Who said so.
    pub scope: GitScope,
    /// What it makes git do.
    pub kind: GitHelperKind,
    /// A command that only reads (`status`, `diff`, `log`) can set it off.
    pub on_read: bool,
}

/// Whose word a setting of git is: by which file named it, never by where that file lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitScope {
    /// The system's or the person's own configuration, and what it includes.
    Person,
    /// The repository, its work trees and submodules, and all that their configuration includes: it may come from anywhere.
    Repository,
}

/// What a helper makes git do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitHelperKind {
    /// Its value is a program.
    Program,
    /// Its value is a file of the hooks folder.
    Hook,
    /// Missing objects are fetched from another host.
    Fetch,
    /// A folder without `.git` counts as a repository by its shape.
    Bare,
    /// Its data comes from outside of the workspace.
    Outside,
    /// There is a stash, which the command would show.
    Stash,
    /// There is no repository, and the command would show whole folders.
    Untracked,
    /// It holds a password or a token, which the command would show.
    Login,
    /// A setting that is not known to be inert.
    Unknown,
}

impl GitFact {
    /// What `git rev-parse --show-toplevel` prints in a folder, if it prints anything: without a repository, the folder stands for it. None
    /// where that cannot be told: another folder is named as the one with the files, or the name does not survive a substitution.
    pub fn top<'a>(&'a self, folder: &'a str) -> Option<&'a str> {
        let leads_elsewhere = |helper: &GitHelper| {
            helper.name == "core.worktree"
                || matches!(
                    helper.kind,
                    GitHelperKind::Bare | GitHelperKind::Outside | GitHelperKind::Unknown
                )
        };
        let top = self.root.as_deref().unwrap_or(folder);
        let plain = !self.incomplete
            && !self.helpers.iter().any(leads_elsewhere)
            && !top.contains(char::is_control);
        plain.then_some(top)
    }
}

impl Facts {
    /// The answer to a path question.
    pub fn path(&self, question: usize) -> Option<&PathFact> {
        match self.answers.get(question) {
            Some(Some(Fact::Path(fact))) => Some(fact),
            _ => None,
        }
    }

    /// The answer to a search question, or to one for what git tracks.
    pub fn below(&self, question: usize) -> Option<&BelowFact> {
        match self.answers.get(question) {
            Some(Some(Fact::Below(fact))) => Some(fact),
            _ => None,
        }
    }

    /// The answer to a question for names.
    pub fn names(&self, question: usize) -> Option<&NamesFact> {
        match self.answers.get(question) {
            Some(Some(Fact::Names(fact))) => Some(fact),
            _ => None,
        }
    }

    /// The answer to a program question.
    pub fn program(&self, question: usize) -> Option<&ProgramFact> {
        match self.answers.get(question) {
            Some(Some(Fact::Program(fact))) => Some(fact),
            _ => None,
        }
    }

    /// The answer to a git question.
    pub fn git(&self, question: usize) -> Option<&GitFact> {
        match self.answers.get(question) {
            Some(Some(Fact::Git(fact))) => Some(fact),
            _ => None,
        }
    }

    /// The answer to a question for settings.
    pub fn settings(&self, question: usize) -> Option<&SettingsFact> {
        match self.answers.get(question) {
            Some(Some(Fact::Settings(fact))) => Some(fact),
            _ => None,
        }
    }
}

/// Whether a path of a question is a pattern of names.
pub fn is_pattern(path: &str) -> bool {
    path.contains([MANY, ONE])
}

/// The path with the home written out. None where it starts there and no home is known, or where it is spelled in another way.
pub fn from_home(path: &str, home: Option<&str>) -> Option<String> {
    let Some(rest) = path.strip_prefix(HOME) else {
        return Some(path.to_owned());
    };
    let plain = !rest.contains(HOME) && (rest.is_empty() || rest.starts_with('/'));
    home.filter(|_| plain).map(|home| {
        if rest.is_empty() {
            home.to_owned()
        } else {
            format!("{}{rest}", home.trim_end_matches('/'))
        }
    })
}

/// The rest of a path that starts at the top of the repository; none if it starts elsewhere.
pub fn below_top(path: &str) -> Option<&str> {
    path.strip_prefix(TOP)
        .filter(|rest| !rest.contains(HOME) && (rest.is_empty() || rest.starts_with('/')))
}

/// The path of a question as a person would write it in a shell.
pub fn shown(path: &str) -> String {
    let home = || path.strip_prefix(HOME).map(|rest| ("~", rest));
    let (start, rest) = below_top(path)
        .map(|rest| ("$(…)", rest))
        .or_else(home)
        .unwrap_or(("", path));
    format!("{start}{}", rest.replace(MANY, "*").replace(ONE, "?"))
}

#[cfg(test)]
mod tests {
    use super::{GitFact, GitHelper, GitHelperKind, GitScope, TOP, below_top, from_home, shown};

    #[test]
    fn a_path_below_the_home_is_written_out_and_no_other_nul_passes() {
        assert_eq!(from_home("a/b", Some("/home/u")).as_deref(), Some("a/b"));
        assert_eq!(from_home("\0", Some("/home/u")).as_deref(), Some("/home/u"));
        assert_eq!(
            from_home("\0/x", Some("/home/u")).as_deref(),
            Some("/home/u/x")
        );
        assert_eq!(from_home("\0/x", Some("/")).as_deref(), Some("/x"));
        for odd in ["\0x", "\0/a\0", "\0\0"] {
            assert_eq!(from_home(odd, Some("/home/u")), None, "{odd:?}");
        }
        assert_eq!(from_home("\0/x", None), None);
        assert_eq!(shown("\0/a\u{1}/\u{2}.rs"), "~/a*/?.rs");
    }

    #[test]
    fn a_path_below_the_top_is_no_path_below_the_home() {
        assert_eq!(below_top(TOP), Some(""));
        assert_eq!(below_top("\0\0/src/a"), Some("/src/a"));
        assert_eq!(shown("\0\0/src"), "$(…)/src");
        for odd in ["\0", "\0/a", "\0\0a", "\0\0/\0", "\0\0\0", "a", "/a"] {
            assert_eq!(below_top(odd), None, "{odd:?}");
        }
        assert_eq!(from_home("\0\0/src", Some("/home/u")), None);
    }

    #[test]
    fn the_top_is_known_only_where_nothing_leads_elsewhere() {
        let plain = GitFact {
            root: Some("/ws".to_owned()),
            helpers: Vec::new(),
            incomplete: false,
        };
        assert_eq!(plain.top("/ws/src"), Some("/ws"));
        assert_eq!(
            GitFact {
                root: None,
                ..plain.clone()
            }
            .top("/ws/src"),
            Some("/ws/src")
        );
        assert_eq!(
            GitFact {
                incomplete: true,
                ..plain.clone()
            }
            .top("/ws/src"),
            None
        );
        assert_eq!(
            GitFact {
                root: Some("/ws/a\n".to_owned()),
                ..plain.clone()
            }
            .top("/ws/a\n"),
            None
        );
        let with = |name: &str, kind: GitHelperKind| {
            let (value, file, scope) = (String::new(), String::new(), GitScope::Repository);
            let helper = GitHelper {
                name: name.to_owned(),
                value,
                file,
                scope,
                kind,
                on_read: true,
            };
            GitFact {
                helpers: vec![helper],
                ..plain.clone()
            }
            .top("/ws/src")
            .is_some()
        };
        assert!(with("core.fsmonitor", GitHelperKind::Program));
        assert!(with("hook.pre-commit", GitHelperKind::Hook));
        assert!(!with("core.worktree", GitHelperKind::Unknown));
        assert!(!with("repository.bare", GitHelperKind::Bare));
        assert!(!with("environment", GitHelperKind::Outside));
    }
}
