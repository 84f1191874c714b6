// The three questions and their keys.
export const CRITERIA = ["recall", "precision", "preference"];
export const VERDICTS = ["left", "equal", "right"];

// By position on the keyboard, not by letter: rows are criteria, columns are verdicts.
const BLOCKS = [
  ["Digit1", "Digit2", "Digit3", "KeyQ", "KeyW", "KeyE", "KeyA", "KeyS", "KeyD"],
  ["Numpad7", "Numpad8", "Numpad9", "Numpad4", "Numpad5", "Numpad6", "Numpad1", "Numpad2", "Numpad3"],
];
const ANSWERS = new Map(
  BLOCKS.flatMap((codes) =>
    codes.map((code, at) => [
      code,
      { name: "answer", criterion: CRITERIA[Math.floor(at / 3)], verdict: VERDICTS[at % 3] },
    ]),
  ),
);
const MOVES = {
  ArrowLeft: { name: "step", by: -1 },
  ArrowRight: { name: "step", by: 1 },
  ArrowUp: { name: "row", by: -1 },
  ArrowDown: { name: "row", by: 1 },
};
const LETTERS = { u: "undo", x: "skip", r: "same" };

// What a key asks for, or null. Whether it is a repeat, and where the focus is, the page weighs.
export function actionOf({ key, code, ctrlKey, altKey, metaKey, shiftKey }) {
  if (ctrlKey && !altKey && !metaKey && !shiftKey && letterOf(key, code) === "z") {
    return { name: "undo" };
  }
  if (ctrlKey || altKey || metaKey) return null;
  if (key === "?") return { name: "help" };
  if (shiftKey) return null;
  if (key === "Enter") return { name: "confirm" };
  const name = LETTERS[letterOf(key, code)];
  return ANSWERS.get(code) ?? MOVES[code] ?? (name ? { name } : null);
}

// The letter on the key; on a layout without Latin letters the one at its place.
function letterOf(key, code) {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  return /^[\x20-\x7e]$/.test(key) || !/^Key[A-Z]$/.test(code) ? "" : code[3].toLowerCase();
}

// From no answer the arrows choose the side they point to; there is no way round from left to right.
export function step(verdict, by) {
  if (!verdict) return by < 0 ? "left" : "right";
  return VERDICTS[Math.min(Math.max(VERDICTS.indexOf(verdict) + by, 0), VERDICTS.length - 1)];
}

// The first answer given, copied to the open criteria that have none.
export function sameForAll(answers, open) {
  const first = open.map((criterion) => answers[criterion]).find(Boolean);
  if (!first) return answers;
  return Object.fromEntries(open.map((criterion) => [criterion, answers[criterion] || first]));
}

export function createAnswer(form, { onChange }) {
  const rows = CRITERIA.map((name) => form.querySelector(`[data-criterion="${name}"]`));
  const rowOf = (criterion) => rows[CRITERIA.indexOf(criterion)];
  const radiosOf = (row) => [...row.querySelectorAll("input[type=radio]")];
  const open = () => CRITERIA.filter((name) => !("implied" in rowOf(name).dataset));
  const chosen = (criterion) =>
    radiosOf(rowOf(criterion)).find((radio) => radio.checked)?.value ?? "";
  const unanswered = () => open().filter((criterion) => !chosen(criterion));
  const current = () => document.activeElement?.closest("[data-criterion]");

  function note(row, words, wrong) {
    row.querySelector("[data-note]").textContent = words;
    for (const radio of radiosOf(row)) {
      if (wrong) radio.setAttribute("aria-invalid", "true");
      else radio.removeAttribute("aria-invalid");
    }
  }

  function set(criterion, verdict) {
    const row = rowOf(criterion);
    for (const radio of radiosOf(row)) radio.checked = radio.value === verdict;
    if (verdict) note(row, "", false);
    onChange();
  }

  form.addEventListener("change", (event) => {
    const row = event.target.closest("[data-criterion]");
    if (!row) return;
    note(row, "", false);
    onChange();
  });

  return {
    unanswered,
    isOpen: (criterion) => open().includes(criterion),
    answers: () => Object.fromEntries(open().map((name) => [name, chosen(name)])),

    // The key of a chosen answer clears it.
    toggle(criterion, verdict) {
      set(criterion, chosen(criterion) === verdict ? "" : verdict);
    },

    // False where no question has the focus.
    step(by) {
      const row = current();
      if (!row) return false;
      const criterion = row.dataset.criterion;
      if (!open().includes(criterion)) return true;
      const verdict = step(chosen(criterion), by);
      set(criterion, verdict);
      if (document.activeElement !== row) {
        radiosOf(row).find((radio) => radio.value === verdict).focus();
      }
      return true;
    },

    moveRow(by) {
      const at = rows.indexOf(current());
      const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by;
      rows[next]?.focus();
    },

    // False when there is no answer yet that could be copied.
    sameForAll() {
      const copied = sameForAll(this.answers(), open());
      for (const [criterion, verdict] of Object.entries(copied)) set(criterion, verdict);
      return Object.values(copied).some(Boolean);
    },

    focus(criterion = open()[0] ?? CRITERIA[0]) {
      rowOf(criterion).focus({ preventScroll: true });
    },

    show({ criteria, answers }) {
      for (const { name, state, verdict, title, question } of criteria) {
        const row = rowOf(name);
        const implied = state === "implied";
        row.toggleAttribute("data-implied", implied);
        if (implied) row.setAttribute("aria-disabled", "true");
        else row.removeAttribute("aria-disabled");
        row.querySelector(".criterion__title").textContent = title;
        row.querySelector(".criterion__question").textContent = question;
        note(row, implied ? "follows from your answers" : "", false);
        const value = implied ? verdict : answers[name];
        for (const radio of radiosOf(row)) {
          radio.disabled = implied;
          radio.checked = radio.value === value;
        }
      }
      onChange();
    },

    showErrors(errors) {
      for (const criterion of CRITERIA) {
        if (criterion in errors) note(rowOf(criterion), errors[criterion], true);
      }
      this.focus(CRITERIA.find((criterion) => criterion in errors));
    },
  };
}

// Prints the characters of the reader's own layout on the keys, where the browser tells them.
export async function labelKeys(root) {
  let layout;
  try {
    layout = await navigator.keyboard?.getLayoutMap();
  } catch {
    return;
  }
  for (const key of root.querySelectorAll("kbd[data-code]")) {
    const character = layout?.get(key.dataset.code);
    if (!character) continue;
    key.textContent = character.toUpperCase();
    key.closest("label")?.querySelector("input").setAttribute("aria-keyshortcuts", key.textContent);
  }
}
