//! What programs destroy, as a table: databases that are dropped or reset, backups, volumes, other version control, packages of the system.
//!
//! Every word of a row has to be among the arguments, in any order and case. `--force` also fits where it is cut short or has a value,
//! `-f` fits in a bundle of short options, and `delete*` fits what starts so.

use sayso_core::analysis::risk::Tier::Dangerous;

use super::call::{Call, Found};
use crate::parse::characters::starts_with;

/// Words that have to be there, and what that destroys.
type Row = (&'static [&'static str], &'static str);

const DATABASE: &str = "destroys what a database holds";
const BACKUPS: &str = "deletes backups";
const CHANGES: &str = "throws away changes";
const HISTORY: &str = "rewrites history that others have";
const MACHINES: &str = "destroys machines or what they hold";

/// The rows of a program.
fn rows(name: &str) -> &'static [Row] {
    match name {
        "drizzle-kit" => &[
            (&["push", "--force"], DATABASE),
            (&["drop"], DATABASE),
            (&["push:*", "--force"], DATABASE),
        ],
        "dotnet" | "dotnet-ef" => &[
            (&["database", "drop"], DATABASE),
            (&["database", "update", "0"], DATABASE),
        ],
        "goose" => &[(&["reset"], DATABASE), (&["down-to", "0"], DATABASE)],
        "migrate" | "golang-migrate" => &[
            (&["-database", "drop"], DATABASE),
            (&["--database", "drop"], DATABASE),
            (&["down", "-all"], DATABASE),
        ],
        "dbmate" => &[(&["drop"], DATABASE)],
        "atlas" => &[(&["schema", "clean"], DATABASE)],
        "sqlx" | "diesel" => &[
            (&["database", "drop"], DATABASE),
            (&["database", "reset"], DATABASE),
        ],
        "sea-orm-cli" => &[
            (&["migrate", "fresh"], DATABASE),
            (&["migrate", "reset"], DATABASE),
            (&["migrate", "refresh"], DATABASE),
        ],
        "flask" | "quart" => &[(&["db", "downgrade", "base"], DATABASE)],
        "hasura" => &[
            (&["--down", "all"], DATABASE),
            (&["metadata", "clear"], DATABASE),
        ],
        "typeorm" => &[(&["schema:sync"], DATABASE)],
        "mikro-orm" => &[
            (&["schema:drop"], DATABASE),
            (&["schema:fresh"], DATABASE),
            (&["migration:fresh"], DATABASE),
        ],
        "node-ace" | "ace" => &[
            (&["migration:fresh"], DATABASE),
            (&["migration:reset"], DATABASE),
            (&["db:wipe"], DATABASE),
        ],
        "spark" => &[
            (&["migrate:refresh"], DATABASE),
            (&["migrate:rollback", "-all"], DATABASE),
        ],
        "phinx" => &[(&["rollback", "-t", "0"], DATABASE)],
        "convex" => &[
            (&["import", "--replace-all"], DATABASE),
            (&["import", "--replace"], DATABASE),
        ],
        "initdb" | "mysql_install_db" | "pg_createcluster" => &[(&[], "starts a database anew")],
        "influx" => &[
            (&["bucket", "delete"], DATABASE),
            (&["delete", "--bucket"], DATABASE),
            (&["org", "delete"], DATABASE),
        ],
        "elasticdump" | "mongorestore" => &[(&["--overwrite"], DATABASE), (&["--drop"], DATABASE)],
        "redis-cli" | "valkey-cli" | "keydb-cli" => &[(&["--cluster", "reset"], DATABASE)],
        "mc" | "s5cmd" => &[(&["rb"], MACHINES)],
        "borg" | "borgmatic" => &[
            (&["delete"], BACKUPS),
            (&["prune"], BACKUPS),
            (&["rdelete"], BACKUPS),
            (&["compact"], BACKUPS),
        ],
        "restic" | "rustic" => &[(&["forget"], BACKUPS), (&["prune"], BACKUPS)],
        "duplicity" => &[
            (&["remove-all*"], BACKUPS),
            (&["remove-older*"], BACKUPS),
            (&["cleanup", "--force"], BACKUPS),
        ],
        "kopia" => &[
            (&["snapshot", "delete"], BACKUPS),
            (&["repository", "delete"], BACKUPS),
        ],
        "tmutil" => &[
            (&["delete"], BACKUPS),
            (&["deletelocalsnapshots"], BACKUPS),
            (&["disable"], BACKUPS),
        ],
        "timeshift" => &[(&["--delete*"], BACKUPS)],
        "snapper" => &[(&["delete"], BACKUPS), (&["rm"], BACKUPS)],
        "rdiff-backup" => &[(&["--remove-older-than"], BACKUPS), (&["remove"], BACKUPS)],
        "velero" => &[(&["delete"], BACKUPS)],
        "pgbackrest" => &[(&["expire"], BACKUPS), (&["stanza-delete"], BACKUPS)],
        "wal-g" | "barman" => &[(&["delete"], BACKUPS)],
        "zpool" | "zfs" => &[(&["labelclear"], MACHINES)],
        "btrfs" => &[
            (&["subvolume", "delete"], MACHINES),
            (&["device", "delete"], MACHINES),
            (&["device", "remove"], MACHINES),
        ],
        "lvchange" | "vgreduce" | "pvmove" | "dmsetup" => {
            &[(&["remove*"], MACHINES), (&["--removemissing"], MACHINES)]
        }
        "podman" => &[
            (&["system", "reset"], MACHINES),
            (&["machine", "rm"], MACHINES),
            (&["machine", "reset"], MACHINES),
        ],
        "docker" | "nerdctl" => &[
            (&["compose", "rm", "-v"], MACHINES),
            (&["rmi", "$*"], MACHINES),
            (&["desktop", "reset"], MACHINES),
            (&["context", "rm"], MACHINES),
        ],
        "lxc" | "incus" => &[(&["delete"], MACHINES), (&["storage", "delete"], MACHINES)],
        "qm" | "pct" | "pvesm" => &[(&["destroy"], MACHINES), (&["free"], MACHINES)],
        "limactl" | "orb" | "orbctl" | "tart" => &[
            (&["delete"], MACHINES),
            (&["reset"], MACHINES),
            (&["factory-reset"], MACHINES),
        ],
        "wsl" => &[(&["--unregister"], MACHINES)],
        "hg" => &[
            (&["update", "-C"], CHANGES),
            (&["update", "--clean"], CHANGES),
            (&["up", "-C"], CHANGES),
            (&["revert", "--all"], CHANGES),
            (&["purge"], CHANGES),
            (&["strip"], CHANGES),
            (&["rollback"], CHANGES),
            (&["push", "-f"], HISTORY),
            (&["push", "--force"], HISTORY),
        ],
        "svn" => &[
            (&["revert", "-R"], CHANGES),
            (&["revert", "--recursive"], CHANGES),
            (&["revert", "--depth"], CHANGES),
            (&["cleanup", "--remove*"], CHANGES),
            (&["delete", "http*"], HISTORY),
            (&["delete", "svn*"], HISTORY),
            (&["rm", "http*"], HISTORY),
        ],
        "jj" => &[
            (&["abandon"], CHANGES),
            (&["op", "restore"], CHANGES),
            (&["operation", "restore"], CHANGES),
            (&["op", "abandon"], CHANGES),
            (&["restore", "--from"], CHANGES),
            (&["git", "push", "--deleted"], HISTORY),
        ],
        "bzr" | "brz" => &[
            (&["revert"], CHANGES),
            (&["clean-tree"], CHANGES),
            (&["push", "--overwrite"], HISTORY),
        ],
        "fossil" => &[
            (&["revert"], CHANGES),
            (&["clean"], CHANGES),
            (&["purge"], HISTORY),
        ],
        "p4" => &[
            (&["revert"], CHANGES),
            (&["clean"], CHANGES),
            (&["obliterate"], HISTORY),
            (&["sync", "-f"], CHANGES),
        ],
        "cvs" => &[(&["update", "-C"], CHANGES)],
        "bfg" => &[
            (&["--delete-files"], HISTORY),
            (&["--delete-folders"], HISTORY),
            (&["--strip*"], HISTORY),
            (&["--replace-text"], HISTORY),
        ],
        "git-filter-repo" | "git-filter-branch" => &[(&[], HISTORY)],
        "gh" => &[
            (&["api", "*git/refs*", "force=true"], HISTORY),
            (
                &["api", "*mutation*delete*"],
                "destroys what is kept elsewhere",
            ),
            (&["repo", "sync", "--force"], HISTORY),
            (
                &["workflow", "disable"],
                "turns off a check that others rely on",
            ),
            (
                &["repo", "edit", "--visibility"],
                "shows a repository to others, or hides it",
            ),
            (
                &["repo", "rename"],
                "takes away the address of a repository",
            ),
            (
                &["cache", "delete", "--all"],
                "destroys what is kept elsewhere",
            ),
            (&["codespace", "delete"], MACHINES),
        ],
        "glab" => &[(&["api", "DELETE"], "destroys what is kept elsewhere")],
        "kubectl" | "oc" | "k" => &[
            (
                &["scale", "--replicas=0", "--all"],
                "stops everything that runs there",
            ),
            (&["apply", "--prune"], MACHINES),
            (&["apply", "http*"], "runs what it downloads"),
        ],
        "aws" => &[
            (&["close-account"], MACHINES),
            (
                &["iam", "attach-*", "*AdministratorAccess"],
                "gives all rights in the cloud",
            ),
            (&["iam", "put-*-policy"], "gives rights in the cloud"),
            (&["iam", "create-access-key"], "makes a key to the cloud"),
            (
                &["authorize-security-group-ingress", "*0.0.0.0/0*"],
                "opens machines to everybody",
            ),
            (
                &["s3api", "put-bucket-acl", "*public*"],
                "shows a bucket to everybody",
            ),
            (
                &["s3api", "put-public-access-block"],
                "shows a bucket to everybody",
            ),
            (&["stop-logging"], "turns off what is written down"),
        ],
        "ibmcloud" => &[(&["*-delete"], MACHINES)],
        "oci" => &[(&["terminate"], MACHINES)],
        "az" => &[(
            &["run-command", "invoke"],
            "runs a command on another machine",
        )],
        "vault" => &[
            (&["kv", "metadata", "delete"], MACHINES),
            (&["operator", "seal"], MACHINES),
        ],
        "consul" => &[(&["leave"], MACHINES)],
        "rails" | "rake" => &[
            (&["*delete_all*"], DATABASE),
            (&["*destroy_all*"], DATABASE),
            (&["*drop_table*"], DATABASE),
            (&["*truncate*"], DATABASE),
        ],
        "django" => &[
            (&["flush"], DATABASE),
            (&["reset_db"], DATABASE),
            (&["migrate", "zero"], DATABASE),
        ],
        "ansible" | "ansible-playbook" => &[
            (&["*state=absent*"], MACHINES),
            (&["reboot"], "stops other machines"),
        ],
        "cmake" => &[],
        "npm" => &[
            (
                &["config", "set", "script-shell"],
                "changes what runs scripts",
            ),
            (
                &["config", "set", "*egistry*", "http:*"],
                "changes where code is taken from",
            ),
            (
                &["deprecate"],
                "marks a published package as one not to use",
            ),
            (&["owner", "rm"], "takes a package away from its owners"),
        ],
        "update-alternatives" => &[
            (
                &["--install"],
                "changes which program a name of the system starts",
            ),
            (
                &["--set"],
                "changes which program a name of the system starts",
            ),
        ],
        "claude" | "codex" | "gemini" | "cursor-agent" | "opencode" | "qwen" | "copilot"
        | "amp" | "droid" | "crush" => &[
            (&["mcp", "add*"], "gives an agent another server"),
            (&["config", "set"], "changes the settings of an agent"),
            (&["--dangerously-*"], "starts an agent that asks nothing"),
            (&["--yolo"], "starts an agent that asks nothing"),
            (&["--allow-all-tools"], "starts an agent that asks nothing"),
            (&["bypassPermissions"], "starts an agent that asks nothing"),
            (&["danger-full-access"], "starts an agent that asks nothing"),
        ],
        "pip" | "pip3" => &[(
            &["config", "set", "*index-url", "http:*"],
            "changes where code is taken from",
        )],
        "pnpm" | "yarn" => &[
            (
                &["config", "set", "script-shell"],
                "changes what runs scripts",
            ),
            (
                &["config", "set", "*egistry*", "http:*"],
                "changes where code is taken from",
            ),
        ],
        "loginctl" => &[(&["enable-linger"], "changes what runs by itself")],
        "rabbitmqadmin" => &[(&["purge"], DATABASE), (&["delete"], DATABASE)],
        "etcdctl" => &[
            (&["del", "--from-key"], DATABASE),
            (&["del", "--prefix"], DATABASE),
        ],
        "ssh-copy-id" => &[(&["*"], "lets a key of this machine into another")],
        "direnv" => &[
            (
                &["allow"],
                "lets a file of the folder run in every shell there",
            ),
            (
                &["permit"],
                "lets a file of the folder run in every shell there",
            ),
        ],
        "gsettings" | "dconf" => &[
            (&["reset-recursively"], "resets settings of the person"),
            (&["reset", "-f"], "resets settings of the person"),
        ],
        "defaults" => &[(&["delete"], "resets settings of the person")],
        _ => &[],
    }
}

