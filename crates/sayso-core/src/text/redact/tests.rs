//! Tables and properties of redaction: what is planted never survives, what is none stays, and twice is once.

use proptest::prelude::*;

use super::*;
use crate::text::json;

const MARK: &str = "hunter2Zq9";

#[test]
fn h_66_d18_secrets_in_texts() {
    for (text, expected) in [
        (
            r#"curl -H "Authorization: Bearer hunter2Zq9" https://h/x"#,
            r#"curl -H "Authorization: [redacted]" https://h/x"#,
        ),
        (
            "curl -H 'Authorization: Basic hunter2Zq9==' https://h",
            "curl -H 'Authorization: [redacted]' https://h",
        ),
        (
            "curl -H 'X-Api-Key: hunter2Zq9' https://h",
            "curl -H 'X-Api-Key: [redacted]' https://h",
        ),
        (
            "curl -H X-Api-Key:hunter2Zq9 https://h",
            "curl -H X-Api-Key:[redacted] https://h",
        ),
        (
            "curl -H 'Cookie: a=\"hunter2Zq9\"; b=c' https://h",
            "curl -H 'Cookie: [redacted]' https://h",
        ),
        (
            "curl -u me:hunter2Zq9 https://h",
            "curl -u me:[redacted] https://h",
        ),
        (
            "curl --user 'me:hunter2Zq9' https://h",
            "curl --user 'me:[redacted]' https://h",
        ),
        (
            "curl https://me:hunter2Zq9@h/x?y=1",
            "curl https://[redacted]@h/x?y=1",
        ),
        (
            "git clone https://hunter2Zq9@h/x",
            "git clone https://[redacted]@h/x",
        ),
        (
            "psql postgres://me:a/hunter2Zq9@h/db",
            "psql postgres://[redacted]@h/db",
        ),
        (
            "psql postgres://me:a@hunter2Zq9@h/db",
            "psql postgres://[redacted]@h/db",
        ),
        (
            "curl 'https://h/x?token=hunter2Zq9&page=2'",
            "curl 'https://h/x?token=[redacted]&page=2'",
        ),
        ("PASSWORD=hunter2Zq9 make", "PASSWORD=[redacted] make"),
        (
            "export DB_PASSWORD='hunter2 hunter2Zq9'; make",
            "export DB_PASSWORD='[redacted]'; make",
        ),
        (
            "export TOKEN=hunter2Zq9; make",
            "export TOKEN=[redacted]; make",
        ),
        (
            "env TOKEN=\"a b\"'hunter2Zq9' make",
            "env TOKEN=[redacted] make",
        ),
        ("x --password=hunter2Zq9 y", "x --password=[redacted] y"),
        ("x --password hunter2Zq9 y", "x --password [redacted] y"),
        (
            "x --api-key \"hunter2Zq9\" y",
            "x --api-key \"[redacted]\" y",
        ),
        (
            "java -Djavax.net.ssl.keyStorePassword=hunter2Zq9 -jar a",
            "java -Djavax.net.ssl.keyStorePassword=[redacted] -jar a",
        ),
        (
            "mysql -u root -phunter2Zq9 db",
            "mysql -u root -p[redacted] db",
        ),
        ("mysql -pa'hunter2 Zq9'b db", "mysql -p[redacted] db"),
        (
            "curl -u \"$ME:$MY_PASS\" https://h",
            "curl -u \"$ME:$MY_PASS\" https://h",
        ),
        ("sshpass -p hunter2Zq9 ssh h", "sshpass -p [redacted] ssh h"),
        (
            "docker login -u me -p hunter2Zq9",
            "docker login -u me -p [redacted]",
        ),
        (
            "bash -c \"mysql -phunter2Zq9\"",
            "bash -c \"mysql -p[redacted]\"",
        ),
        (
            "openssl rsa -passin pass:hunter2Zq9",
            "openssl rsa -passin pass:[redacted]",
        ),
        (
            r#"{"password": "hunter2Zq9", "n": 1}"#,
            r#"{"password": "[redacted]", "n": 1}"#,
        ),
        (
            r#"{\"password\": \"hunter2Zq9\", \"n\": 1}"#,
            r#"{\"password\": \"[redacted]\", \"n\": 1}"#,
        ),
        (
            "password: hunter2Zq9\nuser: me",
            "password: [redacted]\nuser: me",
        ),
        (
            "password: |\n  hunter2Zq9\n  hunter2Zq9\nuser: me",
            "password: |\n  [redacted]\nuser: me",
        ),
        (
            "client_secret = 'hunter2Zq9'",
            "client_secret = '[redacted]'",
        ),
        ("a\\napi_key=hunter2Zq9", "a\\napi_key=[redacted]"),
        ("it's so: TOKEN=hunter2Zq9 x", "it's so: TOKEN=[redacted] x"),
        (
            "AccountName=a;AccountKey=hunter2Zq9;",
            "AccountName=a;AccountKey=[redacted];",
        ),
        ("Bearer hunter2Zq9 it is", "Bearer [redacted] it is"),
        (
            "git push ghp_0123456789abcdefghijABCDEFGHIJ012345",
            "git push [redacted]",
        ),
        ("echo sk-ant-api03-0123456789abcdef.", "echo [redacted]."),
        ("AKIAIOSFODNN7EXAMPLE,x", "[redacted],x"),
        ("xoxb-1234567890-abcdef", "[redacted]"),
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123 x",
            "[redacted] x",
        ),
        (
            "a -----BEGIN RSA PRIVATE KEY-----\nhunter2Zq9\n-----END RSA PRIVATE KEY----- b",
            "a [redacted] b",
        ),
        (
            "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2Zq9",
            "[redacted]",
        ),
    ] {
        assert_eq!(redact_text(text), expected, "{text}");
        assert_eq!(redact_text(expected), expected, "again: {text}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    for text in [
        "",
        "ls -la && cat src/main.rs",
        "git clone ssh://git@github.com/a/b.git",
        "git clone git@github.com:a/b.git",
        "curl http://localhost:8080/a@b",
        "curl http://[::1]:80/x@y",
        "npm install @types/node@1.2.3",
        "curl -H \"Authorization: Bearer $TOKEN\" https://h",
        "TOKEN=$TOKEN make",
        "export TOKEN=$(cat file)",
        "docker run -p 8080:80 x",
        "mkdir -p a/b; cp -p a b",
        "mysql -p db",
        "cd $PWD; PWD=/ws x",
        "max_tokens: 100",
        "tests pass: all of them",
        "a bearer of bad news",
        "use token::Kind; secret://x",
        "docker login --password-stdin",
        "pip install sk-learn-contrib-and-more",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "fn next_token(&self) -> Token { self.pass() }",
        "größer als 'ünïcode' — “quotes”",
    ] {
        assert_eq!(redact_text(text), text);
    }
}

