//! Scripts that run from the bytes that were approved.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use sayso_tools::terminal::{Command, End};

use super::{in_folder, run};

#[test]
fn finding_d_10_the_approved_bytes_run_and_the_end_is_that_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sh");
    fs::write(&path, "#!/bin/bash\necho changed\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let approved = b"#!/bin/bash\necho approved \"$0\"; sleep 0.02; exit 3\n".to_vec();
    let scripts = [(path.to_str().unwrap().to_owned(), approved)];
    // A stop of a process that is traced must never pass for its end.
    for _ in 0..40 {
        for (line, said) in [
            ("bash s.sh", "approved s.sh\n"),
            ("./s.sh", "approved ./s.sh\n"),
            ("true; (./s.sh) | cat; exit 3", "approved ./s.sh\n"),
        ] {
            let done = run(Command {
                scripts: &scripts,
                ..in_folder(line, folder.path())
            });
            assert_eq!(
                (done.output.as_str(), done.end),
                (said, End::Exit(3)),
                "{line}"
            );
        }
    }
}
