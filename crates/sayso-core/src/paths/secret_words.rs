//! Finds secrets by the words of a file name: `prod_api_key.txt` is in no list, and yet plainly a key.
//!
//! Only files are found this way, and neither sources nor texts about them: `password.ts` and `passwords.md` are code and prose.

use super::ambiguous_secret::is_source_name;
use super::fold::fold;

/// The reason that is given for these names.
pub(super) const WHY: &str = "name with a word for keys or passwords";

/// Words that make a file secret. Folded, without a plural `s`.
const SECRET: [&str; 33] = [
    "apikey",
    "apitoken",
    "passwd",
    "password",
    "passphrase",
    "passwort",
    "credential",
    "cred",
    "secret",
    "secretkey",
    "privatekey",
    "privkey",
    "sshkey",
    "accesskey",
    "accesstoken",
    "authtoken",
    "authkey",
    "refreshtoken",
    "bottoken",
    "clientsecret",
    "keystore",
    "mnemonic",
    "htpasswd",
    "pgpass",
    "oauth",
    "masterkey",
    "signingkey",
    "deploykey",
    "hostkey",
    "serviceaccount",
    "seedphrase",
    "bearer",
    "vaultpass",
];

/// Words before `key` or `token` that tell what kind it is.
const KINDS: [&str; 93] = [
    "access",
    "account",
    "admin",
    "aes",
    "age",
    "anthropic",
    "api",
    "apns",
    "app",
    "apple",
    "auth",
    "aws",
    "azure",
    "bearer",
    "bot",
    "ca",
    "cd",
    "ci",
    "circleci",
    "client",
    "cloudflare",
    "codecov",
    "consul",
    "cosign",
    "dd",
    "deploy",
    "deployment",
    "digitalocean",
    "discord",
    "dsa",
    "ec",
    "ecdsa",
    "ed25519",
    "encryption",
    "fly",
    "gcloud",
    "gcp",
    "gemini",
    "gh",
    "ghcr",
    "gitea",
    "github",
    "gitlab",
    "google",
    "gpg",
    "groq",
    "heroku",
    "hf",
    "hmac",
    "host",
    "huggingface",
    "ingest",
    "jwt",
    "kms",
    "license",
    "linear",
    "login",
    "luks",
    "master",
    "minisign",
    "mistral",
    "netlify",
    "nomad",
    "notion",
    "npm",
    "oauth",
    "openai",
    "personal",
    "pgp",
    "priv",
    "private",
    "pypi",
    "refresh",
    "registry",
    "root",
    "rsa",
    "secret",
    "sendgrid",
    "service",
    "session",
    "signify",
    "signing",
    "slack",
    "sops",
    "ssh",
    "ssl",
    "stripe",
    "telegram",
    "tls",
    "unseal",
    "vault",
    "vercel",
    "wireguard",
];

/// Words before `pass` that tell what is opened with it.
const LOGINS: &[&str] = &[
    "user", "db", "database", "smtp", "imap", "mail", "email", "mysql", "postgres", "pg", "redis",
    "mongo", "ftp", "wifi", "vpn", "sudo", "become", "rsync", "restic", "borg", "jks", "backup",
    "ldap",
];

/// Words that say that a file is about secrets and holds none.
const ABOUT: [&str; 32] = [
    "schema",
    "example",
    "sample",
    "template",
    "policy",
    "policie",
    "reset",
    "forgot",
    "forgotten",
    "strength",
    "generator",
    "common",
    "blocklist",
    "denylist",
    "wordlist",
    "rule",
    "message",
    "field",
    "form",
    "change",
    "lint",
    "baseline",
    "type",
    "scope",
    "public",
    "pub",
    "spec",
    "docs",
    "doc",
    "mock",
    "dummy",
    "manager",
];

/// Folders with texts for people, schemas and installed packages, whose files bear such words for other reasons.
const ELSEWHERE: [&str; 14] = [
    "locale",
    "locales",
    "i18n",
    "l10n",
    "lang",
    "langs",
    "translations",
    "schemas",
    "schema",
    "node_modules",
    "site-packages",
    "wordlists",
    "__snapshots__",
    "man",
];

