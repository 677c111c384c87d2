"""Real MCP servers × real MCP clients, with and without the gateway: the same answers, and the same bytes on both sides of it.

SAYSO_PROGRAM is the program; SAYSO_MCP has the servers of npm (`node_modules`); SAYSO_PAIRS has a venv (`python`) and the clients of npm (`npm`).
With SAYSO_WRITE_NUMBERS the tables of docs/mcp-pairs.md are written, and else nothing is. Words on the command line choose pairs.
With SAYSO_RECORD the sessions over standard streams are recorded into that folder, as they are in corpus/mcp.
"""

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from wiretap import Wiretap

HERE = Path(__file__).resolve().parent
PROGRAM, MCP, PAIRS = os.environ["SAYSO_PROGRAM"], Path(os.environ["SAYSO_MCP"]), Path(os.environ["SAYSO_PAIRS"])
NODE = next(iter(sorted((PAIRS / "npm/node_modules").glob("node-linux-*/bin/node"))), "node")
NPM = PAIRS / "npm/node_modules/@modelcontextprotocol"
LONGEST = 180


class Place:
    """A home of its own with a workspace."""

    def __init__(self, name):
        self.scratch = tempfile.TemporaryDirectory(prefix="sayso-pairs-")
        self.home = Path(self.scratch.name).resolve() / "home"
        self.ws = self.home / "ws"
        self.ws.mkdir(parents=True)
        self.home.chmod(0o700)
        (self.home / ".config/sayso").mkdir(parents=True)
        (self.home / ".config/sayso/policy.yaml").write_text(f"version: 1\nrules:\n  - {{allow: {{mcp: '{name}/*'}}}}\n")
        # Addresses of this machine are asked about, whatever is allowed; here the page is one of our own.
        (self.home / ".config/sayso/tools.d").mkdir()
        (self.home / ".config/sayso/tools.d/fetch.yaml").write_text("version: 1\ntools:\n  - {tool: fetch/fetch, arguments: {url: data}}\n")
        (self.ws / "a.txt").write_text("one ü漢🦀\n")
        subprocess.run(["git", "init", "-q", "."], cwd=self.ws, check=True, env=self.env())

    def env(self):
        path = f"{Path(NODE).parent}:{os.environ['PATH']}"
        return {"HOME": str(self.home), "PATH": path, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "NO_PROXY": "127.0.0.1"}

    def gated(self, name, command):
        """The server behind the gateway, with a tee on both sides."""
        tee = [sys.executable, str(HERE / "tee.py")]
        return [*tee, str(self.home / "outer"), PROGRAM, "mcp", "--name", name, "--client", "pair", "--", *tee, str(self.home / "inner"), *command]

    def is_same(self):
        """Whether both sides of the gateway saw the same bytes, and how many."""
        both = [[(self.home / f"{side}.{way}").read_bytes() for way in ("in", "out")] for side in ("outer", "inner")]
        return both[0] == both[1] and all(both[0]), sum(map(len, both[0]))


def bin(name):
    return str(PAIRS / "python/bin" / name)


def dist(package):
    return ["node", str(MCP / "node_modules/@modelcontextprotocol" / package / "dist/index.js")]


SERVERS = {
    "filesystem": lambda place: dist("server-filesystem") + [str(place.ws)],
    "everything": lambda place: dist("server-everything"),
    "git": lambda place: [bin("mcp-server-git"), "--repository", str(place.ws)],
    "time": lambda place: [bin("mcp-server-time"), "--local-timezone", "UTC"],
    "fetch": lambda place: [bin("mcp-server-fetch"), "--allow-private-ips", "--ignore-robots-txt"],
}


