// Lets somebody choose a key for each action: a press of the button listens for the next key.
import { capOf } from "./keys.js";

const KEEPS = new Set(["Escape", "Tab"]);

// The keys after an action gets a code: a code belongs to one action.
export function assign(keys, action, code) {
  const others = Object.entries(keys).filter(([name, used]) => name !== action && used !== code);
  return { ...Object.fromEntries(others), [action]: code };
}

export function enhancePreferences(form) {
  let keys = JSON.parse(form.querySelector("#changed-keys").textContent);
  let listening = null;
  const field = form.querySelector("[data-keys]");
  const list = form.querySelector("[data-key-list]");
  const buttons = [...form.querySelectorAll("[data-action]")];

  function show() {
    field.value = JSON.stringify(keys);
    for (const button of buttons) {
      const { action } = button.dataset;
      const code = keys[action];
      button.textContent = button === listening ? "press a key" : code ? capOf(code) : "default";
      button.setAttribute("aria-pressed", String(button === listening));
    }
  }

  for (const button of buttons) {
    button.addEventListener("click", () => {
      listening = button;
      show();
    });
  }
  form.addEventListener("keydown", (event) => {
    if (!listening) return;
    if (!KEEPS.has(event.key)) {
      event.preventDefault();
      keys = assign(keys, listening.dataset.action, event.code);
    }
    listening = null;
    show();
  });
  form.querySelector("[data-reset]").addEventListener("click", () => {
    keys = {};
    show();
  });
  list.hidden = false;
  show();
}
