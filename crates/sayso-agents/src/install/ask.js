// One document in, one answer out.
const ask = (document) =>
  new Promise((resolve, reject) => {
    const denied = (why) => reject(new Error(`sayso: ${why}; nothing was changed`));
    const hook = spawn(SAYSO, HOOK, { stdio: ["pipe", "pipe", "pipe"] });
    let out = "";
    let err = "";
    const late = setTimeout(() => {
      hook.kill("SIGKILL");
      denied(LATE);
    }, WAIT * 1000);
    hook.on("error", (error) => {
      clearTimeout(late);
      denied(`the hook could not be started: ${error.message}`);
    });
    hook.stdin.on("error", () => {});
    hook.stdout.on("data", (piece) => (out += piece));
    hook.stderr.on("data", (piece) => (err += piece));
    hook.on("close", (status) => {
      clearTimeout(late);
      if (status !== 0) return reject(new Error(err.trim() || `sayso: the hook ended with ${status}; nothing was changed`));
      resolve(out);
    });
    hook.stdin.end(JSON.stringify(document));
  });
