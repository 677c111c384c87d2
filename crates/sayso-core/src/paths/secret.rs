//! Files whose content gives power over something: reading them must be asked for.

use super::ambiguous_secret::{BROAD, is_source};
use super::cloud_credentials::CLOUDS;
use super::credentials::CREDENTIALS;
use super::fold::fold_whole;
use super::glob::wild;
use super::layout::Group;
use super::person_credentials::PERSON;
use super::private::PRIVATE;
use super::secret_words;
use super::table::{Table, table};
use super::tool_credentials::TOOLS;
use super::vault_names::VAULTS;
use super::{below, components, fold};

const SECRET: &[Group] = &[
    Group {
        why: "key or credential file",
        patterns: &[
            "credentials$",
            "credentials.json",
            "credentials.y*ml",
            "credentials.toml",
            "credentials.ini",
            "credentials.xml",
            "credentials.csv",
            "credentials.txt",
            "credentials.db",
            "*credentials*.json",
            "secret.json",
            "secret.y*ml",
            "*secrets.json",
            "*secrets.yml",
            "*secrets.yaml",
            "*secrets.toml",
            "secrets.ini",
            "client_secret*.json",
            "*service-account*.json",
            "*service_account*.json",
            "*serviceaccount*.json",
            "*adminsdk*.json",
            "oauth_creds.json",
            "auth.json",
            ".claude.json",
            "htpasswd$",
            "vault_pass*",
            "*.ovpn",
            "wg?.conf",
            "*.tfvars",
            "*.tfvars.json",
            "*.env",
            "/run/secrets",
            "/var/run/secrets",
            "/etc/ssl/private",
            "/etc/ssh/ssh_host_*_key",
            "/etc/networkmanager/system-connections",
            "/etc/wireguard",
            "/etc/wpa_supplicant",
            "/etc/ppp",
        ],
    },
    Group {
        why: "passwords of the system",
        patterns: &[
            "/etc/shadow*",
            "/etc/gshadow*",
            "/etc/sudoers*",
            "/etc/security/opasswd",
            "/etc/master.passwd",
            "/private/etc/sudoers*",
            "/private/etc/master.passwd",
        ],
    },
    Group {
        why: "browser profile",
        patterns: &[
            ".mozilla",
            "snap/firefox",
            ".config/google-chrome*",
            ".config/chromium",
            ".config/bravesoftware",
            ".config/microsoft-edge*",
            ".config/vivaldi*",
            ".config/opera*",
            ".librewolf",
            ".tor-browser",
            "application support/google/chrome",
            "application support/firefox",
            "application support/bravesoftware",
            "application support/microsoft edge",
            "library/safari",
            "library/cookies",
            "login data*",
            "default/cookies$",
            "profile*/cookies$",
            "network/cookies$",
            "default/web data$",
            "profile*/web data$",
            "cookies.sqlite*",
            "cookies.txt",
            "cookies.binarycookies",
            "key3.db",
            "key4.db",
            "logins.json",
            "signons.sqlite",
            "cert9.db",
        ],
    },
    Group {
        why: "history of what was typed",
        patterns: &[
            ".*_history",
            "fish_history",
            ".*-history",
            ".zhistory",
            ".histfile",
            ".history",
            ".rhistory",
            ".dbshell",
            ".lesshst",
            ".viminfo",
            "consolehost_history.txt",
        ],
    },
    Group {
        why: "password vault or wallet",
        patterns: &[
            ".config/1password",
            ".config/bitwarden*",
            ".config/keepassxc",
            ".lpass",
            ".electrum",
            ".bitcoin",
            ".monero",
            ".ethereum/keystore",
            ".config/solana",
            "wallet.dat",
            "*.wallet",
            "*.agilekeychain",
            "*.opvault",
            "*.1pux",
            "application support/1password",
            "application support/bitwarden*",
        ],
    },
    Group {
        why: "memory or environment of a program",
        patterns: &[
            "/proc/*/environ",
            "/proc/*/mem",
            "/proc/*/maps",
            "/proc/*/smaps*",
            "/proc/*/pagemap",
            "/proc/*/auxv",
            "/proc/*/map_files",
            "/proc/*/fd",
            "/proc/*/root",
            "/proc/*/cwd",
            "/proc/*/stack",
            "/proc/*/syscall",
            "/proc/*/task/*/environ",
            "/proc/*/task/*/mem",
            "/proc/*/task/*/maps",
            "/proc/*/task/*/fd",
            "/proc/*/task/*/root",
            "/proc/*/task/*/cwd",
            "/proc/kcore",
            "/proc/kmem",
            "/proc/keys",
        ],
    },
    Group {
        why: "raw device",
        patterns: &[
            "/dev/mem",
            "/dev/kmem",
            "/dev/port",
            "/dev/sd*",
            "/dev/hd*",
            "/dev/vd*",
            "/dev/xvd*",
            "/dev/nvme*",
            "/dev/mmcblk*",
            "/dev/dm-*",
            "/dev/md*",
            "/dev/loop*",
            "/dev/mapper",
            "/dev/disk*",
            "/dev/rdisk*",
            "/dev/block",
            "/dev/input",
            "/dev/video*",
            "/dev/snd",
            "/dev/hidraw*",
        ],
    },
];

