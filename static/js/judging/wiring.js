// Keys, forms and buttons of the comparison page, and their actions.
import { gettext } from "../elements/words.js";
import { confirm, confirmAlike, post } from "./exchange.js";
import { actionOf, KEEPS_ENTER, TAKES_TEXT } from "./keys.js";
import { isFree } from "./screen.js";

export function wire(page) {
  const actions = actionsOf(page);
  // These are always possible.
  const always = { confirm: () => confirm(page), pause: page.pause.start, help: () => page.help.showModal() };
  wireKeys(page, actions, always);
  wireForms(page, actions);
  offerButtons(page, actions, always);
  watchReturn(page);
  window.addEventListener("beforeunload", (event) => {
    if (!isFree(page)) event.preventDefault();
  });
}

function wireKeys(page, actions, always) {
  const { keys, tools } = page;
  document.addEventListener("keydown", (event) => {
    if (!event.repeat) page.advance(false);
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.defaultPrevented || event.isComposing) return;
    // The focus leaves a closed dialog with the next frame.
    if (target.closest("dialog[open]") || target.matches(TAKES_TEXT)) return;
    const press = keys.read(event);
    if (!press) return;
    const action = actionOf(press);
    if (!action) {
      if (tools.press(press, target)) event.preventDefault();
      return;
    }
    if (event.repeat) {
      event.preventDefault();
      return;
    }
    if (action.name === "confirm" && target.closest(KEEPS_ENTER)) return;
    event.preventDefault();
    if (always[action.name]) always[action.name]();
    else if (isFree(page)) actions[action.name](action);
  });
  document.addEventListener("keyup", ({ key, code }) => {
    const press = keys.read({ key, code });
    if (press) tools.release(press);
  });
  document.addEventListener("pointerdown", () => page.advance(false));
}

function wireForms(page, actions) {
  const { form } = page;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    confirm(page);
  });
  // Ignores the second half of a double click, and changes to an answer that is being sent.
  form.addEventListener("click", (event) => {
    const onConfirm = page.confirmButton.button.contains(event.target);
    if ((onConfirm && event.detail > 1) || (!onConfirm && !isFree(page))) event.preventDefault();
  });
  page.undoForm.addEventListener("submit", (event) => {
    event.preventDefault();
    if (isFree(page)) actions.undo();
  });
}

function offerButtons(page, actions, always) {
  const { header, root } = page;
  const offer = (button, isOffered, action) => {
    button.hidden = !isOffered;
    button.addEventListener("click", action);
  };
  const inTurn = (action) => () => isFree(page) && action();
  offer(root.querySelector("[data-same]"), page.settings.same_for_all !== false, inTurn(actions.same));
  offer(root.querySelector("[data-open-history]"), page.payload.study.history_url, inTurn(actions.history));
  offer(root.querySelector("[data-open-help]"), true, always.help);
  offer(header.querySelector("[data-open-pause]"), true, always.pause);
  header.querySelector("[data-leave]")?.remove();
  root.querySelector("[data-history-page]")?.remove();
}

// The actions of keys and buttons when nothing is being sent, by the names of keys.js.
export function actionsOf(page) {
  const { answer, messages, undoForm } = page;
  return {
    answer({ criterion, verdict }) {
      if (answer.isOpen(criterion)) answer.give(criterion, verdict);
      else messages.say(gettext("This follows from your answers."));
    },
    step: ({ by }) => answer.step(by),
    row: ({ by }) => answer.moveRow(by),
    same() {
      if (page.settings.same_for_all === false) return;
      if (!answer.sameForAll()) messages.say(gettext("Answer one question first, then it can be copied."));
    },
    alike() {
      if (page.settings.same_for_all !== false) confirmAlike(page);
    },
    undo() {
      const screen = undoForm.elements.screen.value;
      if (page.payload.can_undo) post(page, "undo", undoForm.action, { screen });
      else messages.say(gettext("There is nothing to undo."));
    },
    skip: () => page.skip.open(),
    // Few people open it, so its script is loaded when it is first requested.
    async history() {
      if (!page.payload.study.history_url) return;
      try {
        const { openHistory } = await import("./history.js");
        if (isFree(page)) openHistory(page);
      } catch {
        messages.warn(gettext("Your last pairs could not be loaded. Try again."));
      }
    },
  };
}

// After a return from another tab, or of the connection, sends a waiting letter at once.
function watchReturn({ courier, signIn }) {
  signIn.querySelector("[data-send-again]").addEventListener("click", courier.hurry);
  for (const [target, type] of [[window, "online"], [window, "focus"], [document, "visibilitychange"]]) {
    target.addEventListener(type, () => {
      const isBack = courier.state() === "signed-out" || type === "online";
      if (isBack && document.visibilityState === "visible") courier.hurry();
    });
  }
}
