//! Dangers of rights that are handed out or taken, and of things at a code host, a registry or a service that are deleted there.

use sayso_core::analysis::risk::Tier::Dangerous;

use super::call::{Call, Found};
use crate::unparsed::other_shells::has_ignoring_case;

/// The dangers of a program that hands out rights, or deletes at a place where others work.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    if let Some(what) = hands_out(call).or_else(|| deletes(call)) {
        let words: Vec<&str> = std::iter::once(call.name)
            .chain(call.operands().take(2))
            .collect();
        found.push((Dangerous, format!("`{}` {what}", words.join(" "))));
    }
}

const HANDS_OUT: &str = "hands out rights";
const TAKES_AWAY: &str = "takes rights away from others";
const DELETES: &str = "deletes what others may use";

fn hands_out(call: &Call<'_>) -> Option<&'static str> {
    let any = |text: &str| {
        call.arguments
            .iter()
            .any(|word| has_ignoring_case(word, text))
    };
    let is = |at: usize, word: &str| call.operand(at) == word;
    let yes = |what: &'static str, holds: bool| Some(what).filter(|_| holds);
    match call.name {
        "kubectl" | "oc" | "k" | "kubecolor" => {
            let binds = call.has_any(&["clusterrolebinding", "rolebinding"])
                && call.has("create")
                && any("admin");
            let opens = call.has_any(&["run", "patch", "create", "debug"])
                && [
                    "\"privileged\":true",
                    "hostpid\":true",
                    "hostnetwork\":true",
                ]
                .iter()
                .any(|text| any(text));
            yes(HANDS_OUT, binds)
                .or(yes(
                    "gives what it starts the rights of the machine below",
                    opens,
                ))
                .or(yes(
                    "opens the cluster to other machines",
                    call.has("proxy") && any("--address=0.0.0.0"),
                ))
        }
        "gcloud" => yes(
            HANDS_OUT,
            call.has("add-iam-policy-binding")
                && (any("allusers") || any("allauthenticated") || any("owner") || any("admin")),
        ),
        "az" => yes(
            HANDS_OUT,
            is(0, "role") && is(1, "assignment") && is(2, "create"),
        ),
        "aws" => yes(
            HANDS_OUT,
            call.has_any(&["put-bucket-policy", "put-bucket-acl", "add-permission"])
                && (any("\"*\"") || any("public") || call.has("*")),
        ),
        "gh" | "glab" if is(0, "api") => {
            let changes = call
                .value(&["-X", "--method"])
                .is_some_and(|method| ["PUT", "POST", "PATCH"].contains(&method));
            yes(
                "changes who may see or change a repository, or what it tells others",
                changes
                    && (any("/collaborators/")
                        || any("/hooks")
                        || any("/keys")
                        || any("private=false")),
            )
        }
        "npm" | "pnpm" | "yarn" => yes(
            HANDS_OUT,
            is(0, "owner") && is(1, "add")
                || is(0, "access") && call.has_any(&["grant", "set", "public"]),
        ),
        "cargo" | "gem" => yes(HANDS_OUT, is(0, "owner") && call.starts(&["--add", "-a"])),
        _ => None,
    }
}

fn deletes(call: &Call<'_>) -> Option<&'static str> {
    let is = |at: usize, words: &[&str]| words.contains(&call.operand(at));
    let yes = |what: &'static str, holds: bool| Some(what).filter(|_| holds);
    match call.name {
        "gh" | "glab" => yes(
            DELETES,
            is(0, &["issue", "gist", "run", "label", "workflow"]) && is(1, &["delete"]),
        ),
        "skopeo" | "crane" => yes(DELETES, is(0, &["delete"])),
        "regctl" | "oras" | "gcrane" => yes(DELETES, is(1, &["delete"]) || is(0, &["delete"])),
        "reg" => yes(DELETES, is(0, &["rm"])),
        "npm" | "pnpm" | "yarn" => {
            let removes = is(1, &["rm", "remove", "destroy", "revoke"]);
            yes(TAKES_AWAY, removes && is(0, &["owner", "team", "token"]))
                .or(yes(DELETES, removes && is(0, &["dist-tag", "dist-tags"])))
        }
        "cargo" | "gem" => yes(
            TAKES_AWAY,
            is(0, &["owner"]) && call.starts(&["--remove", "-r"]),
        ),
        "stripe" => yes(DELETES, is(0, &["delete"]) || is(1, &["delete"])),
        "algolia" | "sentry-cli" => yes(DELETES, is(1, &["delete", "clear"])),
        "gh-pages" => yes(
            "replaces the history of what is published",
            call.short(&['f']) || call.long("--force"),
        ),
        "firebase-tools" => yes(
            DELETES,
            call.operand(0).ends_with(":delete") || is(0, &["database:remove", "hosting:disable"]),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::danger::call::Call;

    fn found(text: &str) -> bool {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let (name, arguments) = words.split_first().unwrap();
        let mut found = Vec::new();
        of(
            &Call {
                name,
                arguments,
                exact: true,
            },
            &mut found,
        );
        !found.is_empty()
    }

    #[test]
    fn rights_and_what_others_use() {
        for text in [
            "kubectl create clusterrolebinding x --clusterrole=cluster-admin",
            "gcloud projects add-iam-policy-binding p --member=allUsers",
            "az role assignment create --role Owner",
            "gh api -X PUT repos/a/b/collaborators/c",
            "npm owner add evil shop",
            "cargo owner --remove alice core",
            "crane delete reg.io/a",
            "gh gist delete abc",
        ] {
            assert!(found(text), "{text}");
        }
        for text in [
            "kubectl get rolebinding",
            "kubectl create deployment x",
            "gh api repos/a/b",
            "gh run list",
            "npm owner ls",
            "cargo owner --list",
            "az role assignment list",
        ] {
            assert!(!found(text), "{text}");
        }
    }
}
