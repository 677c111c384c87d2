//! Names of arguments and of tools that say what is meant, folded to small letters without signs.

pub(super) const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "commandline",
    "shellcommand",
    "shell",
    "bash",
    "script",
    "shellscript",
    "exec",
];

pub(super) const PATHS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filenames",
    "filepath",
    "filepaths",
    "dir",
    "dirs",
    "directory",
    "directories",
    "dirname",
    "folder",
    "folders",
    "source",
    "sources",
    "destination",
    "src",
    "dst",
    "dest",
    "cwd",
    "root",
    "workdir",
    "workingdirectory",
    "repopath",
    "oldpath",
    "newpath",
    "outputfile",
    "inputfile",
    "output",
    "input",
    "attachment",
    "attachments",
    "location",
];

pub(super) const ADDRESSES: &[&str] = &[
    "url", "urls", "uri", "uris", "href", "link", "links", "endpoint", "address", "webhook",
    "website",
];

pub(super) const TEXTS: &[&str] = &[
    "content",
    "contents",
    "text",
    "body",
    "message",
    "query",
    "pattern",
    "description",
    "prompt",
    "title",
    "summary",
    "comment",
    "oldtext",
    "newtext",
    "oldstr",
    "newstr",
    "oldstring",
    "newstring",
    "search",
    "replace",
    "regex",
    "code",
    "sql",
    "note",
    "notes",
    "subject",
];

pub(super) const SOURCES: &[&str] = &[
    "source", "sources", "src", "from", "old", "oldpath", "oldname", "original",
];

pub(super) const READERS: &[&str] = &[
    "read",
    "get",
    "list",
    "search",
    "find",
    "stat",
    "show",
    "view",
    "head",
    "tail",
    "cat",
    "open",
    "tree",
    "info",
    "diff",
    "log",
    "status",
    "describe",
    "fetch",
    "query",
    "grep",
    "glob",
    "exists",
    "check",
    "count",
    "summarize",
    "validate",
    "parse",
    "analyze",
    "inspect",
    "blame",
];

pub(super) const WRITERS: &[&str] = &[
    "write", "create", "edit", "update", "append", "put", "set", "save", "mkdir", "make", "add",
    "insert", "replace", "patch", "copy", "cp", "commit", "checkout", "reset", "init", "clone",
    "apply", "upload", "download", "export", "install", "modify", "touch", "store", "chmod",
    "format", "merge", "stash", "branch", "generate", "build",
];

pub(super) const DELETERS: &[&str] = &[
    "delete", "remove", "unlink", "rm", "rmdir", "destroy", "drop", "purge", "trash", "erase",
    "wipe", "clean",
];

pub(super) const MOVERS: &[&str] = &["move", "rename", "mv"];
