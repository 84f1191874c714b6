// Practice with the keys of the comparison page: the block answers, Enter confirms and continues.
import { gettext } from "../elements/words.js";
import { KEEPS_ENTER, TAKES_TEXT } from "../judging/keys.js";
import { createQuestions } from "../judging/questions.js";
import { askToLook } from "../judging/seen.js";

// `read` returns the action of a key, one of keys.js, or null. `viewer`: see viewer.js.
export function initPair(form, status, read, viewer) {
  const questions = createQuestions(form);
  const look = form.querySelector("[data-look]");

  // Each returns whether it handled the key.
  const actions = {
    answer({ criterion, verdict }) {
      questions.give(criterion, verdict);
      return true;
    },
    step: ({ by }) => questions.step(by),
    row({ by }) {
      if (!questions.current()) return false;
      questions.moveRow(by);
      return true;
    },
    same() {
      questions.sameForAll();
      return true;
    },
    confirm(_, target) {
      if (target.closest(KEEPS_ENTER)) return false;
      form.requestSubmit();
      return true;
    },
  };

  form.addEventListener("submit", (event) => {
    const missing = questions.unanswered();
    const unseen = missing.length === 0 ? viewer.unseen() : [];
    look.hidden = unseen.length === 0;
    if (unseen.length > 0) {
      event.preventDefault();
      look.textContent = askToLook(unseen, viewer.panes.pair);
    }
    if (missing.length === 0) return;
    event.preventDefault();
    questions.showErrors(Object.fromEntries(missing.map((name) => [name, form.dataset.choose])));
    const titles = missing.map((name) => questions.of(name).row.querySelector(".criterion__title").textContent);
    status.textContent = gettext("Not answered yet: {questions}.", { questions: titles.join(", ") });
  });
  questions.focus(form.querySelector("[aria-invalid]")?.closest("[data-criterion]").dataset.criterion);
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
    // A held key answers and confirms only once.
    if (act && (event.repeat || act(action, target))) event.preventDefault();
  });
}
