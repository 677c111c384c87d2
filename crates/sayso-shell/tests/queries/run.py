#!/usr/bin/env python3
"""Runs every query row of the table against the real program under a tracer, and writes down what it did.

    run.py WORK [NAME…]     installs the programs below the folder WORK (see install.py), runs them, and writes runs.tsv

Each runs in bubblewrap without network, in an empty project three folders deep, with a pipe full of text as its input. What counts is what the
tracer saw: reads of that pipe, writes, programs that were started, connections, and names that were looked for in the project, above it and
in the home. A line of runs.tsv has the program, the form, the package with its version, what it did, and the names: looked for, `%` loaded as
code where they are, `>` written, `!` started.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import install

RUNS = install.ROWS.with_name("runs.tsv")
PROJECT, HOME = "/srv/outer/inner/project", "/home/person"
INPUT = b"puts 'marker'\n:marker.\nmarker\n" * 64
TIMEOUT = 20
# What scripts that start a program find out about the machine with.
HELPERS = set(
    "sh dash bash env uname dirname basename readlink realpath expr cat echo sed grep awk gawk mawk tr cut head tail pwd id tty ls which test [ "
    "locale getconf arch hostname stat date sort printf true cygpath getopt ldconfig lsb_release ldd dpkg dpkg-architecture iconv "
    "gcc cc1 as ld collect2 objdump apropos whatis rustc rustfmt".split()
)
# Started with fixed words, and looked at: apachectl makes its own folders for locks.
OWN_HELPERS = {
    "apachectl": "mkdir chmod mktemp", "apache2ctl": "mkdir chmod mktemp", "kotlin": "kotlinc", "rbenv": "git",
    "cargo": "cargo-fmt cargo-clippy clippy-driver",
}
# What a program runs as code where it finds it.
CODE = re.compile(r"(?:/pybuilddir\.txt|/pyvenv\.cfg|/python\d*\._pth)$|\.(so(\.[0-9.]+)?|beam|ez|py|pyc|js|cjs|mjs|jar|class|rb|lua|pl|pm|php|sh|el|elc)$")
CALLS = "execve,openat,open,creat,access,faccessat,faccessat2,stat,lstat,newfstatat,statx,readlink,readlinkat,unlink,unlinkat,rename,renameat," \
    "renameat2,mkdir,mkdirat,rmdir,symlink,symlinkat,link,linkat,chmod,fchmodat,truncate,mknod,mknodat,connect,read,readv,pread64,recvfrom," \
    "sendfile,splice,copy_file_range,clone,clone3,fork,vfork,chdir"
LOOKS = set("openat open access faccessat faccessat2 stat lstat newfstatat statx readlink readlinkat chdir execve".split())
LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+|\?)(.*)$")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def forms():
    """Each program with its forms, as words that can be run."""
    by_name = {}
    for line in install.ROWS.read_text().splitlines():
        if ":" in line:
            names, written = line.split(":", 1)
            for name in names.split():
                by_name.setdefault(name, []).extend(form.strip() for form in written.split("|"))
    for name in install.STANDARD.read_text().split():
        by_name.setdefault(name, []).extend(["--help", "--version"])
    return by_name


def words(form):
    stands_for = {"WORD": "bash", "WORDS": "bash", "FORMULA": "wget"}
    return [stands_for.get(word, word) for word in form.split()]


def places(work, name, packages, versions):
    """Where the program is, and what it comes from: (binds, program, package and version)."""
    found = []
    root = work / "root"
    for package in packages:
        own = next((path for folder in ("usr/bin", "bin", "usr/sbin", "sbin", "usr/games") if os.path.lexists(path := work / "each" / package / folder / name)), None)
        version = f"{package} {versions.get(package, '?')}"
        if own is not None and len(packages) > 1 and not own.is_symlink():
            found.append((["--ro-bind", own, f"/usr/bin/{name}"], f"/usr/bin/{name}", version))
        elif own is not None:
            found.append(([], "/" + str(own.relative_to(work / "each" / package)), version))
        elif package in ("busybox", "mksh", "nvi", "bash", "dash", "mawk", "gawk", "original-awk", "ksh93u+m", "vim-tiny", "gcc", "g++", "clang"):
            real = {"ksh93u+m": "ksh93", "vim-tiny": "vim.tiny", "g++": "g++" if name == "c++" else "gcc"}.get(package, package)
            if (root / "usr/bin" / real).exists():
                # A file of its own under this name: what it is called decides what it does.
                found.append((["--ro-bind", root / "usr/bin" / real, f"/opt/named/{name}"], f"/opt/named/{name}", version))
        elif os.path.lexists(root / "usr/bin" / name):
            found.append(([], f"/usr/bin/{name}", version))
    for folder, package in (("npm", install.NPM.get(name)), ("pip", install.PIP.get(name))):
        if package and (work / folder / "bin" / name).exists():
            found.append(([], f"/opt/{folder}/bin/{name}", f"{folder}:{package} {version_of(work, folder, package)}"))
    return found


def version_of(work, folder, package):
    if folder == "npm":
        listed = work / "npm/lib/node_modules" / package / "package.json"
        match = re.search(r'"version": "([^"]+)"', listed.read_text()) if listed.exists() else None
    else:
        shown = subprocess.run([work / "pip/bin/pip", "show", package], capture_output=True, text=True).stdout
        match = re.search(r"^Version: (.+)$", shown, re.M)
    return match[1] if match else "?"


def trace(work, binds, program, given):
    """Runs it, and gives back what the tracer wrote, the input's number, and how it ended."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "log"
        log.touch()
        reading, writing = os.pipe()
        os.write(writing, INPUT)
        os.close(writing)
        number = os.fstat(reading).st_ino
        python = Path(os.path.realpath(work / "pip/bin/python3"))
        pip = ["--ro-bind", work / "pip", work / "pip", "--ro-bind", python.parents[1], python.parents[1]] if (work / "pip").exists() else []
        npm = ["--ro-bind", work / "npm", "/opt/npm"] if (work / "npm").exists() else []
        command = [
            "bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", work / "root/usr", "/usr", "--ro-bind", work / "root/etc", "/etc",
            "--ro-bind", work / "root/var", "/var", "--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin", "--symlink", "usr/lib", "/lib",
            "--symlink", "usr/lib64", "/lib64", "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev", "--dir", PROJECT, "--dir", HOME, "--dir", "/run",
            "--bind", log, "/tmp/.trace", *pip, *npm, *binds, "--chdir", PROJECT, "--clearenv", "--setenv", "HOME", HOME, "--setenv", "PATH",
            "/opt/named:/usr/bin:/usr/sbin:/usr/games", "--setenv", "LANG", "C.UTF-8", "--setenv", "TERM", "dumb", "--setenv", "USER", "person",
            "strace", "-f", "-y", "-qq", "-s", "256", "-o", "/tmp/.trace", "-e", "trace=" + CALLS,
            program.replace("/opt/pip", str(work / "pip")), *given,
        ]
        child = subprocess.Popen([str(part) for part in command], stdin=reading, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        os.close(reading)
        try:
            _, errors = child.communicate(timeout=TIMEOUT)
            ended = child.returncode
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            ended, errors = None, b""
        return log.read_text(errors="replace").splitlines(), number, ended, errors.decode(errors="replace")


def whole(lines):
    """Lines that another process or thread stood in between are put together again."""
    begun = {}
    for line in lines:
        process = line.split(" ", 1)[0]
        if line.endswith("<unfinished ...>"):
            begun[process] = line.removesuffix("<unfinished ...>")
        elif match := re.match(r"^\d+ +<\.\.\. \w+ resumed>(.*)$", line):
            yield begun.pop(process, "") + match[1].lstrip()
        else:
            yield line
    # What was never answered was begun all the same.
    yield from (line + ") = ?" for line in begun.values())


def judge(lines, number, program):
    """What it did, from the lines of the tracer."""
    did, names, first = set(), set(), None
    for line in whole(lines):
        match = LINE.match(line)
        if not match:
            continue
        process, call, arguments, result, _ = match.groups()
        failed = result.startswith("-") or result == "?"
        first = first or process
        quoted = QUOTED.findall(arguments)
        path = quoted[0] if quoted else ""
        if call in ("read", "readv", "pread64", "recvfrom", "sendfile", "splice", "copy_file_range"):
            if f"pipe:[{number}]" in arguments:
                did.add("input")
            continue
        if call == "execve":
            name = os.path.basename(path)
            if not failed and process != first and name != os.path.basename(program):
                known = name in HELPERS or name in OWN_HELPERS.get(os.path.basename(program), "").split() or name.startswith(os.path.basename(program) + "-")
                did.add("helpers" if known and path.startswith(("/usr/", "/bin/", "/sbin/")) else "started")
                names.add(f"!{name}")
            continue
        if call == "connect":
            # A lookup of a name asks port 53.
            if "AF_INET" in arguments and not re.search(r"htons\((53|0)\)", arguments):
                did.add("connected")
            continue
        if not path:
            continue
        base = re.match(r"(?:AT_FDCWD|\d+)<([^>]*)>", arguments)
        if not path.startswith("/") and not base:
            # The tracer does not say from which folder.
            continue
        full = os.path.normpath(os.path.join(base[1] if base else "/", path))
        writes = call not in LOOKS or call in ("openat", "open") and re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", arguments)
        if writes and not failed and not full.startswith(("/dev/", "/proc/")):
            own = full.startswith("/tmp") or full.startswith(HOME + "/.")
            did.add("records" if own else "wrote")
            names.add(f">{full}" if not own else ">" + "/".join(full.replace(HOME, "~").split("/")[:2]))
        if call in ("openat", "open") and full.startswith("/srv/") and CODE.search(full):
            did.add("loads")
            names.add("%" + os.path.relpath(full, PROJECT).removeprefix("../"))
            continue
        for place in (PROJECT, "/srv/outer/inner", "/srv/outer", "/srv", HOME):
            if full.startswith(place + "/"):
                shown = full[len(place) + 1:]
                if not any((other + "/").startswith(full + "/") for other in (PROJECT, HOME)):
                    where = "~" if place == HOME else "." if place == PROJECT else ".."
                    names.add(f"{where}/{shown}" if place != HOME else "~/" + shown.split("/")[0])
                break
    return did, names


def main():
    work, only = Path(sys.argv[1]).resolve(), sys.argv[2:]
    if not (work / "apt/lists").exists():
        install.apt(work, "update")
    by_name = install.wanted(install.contents(work))
    if not (work / "root").exists():
        install.unpack(work, by_name)
        install.link_alternatives(work)
        install.from_registries(work)
    versions = {deb.name.split("_")[0]: deb.name.split("_")[1].replace("%3a", ":") for deb in (work / "apt/archives").glob("*.deb")}
    kept = [line for line in RUNS.read_text().splitlines() if only and line.split("\t")[0] not in only] if RUNS.exists() else []
    out = []
    for name, written in forms().items():
        if only and name not in only:
            continue
        found = places(work, name, by_name.get(name, []), versions)
        for form in written:
            for binds, program, version in found:
                lines, number, ended, errors = trace(work, binds, program, words(form))
                did, names = judge(lines, number, program)
                if not any("execve" in line and "= 0" in line for line in lines) or "error while loading shared" in errors:
                    continue
                did.add("hung" if ended is None else "answered" if ended == 0 else "refused")
                out.append("\t".join([name, form, version, ",".join(sorted(did)), " ".join(sorted(names))]))
                print(out[-1], flush=True)
    RUNS.write_text("\n".join(sorted(set(kept + out))) + "\n")


if __name__ == "__main__":
    main()
