-- How far the journal was taken in.
CREATE TABLE cursor (number INTEGER NOT NULL, digest TEXT NOT NULL);
INSERT INTO cursor VALUES (0, '');

-- Lines of the journal that are not as they were written, and so are left out.
CREATE TABLE damaged (place TEXT PRIMARY KEY) WITHOUT ROWID;

-- One row for each entry of the journal; the entry itself stays there. A row of kind `decided` is a call, and also says when it was
-- first asked, how it ran, and when it was undone.
CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    call TEXT, session TEXT, agent TEXT, tool TEXT,
    decision TEXT, outcome TEXT, risk TEXT, rule TEXT, source TEXT, by TEXT, what TEXT,
    asked INTEGER, ended INTEGER, succeeded INTEGER, milliseconds INTEGER, undone INTEGER
);
CREATE INDEX entries_of_call ON entries (call);

-- Which entry undid which call.
CREATE TABLE undone (call TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (call, number)) WITHOUT ROWID;

-- Entries of a session are between two numbers, with others among them.
CREATE TABLE sessions (
    session TEXT PRIMARY KEY,
    first_number INTEGER NOT NULL, last_number INTEGER NOT NULL,
    agent TEXT, workspace TEXT, user INTEGER,
    first INTEGER NOT NULL, last INTEGER NOT NULL,
    calls INTEGER NOT NULL DEFAULT 0,
    ended INTEGER
) WITHOUT ROWID;

-- Prompts that were shown and not answered yet; `at` is when the first one of the call was.
CREATE TABLE prompts (
    session TEXT NOT NULL, call TEXT NOT NULL,
    prompt TEXT, at INTEGER NOT NULL, tool TEXT, what TEXT,
    PRIMARY KEY (session, call)
) WITHOUT ROWID;

-- Policy files of projects that the person trusts.
CREATE TABLE trusted (path TEXT PRIMARY KEY, digest TEXT, at INTEGER NOT NULL) WITHOUT ROWID;

-- Changes of files of which the content before was kept.
CREATE TABLE backups (call TEXT PRIMARY KEY, at INTEGER NOT NULL, session TEXT, paths TEXT, undone INTEGER) WITHOUT ROWID;

-- Rules and grants that were remembered. `spec` is what the journal says of it, `number` the entry that does.
CREATE TABLE standing (
    id TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    is_rule INTEGER NOT NULL,
    spec TEXT NOT NULL,
    words TEXT NOT NULL,
    enabled INTEGER NOT NULL DEFAULT 1,
    source TEXT NOT NULL,
    session TEXT,
    created INTEGER NOT NULL,
    expires INTEGER,
    uses_left INTEGER,
    last_used INTEGER,
    uses INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX standing_of_session ON standing (session) WHERE session IS NOT NULL;

-- The entry that changed a rule, a grant or a session last; what is restated as it was before that is old.
CREATE TABLE touched (id TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;

-- How often rules of policy files were used that may only be used so often.
CREATE TABLE spent (id TEXT PRIMARY KEY, uses INTEGER NOT NULL) WITHOUT ROWID;
