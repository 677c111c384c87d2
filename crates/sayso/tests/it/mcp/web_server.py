"""A small MCP server over HTTP for tests: it writes down every request, and answers with JSON or with events.

The words on its command line are its port and a file with its certificate and key. What `odd.json` has for a tool or a method is said as it is.
"""

import json
import os
import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOG = open("web.log", "a", buffering=1)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def note(self, body):
        headers = {name.lower(): value for name, value in self.headers.items()}
        LOG.write(json.dumps({"method": self.command, "path": self.path, "headers": headers, "body": body}) + "\n")

    def say(self, status, media, body, **headers):
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.note(message)
        method, id = message.get("method"), message.get("id")
        odd = json.load(open("odd.json")) if os.path.exists("odd.json") else {}
        said = odd.get(method) or odd.get((message.get("params") or {}).get("name"))
        if said:
            headers = {name: value for name, value in said.items() if name not in ("status", "media", "body")}
            return self.say(said.get("status", 200), said.get("media", "application/json"), said.get("body", "").encode("latin-1"), **headers)
        if id is None:
            return self.say(202, "application/json", b"")
        if method == "tools/call":
            text = json.dumps(message["params"].get("arguments"))
            answer = {"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}], "isError": False}}
            if message["params"]["name"] == "stream":
                notice = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
                events = b"".join(b"event: message\ndata: " + json.dumps(one).encode() + b"\n\n" for one in (notice, notice, answer))
                return self.say(200, "text/event-stream", events)
            return self.say(200, "application/json", json.dumps(answer).encode())
        result = {"jsonrpc": "2.0", "id": id, "result": {"tools": []}}
        self.say(200, "application/json", json.dumps(result).encode(), Mcp_Session_Id="s-1")

    def do_GET(self):
        self.note(None)
        if os.path.exists("get.txt"):
            return self.say(200, "text/event-stream", open("get.txt", "rb").read())
        last = int(self.headers.get("Last-Event-ID") or 0)
        self.say(200, "text/event-stream", f'id: {last + 1}\ndata: {{"jsonrpc":"2.0","method":"notifications/x"}}\n\n'.encode())

    def do_DELETE(self):
        self.note(None)
        self.say(200, "application/json", b"")


port, certificate = sys.argv[1:] or ("0", "")
server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
if certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1])
sys.stdout.flush()
server.serve_forever()
