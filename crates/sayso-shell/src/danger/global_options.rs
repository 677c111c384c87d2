//! Options with a value that may stand before or behind what a program shall do: `helm -n prod uninstall web`.

use std::borrow::Cow;

/// The options of a program whose value is the next word.
fn valued(name: &str) -> &'static [&'static str] {
    match name {
        "helm" | "helm3" => &["-n", "--namespace", "--kube-context", "--kubeconfig"],
        "docker" | "podman" | "nerdctl" => {
            &["--context", "-H", "--host", "--config", "-l", "--log-level"]
        }
        "docker-compose" | "podman-compose" => &[
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--profile",
            "--env-file",
            "-H",
            "--host",
        ],
        "gh" | "glab" => &["-R", "--repo", "--hostname"],
        "pulumi" => &["-s", "--stack", "-C", "--cwd"],
        "fly" | "flyctl" => &["-a", "--app", "-c", "--config"],
        "heroku" => &["-a", "--app", "-r", "--remote"],
        "wrangler" => &["-c", "--config", "-e", "--env"],
        "firebase" => &["-P", "--project", "--token"],
        "vercel" => &["-t", "--token", "-S", "--scope", "--cwd"],
        "supabase" | "netlify" => &["--workdir", "--auth", "--cwd"],
        "argocd" | "flux" | "istioctl" => {
            &["--server", "-n", "--namespace", "--context", "--kubeconfig"]
        }
        "systemctl" | "loginctl" => &["-H", "--host", "-M", "--machine"],
        "virsh" => &["-c", "--connect"],
        "vault" | "consul" | "nomad" => &["-address", "-namespace", "-token"],
        "tmutil" | "rclone" => &["--config"],
        _ => &[],
    }
}

/// The arguments without such options.
pub(crate) fn without<'a>(name: &str, arguments: &'a [String]) -> Cow<'a, [String]> {
    let composes = matches!(name, "docker" | "podman" | "nerdctl")
        && arguments.iter().any(|word| word == "compose");
    let valued = valued(if composes { "docker-compose" } else { name });
    if !arguments.iter().any(|word| valued.contains(&word.as_str())) {
        return Cow::Borrowed(arguments);
    }
    let mut out = Vec::with_capacity(arguments.len());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if valued.contains(&word.as_str()) {
            words.next();
        } else {
            out.push(word.clone());
        }
    }
    Cow::Owned(out)
}
