"""Changes one value behind a sentence at a time, and sees whether a test notices.

    sentences.py FOLDER [--check] [NAME ...]

The changes are in `sentences.toml` beside this file: a file, the text that stands there once, what takes its place, and the tests that have
to fail. FOLDER keeps a copy of the source and its build. `--check` only looks whether each text still stands in its file exactly once.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROFILE = {"CARGO_PROFILE_TEST_OPT_LEVEL": "0", "CARGO_PROFILE_TEST_DEBUG": "0", "CARGO_PROFILE_DEV_DEBUG": "0", "RUST_BACKTRACE": "0"}


def stale(change):
    """Why a change cannot be made any more, or nothing."""
    count = (ROOT / change["file"]).read_text().count(change["from"])
    return None if count == 1 else f"{change['name']}: the text stands {count} times in {change['file']}"


def copy_source(tree):
    """Brings the copy up to date. Only files that differ are written, so that little is built again."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        source, target = ROOT / name, tree / name
        if source.is_file() and not (target.is_file() and target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def passes(tree, tests, env):
    run = subprocess.run(["cargo", "test", "--quiet", *tests], cwd=tree, env=env, capture_output=True, text=True)
    if "could not compile" in run.stderr:
        sys.exit(f"the change does not compile:\n{run.stderr[-3000:]}")
    if "running 0 tests" in run.stdout and "passed; 0 failed" in run.stdout and not any(
        part.split()[0].isdigit() and int(part.split()[0]) > 0 for part in run.stdout.split("test result: ok. ")[1:]
    ):
        sys.exit(f"no test is called like {tests}")
    failed = [line.strip() for line in run.stdout.splitlines() if line.startswith("    ") and "::" in line and " " not in line.strip()]
    return run.returncode == 0, sorted(set(failed))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    changes = tomllib.loads((ROOT / "mutants/sentences.toml").read_text())["change"]
    problems = [problem for problem in map(stale, changes) if problem]
    if problems:
        sys.exit("\n".join(problems))
    if arguments.check:
        return print(f"{len(changes)} changes can be made")
    tree = arguments.folder / "tree"
    tree.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, **PROFILE, "CARGO_TARGET_DIR": str(arguments.folder / "build")}
    missed = 0
    chosen = [change for change in changes if not arguments.names or change["name"] in arguments.names]
    for change in chosen:
        copy_source(tree)
        before, failed = passes(tree, change["tests"], env)
        if not before:
            sys.exit(f"{change['name']}: the tests fail without the change: {failed}")
        file = tree / change["file"]
        file.write_text(file.read_text().replace(change["from"], change["to"]))
        noticed, failed = passes(tree, change["tests"], env)
        missed += noticed
        word = "MISSED " if noticed else "noticed"
        print(f"{word} {change['name']}: {', '.join(failed[:3])}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} changes were noticed")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