/// Endings that are neither data nor sources: pictures, styles, texts, what is made from sources.
const HARMLESS: [&str; 48] = [
    "png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "avif", "ttf", "woff", "woff2", "otf",
    "mp4", "mp3", "wav", "scss", "sass", "less", "styl", "snap", "lock", "map", "tmpl", "tpl",
    "j2", "hbs", "ejs", "erb", "mustache", "liquid", "po", "pot", "mo", "ftl", "arb", "resx",
    "strings", "xlf", "xliff", "rst", "tex", "org", "patch", "diff", "o", "so", "class", "pyc",
];

/// Endings of scripts, which name what they do: of these, only a name that is nothing but a secret counts.
const SCRIPTS: [&str; 9] = [
    "sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "sql", "pl",
];

/// Endings of copies, which hold what the file without them holds.
const COPIES: [&str; 16] = [
    "bak", "backup", "old", "orig", "save", "saved", "copy", "tmp", "swp", "swo", "prev",
    "previous", "bk", "rej", "dist-old", "bkp",
];

/// Whether the last name of a path says that the file holds a secret.
pub(super) fn is_secret_by_words(canonical: &str) -> bool {
    let mut names = canonical.rsplit('/');
    let Some(name) = names.next().filter(|name| may_have_words(name)) else {
        return false;
    };
    has_secret_words(name)
        && !in_system(canonical)
        && !names.any(|folder| ELSEWHERE.contains(&&*fold(folder)))
}

/// The path of what a copy was made from: `key.pem` for `key.pem.bak`, `key.pem~` and `.key.pem.swp`.
pub(super) fn original_of(name: &str) -> Option<&str> {
    let bare = name.strip_suffix('~').filter(|bare| !bare.is_empty());
    let autosave = name
        .strip_prefix('#')
        .and_then(|bare| bare.strip_suffix('#'));
    let ending = || {
        let (bare, ending) = name.rsplit_once('.').filter(|(bare, _)| !bare.is_empty())?;
        let numbered = ending.len() <= 2
            && ending.bytes().all(|byte| byte.is_ascii_digit())
            && !ending.is_empty();
        let folded = fold(ending);
        let bare = if folded.starts_with("sw") {
            bare.strip_prefix('.').unwrap_or(bare)
        } else {
            bare
        };
        (numbered || COPIES.contains(&&*folded)).then_some(bare)
    };
    bare.or(autosave).or_else(ending)
}

/// Looks only for beginnings of the words, as nearly every name has none of them.
pub(super) fn may_have_words(name: &str) -> bool {
    !name.is_ascii()
        || name
            .get(name.len().saturating_sub(2)..)
            .is_some_and(|end| end.eq_ignore_ascii_case("pw"))
        || name.as_bytes().windows(3).any(|three| {
            let [a, b, c] = *three else { return false };
            let three = [
                a.to_ascii_lowercase(),
                b.to_ascii_lowercase(),
                c.to_ascii_lowercase(),
            ];
            three.starts_with(b"pw")
                || matches!(
                    &three,
                    b"key"
                        | b"tok"
                        | b"bea"
                        | b"pas"
                        | b"sec"
                        | b"cre"
                        | b"oau"
                        | b"mne"
                        | b"ser"
                        | b"see"
                        | b"pgp"
                        | b"jwk"
                        | b"coo"
                )
        })
}

/// Programs and their data are named after what they do: `passwd` changes passwords.
fn in_system(canonical: &str) -> bool {
    let places = [
        "/usr/",
        "/bin/",
        "/sbin/",
        "/lib",
        "/opt/",
        "/etc/pam.d/",
        "/etc/passwd",
        "/snap/",
        "/nix/store/",
        "/proc/",
        "/sys/",
    ];
    places.iter().any(|place| canonical.starts_with(place))
}

