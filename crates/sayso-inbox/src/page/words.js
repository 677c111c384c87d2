// Words for what the server says in single ones: what is asked for, how it ended, and times.

const WANTS = {
  terminal: "run a command",
  file_read: "read a file",
  file_grep: "search files",
  glob: "look for files",
  list: "list a folder",
  file_write: "write a file",
  file_edit: "edit a file",
  file_create: "create a file",
  file_create_overwrite: "create a file, over what is there",
  file_append: "append to a file",
  file_insert_after: "insert into a file",
  file_insert_before: "insert into a file",
  file_delete: "delete a file",
  file_move: "move a file",
  file_copy: "copy a file",
  file_mkdir: "make a folder",
  file_rmdir: "remove a folder",
  webfetch: "fetch from the web",
  mcp: "call a tool of an MCP server",
  delegate: "start another agent",
  agent_create: "make another agent",
  share_file: "share a file",
  opaque: "do something that could not be read",
};

/** What somebody wants to do, by its kind. */
export function wants(kind) {
  return Object.hasOwn(WANTS, kind) ? WANTS[kind] : "use a tool";
}

const ENDS = {
  once: "allowed it once",
  batch: "allowed it and the rest of its batch",
  session: "allowed it for the session",
  project: "allowed it for the project",
  always: "allowed it everywhere",
  pattern: "allowed it, and kept a pattern",
  deny: "denied it",
  quit: "denied it, and stopped its batch",
};

/** How a prompt ended, as a sentence. `me` is this browser's own name. */
export function ending(ended, me) {
  const isHalf = ended.round === "first" && isAllowed(ended.answer);
  const words = isHalf ? "confirmed it, 1 of 2: it asks once more" : Object.hasOwn(ENDS, ended.answer) ? ENDS[ended.answer] : null;
  if (words && ended.by === me) return `You ${words}.`;
  if (words && ended.by) return `${sentence(elsewhere(ended))} ${words}.`;
  if (words) return `Somebody ${words}.`;
  switch (ended.answer) {
    case "timeout":
      return "Nobody answered in time: it was denied.";
    case "cancelled":
      return "Whoever asked took it back: nothing was run.";
    case "nobody":
      return "There was nobody to ask: it was denied.";
    default:
      return "It failed: it was denied.";
  }
}

/** Who did something that was not done on this page. */
export function elsewhere({ by, by_words: words }) {
  return (words ?? by).replace("in the browser", "in another browser");
}

/** Words as the subject of a sentence: "you, in the browser" becomes "You, in the browser,". */
function sentence(words) {
  const subject = words.charAt(0).toUpperCase() + words.slice(1);
  return subject.includes(",") ? `${subject},` : subject;
}

/** Whether an end let it run. */
export function isAllowed(answer) {
  return ["once", "batch", "session", "project", "always", "pattern"].includes(answer);
}

/** A number of seconds as `4:05`, or with hours. */
export function clock(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** The time of a moment in milliseconds, with its date where that is another day. */
export function moment(at) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const two = (number) => String(number).padStart(2, "0");
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const today = new Date().toDateString() === date.toDateString();
  return today ? time : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

/** A count with its word. */
export function count(number, one, several = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : several}`;
}

/** How bad something is, on the one scale that people see. */
export function levelWords(level) {
  switch (level) {
    case "dangerous":
    case "catastrophic":
      return level;
    case "low":
    case "medium":
      return `${level} risk`;
    default:
      return "high risk";
  }
}
