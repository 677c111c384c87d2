#!/usr/bin/env python3
# Claude Code in small, for tests of the canary: it asks the model, asks the hooks of its settings, and runs commands.
import json
import os
import subprocess
import sys
import urllib.request

MANNER = "honest"  # honest, deaf (no hook counts), silent (no model is asked), elsewhere (another address is)

if "--version" in sys.argv:
    print("2.1.325 (Claude Code)")
    sys.exit()
with open(os.path.join(os.environ["HOME"], "started.jsonl"), "a", encoding="utf-8") as file:
    file.write(json.dumps({"env": dict(os.environ), "argv": sys.argv, "cwd": os.getcwd()}) + "\n")
if MANNER == "silent":
    sys.exit("no model for me")
if MANNER == "elsewhere":
    urllib.request.urlopen("http://vendor.invalid/v1/messages")

groups = []
for path in (os.path.join(os.environ["HOME"], ".claude/settings.json"), sys.argv[sys.argv.index("--settings") + 1]):
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            groups += json.load(file).get("hooks", {}).get("PreToolUse", [])


def model(messages):
    body = {"model": "m", "messages": messages, "tools": [{"name": "Bash"}]}
    headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "content-type": "application/json"}
    url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


def denied(call):
    """Why the hooks deny a call; None if they do not."""
    payload = {
        "session_id": "5e551011-0000-4000-8000-000000000009",
        "cwd": os.getcwd(),
        "hook_event_name": "PreToolUse",
        "tool_name": call["name"],
        "tool_input": call["input"],
        "tool_use_id": call["id"],
    }
    for handler in (handler for group in groups for handler in group["hooks"]):
        environment = dict(os.environ, CLAUDE_PROJECT_DIR=os.getcwd(), CLAUDE_CODE_SESSION_ATTENDED="0")
        try:
            done = subprocess.run(
                ["bash", "-c", handler["command"]], input=json.dumps(payload), env=environment, text=True,
                capture_output=True, timeout=handler["timeout"],
            )
            failed = done.returncode not in (0, 2)
        except subprocess.TimeoutExpired:
            failed = True
        if failed:
            if handler.get("onFailure") == "block":
                return "the hook failed"
            continue
        if done.returncode == 2:
            return done.stderr
        answer = json.loads(done.stdout or "{}").get("hookSpecificOutput", {})
        if answer.get("permissionDecision") in ("deny", "ask"):
            return "hook error: " + answer["permissionDecisionReason"]
    return None


messages = [{"role": "user", "content": sys.argv[sys.argv.index("-p") + 1]}]
while True:
    answer = model(messages)
    messages.append({"role": "assistant", "content": answer["content"]})
    calls = [block for block in answer["content"] if block["type"] == "tool_use"]
    if not calls:
        break
    results = []
    for call in calls:
        why = None if MANNER == "deaf" else denied(call)
        text = why or subprocess.run(["bash", "-c", call["input"]["command"]], text=True, capture_output=True).stdout
        results.append({"type": "tool_result", "tool_use_id": call["id"], "content": text})
    messages.append({"role": "user", "content": results})
