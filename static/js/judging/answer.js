// The three questions: chosen by hand or key, filled in where they follow, opened again where they do not.
import { CRITERIA, VERDICTS } from "./keys.js";

const FOLLOWS = "follows from your answers";
const DISPUTE = "Not right?";
const KEEP = "Leave it";

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

// What is sent. Who opens what follows, and then answers just that, disputes nothing.
export function fieldsOf(answers, follows) {
  const disputed = CRITERIA.filter((name) => answers[name] && follows[name] && answers[name] !== follows[name]);
  const isSent = (name) => answers[name] && (!follows[name] || disputed.includes(name));
  return {
    ...Object.fromEntries(CRITERIA.map((name) => [name, isSent(name) ? answers[name] : ""])),
    disputed: disputed.join(),
  };
}

export function createAnswer(form, { onChange, onEdit }) {
  const rows = CRITERIA.map((name) => form.querySelector(`[data-criterion="${name}"]`));
  // What follows from earlier answers, by criterion.
  let follows = {};
  let mayDispute = false;

  const rowOf = (criterion) => rows[CRITERIA.indexOf(criterion)];
  const radiosOf = (row) => [...row.querySelectorAll("input[type=radio]")];
  const isOpen = (criterion) => !("implied" in rowOf(criterion).dataset);
  const open = () => CRITERIA.filter(isOpen);
  const chosen = (criterion) =>
    radiosOf(rowOf(criterion)).find((radio) => radio.checked)?.value ?? "";
  const unanswered = () => open().filter((criterion) => !chosen(criterion));
  const answers = () => Object.fromEntries(open().map((name) => [name, chosen(name)]));
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
  }

  function edited() {
    onChange();
    onEdit();
  }

  // Filled in, or open with the answer that is given, if any.
  function lay(criterion, implied, verdict) {
    const row = rowOf(criterion);
    row.toggleAttribute("data-implied", implied);
    note(row, implied ? FOLLOWS : "", false);
    const dispute = row.querySelector("[data-dispute]");
    dispute.hidden = !(mayDispute && follows[criterion]);
    dispute.textContent = implied ? DISPUTE : KEEP;
    for (const radio of radiosOf(row)) {
      radio.disabled = implied;
      radio.checked = radio.value === verdict;
    }
  }

  function learn({ criteria, study }) {
    const implied = criteria.filter(({ state }) => state === "implied");
    follows = Object.fromEntries(implied.map(({ name, verdict }) => [name, verdict]));
    mayDispute = Boolean(study.settings);
  }

  form.addEventListener("change", (event) => {
    const row = event.target.closest("[data-criterion]");
    if (!row) return;
    note(row, "", false);
    edited();
  });

  for (const row of rows) {
    row.querySelector("[data-dispute]").addEventListener("click", () => {
      const criterion = row.dataset.criterion;
      const opens = !isOpen(criterion);
      lay(criterion, !opens, opens ? "" : follows[criterion]);
      onChange();
      if (opens) row.focus({ preventScroll: true });
    });
  }

  return {
    unanswered,
    isOpen,
    fields: () => fieldsOf(answers(), follows),
    // Before the first answer a second Enter, meant for the pair before, is no answer to this one.
    isUntouched: () => !open().some(chosen),

    // The key of a chosen answer clears it.
    toggle(criterion, verdict) {
      set(criterion, chosen(criterion) === verdict ? "" : verdict);
      edited();
    },

    // False where no question has the focus.
    step(by) {
      const row = current();
      if (!row) return false;
      const criterion = row.dataset.criterion;
      if (!isOpen(criterion)) return true;
      const verdict = step(chosen(criterion), by);
      set(criterion, verdict);
      edited();
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
      const copied = sameForAll(answers(), open());
      for (const [criterion, verdict] of Object.entries(copied)) set(criterion, verdict);
      edited();
      return Object.values(copied).some(Boolean);
    },

    focus(criterion = open()[0] ?? CRITERIA[0]) {
      rowOf(criterion).focus({ preventScroll: true });
    },

    // What the server drew stays as it is, with what somebody chose before the script came.
    begin(payload) {
      learn(payload);
      for (const name of Object.keys(follows)) lay(name, true, follows[name]);
      onChange();
    },

    show(payload) {
      learn(payload);
      for (const { name, state, verdict, title, question } of payload.criteria) {
        const row = rowOf(name);
        row.querySelector(".criterion__title").textContent = title;
        row.querySelector(".criterion__question").textContent = question;
        lay(name, state === "implied", state === "implied" ? verdict : payload.answers[name]);
      }
      onChange();
    },

    // An answer that was on its way when the page was left; what was disputed is open again.
    restore(fields) {
      for (const criterion of CRITERIA) {
        if (fields.get(criterion)) lay(criterion, false, fields.get(criterion));
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

// Confirms by itself, a moment after the last answer, unless something is pressed before.
export function createAdvance(button, { after, onTime, timers = globalThis }) {
  let timer = null;

  const stop = () => {
    timers.clearTimeout(timer);
    timer = null;
    button.removeAttribute("data-advancing");
  };
  return {
    stop,
    start() {
      stop();
      button.setAttribute("data-advancing", "");
      timer = timers.setTimeout(() => {
        stop();
        onTime();
      }, after);
    },
  };
}
