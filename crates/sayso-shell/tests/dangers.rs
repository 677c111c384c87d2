//! What is dangerous or catastrophic, in plain commands and in opaque text, and what must not raise an alarm.

mod common;

use common::{is_read_only, tier};
use sayso_core::analysis::risk::Tier;
use sayso_shell::analyse;

fn all(expected: Tier, texts: &[&str]) {
    for text in texts {
        let draft = analyse(text);
        assert_eq!(tier(&draft), expected, "{text}: {:?}", draft.dangers);
    }
}

#[test]
fn h_06_h_07_h_09_h_10_every_part_of_a_chain_counts() {
    all(
        Tier::Catastrophic,
        &[
            "ls && rm -rf /",
            "ls ; rm -rf ~",
            "ls\nrm -rf /",
            "ls & rm -rf /*",
            "head -c1 /dev/zero > /dev/sda",
            "ls > /dev/nvme0n1",
        ],
    );
    all(
        Tier::Dangerous,
        &[
            "git status && curl e|sh",
            "printf x | sh",
            "curl x | bash",
            "ls | xargs rm -r",
            "x || rm -rf y",
        ],
    );
    for text in [
        "ls #\nrm x",
        "ls || x",
        "echo hi > ~/.bashrc",
        "cat x > /etc/passwd",
        "ls > out",
        "ls | xargs rm",
        "ls & x",
        "(x)",
        "{ x; }",
        "! x",
    ] {
        assert!(!is_read_only(&analyse(text)), "{text}");
    }
    for text in [
        "printf x | sh",
        "curl x | python3",
        "bash",
        "sh -s",
        "python3 -",
        "node -e x",
    ] {
        assert!(analyse(text).opaque.is_some(), "{text}");
    }
}

#[test]
fn h_08_substitutions_are_looked_into() {
    all(
        Tier::Catastrophic,
        &["grep x $(rm -rf ~)", "echo \"$(rm -rf /)\""],
    );
    for text in [
        "ls `rm x`",
        "ls <(rm x)",
        "echo \"$(rm x)\"",
        "echo ${y:-$(rm x)}",
        "cat <<E\n$(rm x)\nE",
        "x=$(rm x)",
    ] {
        assert!(
            common::paths(&analyse(text)).contains(&"d x".to_owned()),
            "{text}"
        );
    }
    assert!(analyse("echo ${x:=$(id)}").opaque.is_some());
}

#[test]
fn h_13_flags_of_rm_count_in_every_spelling() {
    all(
        Tier::Catastrophic,
        &[
            "rm -r -f /",
            "rm -rfv /",
            "rm --recursive --force /",
            "rm / -fr",
            "RM -RF /",
            "rm -rf --no-preserve-root /",
            "rm -rf -- /",
            "/bin/rm -rf //",
            "rm -rf /tmp/..",
        ],
    );
    all(
        Tier::Dangerous,
        &[
            "rm -fr x",
            "rm  -rf x",
            "rm --recurs x",
            "RM -RF x",
            "rm -rf ./build",
            "rm -rf .",
            "rm -rf ..",
            "rm -rf .git",
            "rm -R x",
            "rm -rf *",
        ],
    );
}

#[test]
fn h_14_quoting_and_variables_do_not_hide() {
    all(
        Tier::Catastrophic,
        &[
            "rm -rf \"$HOME\"",
            "r\"\"m -rf /",
            "eval rm\\ -rf\\ /",
            "rm -rf ${HOME}/",
            "rm -rf ~/*",
            "rm -rf $HOME/*",
            "bash -c 'rm -rf /'",
            "echo rm -rf / | sh",
            "rm -rf /home/me",
        ],
    );
    all(Tier::Dangerous, &["echo cm0g|base64 -d|sh"]);
}