fn of(text: &str) -> Node {
    json::read(text, &crate::text::Limits::default()).expect("JSON")
}

#[test]
fn z_48_secrets_in_trees() {
    for (text, expected) in [
        (
            r#"{"password":"x","apiKey":1,"user":"me"}"#,
            r#"{"password":"[redacted]","apiKey":"[redacted]","user":"me"}"#,
        ),
        (
            r#"{"has_password":true,"token":null,"secret":""}"#,
            r#"{"has_password":true,"token":null,"secret":""}"#,
        ),
        (
            r#"{"max_tokens":100,"tokens":["a",{"b":"c"}]}"#,
            r#"{"max_tokens":100,"tokens":["[redacted]",{"b":"[redacted]"}]}"#,
        ),
        (
            r#"{"env":[{"name":"DB_PASSWORD","value":"x"}]}"#,
            r#"{"env":[{"name":"DB_PASSWORD","value":"[redacted]"}]}"#,
        ),
        (
            r#"["x","--token","abc","y"]"#,
            r#"["x","--token","[redacted]","y"]"#,
        ),
        (
            r#"{"headers":{"Authorization":"Bearer $X","Accept":"a"}}"#,
            r#"{"headers":{"Authorization":"[redacted]","Accept":"a"}}"#,
        ),
        (
            r#"{"command":"TOKEN=abc x","url":"https://a:b@h"}"#,
            r#"{"command":"TOKEN=[redacted] x","url":"https://[redacted]@h"}"#,
        ),
        (
            r#"{"content":"{\"password\":\"abc\"}"}"#,
            r#"{"content":"{\"password\":\"[redacted]\"}"}"#,
        ),
    ] {
        assert_eq!(json::write(&redact(&of(text))), expected);
        assert_eq!(json::write(&redact(&redact(&of(text)))), expected);
    }
    let mut deep = Node::text(MARK);
    for _ in 0..1000 {
        deep = Value::List(vec![deep]).into();
    }
    assert!(!json::write(&redact(&deep)).contains(MARK));
}

