"""An agent that says what its editor tells it to say, and tells its editor what it was answered."""

import json
import os
import signal
import sys

signal.signal(signal.SIGTERM, lambda *_: (sys.stderr.write("caught\n"), sys.exit(9)))
out = sys.stdout.buffer
log = open("got.log", "ab", buffering=0)
sessions = 0


def say(message):
    out.write(json.dumps(message).encode() + b"\n")
    out.flush()


for line in sys.stdin.buffer:
    log.write(line)
    try:
        message = json.loads(line)
    except ValueError:
        continue
    if not isinstance(message, dict):
        continue
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        say({"jsonrpc": "2.0", "id": message["id"], "result": {"protocolVersion": 1, "agentCapabilities": {}}})
    elif method == "session/new":
        sessions += 1
        say({"jsonrpc": "2.0", "id": message["id"], "result": {"sessionId": f"s{sessions}"}})
    elif method == "_say":
        out.write(bytes.fromhex(params["bytes"]))
        out.flush()
    elif method == "_stderr":
        sys.stderr.write(params["text"])
        sys.stderr.flush()
    elif method == "_exit":
        os._exit(params["code"])
    elif method is None:
        say({"jsonrpc": "2.0", "method": "_got", "params": message})
    elif "id" in message:
        say({"jsonrpc": "2.0", "id": message["id"], "result": {"echo": params}})
    elif method == "session/cancel":
        say({"jsonrpc": "2.0", "method": "_cancelled", "params": params})
sys.exit(7)
