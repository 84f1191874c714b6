// Practice with the keys of the comparison page: the block answers, Enter confirms and goes on.
import { sameForAll, step } from "../judging/answer.js";
import { CRITERIA } from "../judging/keys.js";

const KEEPS_ENTER = "a, button, summary, select, textarea, input:not([type=radio])";
const TAKES_TEXT = "select, textarea, input:not([type=radio], [type=checkbox], [type=hidden])";
const CHOOSE = "Choose left, equal or right.";

// `read` says what a key asks for: an action of keys.js, or null.
export function initPair(form, status, read) {
  const rows = CRITERIA.map((name) => form.querySelector(`[data-criterion="${name}"]`));
  const rowOf = (criterion) => rows[CRITERIA.indexOf(criterion)];
  const radiosOf = (row) => [...row.querySelectorAll("input[type=radio]")];
  const chosen = (row) => radiosOf(row).find((radio) => radio.checked)?.value ?? "";

  function note(row, words) {
    row.querySelector("[data-note]").textContent = words;
    for (const radio of radiosOf(row)) {
      if (words) radio.setAttribute("aria-invalid", "true");
      else radio.removeAttribute("aria-invalid");
    }
  }

  function choose(row, verdict) {
    for (const radio of radiosOf(row)) radio.checked = radio.value === verdict;
    note(row, "");
  }

  // Each answers whether the key has done its work.
  const actions = {
    // The key of a chosen answer clears it.
    answer({ criterion, verdict }) {
      const row = rowOf(criterion);
      choose(row, chosen(row) === verdict ? "" : verdict);
      return true;
    },
    step({ by }, target) {
      const row = target.closest("[data-criterion]");
      if (!row) return false;
      const verdict = step(chosen(row), by);
      choose(row, verdict);
      if (target !== row) radiosOf(row).find((radio) => radio.value === verdict).focus();
      return true;
    },
    row({ by }, target) {
      const at = rows.indexOf(target.closest("[data-criterion]"));
      if (at < 0) return false;
      rows[at + by]?.focus();
      return true;
    },
    same() {
      const answers = Object.fromEntries(CRITERIA.map((name) => [name, chosen(rowOf(name))]));
      for (const [name, verdict] of Object.entries(sameForAll(answers, CRITERIA))) {
        choose(rowOf(name), verdict);
      }
      return true;
    },
    confirm(_, target) {
      if (target.closest(KEEPS_ENTER)) return false;
      form.requestSubmit();
      return true;
    },
  };

  form.addEventListener("change", (event) => note(event.target.closest("[data-criterion]"), ""));
  form.addEventListener("submit", (event) => {
    const missing = rows.filter((row) => !chosen(row));
    if (missing.length === 0) return;
    event.preventDefault();
    for (const row of missing) note(row, CHOOSE);
    missing[0].focus();
    status.textContent = `Not answered yet: ${missing.map((row) => row.dataset.criterion).join(", ")}.`;
  });
  const wrong = form.querySelector("[aria-invalid]")?.closest("[data-criterion]");
  (wrong ?? rows[0]).focus({ preventScroll: true });
  listen(read, actions);
}

export function initFeedback(root, read) {
  root.querySelector("h2").focus({ preventScroll: true });
  listen(read, {
    confirm(_, target) {
      if (target.closest(KEEPS_ENTER)) return false;
      root.querySelector("[data-next]").click();
      return true;
    },
  });
}

function listen(read, actions) {
  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.matches(TAKES_TEXT)) return;
    const action = read(event);
    const act = actions[action?.name];
    // A key that is held answers and confirms once.
    if (act && (event.repeat || act(action, target))) event.preventDefault();
  });
}
