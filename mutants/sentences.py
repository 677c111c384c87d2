"""Changes one value behind a sentence at a time, and sees whether a test notices.

    sentences.py FOLDER [--check] [NAME ...]

The changes are in `sentences.toml` beside this file. All of them are compiled into one build, each
behind a switch that reads the name of the chosen one from a file, so the source is built only once.
FOLDER keeps a copy of the source and its build. `--check` only looks whether every change fits.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = [("sayso-core", ["--lib"]), ("sayso-gate", ["--test", "it"]), ("sayso-tui", ["--test", "it"]), ("sayso", ["--test", "it"])]
SETTINGS = {"CARGO_PROFILE_TEST_DEBUG": "0", "CARGO_PROFILE_DEV_DEBUG": "0", "RUST_BACKTRACE": "0"}
# The switch is longer than what it replaces and reads a file: the lints of the product do not hold in the copy.
SWITCH = '(if std::fs::read(env!("SAYSO_CHANGE_FILE")).is_ok_and(|chosen| chosen == b"{name}") {{ {to} }} else {{ {old} }})'


def parts(change):
    """The text that the file must hold, and what takes its place."""
    match = re.fullmatch(r"(.*?)«(.*)»(.*)", change["at"], re.DOTALL)
    if not match:
        sys.exit(f"{change['name']}: `at` has no « and »")
    before, old, after = match.groups()
    return before + old + after, before + SWITCH.format(name=change["name"], to=change["to"], old=old) + after


def stale(change):
    """Why a change cannot be made any more, or nothing."""
    count = (ROOT / change["file"]).read_text().count(parts(change)[0])
    return None if count == 1 else f"{change['name']}: {change['file']} has the text {count} times"


def copy_source(tree, changes):
    """Brings the copy up to date, with all changes in it. Only files that differ are written."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        source, target = ROOT / name, tree / name
        if not source.is_file():
            continue
        content = source.read_bytes()
        for change in changes:
            if change["file"] == name:
                old, new = parts(change)
                content = content.decode().replace(old, new).encode()
        if not (target.is_file() and target.read_bytes() == content):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            shutil.copymode(source, target)


def failing(tree, env, filters):
    """The tests with these words in their names that fail, and how many ran."""
    failed, ran = set(), 0
    for package, target in PACKAGES:
        run = subprocess.run(
            ["cargo", "test", "--quiet", "-p", package, *target, "--", *filters],
            cwd=tree, env=env, capture_output=True, text=True, errors="replace",
        )
        if "could not compile" in run.stderr:
            sys.exit(f"a change does not compile:\n{run.stderr[-3000:]}")
        ran += sum(int(passed) + int(bad) for passed, bad in re.findall(r"(\d+) passed; (\d+) failed", run.stdout))
        failed.update(re.findall(r"^---- (\S+) stdout ----$", run.stdout, re.MULTILINE))
    return sorted(failed), ran


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
    folder = arguments.folder.resolve()
    tree, chosen = folder / "tree", folder / "chosen"
    tree.mkdir(parents=True, exist_ok=True)
    copy_source(tree, changes)
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True)
    env = {**os.environ, **SETTINGS, "CARGO_TARGET_DIR": str(folder / "build"), "SAYSO_CHANGE_FILE": str(chosen)}
    wanted = [change for change in changes if not arguments.names or change["name"] in arguments.names]
    chosen.write_text("none")
    failed, ran = failing(tree, env, sorted({word for change in wanted for word in change["tests"]}))
    if failed or not ran:
        sys.exit(f"without a change {ran} tests ran and these fail: {failed}")
    missed = 0
    for change in wanted:
        chosen.write_text(change["name"])
        failed, ran = failing(tree, env, change["tests"])
        missed += not failed
        print(f"{'noticed' if failed else 'MISSED '} {change['name']} ({ran} tests): {', '.join(failed[:3])}", flush=True)
    chosen.write_text("none")
    print(f"{len(wanted) - missed} of {len(wanted)} changes were noticed")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
