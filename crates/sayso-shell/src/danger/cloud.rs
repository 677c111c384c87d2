//! Dangers to what runs elsewhere: clouds, clusters, containers and published packages that a command destroys.

use sayso_core::analysis::risk::Tier::Dangerous;

use super::call::{Call, Found};
use crate::parse::characters::starts_with;

/// The dangers of a program that works on other machines.
pub(crate) fn of(call: &Call<'_>, found: &mut Vec<Found>) {
    if let Some(what) = destroys(call) {
        // As it is written: `aws s3 rm`, `gh api -X DELETE`.
        let form = match call.name {
            "gh" | "glab" if call.operand(0) == "api" => "api -X DELETE".to_owned(),
            "aws" | "gcloud" | "az" | "terraform" | "tofu" => {
                let at = call
                    .operands()
                    .position(|word| word == what)
                    .filter(|at| *at > 0);
                at.map_or_else(
                    || what.to_owned(),
                    |at| format!("{} {what}", call.operand(at - 1)),
                )
            }
            _ => what.to_owned(),
        };
        let what = form;
        found.push((
            Dangerous,
            format!(
                "`{} {what}` destroys what runs or is kept elsewhere",
                call.name
            ),
        ));
    }
}

/// The word that destroys.
fn destroys<'a>(call: &Call<'a>) -> Option<&'a str> {
    let any = |verbs: &[&str]| {
        call.operands()
            .take(8)
            .find(|word| verbs.iter().any(|verb| word.eq_ignore_ascii_case(verb)))
    };
    let option = |options: &[&str]| {
        call.arguments.iter().map(String::as_str).find(|word| {
            options
                .iter()
                .any(|option| *word == *option || word.starts_with(&format!("{option}=")))
        })
    };
    let first = call.operand(0);
    let at = |place: usize, verbs: &[&str]| {
        Some(call.operand(place)).filter(|word| verbs.contains(word))
    };
    match call.name {
        "terraform" | "tofu" | "terragrunt" | "tf" => match first {
            "plan" | "validate" | "fmt" | "show" | "output" | "init" => None,
            "apply" => option(&[
                "-destroy",
                "--destroy",
                "-auto-approve",
                "--auto-approve",
                "--terragrunt-non-interactive",
            ]),
            "state" => at(1, &["rm", "push"]),
            "workspace" => at(1, &["delete"]),
            _ => any(&["destroy", "force-unlock", "taint"]),
        },
        "pulumi" => at(0, &["destroy"])
            .or_else(|| Some("stack rm").filter(|_| first == "stack" && call.operand(1) == "rm")),
        "cdk" | "cdktf" | "copilot" | "amplify" => {
            at(0, &["destroy", "delete"]).or_else(|| at(1, &["delete"]))
        }
        "kubectl" | "oc" | "k" | "kubecolor" => of_kubernetes(call),
        "helm" | "helm3" => at(0, &["uninstall", "delete", "del", "un"]),
        "helmfile" | "flux" | "istioctl" | "linkerd" => any(&["destroy", "uninstall"]),
        "argocd" => at(1, &["delete"]),
        "kind" | "k3d" | "minikube" | "eksctl" | "kops" | "multipass" | "colima" | "gcluster" => {
            any(&["delete", "purge"])
        }
        "vagrant" | "virsh" => at(
            0,
            &[
                "destroy",
                "undefine",
                "vol-delete",
                "pool-destroy",
                "snapshot-delete",
            ],
        ),
        "vboxmanage" => at(0, &["unregistervm", "closemedium"]),
        "aws" => of_aws(call),
        "gcloud" | "az" | "doctl" | "hcloud" | "linode-cli" | "openstack" | "ibmcloud" | "scw"
        | "oci" | "civo" | "exo" | "vultr-cli" | "aliyun" | "ovhcloud" => {
            any(&["delete", "destroy", "remove", "purge", "rm", "d"])
                .filter(|word| *word != "d")
                .or_else(|| {
                    call.operands().take(8).find(|word| {
                        starts_with(word, "delete-") || starts_with(word, "remove-iam")
                    })
                })
        }
        "gsutil" => match first {
            "rb" => Some(first),
            "rm" | "rsync"
                if call.recursive()
                    || call.short(&['d'])
                    || call.operands().any(|word| word.contains('*')) =>
            {
                Some(first)
            }
            _ => None,
        },
        "s3cmd" | "mc" | "s5cmd" | "b2" => any(&["rb", "delete-bucket", "del", "rm", "mirror"])
            .filter(|word| {
                matches!(*word, "rb" | "delete-bucket")
                    || call.recursive()
                    || call.long("--force")
                    || call.operands().any(|word| word.ends_with('*'))
            }),
        "heroku" | "fly" | "flyctl" | "railway" | "render" | "dokku" | "scalingo" | "koyeb" => {
            any(&[
                "destroy",
                "apps:destroy",
                "pg:reset",
                "pg:destroy",
                "addons:destroy",
                "delete",
                "down",
            ])
        }
        "vercel" | "now" => {
            at(0, &["remove", "rm"]).or_else(|| at(1, &["rm", "remove"]).filter(|_| first != "env"))
        }
        "netlify" => any(&["sites:delete", "site:delete"]),
        "wrangler" => {
            any(&["delete", "kv:namespace"]).filter(|word| *word == "delete" || call.has("delete"))
        }
        "firebase" => any(&[
            "projects:delete",
            "firestore:delete",
            "database:remove",
            "hosting:disable",
            "functions:delete",
            "apphosting:backends:delete",
        ]),
        "supabase" | "neonctl" | "pscale" | "turso" => any(&["delete", "destroy"]),
        "serverless" | "sls" | "sst" => at(0, &["remove"]),
        "sam" | "ecs-cli" => any(&["delete", "down"]),
        "gh" | "glab" | "hub" | "tea" => match first {
            "api" => call
                .value(&["-X", "--method"])
                .filter(|method| method.eq_ignore_ascii_case("delete")),
            "repo" => at(1, &["delete", "archive"]),
            "release" | "secret" | "variable" | "ssh-key" | "gpg-key" | "project" | "ruleset"
            | "deploy-key" | "org" | "delete" => {
                at(1, &["delete", "remove"]).or_else(|| at(0, &["delete"]))
            }
            _ => None,
        },
        "docker" | "podman" | "nerdctl" => of_containers(call),
        "docker-compose" | "podman-compose" => {
            at(0, &["down", "rm"]).filter(|_| call.short(&['v']) || call.long("--volumes"))
        }
        "npm" | "pnpm" | "yarn" => at(0, &["unpublish"]),
        "cargo" | "gem" => at(0, &["yank"]),
        "nomad" => any(&["stop"]).filter(|_| option(&["-purge", "--purge"]).is_some()),
        "consul" => any(&["delete"]).filter(|_| option(&["-recurse", "--recurse"]).is_some()),
        "vault" => any(&["destroy", "disable", "revoke"]).or_else(|| at(0, &["delete"])),
        "k3s-uninstall.sh" | "k3s-killall.sh" | "rke2-uninstall.sh" => Some(""),
        "kubeadm" => at(0, &["reset"]),
        _ => None,
    }
}

