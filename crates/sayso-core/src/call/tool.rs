//! The registry of tools: which kinds there are, under which names agents call them, and what their arguments mean.
//!
//! A kind comes from this table by the exact name of the tool, never from text that a model wrote.

use crate::packed::packed;

/// What kind of tool an operation calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A shell command.
    Terminal,
    /// Reads a file.
    FileRead,
    /// Searches in files.
    FileGrep,
    /// Finds files by name.
    Glob,
    /// Lists a folder.
    List,
    /// Writes a whole file, new or not.
    FileWrite,
    /// Replaces a part of a file.
    FileEdit,
    /// Makes a new file.
    FileCreate,
    /// Makes a file and replaces the one that is there.
    FileCreateOverwrite,
    /// Adds to the end of a file.
    FileAppend,
    /// Adds behind a place in a file.
    FileInsertAfter,
    /// Adds before a place in a file.
    FileInsertBefore,
    /// Deletes a file.
    FileDelete,
    /// Moves a file.
    FileMove,
    /// Copies a file.
    FileCopy,
    /// Makes a folder.
    FileMkdir,
    /// Removes a folder.
    FileRmdir,
    /// Fetches an address of the web.
    WebFetch,
    /// A tool of an MCP server.
    Mcp,
    /// Hands work to another agent.
    Delegate,
    /// Makes another agent.
    AgentCreate,
    /// Hands a file to another agent.
    ShareFile,
    /// A tool that the registry does not know.
    Custom,
    /// A call whose shape could not be read.
    Opaque,
}

packed! {
    enum Kind {
        Terminal, FileRead, FileGrep, Glob, List, FileWrite, FileEdit, FileCreate, FileCreateOverwrite, FileAppend,
        FileInsertAfter, FileInsertBefore, FileDelete, FileMove, FileCopy, FileMkdir, FileRmdir, WebFetch, Mcp, Delegate,
        AgentCreate, ShareFile, Custom, Opaque,
    }
}

/// The six categories of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    /// Shell commands.
    Terminal,
    /// Changes of files.
    FileWrite,
    /// Deletions.
    FileDelete,
    /// Looks at files.
    FileRead,
    /// Tools of MCP servers, and everything else that is a black box.
    McpTool,
    /// Nothing but looking at names.
    Safe,
}

/// What an argument means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The command text.
    Command,
    /// The file or folder.
    Path,
    /// Where from.
    From,
    /// Where to.
    To,
    /// New content.
    Content,
    /// Text that is replaced or looked for, as data.
    Find,
    /// Text that replaces it.
    Replace,
    /// A pattern of file names, which can lead anywhere.
    NamePattern,
    /// An address of the web.
    Url,
    /// The folder the command runs in.
    Cwd,
    /// Environment variables.
    Environment,
    /// A time limit in seconds.
    TimeLimit,
    /// The MCP server.
    Server,
    /// The MCP server's tool.
    ServerTool,
    /// What the MCP tool is called with.
    Arguments,
    /// Another agent.
    Agent,
    /// What the other agent is told.
    Input,
    /// Files for the other agent.
    Attachments,
    /// Anything that cannot change what is touched.
    Data,
}

/// One argument of a kind, under all its names.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// What it means.
    pub role: Role,
    /// The names it goes by; the first is ours.
    pub names: &'static [&'static str],
    /// Whether a call without it is malformed.
    pub required: bool,
}

/// One row of the registry.
#[derive(Debug)]
pub struct Tool {
    /// Its kind.
    pub kind: Kind,
    /// The name in rules and messages.
    pub name: &'static str,
    /// Every other name agents call it by.
    pub aliases: &'static [&'static str],
    /// Its category.
    pub category: Category,
    /// Its arguments; any other argument makes the call unknown.
    pub arguments: &'static [Argument],
}

const fn must(role: Role, names: &'static [&'static str]) -> Argument {
    Argument {
        role,
        names,
        required: true,
    }
}

const fn may(role: Role, names: &'static [&'static str]) -> Argument {
    Argument {
        role,
        names,
        required: false,
    }
}

