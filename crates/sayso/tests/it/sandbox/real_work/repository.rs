//! git with a hook of the project, and a database that the tests rewrite.

use super::desk::{Desk, SANDBOXED, Way};

#[test]
fn a_hook_of_the_project_runs_when_git_commits() {
    let Some(desk) = Desk::with(&["git"]) else {
        return;
    };
    desk.work(
        Way::Outside,
        "git init -q . && git config user.name Ada && git config user.email ada@example.org",
    );
    desk.file(
        ".git/hooks/pre-commit",
        "#!/bin/sh\necho checked >> hook.txt\n! git diff --cached | grep -q FORBIDDEN\n",
    );
    desk.work(Way::Outside, "chmod +x .git/hooks/pre-commit");
    for way in SANDBOXED {
        desk.work(way, "echo more >> a.txt && git add a.txt && git commit -qm more && grep checked hook.txt && rm hook.txt");
        let done = desk.try_to(
            way,
            "echo FORBIDDEN > b.txt && git add b.txt && git commit -qm forbidden",
        );
        assert_ne!(done.code, 0, "{way:?}");
        desk.work(way, "git reset -q --hard && rm -f hook.txt");
        let done = desk.try_to(way, "echo true > .git/hooks/pre-commit");
        assert_ne!(done.code, 0, "{way:?}");
    }
    assert_eq!(
        desk.work(Way::Outside, "git log --format=%an | sort | uniq -c")
            .trim(),
        "2 Ada"
    );
}

const SUITE: &str = "
import os, sqlite3, unittest
class Suite(unittest.TestCase):
    def setUp(self):
        if os.path.exists('work.db'): os.remove('work.db')
        self.db = sqlite3.connect('work.db')
        self.db.execute('pragma journal_mode = wal')
        self.db.execute('create table t (n integer)')
    def test_rows(self):
        with self.db: self.db.executemany('insert into t values (?)', [(n,) for n in range(1000)])
        other = sqlite3.connect('work.db')
        self.assertEqual(other.execute('select sum(n) from t').fetchone()[0], 499500)
        other.close()
    def tearDown(self):
        self.db.close()
unittest.main()
";

#[test]
fn a_test_suite_rewrites_its_database() {
    let Some(desk) = Desk::with(&["python3"]) else {
        return;
    };
    desk.file("suite.py", SUITE);
    desk.work_everywhere(
        "tests with SQLite",
        "true",
        "python3 suite.py -q && test -s work.db",
    );
}
