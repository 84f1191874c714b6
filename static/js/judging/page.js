// The comparison page: what was answered goes to the site, and what comes back is shown in place.
import { actionOf, createAnswer, labelKeys } from "./answer.js";
import { createBar } from "./bar.js";
import { createClock } from "./clock.js";
import { send } from "./courier.js";
import { createPanes, createSwitch } from "./panes.js";
import { createSkip } from "./skip.js";

const SLOW_MS = 400;
const CHOOSE = "Choose left, equal or right.";
const KEEPS_ENTER = "a, button, summary, select, textarea, input:not([type=radio])";
const TAKES_TEXT = "select, textarea, input:not([type=radio], [type=checkbox], [type=hidden])";

export function init(root) {
  let payload = JSON.parse(root.querySelector("#screen-data").textContent);
  let busy = false;
  let photograph = "none";

  const header = document.querySelector("[data-progress]");
  const form = root.querySelector("[data-answer]");
  const undoForm = root.querySelector("[data-undo]");
  const undoButton = undoForm.querySelector("button");
  const confirmButton = root.querySelector("[data-confirm]");
  const confirmWords = root.querySelector("[data-confirm-words]");
  const status = root.querySelector("[data-status]");
  const help = root.querySelector("[data-help-dialog]");
  const bar = createBar(root.querySelector("[data-bar]"));
  const clock = createClock();
  const look = createSwitch(root.querySelector("[data-panes]"));
  const answer = createAnswer(form, { onChange: refresh });
  const panes = createPanes(root.querySelector("[data-panes]"), payload.image, {
    onPhotograph(state) {
      photograph = state;
      refresh();
    },
    onSkip: () => skip.open(),
  });
  const skip = createSkip(root, { onSend: (skipForm) => submit(skipForm) });

  function refresh() {
    const ready = !busy && photograph !== "failed" && answer.unanswered().length === 0;
    confirmButton.setAttribute("aria-disabled", String(!ready));
  }

  // A region that says the same words again is not read again.
  function say(words) {
    status.textContent = "";
    requestAnimationFrame(() => {
      status.textContent = words;
    });
  }

  function show(next) {
    payload = next;
    const { screen, study, image, progress } = payload;
    form.action = screen.answer_url;
    form.dataset.screenId = screen.id;
    undoForm.action = study.undo_url;
    undoForm.elements.screen.value = screen.id;
    undoButton.disabled = !payload.can_undo;
    skip.show(screen.skip_url);
    panes.show(payload);
    look.show(payload);
    answer.show(payload);
    const place = `Image ${image.number} of ${image.total}`;
    document.title = document.title.replace(/^Image \d+ of \d+/, place);
    header.querySelector("[data-image-number]").textContent = place;
    header.querySelector("progress").value = progress.share;
    header.querySelector("[data-progress-text]").textContent = progress.text;
    clock.restart();
    answer.focus();
  }

  async function submit(sent) {
    if (busy) return;
    busy = true;
    form.setAttribute("aria-busy", "true");
    refresh();
    const slow = setTimeout(() => {
      confirmWords.textContent = "Saving";
    }, SLOW_MS);
    const outcome = await send(sent);
    clearTimeout(slow);
    confirmWords.textContent = "Confirm";
    busy = false;
    form.removeAttribute("aria-busy");
    receive(outcome, sent);
    refresh();
  }

  function receive(outcome, sent) {
    const again = { words: "Try now", action: () => submit(sent) };
    if (outcome.kind === "errors" && sent.matches("[data-skip]")) {
      skip.showErrors(outcome.errors);
      return;
    }
    skip.close();
    bar.hide();
    switch (outcome.kind) {
      case "done":
        location.assign(outcome.url);
        break;
      case "next":
        show(outcome.payload);
        say(outcome.payload.message);
        break;
      case "conflict":
        show(outcome.payload);
        bar.show(outcome.message);
        break;
      case "errors":
        answer.showErrors(outcome.errors);
        break;
      case "signed-out":
        bar.show("You are signed out. Your answer is kept here: sign in again, come back and send it.", [
          { words: "Sign in (new tab)", url: outcome.url ?? root.dataset.loginUrl, newTab: true },
          { ...again, words: "Send again" },
        ]);
        break;
      case "unsaved":
        bar.show("Not saved yet. Try again.", [again]);
        break;
      default:
        bar.show(outcome.message ?? "The site did not take this. Reload the page to see where you are.", [
          { words: "Your studies", url: root.dataset.homeUrl },
        ]);
    }
  }

  function confirm() {
    if (busy) return;
    if (photograph === "failed") {
      bar.show("This pair cannot be judged without its photograph. Load it again, or skip the pair.");
      return;
    }
    const missing = answer.unanswered();
    if (missing.length > 0) {
      answer.showErrors(Object.fromEntries(missing.map((name) => [name, CHOOSE])));
      const unanswered = payload.criteria.filter(({ name }) => missing.includes(name));
      say(`Not answered yet: ${unanswered.map(({ title }) => title).join(", ")}.`);
      return;
    }
    form.elements.seconds_taken.value = clock.seconds();
    submit(form);
  }

  const actions = {
    answer({ criterion, verdict }) {
      if (answer.isOpen(criterion)) answer.toggle(criterion, verdict);
    },
    step: ({ by }) => answer.step(by),
    row: ({ by }) => answer.moveRow(by),
    same() {
      if (!answer.sameForAll()) say("Answer one question first, then R copies it.");
    },
    confirm,
    undo() {
      if (payload.can_undo) submit(undoForm);
      else say("There is nothing to take back.");
    },
    skip: () => skip.open(),
    help: () => help.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.isComposing || target.matches(TAKES_TEXT)) return;
    const action = actionOf(event);
    if (!action) return;
    if (event.repeat) {
      event.preventDefault();
      return;
    }
    if (target.closest("dialog")) return;
    if (action.name === "confirm" && target.closest(KEEPS_ENTER)) return;
    event.preventDefault();
    if (!busy) actions[action.name](action);
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    confirm();
  });
  // While an answer travels it can no longer be changed.
  form.addEventListener("click", (event) => {
    if (busy) event.preventDefault();
  });
  undoForm.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(undoForm);
  });

  const helpButton = root.querySelector("[data-open-help]");
  helpButton.hidden = false;
  helpButton.addEventListener("click", () => help.showModal());

  labelKeys(root);
  refresh();
  if (!bar.isShown()) answer.focus();
}

for (const root of document.querySelectorAll("[data-screen]")) init(root);