const PATH: Argument = must(
    Role::Path,
    &[
        "path",
        "file",
        "file_path",
        "filepath",
        "filename",
        "absolute_path",
        "target_file",
    ],
);
const FOLDER: Argument = may(
    Role::Path,
    &[
        "path",
        "dir",
        "dir_path",
        "directory",
        "folder",
        "relative_workspace_path",
    ],
);
const CONTENT: Argument = must(Role::Content, &["content", "contents", "text", "file_text"]);
const FIND: Argument = must(Role::Find, &["find", "old_string", "old_str", "old_text"]);
const REPLACE: Argument = must(
    Role::Replace,
    &["replace", "new_string", "new_str", "new_text"],
);
const ANCHOR: Argument = may(
    Role::Find,
    &["pattern", "after", "before", "find", "line", "insert_line"],
);
const ENDS: [Argument; 2] = [
    must(
        Role::From,
        &["from", "path", "file", "source", "src", "old_path"],
    ),
    must(
        Role::To,
        &["to", "destination", "dest", "dst", "new_path", "target"],
    ),
];
const NOTE: Argument = may(
    Role::Data,
    &[
        "description",
        "instruction",
        "instructions",
        "explanation",
        "reason",
    ],
);

/// All tools that sayso knows. A new one is a new row.
pub const REGISTRY: &[Tool] = &[
    Tool {
        kind: Kind::Terminal,
        name: "terminal",
        aliases: &[
            "bash",
            "shell",
            "Bash",
            "Shell",
            "execute_command",
            "run_command",
            "run_shell_command",
            "run_terminal_cmd",
            "exec_command",
        ],
        category: Category::Terminal,
        arguments: &[
            must(Role::Command, &["command", "cmd"]),
            may(
                Role::Cwd,
                &["cwd", "workdir", "working_directory", "directory"],
            ),
            may(Role::Environment, &["env", "environment"]),
            may(Role::TimeLimit, &["timeout", "timeout_ms"]),
            NOTE,
            may(
                Role::Data,
                &["run_in_background", "is_background", "background"],
            ),
        ],
    },
    Tool {
        kind: Kind::FileRead,
        name: "file_read",
        aliases: &["read", "read_file", "Read", "ReadFile", "view", "view_file"],
        category: Category::FileRead,
        arguments: &[
            PATH,
            may(Role::Data, &["offset", "start_line", "start"]),
            may(Role::Data, &["limit", "end_line", "end", "lines"]),
            may(Role::Data, &["encoding"]),
            may(Role::Data, &["pages"]),
            NOTE,
        ],
    },
    Tool {
        kind: Kind::FileGrep,
        name: "file_grep",
        aliases: &[
            "grep",
            "Grep",
            "grep_search",
            "search_files",
            "search_file_content",
            "SearchText",
        ],
        category: Category::FileRead,
        arguments: &[
            must(Role::Find, &["pattern", "query", "regex"]),
            may(
                Role::Path,
                &["path", "file", "dir_path", "directory", "folder"],
            ),
            may(
                Role::Data,
                &["include", "glob", "file_pattern", "include_pattern"],
            ),
            may(Role::Data, &["exclude", "exclude_pattern"]),
            may(Role::Data, &["type"]),
            may(Role::Data, &["output_mode"]),
            may(Role::Data, &["case_sensitive", "-i", "ignore_case"]),
            may(Role::Data, &["head_limit", "limit", "max_results"]),
            may(Role::Data, &["offset"]),
            may(Role::Data, &["multiline"]),
            may(Role::Data, &["-n", "line_numbers"]),
            may(Role::Data, &["-A"]),
            may(Role::Data, &["-B"]),
            may(Role::Data, &["-C", "context"]),
            NOTE,
        ],
    },
    Tool {
        kind: Kind::Glob,
        name: "glob",
        aliases: &[
            "Glob",
            "file_glob",
            "find_files",
            "FindFiles",
            "file_search",
        ],
        category: Category::FileRead,
        arguments: &[
            must(Role::NamePattern, &["pattern", "query", "glob"]),
            FOLDER,
            may(Role::Data, &["case_sensitive"]),
            may(Role::Data, &["respect_git_ignore"]),
            may(Role::Data, &["limit", "max_results", "head_limit"]),
            NOTE,
        ],
    },
    Tool {
        kind: Kind::List,
        name: "list",
        aliases: &[
            "ls",
            "LS",
            "file_list",
            "list_directory",
            "list_dir",
            "list_files",
            "ReadFolder",
        ],
        category: Category::FileRead,
        arguments: &[
            FOLDER,
            may(Role::Data, &["pattern"]),
            may(Role::Data, &["ignore"]),
            may(Role::Data, &["recursive"]),
            may(Role::Data, &["depth"]),
            may(Role::Data, &["limit"]),
            may(Role::Data, &["offset"]),
            may(Role::Data, &["respect_git_ignore"]),
            NOTE,
        ],
    },
    Tool {
        kind: Kind::FileWrite,
        name: "file_write",
        aliases: &["write", "write_file", "Write", "WriteFile"],
        category: Category::FileWrite,
        arguments: &[PATH, CONTENT, NOTE],
    },
    Tool {
        kind: Kind::FileEdit,
        name: "file_edit",
        aliases: &["edit", "edit_file", "Edit", "replace", "str_replace"],
        category: Category::FileWrite,
        arguments: &[
            PATH,
            FIND,
            REPLACE,
            may(Role::Data, &["replace_all", "replaceAll", "all"]),
            may(Role::Data, &["expected_replacements"]),
            may(Role::Data, &["line"]),
            NOTE,
        ],
    },
    Tool {
        kind: Kind::FileCreate,
        name: "file_create",
        aliases: &["create", "create_file"],
        category: Category::FileWrite,
        arguments: &[PATH, CONTENT, NOTE],
    },
    Tool {
        kind: Kind::FileCreateOverwrite,
        name: "file_create_overwrite",
        aliases: &["overwrite_file"],
        category: Category::FileWrite,
        arguments: &[PATH, CONTENT, NOTE],
    },
    Tool {
        kind: Kind::FileAppend,
        name: "file_append",
        aliases: &["append", "append_file"],
        category: Category::FileWrite,
        arguments: &[PATH, CONTENT, NOTE],
    },
    Tool {
        kind: Kind::FileInsertAfter,
        name: "file_insert_after",
        aliases: &["insert_after"],
        category: Category::FileWrite,
        arguments: &[PATH, CONTENT, ANCHOR, NOTE],
    },
    Tool {
        kind: Kind::FileInsertBefore,
        name: "file_insert_before",
        aliases: &["insert_before"],
        category: Category::FileWrite,
        arguments: &[PATH, CONTENT, ANCHOR, NOTE],
    },
    Tool {
        kind: Kind::FileDelete,
        name: "file_delete",
        aliases: &["delete", "delete_file", "remove_file"],
        category: Category::FileDelete,
        arguments: &[PATH, NOTE],
    },
    Tool {
        kind: Kind::FileMove,
        name: "file_move",
        aliases: &["move", "move_file", "rename_file"],
        category: Category::FileWrite,
        arguments: &[ENDS[0], ENDS[1], NOTE],
    },
    Tool {
        kind: Kind::FileCopy,
        name: "file_copy",
        aliases: &["copy", "copy_file"],
        category: Category::FileWrite,
        arguments: &[ENDS[0], ENDS[1], NOTE],
    },
    Tool {
        kind: Kind::FileMkdir,
        name: "file_mkdir",
        aliases: &["mkdir", "make_directory", "create_directory"],
        category: Category::FileWrite,
        arguments: &[
            must(
                Role::Path,
                &["path", "file", "dir_path", "directory", "folder"],
            ),
            may(Role::Data, &["parents"]),
            NOTE,
        ],
    },
    Tool {
        kind: Kind::FileRmdir,
        name: "file_rmdir",
        aliases: &["rmdir", "remove_directory"],
        category: Category::FileDelete,
        arguments: &[
            must(
                Role::Path,
                &["path", "file", "dir_path", "directory", "folder"],
            ),
            may(Role::Data, &["recursive"]),
            NOTE,
        ],
    },
    Tool {
        kind: Kind::WebFetch,
        name: "webfetch",
        aliases: &["web_fetch", "WebFetch", "fetch", "fetch_url"],
        category: Category::McpTool,
        arguments: &[
            must(Role::Url, &["url", "uri"]),
            may(Role::Data, &["prompt"]),
            may(Role::Data, &["format"]),
            may(Role::TimeLimit, &["timeout"]),
            NOTE,
        ],
    },
    Tool {
        kind: Kind::Mcp,
        name: "mcp",
        aliases: &["mcp_tool"],
        category: Category::McpTool,
        arguments: &[
            must(Role::Server, &["server", "server_name"]),
            must(Role::ServerTool, &["tool", "tool_name", "name"]),
            may(Role::Arguments, &["arguments", "args", "input"]),
        ],
    },
    Tool {
        kind: Kind::Delegate,
        name: "delegate",
        aliases: &["worker_call", "call_agent"],
        category: Category::McpTool,
        arguments: &[
            must(Role::Agent, &["agent", "worker", "subagent_type"]),
            may(Role::Input, &["input", "prompt", "message", "task"]),
            may(Role::Attachments, &["attachments", "files"]),
            NOTE,
        ],
    },
    Tool {
        kind: Kind::AgentCreate,
        name: "agent_create",
        aliases: &["worker_create", "create_agent"],
        category: Category::McpTool,
        arguments: &[
            must(Role::Agent, &["agent", "worker", "name"]),
            may(
                Role::Input,
                &["definition", "instructions", "input", "prompt"],
            ),
            may(Role::Data, &["model"]),
            may(Role::Data, &["description"]),
        ],
    },
    Tool {
        kind: Kind::ShareFile,
        name: "share_file",
        aliases: &["attach_file"],
        category: Category::FileRead,
        arguments: &[
            PATH,
            must(Role::Agent, &["agent", "worker", "receiver", "to"]),
            NOTE,
        ],
    },
];

