//! Ordinary lines of real work that were denied or asked about for a false reason.

use sayso_core::decide::Run;
use sayso_core::verdict::{Decision, Verdict};

use crate::scene::Scene;

fn scene() -> Scene {
    let scene = Scene::empty();
    scene.git(&["init", "--quiet", "."]);
    scene.file("a.txt", "x");
    scene
}

fn judge(scene: &Scene, text: &str) -> Verdict {
    scene.judge(scene.command(text), &[], Run::Interactive)
}

/// finding N-01: an option behind the address is an option, and a long value is no path that cannot be looked up.
#[test]
fn finding_n_01_options_behind_operands_are_options_and_values_stay_out_of_reasons() {
    let scene = scene();
    let token = "s3cr3t".repeat(60);
    for text in [
        format!("curl https://example.org/x -H 'Authorization: Bearer {token}'"),
        format!("curl https://example.org/x -d '{token}'"),
        format!("wget https://example.org/x --header 'X: {token}'"),
        format!("wget https://example.org/x --post-data='{token}'"),
        format!("grep foo a.txt -e {token}"),
    ] {
        let verdict = judge(&scene, &text);
        assert_ne!(verdict.decision, Decision::Deny, "{text}: {:?}", verdict.reasons);
        assert!(verdict.reasons.iter().all(|reason| !reason.text.contains(&token)), "{:?}", verdict.reasons);
        let is_value = |path: &str| path.contains(&token);
        assert!(!verdict.effects.iter().filter_map(|effect| effect.place()).any(|place| is_value(&place.written)), "{text}");
    }
    // A name that is too long for any file cannot be read, and says so without the whole of it.
    let long = judge(&scene, &format!("cat {}", "x".repeat(300)));
    assert_ne!(long.decision, Decision::Deny, "{:?}", long.reasons);
}

/// finding N-01: a file that has the name of an option still counts where it is there.
#[test]
fn finding_n_01_a_file_with_the_name_of_an_option_is_still_looked_at() {
    let scene = scene();
    std::os::unix::fs::symlink("/etc/passwd", std::path::Path::new(scene.folder()).join("-n")).unwrap();
    assert_eq!(judge(&scene, "cat a.txt -n").decision, Decision::Ask);
    std::fs::remove_file(std::path::Path::new(scene.folder()).join("-n")).unwrap();
    assert_eq!(judge(&scene, "cat a.txt -n").decision, Decision::Allow);
}

/// finding N-02: the folder itself, written with a slash behind a variable.
#[test]
fn finding_n_02_the_folder_itself_with_a_slash_is_the_folder() {
    let scene = scene();
    for text in
        ["ls $(pwd)/", "ls \"$PWD/\"", "ls \"$(pwd)/\"", "find $(pwd)/", "ls $PWD//", "cd \"$PWD/\" && ls", "ls -la \"${PWD}/\" a.txt"]
    {
        let verdict = judge(&scene, text);
        assert_eq!(verdict.decision, Decision::Allow, "{text}: {:?}", verdict.reasons);
    }
}