/// The dangers of a program with a row.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    if let Some((words, what)) = rows(call.name)
        .iter()
        .find(|(words, _)| words.iter().all(|word| has(call, word)) && may_be_meant(call, words))
    {
        let shown: Vec<&str> = words
            .iter()
            .copied()
            .filter(|word| !word.contains('*'))
            .collect();
        let gap = if shown.is_empty() { "" } else { " " };
        found.push((
            Dangerous,
            format!("`{}{gap}{}` {what}", call.name, shown.join(" ")),
        ));
    }
}

/// Without a word to look for, the name alone tells only where it is known to be a command.
fn may_be_meant(call: &Call<'_>, words: &[&str]) -> bool {
    !words.is_empty() || call.exact
}

fn has(call: &Call<'_>, wanted: &str) -> bool {
    let mut words = call.arguments.iter().take(64);
    if let Some(letter) = wanted
        .strip_prefix('-')
        .filter(|letters| letters.len() == 1)
    {
        return words
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter));
    }
    if wanted.contains('*') {
        return words.any(|word| fits(&word.to_ascii_lowercase(), &wanted.to_ascii_lowercase()));
    }
    if wanted.starts_with("--") {
        return call.long(wanted)
            || words.any(|word| {
                starts_with(word, wanted)
                    && word
                        .get(wanted.len()..)
                        .is_some_and(|rest| rest.starts_with('='))
            });
    }
    words.any(|word| word.eq_ignore_ascii_case(wanted))
}

/// Whether a text fits a pattern in which `*` is any run of characters.
pub(crate) fn fits(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| text.strip_prefix(start)) else {
        return false;
    };
    let mut last = "";
    for part in parts {
        last = part;
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    pattern.ends_with('*') || text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        for (text, pattern) in [
            ("delete-x", "delete*"),
            ("a/git/refs/b", "*git/refs*"),
            ("x-delete", "*-delete"),
            ("mutation { deleteX }", "*mutation*delete*"),
        ] {
            assert!(fits(text, pattern), "{text} {pattern}");
        }
        for (text, pattern) in [
            ("undelete", "delete*"),
            ("x-deleted", "*-delete"),
            ("delete mutation", "*mutation*delete*"),
        ] {
            assert!(!fits(text, pattern), "{text} {pattern}");
        }
    }
}
