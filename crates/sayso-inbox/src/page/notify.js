// Notifications on the desktop, only after the person has switched them on.

import { neutral } from "./text.js";
import { wants } from "./words.js";

const KEPT = "sayso-notify";

function isOn() {
  return "Notification" in window && Notification.permission === "granted" && localStorage.getItem(KEPT) === "yes";
}

/** The switch. */
export function attach(button) {
  const draw = () => {
    button.setAttribute("aria-pressed", isOn() ? "true" : "false");
    button.textContent = isOn() ? "notifies you" : "notify me";
  };
  button.hidden = !("Notification" in window);
  button.addEventListener("click", async () => {
    if (isOn()) localStorage.setItem(KEPT, "no");
    else if ((await Notification.requestPermission()) === "granted") localStorage.setItem(KEPT, "yes");
    else button.title = "the browser does not allow it";
    draw();
  });
  draw();
}

/** Tells of a prompt, while nobody looks at the page. What it is about is not told: other people see a desktop, too. */
export function tell(prompt, chosen) {
  if (!isOn() || document.visibilityState === "visible") return;
  const words = `${neutral(prompt.agent) || "an agent"} wants to ${wants(prompt.kind)}${prompt.is_dangerous ? " (dangerous)" : ""}`;
  const shown = new Notification("sayso", { body: words, tag: prompt.id });
  shown.addEventListener("click", () => {
    window.focus();
    chosen(prompt.id);
    shown.close();
  });
}