/// Hostile texts of a size take a time that grows with it; this is only about their ending soon at all.
#[test]
fn hostile_texts_end() {
    for piece in [
        "://",
        "a://b:c/",
        "eyJ-",
        "eyJ.",
        "-----BEGIN ",
        "token=\"",
        "token='",
        "token=\\\"",
        "password ",
        "\\",
        "\\n",
        "'\"`",
        "Bearer ",
        "-p\"",
        "mysql -pa'",
        "a@",
        "Authorization: \"",
        "token: |\n ",
        "&a=",
        "token=&",
        "sk-",
        "--token ",
        "=",
        "token=$A ",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        let once = redact_text(&text);
        assert!(once.len() <= text.len() * REDACTED.len() + REDACTED.len());
    }
}

fn word() -> impl Strategy<Value = String> {
    // No letter runs that could be taken for a name of a secret.
    "[b-df-hj-mv-z]{1,8}"
}

/// Ways to write a secret down, each with a place for it.
const WAYS: &[&str] = &[
    "PASSWORD={}",
    "export API_KEY='{}'",
    "clientSecret: \"{}\"",
    "\"access_token\":\"{}\"",
    "\\\"access_token\\\":\\\"{}\\\"",
    "--password={}",
    "--token {}",
    "-H 'Authorization: Bearer {}'",
    "-H \"X-Auth-Token: {}\"",
    "Authorization: token {}\n",
    "https://user:{}@host/path",
    "https://{}@host/path",
    "'https://host/?api_key={}'",
    "curl -u me:{}",
    "sshpass -p{}",
    "password = \"{}\"",
    "secret:\n",
    "ghp_{}0123456789abcdefghij",
    "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_planted_secret_never_survives(
        before in prop::collection::vec(word(), 0..5),
        way in prop::sample::select(WAYS),
        secret in "[A-Za-z0-9]{4,8}Qj7[A-Za-z0-9+=/.~!*%^-]{0,12}[A-Za-z0-9]",
        after in prop::collection::vec(word(), 0..5),
    ) {
        // A slash in what stands alone before the host makes it a path.
        let secret = if way == "https://{}@host/path" { secret.replace('/', "_") } else { secret };
        let secret = if way.starts_with("ghp_") { "Qj7".to_owned() } else { secret };
        let planted = way.replace("{}", &secret);
        let text = format!("{} {planted} {}", before.join(" "), after.join(" "));
        let out = redact_text(&text);
        prop_assert!(!way.contains("{}") || !out.contains("Qj7"), "{text:?} gives {out:?}");
        prop_assert!(out.starts_with(&before.join(" ")), "{text:?} gives {out:?}");
        prop_assert_eq!(redact_text(&out), out);
    }

    #[test]
    fn words_alone_stay(words in prop::collection::vec(word(), 0..20)) {
        let text = words.join(" ");
        prop_assert_eq!(redact_text(&text), text);
    }

    #[test]
    fn any_text_is_taken_and_twice_is_once(
        pieces in prop::collection::vec(
            prop_oneof![
                any::<String>(),
                prop::sample::select(&["password", "token", "=", ":", " ", "\"", "'", "\\", "\n", "://", "@", "&", "[redacted]", "Authorization: ",
                    "Bearer ", "--", "curl -u ", "x", ":1", "eyJ", ".", "|", "-----BEGIN PRIVATE KEY-----", ",", "]", "$A", "`", "mysql -p"][..]).prop_map(str::to_owned),
            ],
            0..20,
        ),
    ) {
        let once = redact_text(&pieces.concat());
        prop_assert_eq!(redact_text(&once), once);
    }
}