/// Last names that are for everybody, even in a folder of secrets.
const PUBLIC: &[&str] = &[
    ".env*.example",
    ".env*.sample",
    ".env*.template",
    ".env*.dist",
    ".env*.defaults",
    "example.env",
    "sample.env",
    "template.env",
    ".dev.vars*.example",
    ".dev.vars*.sample",
    ".dev.vars*.template",
    "appsettings.development.json",
    "appsettings.schema.json",
    // What stands in for a secret, or holds it encrypted.
    "*external-secret*.y*ml",
    "*externalsecret*.y*ml",
    "*sealed-secret*.y*ml",
    "*sealedsecret*.y*ml",
    "*public-key.json",
    "*public_key.json",
    "*public*.asc",
    "*pub-key.asc",
    "*pub_key.asc",
    "*.pub",
    "*.crt",
    "*.cer",
    "known_hosts",
    "known_hosts.old",
];

/// The built-in names, by why reading them is asked about.
pub fn secret_names() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let listed = ALL
        .iter()
        .copied()
        .flatten()
        .map(|group| (group.why, group.patterns));
    listed.chain([(secret_words::WHY, secret_words::SHOWN)])
}

const ALL: [&[Group]; 8] = [
    SECRET,
    PRIVATE,
    CREDENTIALS,
    TOOLS,
    CLOUDS,
    PERSON,
    VAULTS,
    BROAD,
];

pub(super) static TABLE: Table = table!(
    SECRET,
    PRIVATE,
    CREDENTIALS,
    TOOLS,
    CLOUDS,
    PERSON,
    VAULTS,
    BROAD
);

/// The table for sources, which bear many of the names without being secret. Nearly all paths bear none, and are looked up once.
static SURE: Table = table!(SECRET, PRIVATE, CREDENTIALS);

/// Why reading a path would show secrets, if it would: the reason in words, such as "browser profile".
///
/// Fixtures and examples get no exception but by name: a key in a test folder is as often a real one.
pub fn secret(canonical: &str, home: Option<&str>) -> Option<&'static str> {
    let by_words = |path: &str| secret_words::is_secret_by_words(path).then_some(secret_words::WHY);
    let found = |path: &str| {
        secret_folder(path, home).or_else(|| by_words(path).filter(|_| !ends_publicly(path)))
    };
    found(canonical).or_else(|| found(&path_of_original(canonical)?))
}

/// [`secret()`] of what is known to be a folder: the words of its name say nothing of what is in it.
pub fn secret_folder(canonical: &str, home: Option<&str>) -> Option<&'static str> {
    // What the program itself has open was judged when it was opened.
    if below(canonical, "/proc/self/fd")
        || KEYS_OF_PACKAGES
            .iter()
            .any(|folder| below(canonical, folder))
    {
        return None;
    }
    let why = TABLE.find(canonical, home)?;
    let why = if is_source(canonical) {
        SURE.find(canonical, home)?
    } else {
        why
    };
    (!ends_publicly(canonical)).then_some(why)
}

/// Public keys that packages are checked with.
const KEYS_OF_PACKAGES: [&str; 4] = [
    "/usr/share/keyrings",
    "/etc/apt/keyrings",
    "/etc/apt/trusted.gpg.d",
    "/etc/pki/rpm-gpg",
];

/// The path without the ending that makes a copy of it, such as `.bak`.
fn path_of_original(canonical: &str) -> Option<String> {
    let (folder, name) = canonical.rsplit_once('/')?;
    secret_words::original_of(name).map(|original| format!("{folder}/{original}"))
}

/// Whether an entry of any folder may be secret by what this name says.
pub(super) fn may_be_by_words(name: &str) -> bool {
    secret_words::may_have_words(name) || secret_words::original_of(name).is_some()
}

fn ends_publicly(canonical: &str) -> bool {
    components(canonical).last().is_some_and(is_public)
}

