// The hook of sayso for Cline, put here by `sayso install cline`; `sayso uninstall cline` takes it away.
// Every call of a tool is sent to `sayso hook cline` first. Whatever is not a clear yes skips the call.
import { spawn } from "node:child_process";

const SAYSO = "/usr/bin/sayso";
// Cline waits three seconds for a plugin, so nobody can be asked meanwhile.
const WAIT = 2.5;
const HOOK = ["hook", "cline", "--wait", "60"];
const LATE = "the hook did not answer in time, and Cline does not wait for a person";

//{ask}

const where = { folder: process.cwd(), session: "" };
let started = false;

const about = (context) => {
  const { agentId, parentAgentId, agentRole } = context.snapshot || {};
  const document = { session: where.session || (context.snapshot && context.snapshot.conversationId) || "cline", folder: where.folder };
  // A sub-agent is named by the one that started it.
  if (parentAgentId && parentAgentId !== agentId) document.agent_type = agentRole || "sub-agent";
  return document;
};

const tell = async (document) => {
  // What cannot be told any more denies nothing.
  await ask(document).catch(() => {});
};

export default {
  name: "sayso",
  manifest: { capabilities: ["hooks"] },
  setup(_, context) {
    where.folder = (context.workspaceInfo && context.workspaceInfo.rootPath) || where.folder;
    where.session = (context.session && context.session.sessionId) || where.session;
  },
  hooks: {
    async beforeTool(context) {
      try {
        const document = about(context);
        if (!started) {
          started = true;
          // Nobody waits for it: there is little time.
          tell({ event: "session_start", session: document.session, folder: document.folder });
        }
        const { toolName, toolCallId } = context.toolCall;
        const call = { event: "before", ...document, tool: toolName, id: toolCallId, arguments: context.input };
        const answer = JSON.parse(await ask(call));
        if (answer.decision === "allow" && !answer.arguments) return undefined;
        return { skip: true, reason: answer.reason || "sayso: denied" };
      } catch (error) {
        return { skip: true, reason: (error && error.message) || "sayso: denied" };
      }
    },
    async afterTool(context) {
      const { toolName, toolCallId } = context.toolCall;
      const event = context.result && context.result.isError ? "failed" : "after";
      const took = Math.round(context.durationMs || 0);
      await tell({ event, ...about(context), tool: toolName, id: toolCallId, arguments: context.input, duration_ms: took });
    },
  },
};
