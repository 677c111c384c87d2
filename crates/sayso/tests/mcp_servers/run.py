"""Real MCP servers behind the gateway, driven by the real Python client: the same answers as without it, and what is denied never happens.

SAYSO_PROGRAM is the program; SAYSO_MCP is a folder with `node_modules` (the servers of npm) and `python` (a venv with `mcp` and the servers of PyPI).
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

PROGRAM = os.environ["SAYSO_PROGRAM"]
TOOLS = Path(os.environ["SAYSO_MCP"])
FAILED = []


class Place:
    """A home of its own with a workspace."""

    def __init__(self, policy):
        self.scratch = tempfile.TemporaryDirectory()
        home = Path(self.scratch.name).resolve() / "home"
        self.home, self.ws = home, home / "ws"
        self.ws.mkdir(parents=True)
        home.chmod(0o700)
        (home / ".config/sayso").mkdir(parents=True)
        (home / ".config/sayso/policy.yaml").write_text("version: 1\n" + policy)
        (self.ws / "a.txt").write_text("one\n")
        subprocess.run(["git", "init", "-q", "."], cwd=self.ws, check=True, env=self.env())

    def env(self):
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}

    def params(self, name, command, gated):
        words = [PROGRAM, "mcp", "--name", name, "--client", "python", "--", *command] if gated else command
        return StdioServerParameters(command=words[0], args=words[1:], env=self.env(), cwd=str(self.ws))


def node(package):
    return ["node", str(TOOLS / "node_modules/@modelcontextprotocol" / package / "dist/index.js")]


SERVERS = {
    "filesystem": lambda place: node("server-filesystem") + [str(place.ws)],
    "everything": lambda place: node("server-everything"),
    "git": lambda place: [str(TOOLS / "python/bin/mcp-server-git"), "--repository", str(place.ws)],
}
CALLS = {
    "filesystem": [("read_text_file", {"path": "a.txt"}), ("list_directory", {"path": "."}), ("read_text_file", {"path": "missing"})],
    "everything": [("echo", {"message": "ü漢🦀\u2028"}), ("get-sum", {"a": 1, "b": 2.5})],
    "git": [("git_status", {"repo_path": "."})],
}


def check(what, is_so, shown=""):
    print(("ok      " if is_so else "FAILED  ") + what, "" if is_so else shown, flush=True)
    if not is_so:
        FAILED.append(what)


def plain(value):
    return json.loads(value.model_dump_json(by_alias=True, exclude_none=True)) if hasattr(value, "model_dump_json") else value


async def session(place, name, gated, mode, calls, **more):
    """The tools of a server and what its calls bring."""
    async with Client(stdio_client(place.params(name, SERVERS[name](place), gated)), mode=mode, **more) as client:
        tools = plain(await client.list_tools())
        return tools, [plain(await client.call_tool(tool, arguments)) for tool, arguments in calls]


async def same(name, mode):
    """Everything allowed: the client sees no difference."""
    place = Place(f"rules:\n  - {{allow: {{mcp: '{name}/*'}}}}\n")
    calls = [(tool, {key: str(place.ws / value) if key in ("path", "repo_path") else value for key, value in arguments.items()}) for tool, arguments in CALLS[name]]
    bare = await session(place, name, False, mode, calls)
    gated = await session(place, name, True, mode, calls)
    check(f"{name} × python mcp ({mode}): the same tools", bare[0] == gated[0])
    check(f"{name} × python mcp ({mode}): the same answers", bare[1] == gated[1], (bare[1], gated[1]))


async def denied():
    """A write to a protected file is denied though the server's tools are allowed, and one to a plain file is not."""
    place = Place("rules:\n  - {allow: {mcp: 'filesystem/*'}}\n")
    hook = place.ws / ".git/hooks/pre-commit"
    calls = [("write_file", {"path": str(hook), "content": "x"}), ("write_file", {"path": str(place.ws / "b.txt"), "content": "x"})]
    _, (no, yes) = await session(place, "filesystem", True, "legacy", calls)
    check("filesystem/write_file to a hook of git is denied", no.get("isError") and "sayso" in str(no) and not hook.exists(), no)
    check("filesystem/write_file to a plain file is not", not yes.get("isError") and (place.ws / "b.txt").exists(), yes)


async def asked():
    """The dialog of the client says yes and no."""
    from mcp.types import ElicitResult

    place = Place("mcp: {elicitation: [python]}\n")
    answers = iter(["allow this once", "deny"])

    async def answer(context, params):
        return ElicitResult(action="accept", content={"decision": next(answers)})

    calls = [("write_file", {"path": str(place.ws / name), "content": "x"}) for name in ("yes.txt", "no.txt")]
    await session(place, "filesystem", True, "legacy", calls, elicitation_callback=answer)
    check("elicitation: a yes writes the file", (place.ws / "yes.txt").exists())
    check("elicitation: a no does not", not (place.ws / "no.txt").exists())


async def main():
    for name in SERVERS:
        for mode in ("legacy", "auto"):
            try:
                await asyncio.wait_for(same(name, mode), 120)
            except Exception as error:
                check(f"{name} × python mcp ({mode})", False, repr(error))
    for part in (denied, asked):
        try:
            await asyncio.wait_for(part(), 120)
        except Exception as error:
            check(part.__name__, False, repr(error))
    print(f"{len(FAILED)} failed")
    sys.exit(bool(FAILED))


asyncio.run(main())