/// The row of a tool by the exact name it is called with.
pub fn find(name: &str) -> Option<&'static Tool> {
    REGISTRY
        .iter()
        .find(|tool| tool.name == name || tool.aliases.contains(&name))
}

impl Kind {
    /// The row of this kind; none for tools the registry does not know.
    pub fn tool(self) -> Option<&'static Tool> {
        REGISTRY.iter().find(|tool| tool.kind == self)
    }

    /// The name in rules and messages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Custom => "custom",
            Kind::Opaque => "opaque",
            known => known.tool().map_or("custom", |tool| tool.name),
        }
    }

    /// The kind of a word, for what was kept under it.
    pub fn from_word(word: &str) -> Option<Kind> {
        let known = REGISTRY
            .iter()
            .find(|tool| tool.name == word)
            .map(|tool| tool.kind);
        known.or_else(|| {
            [Kind::Custom, Kind::Opaque]
                .into_iter()
                .find(|kind| kind.word() == word)
        })
    }

    /// The category; what is not known is a black box, never safe.
    pub fn category(self) -> Category {
        self.tool().map_or(Category::McpTool, |tool| tool.category)
    }

    /// Touches files or runs commands by itself. What could not be read counts as well.
    pub fn is_file_or_shell(self) -> bool {
        !matches!(
            self,
            Kind::WebFetch | Kind::Mcp | Kind::Delegate | Kind::AgentCreate | Kind::Custom
        )
    }

    /// Writes or edits files with the content in the call; these are what `auto-approve-edits` is about.
    pub fn is_file_edit(self) -> bool {
        matches!(
            self,
            Kind::FileWrite
                | Kind::FileEdit
                | Kind::FileCreate
                | Kind::FileAppend
                | Kind::FileInsertAfter
                | Kind::FileInsertBefore
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_to_one_tool() {
        let mut names: Vec<&str> = REGISTRY
            .iter()
            .flat_map(|tool| std::iter::once(tool.name).chain(tool.aliases.iter().copied()))
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a name stands twice in the registry");
    }

    #[test]
    fn no_argument_name_stands_for_two_roles_of_one_tool() {
        for tool in REGISTRY {
            let mut names: Vec<&str> = tool
                .arguments
                .iter()
                .flat_map(|argument| argument.names.iter().copied())
                .collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", tool.name);
        }
    }

    #[test]
    fn h_30_names_are_exact_and_case_counts() {
        assert_eq!(find("bash").map(|tool| tool.kind), Some(Kind::Terminal));
        for name in [
            "FILE_DELETE",
            "file_frobnicate",
            "",
            "BASH",
            "terminal ",
            "file_read\0",
        ] {
            assert!(find(name).is_none(), "{name:?}");
        }
    }

    #[test]
    fn the_categories_of_the_fifteen_first_tools_hold() {
        for (name, category) in [
            ("terminal", Category::Terminal),
            ("file_edit", Category::FileWrite),
            ("file_create", Category::FileWrite),
            ("file_create_overwrite", Category::FileWrite),
            ("file_delete", Category::FileDelete),
            ("file_rmdir", Category::FileDelete),
            ("file_read", Category::FileRead),
            ("file_grep", Category::FileRead),
            ("mcp_tool", Category::McpTool),
        ] {
            assert_eq!(
                find(name).map(|tool| tool.category),
                Some(category),
                "{name}"
            );
        }
        assert_eq!(
            Kind::Custom.category(),
            Category::McpTool,
            "Z-18: what is not known is never safe"
        );
    }
}
