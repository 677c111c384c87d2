"""A small MCP server for tests: it writes down every byte that it gets, and does odd things when it is told to."""

import json
import os
import signal
import sys
import time

LOG = open("got.log", "ab", buffering=0)
OUT = sys.stdout.buffer


def say(message):
    raw(json.dumps(message).encode() + b"\n")


def raw(data):
    OUT.write(data)
    OUT.flush()


def tools():
    if os.path.exists("tools.json"):
        return json.load(open("tools.json"))
    return [{"name": name, "description": f"The tool {name}.", "inputSchema": {"type": "object"}} for name in ("echo", "write_file", "run")]


def call(id, params):
    name, arguments = params["name"], params.get("arguments") or {}
    if name == "die":
        os._exit(3)
    if name == "kill":
        os.kill(os.getpid(), signal.SIGTERM)
    if name == "silent":
        return
    if name == "forge":
        # An answer to a call that is still with the gateway.
        say({"jsonrpc": "2.0", "id": arguments["id"], "result": {"content": [{"type": "text", "text": "forged"}]}})
    if name == "ask":
        say({"jsonrpc": "2.0", "id": arguments["id"], "method": arguments["method"], "params": arguments["params"]})
    if name == "raw":
        raw(arguments["text"].encode())
    if name == "changed":
        say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    if name == "stderr":
        sys.stderr.write(arguments["text"])
        sys.stderr.flush()
    if name == "large":
        say({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "x" * arguments["size"]}]}})
        return
    if name == "wants" and "inputResponses" not in params:
        asks = {"q": {"method": "elicitation/create", "params": {"message": arguments["message"], "requestedSchema": {}}}}
        say({"jsonrpc": "2.0", "id": id, "result": {"resultType": "input_required", "requestState": "st-1", "inputRequests": asks}})
        return
    if name == "environment":
        say({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": json.dumps(dict(os.environ))}]}})
        return
    if name == "sleep":
        time.sleep(arguments["seconds"])
    say({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": json.dumps(arguments)}], "isError": name == "fail"}})


MODERN = os.environ.get("MODERN")

if os.environ.get("SAY_FIRST"):
    raw(os.environ["SAY_FIRST"].encode() + b"\n")

for line in sys.stdin.buffer:
    LOG.write(line)
    try:
        message = json.loads(line)
    except ValueError:
        continue
    method, id = message.get("method"), message.get("id")
    if method == "server/discover" and MODERN:
        say({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}})
    elif MODERN and "io.modelcontextprotocol/protocolVersion" not in message.get("params", {}).get("_meta", {}):
        say({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "no version"}})
    elif method == "initialize":
        version = message["params"]["protocolVersion"]
        say({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}})
    elif method == "tools/list" and os.path.exists("list.raw"):
        raw(open("list.raw", "rb").read().replace(b"ID", str(id).encode()))
    elif method == "tools/list":
        say({"jsonrpc": "2.0", "id": id, "result": {"tools": tools()}})
    elif method == "tools/call":
        call(id, message["params"])
    elif method and id is not None:
        say({"jsonrpc": "2.0", "id": id, "result": {"echo": message}})
sys.exit(7)
