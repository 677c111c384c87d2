//! Dangers to databases: what is dropped, emptied or reset, in SQL and by the tools around it.

use sayso_core::analysis::risk::Tier::Dangerous;

use super::call::{Call, Found};
use crate::parse::characters::starts_with;
use crate::unparsed::other_shells::has_ignoring_case;

/// Programs that run the SQL in their arguments or their input.
pub(crate) fn is_client(name: &str) -> bool {
    matches!(
        name,
        "psql"
            | "mysql"
            | "mariadb"
            | "sqlite3"
            | "sqlite"
            | "mongosh"
            | "mongo"
            | "redis-cli"
            | "valkey-cli"
            | "keydb-cli"
            | "cqlsh"
            | "sqlcmd"
            | "sqlplus"
            | "duckdb"
            | "clickhouse-client"
            | "clickhouse"
            | "influx"
            | "snowsql"
            | "bq"
            | "cockroach"
            | "usql"
            | "pgcli"
            | "mycli"
            | "litecli"
            | "isql"
            | "tsql"
            | "trino"
            | "presto"
            | "beeline"
            | "hive"
            | "turso"
            | "wrangler"
            | "neonctl"
            | "prisma"
            | "pg_restore"
            | "mysqlsh"
    )
}

/// Parts of a longer text that are looked at.
const MOST_TOKENS: usize = 16 * 1024;

/// The dangers of a program that works on a database.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    let name = call.name;
    let mut say = |what: String| found.push((Dangerous, what));
    if is_client(name) {
        let sql = call.arguments.iter().find_map(|word| in_sql(word));
        // `redis-cli flushall`: the words of the command are words of the line.
        let words = call.operands().find(|word| is_one_word(word));
        if let Some(what) = sql.or_else(|| words.map(|_| "FLUSHALL")) {
            say(format!("`{name}` runs `{what}`"));
        }
        if name == "bq" && call.operand(0) == "rm" {
            say("`bq rm` deletes tables".to_owned());
        }
    }
    let has = |word: &str| {
        call.arguments
            .iter()
            .take(16)
            .any(|argument| argument.eq_ignore_ascii_case(word))
    };
    let verb = |verbs: &[&'static str]| verbs.iter().copied().find(|verb| has(verb));
    let resets = match name {
        "dropdb" | "dropuser" => Some("").filter(|_| !call.arguments.is_empty()),
        "mysqladmin" => verb(&["drop", "flush-privileges"]).filter(|verb| *verb == "drop"),
        "rails" | "rake" => verb(&[
            "db:drop",
            "db:drop:all",
            "db:reset",
            "db:purge",
            "db:schema:load",
            "db:migrate:reset",
            "db:truncate_all",
            "db:seed:replant",
            "db:setup",
        ])
        .filter(|verb| *verb != "db:setup"),
        "prisma" if has("migrate") && has("reset") => Some("migrate reset"),
        "prisma" => verb(&["--force-reset", "--accept-data-loss"]),
        "artisan" | "php" => verb(&[
            "migrate:fresh",
            "migrate:reset",
            "migrate:refresh",
            "db:wipe",
        ]),
        "manage.py" | "django-admin" => {
            verb(&["flush", "reset_db", "sqlflush", "zero"]).filter(|verb| *verb != "sqlflush")
        }
        "mix" => verb(&["ecto.drop", "ecto.reset"]),
        "alembic" if has("downgrade") => verb(&["base"]),
        "flyway" => verb(&["clean"]),
        "liquibase" => verb(&["dropall", "drop-all"]),
        "knex" if has("migrate:rollback") => verb(&["--all"]),
        "sequelize" | "sequelize-cli" => verb(&["db:drop", "db:migrate:undo:all"]),
        "typeorm" => verb(&["schema:drop"]),
        "console" | "symfony" => verb(&["doctrine:database:drop", "doctrine:schema:drop"]),
        "supabase" if has("db") => verb(&["reset"]),
        "drizzle-kit" => verb(&["drop"]),
        "wp" if has("db") => verb(&["reset", "drop", "clean"]),
        "drush" => verb(&["sql-drop", "sql:drop"]),
        "etcdctl" if has("del") => verb(&["--prefix", "--from-key"]),
        "pg_restore" => verb(&["--clean", "-c"]),
        "pg_resetwal" | "pg_dropcluster" => Some(""),
        "kafka-topics" | "kafka-topics.sh" => verb(&["--delete"]),
        "rabbitmqctl" => verb(&["reset", "force_reset", "delete_vhost", "purge_queue"]),
        _ => None,
    };
    // The whole form, where the word that tells is not the one that does it.
    let resets = match (name, resets) {
        ("knex", Some(_)) => Some("migrate:rollback --all"),
        ("alembic", Some(_)) => Some("downgrade base"),
        ("supabase" | "wp", Some("reset")) => Some("db reset"),
        (_, resets) => resets,
    };
    if let Some(verb) = resets {
        let gap = if verb.is_empty() { "" } else { " " };
        say(format!(
            "`{name}{gap}{verb}` destroys what a database holds"
        ));
    }
}

