// The three questions of a form, for the comparison page and for practice. Each is a fieldset with a radio
// button for each verdict, a note, and a button to dispute an implied verdict.
import { gettext } from "../elements/words.js";
import { CRITERIA, VERDICTS } from "./keys.js";

const FOLLOWS = gettext("follows from your answers");
const DISPUTE = gettext("Not right?");
const KEEP = gettext("Leave it");

// Without an answer the arrows choose the side they point to; they do not wrap around.
export function step(verdict, by) {
  if (!verdict) return by < 0 ? "left" : "right";
  return VERDICTS[Math.min(Math.max(VERDICTS.indexOf(verdict) + by, 0), VERDICTS.length - 1)];
}

// Copies the first answer to the open criteria that have none.
export function sameForAll(answers, open) {
  const first = open.map((criterion) => answers[criterion]).find(Boolean);
  if (!first) return answers;
  return Object.fromEntries(open.map((criterion) => [criterion, answers[criterion] || first]));
}

function createQuestion(row) {
  const radios = [...row.querySelectorAll("input[type=radio]")];
  const words = row.querySelector("[data-note]");
  const button = row.querySelector("[data-dispute]");
  const chosen = () => radios.find(({ checked }) => checked)?.value ?? "";

  function note(text, isWrong = false) {
    words.textContent = text;
    for (const radio of radios) {
      if (isWrong) radio.setAttribute("aria-invalid", "true");
      else radio.removeAttribute("aria-invalid");
    }
  }

  function choose(verdict) {
    for (const radio of radios) radio.checked = radio.value === verdict;
    if (verdict) note("");
  }

  return {
    criterion: row.dataset.criterion,
    row,
    button,
    chosen,
    choose,
    note,
    isOpen: () => !("implied" in row.dataset),

    step(by) {
      const verdict = step(chosen(), by);
      choose(verdict);
      if (document.activeElement !== row) radios.find(({ value }) => value === verdict).focus();
    },

    // Shows the question filled in, or open with its answer, if any.
    lay(isImplied, verdict, mayDispute) {
      row.toggleAttribute("data-implied", isImplied);
      note(isImplied ? FOLLOWS : "");
      button.hidden = !mayDispute;
      button.textContent = isImplied ? DISPUTE : KEEP;
      for (const radio of radios) {
        // Not disabled, so that the keyboard still reaches implied verdicts.
        if (isImplied) radio.setAttribute("aria-disabled", "true");
        else radio.removeAttribute("aria-disabled");
        radio.checked = radio.value === verdict;
      }
    },
  };
}

// onEdit() is called after every answer that is given, changed or cleared by pointer or key.
export function createQuestions(form, onEdit = () => {}) {
  const all = CRITERIA.map((name) => createQuestion(form.querySelector(`[data-criterion="${name}"]`)));
  const of = (criterion) => all[CRITERIA.indexOf(criterion)];
  const open = () => all.filter((question) => question.isOpen());
  const current = () => all.find(({ row }) => row.contains(document.activeElement));
  const answers = () => Object.fromEntries(open().map(({ criterion, chosen }) => [criterion, chosen()]));

  form.addEventListener("click", (event) => {
    if (event.target.closest("[data-implied] .choice")) event.preventDefault();
  });
  form.addEventListener("change", (event) => {
    const row = event.target.closest("[data-criterion]");
    if (!row) return;
    of(row.dataset.criterion).note("");
    onEdit();
  });

  const questions = { all, of, open, current, answers };
  return {
    ...questions,
    ...editingOf(questions, onEdit),
    isOpen: (criterion) => of(criterion).isOpen(),
    // Nothing is answered yet.
    isUntouched: () => !open().some(({ chosen }) => chosen()),
    // The criteria without an answer.
    unanswered: () => open().filter(({ chosen }) => !chosen()).map(({ criterion }) => criterion),

    focus(criterion = open()[0]?.criterion ?? CRITERIA[0]) {
      of(criterion).row.focus({ preventScroll: true });
    },

    // errors: a sentence by criterion.
    showErrors(errors) {
      const wrong = CRITERIA.filter((criterion) => criterion in errors);
      for (const criterion of wrong) of(criterion).note(errors[criterion], true);
      this.focus(wrong[0]);
    },
  };
}

// Changes of the answers by keys.
function editingOf({ all, of, open, current, answers }, onEdit) {
  return {
    // An answer that is already chosen stays.
    give(criterion, verdict) {
      of(criterion).choose(verdict);
      onEdit();
    },

    // False if no question has the focus.
    step(by) {
      const question = current();
      if (question?.isOpen()) {
        question.step(by);
        onEdit();
      }
      return Boolean(question);
    },

    moveRow(by) {
      const at = all.indexOf(current());
      const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
      all[next]?.row.focus();
    },

    giveAll(verdict) {
      for (const question of open()) question.choose(verdict);
      onEdit();
    },

    // False if there is no answer to copy yet.
    sameForAll() {
      const copied = sameForAll(answers(), open().map(({ criterion }) => criterion));
      for (const [criterion, verdict] of Object.entries(copied)) of(criterion).choose(verdict);
      onEdit();
      return Object.values(copied).some(Boolean);
    },
  };
}