fn of_kubernetes<'a>(call: &Call<'a>) -> Option<&'a str> {
    let verb = call
        .operands()
        .take(6)
        .find(|word| matches!(*word, "delete" | "drain" | "replace"))?;
    match verb {
        "drain" => Some(verb),
        "replace" => Some(verb).filter(|_| call.long("--force")),
        _ => {
            let wide = call.has_any(&["--all", "-A", "--all-namespaces"])
                || call.starts(&["--all=", "--all-namespaces="]);
            // A pod or a job comes back by itself; the rest stays away.
            let kind = call
                .operands()
                .skip_while(|word| *word != verb)
                .nth(1)
                .unwrap_or("");
            let kind = kind.split('/').next().unwrap_or(kind);
            let light = matches!(
                kind,
                "pod" | "pods" | "po" | "job" | "jobs" | "event" | "events" | "rs" | "replicaset"
            );
            Some(verb).filter(|_| wide || !light)
        }
    }
}

fn of_aws<'a>(call: &Call<'a>) -> Option<&'a str> {
    let mut words = call.operands().take(8);
    let destroys = |word: &&str| {
        [
            "delete-",
            "terminate-",
            "purge-",
            "deregister-",
            "destroy-",
            "schedule-key-deletion",
            "batch-delete",
            "remove-role",
            "disable-",
        ]
        .iter()
        .any(|verb| word.starts_with(verb))
            || *word == "nuke"
    };
    if call.has("s3") {
        let deep = call.long("--recursive") || call.long("--delete") || call.long("--force");
        return call.operands().find(|word| {
            *word == "rb" || (matches!(*word, "rm" | "sync" | "mv") && deep && *word != "mv")
        });
    }
    words.find(destroys)
}

fn of_containers<'a>(call: &Call<'a>) -> Option<&'a str> {
    let first = call.operand(0);
    let second = call.operand(1);
    let several = call.operands().nth(2).is_some()
        || call.operands().any(|word| word.starts_with(['$', '`']));
    match (first, second) {
        (
            "system" | "volume" | "image" | "container" | "builder" | "network" | "buildx",
            "prune",
        ) => {
            let mild = matches!(first, "network" | "builder" | "buildx")
                || (first == "image" && !call.short(&['a']) && !call.long("--all"));
            Some(second).filter(|_| !mild)
        }
        ("volume", "rm" | "remove") => Some("volume rm"),
        ("compose", "down")
            if call.short(&['v']) || call.long("--volumes") || call.long("--rmi") =>
        {
            Some("compose down --volumes")
        }
        ("swarm", "leave") | ("stack" | "secret" | "service", "rm") => Some(second),
        ("rm" | "kill" | "stop", _)
            if several && call.operands().any(|word| word.starts_with(['$', '`'])) =>
        {
            Some(first)
        }
        _ => None,
    }
}