fn is_one_word(word: &str) -> bool {
    has_ignoring_case(word, "flushall") || has_ignoring_case(word, "flushdb")
}

/// What a text of SQL, or of a database's own language, destroys.
pub(crate) fn in_sql(text: &str) -> Option<&'static str> {
    for statement in text.split(';').take(MOST_TOKENS) {
        let data = ["insert", "select", "comment"]
            .iter()
            .any(|verb| starts_with(statement.trim_start(), verb));
        let bare = if data {
            without_literals(statement)
        } else {
            statement.to_owned()
        };
        let tokens: Vec<String> = bare
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .filter(|token| !token.is_empty())
            .take(MOST_TOKENS)
            .map(str::to_ascii_lowercase)
            .collect();
        let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
        if let Some(found) = in_statement(&words) {
            return Some(found);
        }
    }
    None
}

/// The statement without the texts in it, which are data where it only reads or adds.
fn without_literals(statement: &str) -> String {
    statement
        .split('\'')
        .step_by(2)
        .collect::<Vec<_>>()
        .join(" ")
}

fn in_statement(words: &[&str]) -> Option<&'static str> {
    // A row of a table may be called `drop`; what follows tells.
    for pair in words.windows(2) {
        match pair {
            ["drop", "database"] => return Some("DROP DATABASE"),
            ["drop", "table"] => return Some("DROP TABLE"),
            ["drop", "schema"] => return Some("DROP SCHEMA"),
            ["drop", "column"] => return Some("DROP COLUMN"),
            ["drop", "user" | "role" | "owned"] => return Some("DROP USER"),
            [
                "drop",
                "keyspace" | "tablespace" | "collection" | "measurement" | "bucket",
            ] => return Some("DROP"),
            ["truncate", "table"] => return Some("TRUNCATE"),
            ["to" | "from", "program"] => return Some("COPY … PROGRAM"),
            ["deletemany" | "remove", _] if words.first() == Some(&"db") => {
                return Some("deleteMany");
            }
            _ => {}
        }
    }
    let has = |word: &str| words.contains(&word);
    match words.first().copied() {
        Some("truncate") if words.len() > 1 => Some("TRUNCATE"),
        Some("delete") if words.get(1) == Some(&"from") && !has("where") => {
            Some("DELETE without WHERE")
        }
        Some("update") if has("set") && !has("where") => Some("UPDATE without WHERE"),
        Some("flushall" | "flushdb") => Some("FLUSHALL"),
        Some("shutdown") if words.len() == 1 => Some("SHUTDOWN"),
        Some("shell" | "system") if words.len() > 1 => Some(".shell"),
        Some("config") if words.get(1) == Some(&"set") && (has("dir") || has("dbfilename")) => {
            Some("CONFIG SET dir")
        }
        _ if has("dropdatabase") => Some("dropDatabase"),
        _ if has("xp_cmdshell") => Some("xp_cmdshell"),
        Some("db")
            if words
                .last()
                .is_some_and(|last| matches!(*last, "drop" | "deletemany" | "remove")) =>
        {
            Some("drop")
        }
        _ => None,
    }
}
