# A tiny MCP server with two tools, `ping` and `drop`, that writes down what is called.
import json
import sys

TOOLS = [
    {"name": name, "description": name, "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
    for name in ("ping", "drop")
]

for line in sys.stdin:
    request = json.loads(line)
    method, params = request.get("method"), request.get("params") or {}
    if "id" not in request:
        continue
    if method == "initialize":
        result = {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "tiny", "version": "1"},
        }
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call":
        with open("CALLED", "a", encoding="utf-8") as file:
            file.write("%s %s\n" % (params["name"], params.get("arguments", {}).get("name")))
        result = {"content": [{"type": "text", "text": "done"}]}
    else:
        result = {}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
