//! Programs that work on keys and certificates: only sums, fingerprints and what a certificate says in words are silent.

use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::Program;
use crate::programs::effect_builder::Scene;

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::raw(&["openssl"], digest),
    Program::new(&["ssh-keygen"], "-l -v -E={md5,sha256} -f=<", key_print),
];

/// Only checksums and the version.
fn digest(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    match parsed.operands.as_slice() {
        ["version"] | ["version", "-a"] => {}
        [
            "dgst",
            "-md5" | "-sha1" | "-sha224" | "-sha256" | "-sha384" | "-sha512",
            paths @ ..,
        ]
        | ["md5" | "sha1" | "sha256" | "sha512", paths @ ..]
            if paths.iter().all(|path| {
                !placeholder::may_be_option(path) && !placeholder::may_be_several(path)
            }) =>
        {
            for path in paths {
                scene.read(path, false);
            }
        }
        ["x509" | "req" | "crl", words @ ..] if shows_certificate(words) => {
            // Of a file with a key in it, only the certificate is shown.
            scene.only_names = true;
            for pair in words.windows(2).filter(|pair| pair.first() == Some(&"-in")) {
                pair.last()
                    .into_iter()
                    .for_each(|path| scene.read(path, false));
            }
        }
        _ => scene.unknown("works on keys, certificates or connections"),
    }
}

/// Whether nothing is made of a certificate, which is only shown in words.
fn shows_certificate(words: &[&str]) -> bool {
    const SHOWS: [&str; 17] = [
        "-noout",
        "-text",
        "-subject",
        "-issuer",
        "-dates",
        "-startdate",
        "-enddate",
        "-serial",
        "-fingerprint",
        "-sha256",
        "-sha1",
        "-hash",
        "-email",
        "-purpose",
        "-pubkey",
        "-modulus",
        "-verify",
    ];
    let mut rest = words.iter();
    let mut known = words.contains(&"-noout");
    while let Some(word) = rest.next() {
        known &= match *word {
            "-in" => rest.next().is_some_and(|path| {
                placeholder::is_literal(path) && !path.starts_with('-') && !path.contains(':')
            }),
            "-inform" | "-checkend" => rest
                .next()
                .is_some_and(|value| value.bytes().all(|byte| byte.is_ascii_alphanumeric())),
            word => SHOWS.contains(&word),
        };
    }
    known
}

/// Only the fingerprint of a key.
fn key_print(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if !parsed.keeps_mode("-l") || !parsed.has("-f") || !parsed.operands.is_empty() {
        scene.unknown("makes or changes keys");
    }
}