/// Whether a file of this name is for everybody, wherever it lies.
pub(super) fn is_public(name: &str) -> bool {
    let (folded, whole) = (fold(name), fold_whole(name));
    PUBLIC.iter().any(|pattern| wild(pattern, &folded))
        && PUBLIC.iter().any(|pattern| wild(pattern, &whole))
}

#[cfg(test)]
mod tests {
    use super::super::table::check_that_every_pattern_is_found;
    use super::*;

    #[test]
    fn z_20_secrets_are_found() {
        for path in "
            /ws/.env /ws/.env.local /ws/a/.ENV /ws/.envrc /home/u/.ssh/id_ed25519 /home/u/.ssh /home/u/.aws/credentials
            /ws/tests/fixtures/key.pem /home/u/.config/gcloud/credentials.db /home/u/.docker/config.json /home/u/.kube/config
            /ws/terraform.tfstate /ws/prod.tfvars /home/u/.mozilla/firefox/x.default/key4.db /x/Default/Cookies
            /home/u/.bash_history /home/u/.python_history /home/u/.local/share/fish/fish_history /etc/shadow /etc/gshadow
            /etc/sudoers.d/x /proc/1/environ /proc/self/environ /proc/kcore /proc/7/task/8/mem
            /home/u/.local/share/keyrings/login.keyring /ws/my-service-account.json /ws/secrets.yml /ws/k8s/app-secrets.yaml
            /ws/credentials /ws/credentials.json /ws/.htpasswd /home/u/.bitcoin/wallet.dat /ws/office.ovpn /ws/.npmrc
            /ws/.git-credentials /home/u/.codex/auth.json /ws/config/prod.env /dev/sda1 /ws/ENV~1 /ws/id_rsa:x.pub
            /ws/.dev.vars /ws/.dev.vars.production /ws/kubeconfig /ws/local.settings.json /ws/android/key.properties /ws/token.json
            /ws/gcp-key.json /ws/deploy_rsa /ws/private-key.asc /ws/secrets/db.txt /ws/trace.har /ws/config/database.yml
            /ws/wp-config.php /ws/appsettings.Production.json /home/u/.nuget/NuGet/NuGet.Config /home/u/.config/Slack/Cookies
            /home/u/.claude/projects/x.jsonl /home/u/Library/Messages/chat.db /home/u/.config/Code/User/globalStorage/state.vscdb"
            .split_whitespace()
        {
            assert!(secret(path, Some("/home/u")).is_some(), "{path}");
        }
    }

    #[test]
    fn spaces_and_hidden_characters_do_not_hide_secrets() {
        for path in [
            "/x/Default/Login Data",
            "/x/Profile 1/Web Data",
            "/ws/.g\u{200c}it-credentials",
            "/ws/.env. ",
            "/ws/KEY.PEM ",
        ] {
            assert!(secret(path, None).is_some(), "{path}");
        }
    }

    #[test]
    fn public_halves_and_plain_files_are_not_secret() {
        for path in "
            /ws/.env.example /ws/.env.sample /ws/.env.template /ws/.env.dist /ws/.env.defaults /ws/.env.local.example
            /home/u/.ssh/id_rsa.pub /home/u/.ssh/known_hosts /ws/ca.crt /ws/ca.cer /ws/.git/config /ws/.gitconfig
            /ws/src/credentials/mod.rs /ws/src/secrets.rs /ws/src/cookies/index.ts /ws/.docker/Dockerfile /ws/venv/lib/x.py
            /ws/.vscode/settings.json /etc/passwd /proc/cpuinfo /proc/self/fd/0 /proc/self/status /dev/null /ws/keyboard.rs
            /ws/tokens.json /ws/src/auth.ts /ws/password.ts /ws/src/secrets/mod.rs /ws/appsettings.json /ws/appsettings.Development.json
            /ws/locales/ar-SA.json /ws/release.tar.gz.asc /ws/public-key.asc /ws/.dev.vars.example /ws/k8s/external-secret.yaml
            /ws/src/library/messages/x.ts /ws/wp-config-sample.php /ws/.vercel/project.json /ws/config/routes.rb
            /ws/monkey.txt /ws/environment.md /ws/history.md /ws/package.json /ws/README.md / /ws/a/proc/1/mem"
            .split_whitespace()
        {
            assert_eq!(secret(path, Some("/home/u")), None, "{path}");
        }
    }

    #[test]
    fn no_pattern_is_lost() {
        check_that_every_pattern_is_found(&TABLE, &ALL);
    }
}
