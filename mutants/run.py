"""Tries all changes of one crate that `cargo mutants` lists: woven into one build as far as that goes, the others one by one by cargo-mutants.

    run.py CRATE FOLDER [--shard K/N] [--woven-only] -- TESTS [-- ARGUMENTS]

TESTS are `--lib` and `--test NAME` as for cargo, ARGUMENTS go to the test programs. FOLDER keeps the copy of the source, the build, and in
`outcomes.tsv` what came of each change, so that a run that was stopped goes on where it was; what is in there counts only while the source
and the tests are the same. What no test notices in the woven build is tried again by cargo-mutants, which has the last word.
"""

import argparse
import collections
import hashlib
import json
import os
import queue
import re
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import at_start
import weave

MEMORY = 4 << 30
PROFILE = {"CARGO_PROFILE_TEST_OPT_LEVEL": "1", "CARGO_PROFILE_TEST_DEBUG": "0", "CARGO_PROFILE_DEV_DEBUG": "0"}
WORDS = ("caught", "timeout", "missed", "unviable")


class Run:
    """All changes of a crate, and what came of them."""

    def __init__(self, krate, folder, tests, arguments):
        self.krate, self.folder, self.tests, self.arguments = krate, folder, tests, arguments
        self.tree = folder / "tree"
        self.env = {**os.environ, **PROFILE, "CARGO_TARGET_DIR": str(folder / "build"), "PROPTEST_FAILURE_PERSISTENCE": "off", "RUST_BACKTRACE": "0"}
        self.tree.mkdir(parents=True, exist_ok=True)
        listed = subprocess.run(["cargo", "mutants", "-p", krate, "--list", "--json"], check=True, capture_output=True, text=True).stdout
        self.changes = dict(enumerate(json.loads(listed), 1))
        self.left = {}
        self.outcomes = {}
        # Those on which cargo-mutants had its word.
        self.settled = set()
        self.lock = threading.Lock()

    def copy(self):
        """The source as it is, into the copy; what did not change keeps its time, so that it is not built again."""
        names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], check=True, capture_output=True, text=True).stdout
        files = {change["file"] for change in self.changes.values()}
        digest = hashlib.sha256(repr((self.tests, self.arguments)).encode())
        for name in sorted(filter(None, names.split("\0"))):
            if not Path(name).is_file():
                continue
            data = Path(name).read_bytes()
            if name.startswith(("crates/sayso-core/", f"crates/{self.krate}/")):
                digest.update(name.encode() + b"\0" + data)
            if name == f"crates/{self.krate}/src/lib.rs":
                data += b"\nmod woven;\n"
            if name not in files and name.startswith(f"crates/{self.krate}/src/") and name.endswith(".rs"):
                data = at_start.after(name, data.decode(), "").encode()
            if name not in files:
                put(self.tree / name, data)
        put(self.tree / "crates" / self.krate / "src/woven.rs", weave.SWITCH.encode())
        self.digest = digest.hexdigest()

    def weave(self):
        """Weaves in every change that is not left out, and leaves out what does not compile, until the rest does."""
        files = collections.defaultdict(list)
        for number, change in self.changes.items():
            files[change["file"]].append((number, change))
        while True:
            woven = {}
            for name, changes in files.items():
                woven[name] = weave.Woven(name, Path(name).read_text(), [pair for pair in changes if pair[0] not in self.left])
                self.left.update(woven[name].left)
                put(self.tree / name, woven[name].text.encode())
            errors = self.build()
            if not errors:
                return
            before = len(self.left)
            for name, start, end, text in errors:
                if name not in woven:
                    sys.exit(f"{name}: {text}")
                (numbers,) = weave.culprits(woven[name].text, [(start, end)])
                numbers = numbers or self.around(name, woven[name], start)
                self.left.update((number, self.why(number, len(numbers), text)) for number in numbers)
            say(f"{len(self.left) - before} more are not woven, as they do not compile")
            if len(self.left) == before:
                sys.exit("\n".join(map(str, errors)))

    def why(self, number, beside, text):
        """A value that does not fit where it is returned early does not fit in the place of all either; of other changes that is not said."""
        certain = self.changes[number]["genre"] == "FnValue" and beside == 1 and "non-const" not in text
        return (weave.CannotCompile if certain else weave.CannotWeave)(text)

    def around(self, name, woven, start):
        """Where a mistake is in no change: the arms of the function that a match may lack when they are left out; else all its changes."""
        line = woven.text.encode()[:start].count(b"\n") + 1
        inside = lambda span: span["start"]["line"] <= line <= span["end"]["line"]
        found = [n for n, change in self.changes.items() if change["file"] == name and inside((change["function"] or change)["span"])]
        found = [number for number in found if number not in self.left]
        return [number for number in found if number in woven.bare_arms] or found

    def build(self):
        """Builds the tests; what the compiler does not like, as file, start, end and message."""
        say("building")
        command = ["cargo", "test", "--no-run", "-p", self.krate, "--message-format", "json", *self.tests]
        env = {**self.env, "RUSTFLAGS": "--cap-lints allow"}
        out = subprocess.run(command, cwd=self.tree, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        errors, self.programs = set(), []
        for line in out.stdout.splitlines():
            message = json.loads(line)
            if message["reason"] == "compiler-artifact" and message["executable"] and message["profile"]["test"]:
                self.programs.append(message["executable"])
            if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
                spans = [span for span in message["message"]["spans"] if span["is_primary"]]
                errors.update((span["file_name"], span["byte_start"], span["byte_end"], message["message"]["message"]) for span in spans)
        if out.returncode and not errors:
            sys.exit("the woven source does not build, and cargo says nothing of where")
        return errors

    def reach(self):
        """Each test by itself without a change: it has to pass; how long it takes, and which changes it comes by."""
        self.cases = []
        self.reached = collections.defaultdict(list)
        for program in self.programs:
            listed = subprocess.run([program, "--list", "--format", "terse", *self.arguments], cwd=self.crate(), env=self.env, check=True, capture_output=True, text=True).stdout
            for line in listed.splitlines():
                if line.endswith(": test"):
                    self.cases.append((program, line.removesuffix(": test")))
        say(f"looking at what each of {len(self.cases)} tests comes by")
        self.seconds = {}
        found = {}

        def look(case):
            file = self.folder / f"reach-{threading.get_ident()}"
            file.write_text("")
            start = time.monotonic()
            if self.start(case, {"SAYSO_REACH": str(file)}, 600) != "missed":
                sys.exit(f"{case[1]} fails without any change")
            self.seconds[case] = time.monotonic() - start
            found[case] = [int(number) for number in file.read_text().split()]

        both(self.cases, look)
        slowest = sorted(self.cases, key=self.seconds.get)[-5:]
        say("the slowest: " + ", ".join(f"{name} {self.seconds[program, name]:.1f} s" for program, name in slowest))
        for case in sorted(self.cases, key=self.seconds.get):
            for number in found[case]:
                self.reached[number].append(case)

    def crate(self):
        return self.tree / "crates" / self.krate

    def start(self, case, env, limit):
        program, name = case
        command = [program, "--exact", name, "--test-threads=1", "-q"]

        def bound():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            # Should this be stopped, what does not end still ends.
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 5, int(limit) + 5))

        try:
            out = subprocess.run(
                command, cwd=self.crate(), env={**self.env, **env}, timeout=limit, preexec_fn=bound, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired:
            return "timeout"
        if out.returncode == at_start.NOT_VIABLE:
            return "unviable"
        return "caught" if out.returncode else "missed"

    def attempt(self, number):
        """What came of a change: the quickest of the tests that come by it are the first."""
        for case in self.reached[number]:
            outcome = self.start(case, {"SAYSO_MUTANT": str(number)}, 20 + 10 * self.seconds[case])
            if outcome == "timeout" and self.changes[number]["file"] == at_start.LAID_OUT:
                outcome = "unviable"
            if outcome != "missed":
                return outcome, case[1]
        return "missed", f"of {len(self.reached[number])} tests"

    def tell(self, number, outcome, by):
        with self.lock:
            self.note(number, outcome, by)
            with open(self.folder / "outcomes.tsv", "a") as file:
                print(number, outcome, by, self.changes[number]["name"], sep="\t", file=file)

    def note(self, number, outcome, by):
        self.outcomes[number] = outcome
        if by == "cargo-mutants":
            self.settled.add(number)

    def remember(self):
        """What an earlier run of the same source found."""
        file = self.folder / "outcomes.tsv"
        lines = file.read_text().splitlines() if file.exists() else []
        if lines[:1] != [self.digest]:
            file.write_text(self.digest + "\n")
        for line in lines[1:] if lines[:1] == [self.digest] else []:
            number, outcome, by, _ = line.split("\t")
            self.note(int(number), outcome, by)

    def set_apart(self, wanted):
        """What cannot compile needs no try."""
        for number in wanted:
            if isinstance(self.left.get(number), weave.CannotCompile) and number not in self.outcomes:
                self.tell(number, "unviable", str(self.left[number]))

    def try_woven(self, wanted):
        todo = [number for number in wanted if number not in self.left and number not in self.outcomes]
        shown = time.monotonic()

        def one(number):
            nonlocal shown
            self.tell(number, *self.attempt(number))
            if time.monotonic() - shown > 10:
                shown = time.monotonic()
                counts = collections.Counter(self.outcomes.values())
                say(f"{len(self.outcomes)} of {len(wanted)}: " + ", ".join(f"{counts[word]} {word}" for word in WORDS))

        both(todo, one)

    def try_alone(self, numbers):
        """By cargo-mutants, which changes the source and builds it for each."""
        if not numbers:
            return
        names = {self.changes[number]["name"]: number for number in numbers}
        say(f"{len(names)} by cargo-mutants, one by one")
        out = self.folder / "alone"
        out.mkdir(exist_ok=True)
        chosen = "^(" + "|".join(map(re.escape, names)) + ")$"
        # It takes left out fields whatever is chosen, so at least only those of these files.
        files = [word for name in sorted({self.changes[number]["file"] for number in numbers}) for word in ("-f", name)]
        command = ["cargo", "mutants", "-p", self.krate, "--no-config", *files, "-F", chosen, "-o", out, "--timeout", "300", "--build-timeout", "300"]
        command += ["--", *self.tests, "--", *self.arguments]
        # Building takes longer than running there.
        env = {**self.env, "CARGO_PROFILE_TEST_OPT_LEVEL": "0", "CARGO_TARGET_DIR": str(self.folder / "alone-build")}
        if subprocess.run(command, env=env).returncode not in (0, 2, 3):
            sys.exit("cargo-mutants failed")
        for word in WORDS:
            for name in (out / "mutants.out" / f"{word}.txt").read_text().splitlines():
                if name in names:
                    self.tell(names[name], word, "cargo-mutants")

    def report(self, wanted):
        files = collections.defaultdict(collections.Counter)
        for number in wanted:
            for name in (self.changes[number]["file"], "all"):
                files[name][self.outcomes.get(number, "not tried")] += 1
        words = [*WORDS, "not tried"]
        print(f"{'':46}{'tried':>7}" + "".join(f"{word:>10}" for word in words))
        for name, counts in sorted(files.items(), key=lambda item: item[0] == "all"):
            print(f"{name:46}{sum(counts.values()):7}" + "".join(f"{counts[word]:10}" for word in words))
        counts = files["all"]
        noticed, viable = counts["caught"] + counts["timeout"], counts["caught"] + counts["timeout"] + counts["missed"]
        print(f"noticed: {noticed} of {viable}, {100 * noticed / max(viable, 1):.1f} %")
        for number in wanted:
            if self.outcomes.get(number) == "missed":
                print("missed:", self.changes[number]["name"])


def put(path, data):
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def both(items, work):
    """Works on all items, as many at once as there are cores."""
    todo = queue.SimpleQueue()
    for item in items:
        todo.put(item)
    failed = []

    def worker():
        try:
            while not failed:
                work(todo.get_nowait())
        except queue.Empty:
            pass
        except BaseException as why:
            failed.append(why)

    threads = [threading.Thread(target=worker) for _ in range(os.cpu_count() or 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def cut(words):
    """Three lists of words, which `--` parts."""
    parts = [[]]
    for word in words:
        parts.append([]) if word == "--" else parts[-1].append(word)
    return (parts + [[], []])[:3]


def say(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


def main():
    own, tests, arguments = cut(sys.argv[1:])
    options = argparse.ArgumentParser()
    options.add_argument("krate")
    options.add_argument("folder", type=Path)
    options.add_argument("--shard")
    options.add_argument("--woven-only", action="store_true")
    options = options.parse_args(own)
    run = Run(options.krate, options.folder.resolve(), tests, arguments)
    part, parts = map(int, (options.shard or "0/1").split("/"))
    wanted = [number for number in run.changes if number % parts == part]
    run.copy()
    run.remember()
    run.weave()
    (run.folder / "left.tsv").write_text("".join(f"{why}\t{run.changes[number]['name']}\n" for number, why in sorted(run.left.items())))
    say(f"{len(run.changes) - len(run.left)} of {len(run.changes)} changes are woven into one build")
    run.set_apart(wanted)
    run.reach()
    run.try_woven(wanted)
    if not options.woven_only:
        open_still = [number for number in wanted if run.outcomes.get(number, "missed") == "missed"]
        run.try_alone([number for number in open_still if number not in run.settled])
    run.report(wanted)


if __name__ == "__main__":
    main()
