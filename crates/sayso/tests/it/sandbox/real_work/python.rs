//! pip and uv. pip asks the index again for every install, so without a network it installs only from a folder of wheels.

use super::desk::{Desk, SANDBOXED, Way};

const PROJECT: &str = "[build-system]\nrequires = [\"setuptools\"]\nbuild-backend = \"setuptools.build_meta\"\n\
[project]\nname = \"work\"\nversion = \"0.1\"\ndependencies = [\"six\"]\n[tool.setuptools]\npackages = [\"work\"]\n";

fn project(desk: &Desk) {
    desk.file("pyproject.toml", PROJECT);
    desk.file("work/__init__.py", "import six\n");
    desk.file(
        "test_work.py",
        "import work\ndef test_it(): assert work.six\n",
    );
}

#[test]
fn pip_installs_a_project_from_a_folder_of_wheels() {
    let Some(desk) = Desk::with(&["python3"]) else {
        return;
    };
    project(&desk);
    let warm = "python3 -m venv v && v/bin/pip -q download -d wheels setuptools wheel six pytest && rm -rf v";
    if desk.prepare(warm).is_none() {
        return;
    }
    let script = "python3 -m venv v && v/bin/pip -q install --no-index --find-links wheels -e . pytest && v/bin/pytest -q";
    desk.work_everywhere("venv && pip install -e . && pytest", "rm -rf v", script);
}

#[test]
fn uv_installs_a_project_from_its_cache() {
    let Some(desk) = Desk::with(&["python3", "uv"]) else {
        return;
    };
    project(&desk);
    let install = "uv venv -q -p python3 .venv && uv pip install -q -p .venv";
    let clean = "rm -rf .venv work.egg-info";
    if desk
        .prepare(&format!("{install} -e . pytest && {clean}"))
        .is_none()
    {
        return;
    }
    for way in SANDBOXED {
        desk.work(way, &format!("{install} --offline six pytest"));
        desk.work(Way::Outside, clean);
    }
    // What is built of the project goes into the cache, which has room for it only in a session.
    desk.work(
        Way::SessionCaches,
        &format!("{install} --offline -e . pytest && .venv/bin/python -m pytest -q"),
    );
}
