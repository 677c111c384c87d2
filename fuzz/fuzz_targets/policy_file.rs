//! Any bytes as a policy file: read as YAML and as JSON, complaints rendered, and what is sound assembled.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::{Severity, Source};
use sayso_shell::Bash;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let source = Source {
        name: "policy",
        text: &text,
    };
    for format in [Format::Yaml, Format::Json] {
        for origin in [Origin::User, Origin::Managed, Origin::UntrustedProject] {
            let (layer, findings) = read(source, format, origin, &Bash);
            for finding in &findings {
                assert!(!finding.render(source).is_empty());
            }
            let broken = findings
                .iter()
                .any(|finding| finding.severity == Severity::Error);
            assert_eq!(
                layer.is_some(),
                !broken,
                "there is a layer only if nothing in the text is an error"
            );
            if let Some(layer) = layer {
                let policy = Policy::assemble(vec![layer], &Overrides::default(), &Bash);
                assert!(policy.why_broken().is_none() && !policy.views().is_empty());
            }
        }
    }
});
