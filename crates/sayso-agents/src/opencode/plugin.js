// The hook of sayso for opencode, put here by `sayso install opencode`; `sayso uninstall opencode` takes it away.
// Every call of a tool is sent to `sayso hook opencode` first. Whatever is not a clear yes is thrown, which denies the call.
import { spawn } from "node:child_process";

const SAYSO = "/usr/bin/sayso";
const WAIT = 600;
const HOOK = ["hook", "opencode", "--wait", String(WAIT)];
const LATE = "the hook did not answer in time";

//{ask}

export const Sayso = async ({ client, directory }) => {
  const parents = new Map();
  const agents = new Map();
  const started = new Set();

  // A sub-agent has a session of its own, below that of the agent which started it.
  const about = async (session) => {
    if (!parents.has(session)) {
      const found = await client.session.get({ path: { id: session } });
      parents.set(session, (found.data && found.data.parentID) || null);
    }
    let root = session;
    for (let up = parents.get(root); up; up = parents.get(root)) {
      root = up;
      if (!parents.has(root)) {
        const found = await client.session.get({ path: { id: root } });
        parents.set(root, (found.data && found.data.parentID) || null);
      }
    }
    const document = { session: root, folder: directory };
    if (root !== session) document.agent_type = agents.get(session) || "sub-agent";
    return document;
  };

  const servers = async () => {
    const found = await client.mcp.status();
    return Object.keys(found.data || {});
  };

  const tell = async (document) => {
    // What cannot be told any more denies nothing.
    await ask(document).catch(() => {});
  };

  return {
    "chat.message": async ({ sessionID, agent }) => {
      if (agent) agents.set(sessionID, agent);
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      const where = await about(sessionID);
      if (!started.has(where.session)) {
        started.add(where.session);
        await tell({ event: "session_start", session: where.session, folder: directory });
      }
      const call = { event: "before", ...where, tool, id: callID, arguments: output.args, mcp_servers: await servers() };
      const answer = JSON.parse(await ask(call));
      if (answer.decision !== "allow") throw new Error(answer.reason || "sayso: denied");
      if (answer.arguments) {
        for (const key of Object.keys(output.args)) delete output.args[key];
        Object.assign(output.args, answer.arguments);
      }
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }) => {
      const where = await about(sessionID);
      await tell({ event: "after", ...where, tool, id: callID, arguments: args || {}, mcp_servers: await servers() });
    },
    dispose: async () => {
      for (const session of started) await tell({ event: "session_end", session, folder: directory });
    },
  };
};
