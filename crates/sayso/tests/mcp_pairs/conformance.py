"""The conformance suite of MCP against one server, without and with the gateway in front of it: the same result, check by check.

The environment is that of `run.py`; with SAYSO_WRITE_NUMBERS the numbers go to docs/mcp-pairs.md.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections import Counter

from run import HERE, NODE, NPM, PROGRAM, Place, listening, write


async def reachable(port):
    for _ in range(300):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        except OSError:
            await asyncio.sleep(0.1)
    raise RuntimeError("the server does not start")


async def suite(place, port, name):
    """All checks with how they ended."""
    folder = place.home / name
    words = [str(NODE), str(NPM / "conformance/dist/index.js"), "server", "--url", f"http://127.0.0.1:{port}/mcp", "--suite", "all", "-o", str(folder)]
    process = await asyncio.create_subprocess_exec(*words, env=place.env(), cwd=place.ws, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    await asyncio.wait_for(process.wait(), 300)
    checks = {}
    for file in sorted(folder.rglob("checks.json")):
        scenario = re.sub(r"-20\d\d-\d\d-\d\dT.*", "", file.parent.name)
        for number, check in enumerate(json.loads(file.read_text())):
            checks[f"{scenario}/{check['id']}/{number}"] = check["status"]
    return checks


async def main():
    place = Place("conformance")
    free = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = free.sockets[0].getsockname()[1]
    free.close()
    server = await asyncio.create_subprocess_exec(sys.executable, str(HERE / "conformance_server.py"), str(port), env=place.env(), cwd=place.ws, stderr=subprocess.DEVNULL)
    try:
        await reachable(port)
        words = [PROGRAM, "mcp", "--name", "conformance", "--listen", "127.0.0.1:0", "--url", f"http://127.0.0.1:{port}/mcp"]
        async with listening(words, place.env(), place) as gateway:
            # On a busy machine a check may run out of time, with the gateway or without: what differs has to differ each time.
            for number in range(3):
                bare, gated = await suite(place, port, f"bare{number}"), await suite(place, gateway, f"gated{number}")
                if bare == gated:
                    break
                print("not the same; once more:", sorted(key for key in bare.keys() | gated.keys() if bare.get(key) != gated.get(key)))
    finally:
        server.kill()
        await server.wait()
    count = lambda checks: ", ".join(f"{number} {status.lower()}" for status, number in sorted(Counter(checks.values()).items()))
    print(f"without: {len(bare)} checks, {count(bare)}\nwith:    {len(gated)} checks, {count(gated)}")
    other = {key: (bare.get(key), gated.get(key)) for key in sorted(bare.keys() | gated.keys()) if bare.get(key) != gated.get(key)}
    for key, (without, with_it) in other.items():
        print(f"FAILED  {key}: {without} without, {with_it} with the gateway")
    failed = [key for key, status in bare.items() if status == "FAILURE"]
    print(f"what the server itself fails: {', '.join(failed)}")
    if bare and not other and os.environ.get("SAYSO_WRITE_NUMBERS"):
        rows = f"| | checks | |\n|---|---|---|\n| without the gateway | {len(bare)} | {count(bare)} |\n| with it | {len(gated)} | {count(gated)} |"
        write("conformance", f"{rows}\n\nNo check ended differently." + (f" What this server itself does not pass: {', '.join(f'`{one}`' for one in failed)}." if failed else ""))
    sys.exit(bool(other) or not bare)


if __name__ == "__main__":
    asyncio.run(main())
