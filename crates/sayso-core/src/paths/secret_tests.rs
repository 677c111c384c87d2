//! Names that hold secrets, tool by tool, and ordinary names close to them.

use std::collections::BTreeSet;

use super::{secret, secret_folder, secret_names};

const HOME: Option<&str> = Some("/home/u");

fn found_below_a_workspace(name: &str) -> bool {
    secret(&format!("/home/u/ws/{name}"), HOME).is_some()
}

#[test]
fn finding_j_08_the_names_that_were_not_known() {
    for name in ".dockercfg rclone.conf gh/hosts.yml .config/gh/hosts.yml .prod.vars .passwd ssh_host_rsa_key .ssh_key apikey msmtprc \
        oauth.json vault.yml backup.gpg a/b/secret.gpg"
        .split_whitespace()
    {
        assert!(found_below_a_workspace(name), "{name}");
    }
}

#[test]
fn finding_j_08_names_by_their_words() {
    for name in "
        api_key api-key.txt apiKey.json MyApiKeys.yaml prod_api_key.ini openai-key.txt openai_api_key github_token github-token.txt .github_token
        GITHUB_TOKEN npm_token.txt slack-bot-token.json access_token refresh_token.txt bearer-token.txt db_password db-password.txt
        root.password passwords.db passwords.json password.yml passwords.xlsx .passwords my_passwd passphrase.txt gpg-passphrase
        aws-credentials.txt gcp-creds.json creds.txt creds.json my.creds credentials.bak client_secret.txt clientSecret.json
        private_key private-key.txt privateKey.json PrivateKey.xml rsa_key ssh_host_ed25519_key.old ssh-key.txt deploy_key.txt signing-key.bin
        jwt_key.txt jwt-secret.txt encryption_key.bin master_key.txt root-token.txt vault-token vault_token.txt unseal_keys.json service_account_key.json
        serviceAccount.json oauth2.txt google_oauth.json mnemonic.txt seedphrase.txt wallet-mnemonic.json keystore.json app.secret.json
        prod.secrets.yaml config.secret secret.ini secrets.cfg secrets.conf secrets.sh api_keys.sh credentials.sh secrets.sql hf_token
        telegram_bot_token.txt stripe_secret_key.txt stripe-keys.json htpasswd.txt pgpass.txt personal_access_token ci_token.txt passwords token bearer.txt db_pass user-pass.txt smtp_pw.ini db_pw
        Cookies jwks-private.json private.jwks.json dbpass .dbpass db_pass mysqlpw.txt .rsync_pass restic.pw .jks.pass .vaultpass .ansible/vault
        .stripe/config.toml config.json.dockercfg id_github id_work prod.environment .sentry.properties application-prod.properties
        application-production.yml .lein/credentials.clj .lein/profiles.clj
        key.pem.bak .env~ .env.bak id_rsa.old server.key.1 .npmrc.backup #.env# .server.key.swp .netrc.save credentials.json.orig"
        .split_whitespace()
    {
        assert!(found_below_a_workspace(name), "{name}");
    }
}

#[test]
fn finding_j_08_ordinary_names_are_not_secret() {
    for name in "
        package-lock.json tokens.css tokenizer.py tokenizer.json tokenizer_config.json special_tokens_map.json tokens.json design-tokens.json
        src/auth/secret_manager.rs src/secrets.rs credentials.md docs/passwords.md password.ts PasswordReset.tsx reset-password.html
        locales/en/password.json i18n/de/passwords.yml password-policy.json password_schema.json forgot_password.txt reset_password.txt
        keyboard.json keymap.json hotkeys.json keybindings.json foreign_keys.sql primary_key.sql monkey.txt turkey.csv keynote.txt
        public_key.txt rsa_public_key.txt jwt_public_key.json id_rsa.pub cert.crt
        generate_token.sh rotate-secrets.sh create_api_key.sh check_password_strength.py secret_scanner.py .secretlintrc.json
        passport.json passthrough.txt compass.yaml bypass.txt series.csv server.json service.yaml serverless.yml seeds.json secondary.json
        section.txt sections.yaml security.txt SECURITY.md create.txt credits.txt increments.json accreditation.txt oauth.ts oauth_handler.go
        token.rs tokens.rs lexer/tokens.txt token-icon.svg password.png password.snap secret.test.ts.snap api_key.tmpl
        src/cookies/index.ts app/cookies cookies.ts jwks.json bypass.sh compass.txt userpass.rs application.properties application-dev.yml
        hosts.json profiles.yml profiles.clj env.d.ts env.ts id_github.pub id_work.rs src/id_prod/a.c application.yml
        hosts.yml config.yml settings.json Cargo.lock yarn.lock node_modules/x/password.json main.py.bak notes.txt~ a.json.1
        .gitignore .dockerignore Dockerfile docker-compose.yml .github/workflows/ci.yml .travis/install.sh .buildkite/pipeline.yml .teamcity/settings.kts
        .circleci/config.yml .tox/py3/x .terraform.lock.hcl .terraform/modules/modules.json .megalinter.yml .aws-sam/build.toml .gcloudignore
        .elasticbeanstalk/config.yml .expo/README.md locales/id.json locales/sk.json fonts/fixed.pcf helm/registry/values.yaml kubernetes/nginx.conf kubernetes/app.yaml
        src/shadow/dom.css src/identity/model.json wallets/index.css src/token/mod.rs .shopify/project.json .copr/Makefile src/oauth/scopes.md"
        .split_whitespace()
    {
        assert_eq!(secret(&format!("/home/u/ws/{name}"), HOME), None, "{name}");
    }
    for path in [
        "/etc/passwd",
        "/etc/passwd-",
        "/usr/bin/passwd",
        "/etc/pam.d/passwd",
        "/usr/share/keyrings/docker.gpg",
        "/etc/apt/keyrings/node.gpg",
    ] {
        assert_eq!(secret(path, HOME), None, "{path}");
    }
    for folder in [
        "/ws/src/passwords",
        "/ws/src/private_key",
        "/ws/internal/secret",
        "/ws/access-token",
    ] {
        assert_eq!(secret_folder(folder, HOME), None, "{folder}");
    }
}

#[test]
fn finding_j_08_many_names_are_known() {
    let names: BTreeSet<&str> = secret_names()
        .flat_map(|(_, patterns)| patterns)
        .copied()
        .collect();
    assert!(names.len() > 900, "{}", names.len());
}
