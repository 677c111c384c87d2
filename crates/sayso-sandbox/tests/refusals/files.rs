//! Changes of files, as programs make them.

use sayso_sandbox::refusal::{Refused, Source};

use crate::desk::{Desk, Test, is_root};

pub const TESTS: &[Test] = &[(
    "a_write_to_the_system_is_noted_with_its_program",
    a_write_to_the_system_is_noted_with_its_program,
)];

fn a_write_to_the_system_is_noted_with_its_program() {
    let desk = Desk::new();
    let ran = desk.run("touch /etc/x; mkdir ~/.npm; echo x > ~/.npm/y; mkdir -p /usr/a/b; rm .git/config; mv .git g; echo x > .env; echo y > out; touch .git/hooks/pre-commit; ls /nothere; cd sub 2>/dev/null; echo x >> /etc/passwd; mkdir .claude; touch .claude/x; ln -s /etc l; touch l/viaLink; exit 3");
    println!("{ran:#?}");
    assert_eq!(ran.code, Some(3));
    let first = &ran.refusals[0];
    assert_eq!(first.what, Refused::Create("/etc/x".into()));
    assert_eq!(first.errno, Some(libc::EROFS));
    assert_eq!(first.program.as_deref(), Some("touch"));
    assert_eq!(first.source, Source::Kernel);
    assert_eq!(first.also_outside, !is_root());
}