def call(name, place, page):
    """One call of each server whose answer is the same each time."""
    return {
        "filesystem": ("read_text_file", {"path": str(place.ws / "a.txt")}),
        "everything": ("echo", {"message": "ü漢🦀 12345678901234567890"}),
        "git": ("git_status", {"repo_path": str(place.ws)}),
        "time": ("convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}),
        "fetch": ("fetch", {"url": f"http://127.0.0.1:{page}/"}),
    }[name]


def plain(value):
    """What a client got, without what differs from run to run."""
    if hasattr(value, "model_dump_json"):
        value = json.loads(value.model_dump_json(by_alias=True, exclude_none=True))
    text = json.dumps(value, sort_keys=True, default=lambda other: plain(other) if hasattr(other, "model_dump_json") else str(other))
    return re.sub(r"sayso-pairs-\w+", "PLACE", re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d", "NOW", text))


async def python_mcp(place, command, tool, arguments, mode):
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(command=command[0], args=command[1:], env=place.env(), cwd=str(place.ws))
    server = stdio_client(parameters) if command[0] != "url" else command[1]
    async with Client(server, mode=mode) as client:
        return plain(await client.list_tools()), plain(await client.call_tool(tool, arguments))


async def fastmcp(place, command, tool, arguments):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    transport = StdioTransport(command[0], command[1:], env=place.env(), cwd=str(place.ws), keep_alive=False) if command[0] != "url" else command[1]
    async with Client(transport) as client:
        tools = [plain(tool) for tool in await client.list_tools()]
        return tools, plain((await client.call_tool(tool, arguments)).content)


async def pydantic_ai(place, command, tool, arguments):
    """An agent whose model is a function that calls the tool and gives back what it got."""
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel

    def model(messages, info):
        got = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
        if got:
            return ModelResponse(parts=[TextPart(plain(got[-1].content))])
        return ModelResponse(parts=[ToolCallPart(tool, arguments)])

    transport = StdioTransport(command[0], command[1:], env=place.env(), cwd=str(place.ws), keep_alive=False) if command[0] != "url" else command[1]
    async with Agent(FunctionModel(model), toolsets=[MCPToolset(transport)]) as agent:
        return [], (await agent.run("work")).output


async def inspector(place, command, tool, arguments):
    entry = {"command": command[0], "args": command[1:], "env": place.env()} if command[0] != "url" else {"type": "streamable-http", "url": command[1]}
    config = place.home / "inspector.json"
    config.write_text(json.dumps({"mcpServers": {"it": entry}}))
    said = []
    for words in (["tools/list"], ["tools/call", "--tool-name", tool, *(word for key, value in arguments.items() for word in ("--tool-arg", f"{key}={value}"))]):
        line = [str(NODE), str(NPM / "inspector/clients/launcher/build/index.js"), "--cli", "--config", str(config), "--server", "it", "--method", *words]
        process = await asyncio.create_subprocess_exec(*line, env=place.env(), cwd=place.ws, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"{out.decode()[-300:]} {err.decode()[-300:]}")
        said.append(plain(json.loads(out)))
    return said


CLIENTS = {
    "python mcp, older era": lambda *words: python_mcp(*words, "legacy"),
    "python mcp, newer era": lambda *words: python_mcp(*words, "auto"),
    "fastmcp": fastmcp,
    "Inspector CLI": inspector,
    "pydantic-ai": pydantic_ai,
}


def record(name, column, place, page):
    """Keeps the session of a pair, without what is of this machine."""
    text = (place.home / "inner.all").read_text().replace(str(place.ws), "@WORKSPACE@").replace(f"127.0.0.1:{page}", "127.0.0.1:8000")
    (Path(os.environ["SAYSO_RECORD"]) / f"{name} {column}.txt").write_text(text)


async def over_stdio(name, client, page, column):
    """A pair over standard streams."""
    place = Place(name)
    tool, arguments = call(name, place, page)
    bare = await client(place, SERVERS[name](place), tool, arguments)
    gated = await client(place, place.gated(name, SERVERS[name](place)), tool, arguments)
    if bare != gated:
        raise AssertionError(f"not the same: {bare} {gated}")
    for _ in range(100):
        same, size = place.is_same()
        if same:
            if os.environ.get("SAYSO_RECORD"):
                record(name, column, place, page)
            return size
        await asyncio.sleep(0.1)
    raise AssertionError("the bytes are not the same on both sides of the gateway")


@contextlib.asynccontextmanager
async def listening(words, env, place):
    """A process that says on which port it listens."""
    process = await asyncio.create_subprocess_exec(*words, env=env, cwd=place.ws, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        while line := (await asyncio.wait_for(process.stdout.readline(), 60)).decode():
            if found := re.search(r"(?:127\.0\.0\.1:|port )(\d+)", line):
                drain = asyncio.ensure_future(process.stdout.read())
                yield int(found[1])
                drain.cancel()
                break
        else:
            raise RuntimeError(f"it does not start: {words}")
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@contextlib.asynccontextmanager
async def web(place, name):
    """server-everything over HTTP, a wiretap, the gateway, and another wiretap."""
    free = (await asyncio.start_server(lambda *_: None, "127.0.0.1", 0))
    port = free.sockets[0].getsockname()[1]
    free.close()
    await free.wait_closed()
    async with listening([*dist("server-everything"), "streamableHttp"], place.env() | {"PORT": str(port)}, place):
        inner = await Wiretap(port).start()
        words = [PROGRAM, "mcp", "--name", name, "--listen", "127.0.0.1:0", "--url", f"http://127.0.0.1:{inner.port}/mcp"]
        async with listening(words, place.env(), place) as gateway:
            yield port, gateway, inner


async def over_http(name, client, page, _):
    place = Place(name)
    tool, arguments = call(name, place, page)
    async with web(place, name) as (port, gateway, inner):
        bare = await client(place, ["url", f"http://127.0.0.1:{port}/mcp"], tool, arguments)
        # The gateway wants to be called by its own name, so the wiretap on this side takes its place.
        outer = await Wiretap(gateway).start()
        fixed = await asyncio.start_server(lambda r, w: renamed(r, w, outer.port, gateway), "127.0.0.1", 0)
        gated = await client(place, ["url", f"http://127.0.0.1:{fixed.sockets[0].getsockname()[1]}/mcp"], tool, arguments)
        await asyncio.sleep(0.5)
        (asked, answered), (passed, said) = outer.bodies(), inner.bodies()
    if bare != gated:
        raise AssertionError(f"not the same: {bare} {gated}")
    # A client may be gone before a question that the server has by itself comes; it never waits for one.
    late = Counter(said) - Counter(answered)
    if asked != passed or Counter(answered) - Counter(said) or any(b'"result"' in body or b'"error"' in body for body in late) or not asked:
        other = [[body[:300] for body in one if body not in two] for one, two in ((asked, passed), (passed, asked), (answered, said), (said, answered))]
        raise AssertionError(f"other bodies: {len(asked)} {len(passed)} {len(answered)} {len(said)}: {other}")
    return sum(map(len, asked + answered))


async def renamed(reader, writer, to, name):
    """Passes requests on under the name of the gateway."""
    own = writer.get_extra_info("sockname")[1]
    up, down = await asyncio.open_connection("127.0.0.1", to)

    async def pump(source, target, swap):
        with contextlib.suppress(ConnectionError):
            while data := await source.read(1 << 16):
                target.write(data.replace(f"127.0.0.1:{own}".encode(), f"127.0.0.1:{name}".encode()) if swap else data)
                await target.drain()
        target.close()

    await asyncio.gather(pump(reader, down, True), pump(up, writer, False))


class Page(BaseHTTPRequestHandler):
    """What the server `fetch` gets. Plain text: for HTML it would have npm install something first."""

    def do_GET(self):
        body = "Hello ü漢🦀\n".encode()
        self.send_response(200)
        self.send_header("content-type", "text/plain; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


async def main():
    pages = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    wanted, failed, table, total = sys.argv[1:], 0, {}, 0
    rows = [(name, over_stdio) for name in SERVERS] + [("everything over HTTP", over_http)]
    for row, way in rows:
        for column, client in CLIENTS.items():
            if not all(word in f"{row} × {column}" for word in wanted):
                continue
            try:
                size = await asyncio.wait_for(way(row.split()[0], client, pages.server_port, column), LONGEST)
                table[row, column], total = "same", total + size
                print(f"ok      {row} × {column}: the same answers, {size} bytes the same", flush=True)
            except Exception as error:
                failed += 1
                print(f"FAILED  {row} × {column}: {type(error).__name__}: {error}"[:1500], flush=True)
    print(f"{len(table)} pairs, {total} bytes the same on both sides, {failed} failed")
    if not failed and not wanted and os.environ.get("SAYSO_WRITE_NUMBERS"):
        lines = ["| | " + " | ".join(CLIENTS) + " |", "|---|" + "---|" * len(CLIENTS)]
        lines += [f"| {row} | " + " | ".join(table.get((row, column), "–") for column in CLIENTS) + " |" for row, _ in rows]
        write("pairs", "\n".join(lines) + f"\n\n{len(table)} pairs; {total:,} bytes were the same on both sides of the gateway.")
    sys.exit(bool(failed))


def write(what, text):
    """Puts a text into its place in docs/mcp-pairs.md."""
    file = HERE.parents[3] / "docs/mcp-pairs.md"
    before, rest = file.read_text().split(f"<!-- {what}: written by `./test --agents` -->", 1)
    file.write_text(f"{before}<!-- {what}: written by `./test --agents` -->\n\n{text}\n\n<!-- end -->{rest.split('<!-- end -->', 1)[1]}")


if __name__ == "__main__":
    asyncio.run(main())