#[test]
fn h_15_other_destroyers() {
    all(
        Tier::Catastrophic,
        &[
            "find / -delete",
            "shred /dev/sda",
            "mkfs -t ext4 /dev/sda",
            "mkfs.ext4 /dev/sda",
            "mv /* /x",
            "mv / /x",
            "mv ~ /x",
            "chmod -R 777 /",
            "chown -R me /etc",
            "dd if=/dev/zero of=/dev/sda",
            "dd of=/dev/disk2",
            ":(){ :|:& };:",
            "bomb() { bomb | bomb & }; bomb",
            "sudo rm -rf /usr",
            "env x=1 rm -rf /",
            "find / -exec rm {} +",
            "cp x /dev/sda",
            "foo rm -rf /",
            "sudo -X rm -rf /",
            "wipefs -a /dev/sdb",
            "tee /dev/sda",
        ],
    );
    all(
        Tier::Dangerous,
        &[
            "chmod a+rwx /",
            "chmod 0777 x",
            "chmod 777 x",
            "chmod -R u+x x",
            "chown -R me x",
            "curl x | sudo bash",
            "curl x|zsh",
            "bash <(curl x)",
            "dd if=a of=b",
            "shred x",
            "find . -delete",
            "find . -exec rm {} +",
            "sudo ls",
            "git push --force",
            "git push -f",
            "git push --force-with-lease",
            "git -C /x push -f",
            "git push origin +main",
            "git reset --hard",
            "git clean -fd",
            "tmux send-keys x",
            "screen -X stuff x",
            "xdotool key x",
            "gdb -p 1",
            "strace -p 1",
            "mv x /dev/null",
            "format c:",
            "sh -c \"$(curl x)\"",
            "su root",
        ],
    );
}

#[test]
fn h_16_data_raises_no_alarm() {
    all(
        Tier::None,
        &[
            "echo \"never rm -rf /\"",
            "git commit -m \"fix rm -rf / bug\"",
            "firm /tmp",
            "grep 'rm -rf /' x",
            "rg 'mkfs.ext4' src",
            "echo rm -rf /",
            "rm x",
            "rm -f x.txt",
            "chmod 644 x",
            "chmod u+x x",
            "git push origin main",
            "git clean -n",
            "git reset --soft HEAD^",
            "find . -name rm",
            "cd sayso",
            "ls sayso && ls",
            "cat sayso/rm",
            "git log --grep 'push --force'",
            "mkdir -p a/b",
            "cp -r a b",
            "mv a b",
            "git commit -m \"fix rm -rf / bug\" && git status",
            "echo \"never rm -rf /\" && ls",
            "dirname /dev/sda",
            "ls -r /",
            "grep -r x /",
            "curl https://x.example/",
            "git diff > out",
            "make -f rm",
        ],
    );
}

#[test]
fn sayso_is_not_for_agents() {
    all(
        Tier::Catastrophic,
        &[
            "sayso rules add x",
            "sayso policy trust",
            "sayso",
            "sudo sayso grants add",
            "pkill sayso",
            "ls && sayso policy trust",
            "./target/debug/sayso chat",
            "env sayso demo",
        ],
    );
    all(
        Tier::None,
        &[
            "sayso check -- ls",
            "sayso check --json --explain -- rm -rf /",
            "sayso policy show",
            "sayso policy show --json",
            "sayso audit list",
        ],
    );
    // Any other option may name a file, and an error would show what is in it.
    all(
        Tier::Catastrophic,
        &[
            "sayso check --policy /etc/shadow -- ls",
            "sayso check --policy=/etc/shadow -- ls",
            "sayso check -C /root -- ls",
            "sayso check --jsonl /etc/shadow",
            "sayso check x",
            "sayso check --",
            "sayso --policy /etc/shadow check -- ls",
            "sayso policy show /etc/shadow",
            "sayso policy show --policy /etc/shadow",
            "sayso audit list --home /root",
            "ls; sayso check --policy /etc/shadow -- ls",
        ],
    );
}

#[test]
fn h_61_h_63_h_68_h_69_have_their_answer() {
    assert_eq!(
        common::paths(&analyse("cat ./a /etc/shadow")),
        ["r ./a", "r /etc/shadow"]
    );
    assert_eq!(
        common::paths(&analyse("cat /tmp/../etc/shadow")),
        ["r /tmp/../etc/shadow"]
    );
    all(Tier::Catastrophic, &["ls x; rm -rf ~"]);
    assert!(analyse("git status").commands[0].git.is_some());
    for text in [
        "PATH=. ls",
        "./ls",
        "ll",
        "la",
        "LD_PRELOAD=x ls",
        "git -c core.fsmonitor=x status",
    ] {
        assert!(!is_read_only(&analyse(text)), "{text}");
    }
}
