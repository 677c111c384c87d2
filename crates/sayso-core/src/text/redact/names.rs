//! Names that say "what follows is a secret": keys of maps, headers, variables, options.

/// What a name says of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A header whose value goes on to the end of the line.
    Header,
    /// One secret.
    One,
    /// One secret, where it is written like an assignment: the word means other things, too.
    Perhaps,
    /// Several; a number is a count.
    Several,
}

/// The name as a whole.
const HEADERS: &[&str] = &["authorization", "proxyauthorization", "cookie", "setcookie"];

/// The last word of a name.
const WORDS: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "cookie",
    "authorization",
    "apikey",
    "credential",
    "jwt",
    "otp",
    "totp",
    "signature",
];

/// The end of a name that is written in one word.
const ENDINGS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "secretkey",
    "privatekey",
    "accesskey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "accountkey",
    "authkey",
];

/// What makes a key one that opens something.
const KEYS: &[&str] = &[
    "api",
    "private",
    "secret",
    "access",
    "auth",
    "signing",
    "encryption",
    "encrypt",
    "master",
    "account",
    "shared",
    "session",
    "storage",
    "service",
    "deploy",
    "app",
    "consumer",
    "license",
    "hmac",
    "jwt",
    "subscription",
    "integration",
    "write",
    "admin",
];

/// Words behind the one that counts: `password_confirmation`, `TOKEN_VALUE`, `secret_base64`.
const BEHIND: &[&str] = &[
    "value",
    "text",
    "plain",
    "plaintext",
    "old",
    "new",
    "current",
    "confirm",
    "confirmation",
    "again",
    "repeat",
    "base64",
    "b64",
    "hex",
    "hash",
    "raw",
    "string",
    "str",
];

/// Longer ones are text, not names.
const LONGEST: usize = 200;

/// What a name says of its value; none for names that say nothing.
pub(super) fn sort(name: &str) -> Option<Sort> {
    if name.len() > LONGEST || name == "PWD" || name == "OLDPWD" {
        return None;
    }
    let mut words = words(name);
    while words.len() > 1
        && words.last().is_some_and(|last| {
            BEHIND.contains(&last.as_str()) || last.bytes().all(|b| b.is_ascii_digit())
        })
    {
        words.pop();
    }
    let whole: String = words.concat();
    let whole = whole.trim_end_matches(|character: char| character.is_ascii_digit());
    let last = words
        .last()?
        .trim_end_matches(|character: char| character.is_ascii_digit());
    if HEADERS.contains(&whole) {
        return Some(Sort::Header);
    }
    let before = words.iter().rev().nth(1).map(String::as_str);
    let one = |last: &str, whole: &str| {
        WORDS.contains(&last)
            || ENDINGS.iter().any(|ending| whole.ends_with(ending))
            || last == "key" && before.is_some_and(|word| KEYS.contains(&word))
    };
    if one(last, whole) {
        return Some(Sort::One);
    }
    if matches!(
        (before, last),
        (_, "pass" | "pw" | "sig" | "creds") | (Some(_), "auth")
    ) {
        return Some(Sort::Perhaps);
    }
    let single = |word: &str| word.strip_suffix('s').map(str::to_owned);
    let several = single(last)
        .zip(single(whole))
        .is_some_and(|(last, whole)| one(&last, &whole));
    several.then_some(Sort::Several)
}

/// The words of a name, in small letters: `X-Api-Key`, `api_key`, `apiKey` and `APIKey` have the same two at the end.
fn words(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut characters = name.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(character) = characters.next() {
        let starts = character.is_ascii_uppercase()
            && before.is_some_and(|before| {
                !before.is_ascii_uppercase()
                    || characters
                        .peek()
                        .is_some_and(|next| next.is_ascii_lowercase())
            });
        let separates = !character.is_ascii_alphanumeric();
        if (starts || separates) && out.last().is_some_and(|word| !word.is_empty()) {
            out.push(String::new());
        }
        if !separates && let Some(word) = out.last_mut() {
            word.push(character.to_ascii_lowercase());
        }
        before = Some(character);
    }
    if out.len() > 1 && out.last().is_some_and(String::is_empty) {
        out.pop();
    }
    // `_auth` of a package registry is a word with nothing before it.
    if name.starts_with('_') {
        out.insert(0, "_".to_owned());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_every_spelling() {
        for name in [
            "password",
            "PASSWORD",
            "Password",
            "db_password",
            "DB-PASSWORD",
            "dbPassword",
            "PGPASSWORD",
            "password2",
            "newPassword",
            "password_confirmation",
            "passwd",
            "MYSQL_PWD",
            "secret",
            "client_secret",
            "clientSecret",
            "token",
            "access_token",
            "GITHUB_TOKEN",
            "authtoken",
            "_authToken",
            "api_key",
            "apikey",
            "ApiKey",
            "APIKey",
            "X-Api-Key",
            "api.key",
            "AWS_SECRET_ACCESS_KEY",
            "private_key",
            "privateKey",
            "SharedAccessKey",
            "AccountKey",
            "cookie",
            "spring.datasource.password",
            "X-Amz-Signature",
            "jwt",
            "passphrase",
        ] {
            assert!(
                matches!(sort(name), Some(Sort::One | Sort::Header)),
                "{name}: {:?}",
                sort(name)
            );
        }
        for name in [
            "Authorization",
            "authorization",
            "Proxy-Authorization",
            "Cookie",
            "set-cookie",
        ] {
            assert_eq!(sort(name), Some(Sort::Header), "{name}");
        }
        for name in [
            "tokens",
            "secrets",
            "credentials",
            "api_keys",
            "max_tokens",
            "cookies",
        ] {
            assert_eq!(sort(name), Some(Sort::Several), "{name}");
        }
        for name in ["pass", "db_pass", "_auth", "sig"] {
            assert_eq!(sort(name), Some(Sort::Perhaps), "{name}");
        }
        for name in [
            "",
            "_",
            "-",
            "path",
            "command",
            "content",
            "PWD",
            "OLDPWD",
            "token_count",
            "tokenizer",
            "token_type",
            "password_file",
            "secret_name",
            "key",
            "key_id",
            "public_key",
            "primary_key",
            "author",
            "auth",
            "bypass",
            "compass",
            "cookie_jar",
            "session_id",
            "passing",
            "keys",
        ] {
            assert_eq!(sort(name), None, "{name}");
        }
    }
}
