// Lets the user choose a key for each action: after a press of its button, the next key is taken.
import { gettext } from "../elements/words.js";
import { capOf, PLACES } from "./keys.js";

const KEEPS = new Set(["Escape", "Tab"]);
// Keys whose meaning cannot be changed.
const FIXED = /^(?:Enter|Arrow\w+|Digit0|Equal|Minus|Slash|Shift\w+|Control\w+|Alt\w+|Meta\w+)$/;

// The keys after a code is assigned to an action: a code belongs to one action.
export function assign(keys, action, code) {
  const others = Object.entries(keys).filter(([name, used]) => name !== action && used !== code);
  const next = Object.fromEntries(others);
  return code === PLACES[action] ? next : { ...next, [action]: code };
}

// The actions that lose their default key to another: {code, has, lost}, by names of actions.
export function conflictsOf(keys) {
  return Object.entries(keys).flatMap(([has, code]) =>
    Object.keys(PLACES)
      .filter((lost) => lost !== has && PLACES[lost] === code && !(lost in keys))
      .map((lost) => ({ code, has, lost })),
  );
}

export function enhancePreferences(form) {
  let keys = JSON.parse(form.querySelector("#changed-keys").textContent);
  let listening = null;
  let layout;
  const field = form.querySelector("[data-keys]");
  const list = form.querySelector("[data-key-list]");
  const said = form.querySelector("[data-conflicts]");
  const buttons = [...form.querySelectorAll("[data-action]")];
  const wordsOf = (action) => form.querySelector(`[data-words="${action}"]`).textContent;

  function show(refused = "") {
    field.value = JSON.stringify(keys);
    const conflicts = conflictsOf(keys);
    for (const button of buttons) {
      const { action } = button.dataset;
      const hasNone = conflicts.some(({ lost }) => lost === action);
      const cap = hasNone ? gettext("none") : capOf(keys[action] ?? PLACES[action], layout);
      button.textContent = button === listening ? gettext("press a key") : cap;
      button.setAttribute("aria-pressed", String(button === listening));
      button.toggleAttribute("data-conflict", hasNone);
    }
    const sentences = conflicts.map(
      ({ code, has, lost }) => 
        gettext("{key} is now “{has}”, and “{lost}” has no key.", {
          key: capOf(code, layout),
          has: wordsOf(has),
          lost: wordsOf(lost),
        }),
    );
    said.textContent = [refused, ...sentences].filter(Boolean).join(" ");
  }

  for (const button of buttons) {
    button.addEventListener("click", () => {
      listening = button;
      show();
    });
  }
  form.addEventListener("keydown", (event) => {
    if (!listening) return;
    const { action } = listening.dataset;
    let refused = "";
    if (!KEEPS.has(event.key)) {
      event.preventDefault();
      if (FIXED.test(event.code)) refused = gettext("{key} is reserved and cannot be reassigned.", { key: event.key });
      else keys = assign(keys, action, event.code);
    }
    listening = null;
    show(refused);
  });
  form.querySelector("[data-reset]").addEventListener("click", () => {
    keys = {};
    show();
  });
  list.hidden = false;
  show();
  navigator.keyboard?.getLayoutMap().then((map) => {
    layout = map;
    show();
  });
}