fn has_secret_words(name: &str) -> bool {
    let folded = fold(name.trim_start_matches('.'));
    let ending = folded.rsplit_once('.').map(|(_, ending)| ending);
    // Browsers of one family write it just so; folders of sources are called `cookies`.
    if name == "Cookies" {
        return true;
    }
    if is_source_name(&folded) || ending.is_some_and(|ending| HARMLESS.contains(&ending)) {
        return false;
    }
    let words = words_of(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_script = ending.is_some_and(|ending| SCRIPTS.contains(&ending));
    let stem = match ending {
        Some(_) => words.split_last().map_or(&[][..], |(_, stem)| stem),
        None => &words[..],
    };
    if words.iter().any(|word| ABOUT.contains(&singular(word))) {
        return false;
    }
    match is_script {
        true => is_nothing_else(stem),
        false => holds_secret(&words, stem, ending.is_some() || name.starts_with('.')),
    }
}

/// `plain`: the file has an ending, or is hidden. Other names are those of folders and programs as well, and need surer words.
fn holds_secret(words: &[&str], stem: &[&str], plain: bool) -> bool {
    let pair = words.windows(2).any(|pair| match pair {
        [kind, what] => is_kind(kind) && is_key(what) || LOGINS.contains(kind) && is_pass(what),
        _ => false,
    });
    // A folder of modules is called so in many projects.
    let is_folder = !plain && *words == ["secrets"];
    let word = !is_folder && words.iter().any(|word| SECRET.contains(&singular(word)));
    // A set of keys for everybody is called so, unless it says that it is private.
    let private_set =
        words.contains(&"private") && words.iter().any(|word| singular(word) == "jwk");
    let glued = words.iter().any(|word| is_login_with_pass(word));
    let token = (plain || words.len() == 1) && stem.last().is_some_and(|word| *word == "token");
    pair || word || token || private_set || glued
}

/// `dbpass` and `mysqlpw`: one word of two.
fn is_login_with_pass(word: &str) -> bool {
    ["pass", "pw", "pwd"]
        .iter()
        .filter_map(|end| word.strip_suffix(end))
        .any(|login| LOGINS.contains(&login))
}

/// Whether a script is a list of secrets: `secrets.sh`, `api_keys.sh`.
fn is_nothing_else(stem: &[&str]) -> bool {
    match stem {
        [word] => SECRET.contains(&singular(word)),
        [kind, what] => is_kind(kind) && matches!(*what, "keys" | "tokens"),
        _ => false,
    }
}

fn is_kind(word: &str) -> bool {
    KINDS.contains(&word)
}

fn is_key(word: &str) -> bool {
    matches!(singular(word), "key" | "token") || is_pass(word)
}

fn is_pass(word: &str) -> bool {
    matches!(singular(word), "pass" | "pw" | "pwd")
}

/// A word without its plural and the number behind it: `keys`, `key2` and `oauth2`.
fn singular(word: &str) -> &str {
    let bare = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let bare = if bare.is_empty() { word } else { bare };
    bare.strip_suffix('s')
        .filter(|bare| bare.len() > 2 && !bare.ends_with('s'))
        .unwrap_or(bare)
}

/// The words of a name, folded: parted by signs, and where a capital follows a small letter.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars().take(255) {
        let starts = before.is_lowercase() && letter.is_uppercase();
        if !letter.is_alphanumeric() || starts {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(letter);
        }
        before = letter;
    }
    words
        .into_iter()
        .filter(|word| !word.is_empty())
        .map(|word| fold(&word).into_owned())
        .collect()
}

/// The words as patterns, for people who look up what is guarded.
pub(super) const SHOWN: &[&str] = &[
    "*api_key*",
    "*password*",
    "*passwd*",
    "*passphrase*",
    "*credential*",
    "*secret*",
    "*private_key*",
    "*ssh_key*",
    "*access_key*",
    "*_token.*",
    "*oauth*",
    "*mnemonic*",
    "*keystore*",
];
