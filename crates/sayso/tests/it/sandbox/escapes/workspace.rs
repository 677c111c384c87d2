//! Attempts on what the workspace keeps: what git runs by itself, and configuration of agents and editors.

use super::attempt::{Attempt, bash, python};

const WORKSPACE: &str = "Landlock only ever gives: below a folder that is writable, nothing can be hidden or kept read-only.";

/// What is new afterwards and must not be is taken away, whatever bounds the command.
const TAKEN_AWAY: [&str; 9] = [
    "have git look for its configuration elsewhere",
    "give git's configuration a second part",
    "give a second tree its own configuration",
    "make configuration of an agent",
    "make a list of an agent's servers",
    "make a policy of sayso",
    "make a link where configuration could be",
    "move a folder to where configuration could be",
    "take away what keeps configuration absent",
];

pub fn attempts() -> Vec<Attempt> {
    let mut attempts = git();
    attempts.extend(configuration());
    let covered = |attempt: Attempt| {
        if TAKEN_AWAY.contains(&attempt.name) {
            attempt
        } else {
            attempt.lets(WORKSPACE)
        }
    };
    attempts.into_iter().map(covered).chain(others()).collect()
}

fn git() -> Vec<Attempt> {
    vec![
        bash("change a hook of git", "echo x >> .git/hooks/pre-commit"),
        bash("make a hook of git", "echo x > .git/hooks/post-checkout"),
        bash("make a hook of git run", "chmod +x .git/hooks/pre-commit"),
        bash(
            "move `.git` away and make one with a hook",
            "mv .git away; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",
        ),
        python(
            "exchange `.git` with another folder",
            "os.makedirs('.new/hooks'); done(libc.renameat2(-100, b'.git', -100, b'.new', 2))",
        ),
        bash("move the hooks away", "mv .git/hooks .git/away"),
        bash(
            "have git run a program by its configuration",
            "git config core.fsmonitor ./x",
        ),
        bash("change git's configuration", "echo x >> .git/config"),
        bash(
            "put another configuration of git in its place",
            "cp .git/config .git/new; echo x >> .git/new; mv -f .git/new .git/config",
        ),
        bash(
            "change git's configuration through a hard link",
            "ln .git/config link && echo x >> link",
        ),
        bash(
            "change git's configuration through an open file",
            "exec 5< .git/config; echo x >> /proc/self/fd/5",
        ),
        bash(
            "have git look for its configuration elsewhere",
            "mkdir evil; echo ../evil > .git/commondir",
        ),
        bash(
            "give git's configuration a second part",
            "echo x > .git/config.worktree",
        ),
        bash(
            "make attributes of git",
            "mkdir -p .git/info; echo '* filter=x' > .git/info/attributes",
        ),
        bash(
            "make a hook of a module",
            "mkdir -p .git/modules/m/hooks; echo x > .git/modules/m/hooks/post-checkout",
        ),
        bash(
            "change the configuration of a module",
            "echo x >> .git/modules/m/config",
        ),
        bash(
            "move a module away and make another",
            "mv .git/modules/m .git/modules/away; mkdir -p .git/modules/m; echo x > .git/modules/m/config",
        ),
        bash(
            "move all modules away and make others",
            "mv .git/modules .git/away; mkdir -p .git/modules/m; echo x > .git/modules/m/config",
        ),
        bash(
            "have a second tree belong to another repository",
            "echo 'gitdir: ../evil' > tree/.git",
        ),
        bash(
            "have a second tree look for its configuration elsewhere",
            "echo ../../../evil > .git/worktrees/tree/commondir",
        ),
        bash(
            "give a second tree its own configuration",
            "echo x > .git/worktrees/tree/config.worktree",
        ),
        bash(
            "move a second tree's data away and make others",
            "mv .git/worktrees .git/away; cp -r .git/away .git/worktrees; echo ../../../evil > .git/worktrees/tree/commondir",
        ),
    ]
}

fn configuration() -> Vec<Attempt> {
    vec![
        bash(
            "make configuration of an agent",
            "mkdir -p .claude; echo x > .claude/settings.json",
        ),
        bash("make a list of an agent's servers", "echo x > .mcp.json"),
        bash(
            "make a policy of sayso",
            "mkdir -p .sayso; echo x > .sayso/policy.yaml",
        ),
        bash(
            "make a link where configuration could be",
            "ln -s /tmp .cursor",
        ),
        bash(
            "move a folder to where configuration could be",
            "mkdir new; echo x > new/settings.json; mv -T new .claude",
        ),
        bash(
            "take away what keeps configuration absent",
            "rmdir .claude; mkdir .claude; echo x > .claude/settings.json",
        ),
        bash(
            "change configuration of an editor",
            "echo x >> .vscode/tasks.json",
        ),
        bash(
            "make more configuration of an editor",
            "echo x > .vscode/settings.json",
        ),
        bash("remove configuration of an editor", "rm -rf .vscode"),
        bash(
            "move configuration away and make other",
            "mv .vscode away; mkdir .vscode; echo x > .vscode/tasks.json",
        ),
        bash(
            "put a link in the place of configuration",
            "rm -rf .vscode; ln -s /tmp .vscode",
        ),
        bash(
            "move a folder with configuration away and make another",
            "mv sub away; mkdir -p sub/.claude; echo x > sub/.claude/settings.json",
        ),
        bash("remove a folder with configuration", "rm -rf sub"),
        bash("change a secret in the workspace", "echo x > .env"),
        python(
            "exchange a folder with configuration",
            "os.makedirs('new/.claude'); done(libc.renameat2(-100, b'sub', -100, b'new', 2))",
        ),
    ]
}

fn others() -> Vec<Attempt> {
    vec![
        bash("move the whole workspace", "mv {workspace} {outside}/moved"),
        bash(
            "put a link in the place of the workspace",
            "cd ..; mv ws moved; ln -s {home} ws",
        ),
        python(
            "mount over what keeps configuration absent",
            "done(libc.mount(b'none', b'{workspace}/.claude', b'tmpfs', 0, None)); got()",
        )
        .untried("nothing is there without a sandbox"),
        python(
            "unmount what keeps configuration absent",
            "done(libc.umount2(b'{workspace}/.claude', 2)); got()",
        )
        .untried("nothing is there without a sandbox"),
    ]
}
