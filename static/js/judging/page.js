// The comparison page: what was answered goes to the site, and what comes back is shown in place.
import { createAdvance, createAnswer } from "./answer.js";
import { createBar } from "./bar.js";
import { createBreaks, createPause } from "./breaks.js";
import { createClock } from "./clock.js";
import { createCourier } from "./courier.js";
import { createHistory } from "./history.js";
import { actionOf, createKeys } from "./keys.js";
import { createPanes } from "./panes.js";
import { createPrefetch } from "./prefetch.js";
import { createSkip, environmentOf } from "./skip.js";
import { createViewTools, LOOK_CLOSELY } from "./view_tools.js";

const SLOW_MS = 400;
const ADVANCE_MS = 700;
const SECOND_PRESS_MS = 500;
const BREAK = "You have worked for a while. A short break keeps the eye fresh.";
const CHOOSE = "Choose left, equal or right.";
const KEEPS_ENTER = "a, button, summary, select, textarea, input:not([type=radio])";
const TAKES_TEXT = "select, textarea, input:not([type=radio], [type=checkbox], [type=hidden])";
const REFUSALS = {
  403: "The site did not take this. You may have been signed out or taken out of the study.",
  404: "This pair is no longer yours to answer.",
};

export function init(root) {
  let payload = JSON.parse(root.querySelector("#screen-data").textContent);
  let photograph = "none";
  let shownAt = performance.now();
  let isHasty = false;
  let slow;

  const $ = (name) => root.querySelector(`[data-${name}]`);
  const header = document.querySelector("[data-progress]");
  const form = $("answer");
  const undoForm = $("undo");
  const undoButton = undoForm.querySelector("button");
  const confirmButton = $("confirm");
  const confirmWords = $("confirm-words");
  const help = $("help-dialog");
  const signIn = $("sign-in-dialog");
  const bar = createBar($("bar"));
  const clock = createClock();
  const person = payload.person;
  const keys = createKeys(person);
  const settings = payload.study.settings ?? {};
  const breaks = createBreaks(settings);
  const advance = createAdvance(confirmButton, { after: ADVANCE_MS, onTime: confirm });
  const answer = createAnswer(form, { onChange: refresh, onEdit: mayAdvance });
  const courier = createCourier({
    store: () => sessionStorage,
    name: `unsent ${payload.study.undo_url}`,
    onStart: started,
    onWait: waited,
    onOutcome: received,
  });
  const panes = createPanes($("panes"), payload, {
    onPhotograph(state) {
      photograph = state;
      refresh();
    },
    onSkip: () => skip.open("broken"),
  });
  const tools = createViewTools(root, panes, { onSay: say });
  const skip = createSkip(root, {
    mayOpen: isFree,
    onSend(skipForm) {
      const { reason, text } = skipForm.elements;
      const environment = reason.value === "broken" ? JSON.stringify(environmentOf(photograph)) : "";
      post("skip", skipForm.action, { reason: reason.value, text: text.value, environment });
    },
  });
  const history = createHistory($("history-dialog"), {
    onChange({ change_url }) {
      history.close();
      post("change", change_url, {});
    },
  });
  const pause = createPause($("pause-dialog"), {
    onPause() {
      clock.pause();
      tools.pause(true);
      root.toggleAttribute("data-paused", true);
    },
    onResume() {
      root.toggleAttribute("data-paused", false);
      clock.resume();
      tools.pause(false);
      breaks.rested(clock.worked());
      answer.focus();
    },
  });
  const prefetch = createPrefetch({ onImage: panes.remember });

  function isFree() {
    return courier.state() === "free";
  }

  function refresh() {
    const isReady = photograph !== "failed" && answer.unanswered().length === 0;
    const mayConfirm = isFree() ? isReady : courier.state() !== "travelling";
    confirmButton.setAttribute("aria-disabled", String(!mayConfirm));
    form.toggleAttribute("data-held", !isFree());
  }

  function mayAdvance() {
    if (person.advance && !answer.unanswered().length) advance.start();
    else advance.stop();
  }

  // A region that says the same words again is not read again.
  function speak(region, words) {
    region.textContent = "";
    requestAnimationFrame(() => {
      region.textContent = words;
    });
  }

  function say(words) {
    speak($("status"), words);
  }

  function warn(words, actions = [{ words: "OK", action: dismiss }]) {
    bar.show(words, actions);
    speak($("alarm"), words);
  }

  function dismiss() {
    bar.hide();
    answer.focus();
  }

  function showProgress() {
    const { image, progress } = payload;
    const place = `Image ${image.number} of ${image.total}`;
    document.title = document.title.replace(/^Image \d+ of \d+/, place);
    header.querySelector("[data-image-number]").textContent = place;
    header.querySelector("progress").value = progress.share;
    const minutes = progress.minutes == null ? "" : `, ${Math.max(1, Math.round(progress.minutes))} min`;
    header.querySelector("[data-progress-text]").textContent = progress.text + minutes;
    header.querySelector("[data-progress-note]").textContent = progress.note ?? "";
  }

  function show(next) {
    payload = next;
    const { screen, study } = payload;
    form.action = screen.answer_url;
    form.dataset.screenId = screen.id;
    undoForm.action = study.undo_url;
    undoForm.elements.screen.value = screen.id;
    undoButton.disabled = !payload.can_undo;
    skip.show(screen.skip_url);
    panes.show(payload);
    answer.show(payload);
    showProgress();
    clock.restart();
    shownAt = performance.now();
    answer.focus();
    prefetch(payload);
  }

  function post(kind, url, fields) {
    advance.stop();
    const have = payload.image.key ?? "";
    const body = new URLSearchParams({ ...fields, have }).toString();
    courier.take({ kind, screen: payload.screen.id, url, body });
  }

  function started() {
    refresh();
    form.setAttribute("aria-busy", "true");
    clearTimeout(slow);
    slow = setTimeout(() => {
      confirmWords.textContent = "Saving";
    }, SLOW_MS);
  }

  function rested() {
    clearTimeout(slow);
    confirmWords.textContent = "Confirm";
    form.removeAttribute("aria-busy");
    refresh();
  }

  function waited(seconds) {
    rested();
    const words = `Not saved yet, trying again in ${seconds} s`;
    const isNew = !bar.isShown();
    skip.close();
    bar.show(words, [{ words: "Try now", action: courier.hurry }]);
    // The countdown is for the eyes; it is said once.
    if (isNew) speak($("alarm"), "Not saved yet. It is kept here and sent again until it is saved.");
  }

  function received(outcome, sent) {
    rested();
    if (outcome.kind === "signed-out") {
      askToSignIn(outcome.url ?? root.dataset.loginUrl);
      return;
    }
    signIn.close();
    if (outcome.kind === "errors" && sent.kind === "skip") {
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
        say([payload.message, payload.progress.note].filter(Boolean).join(" "));
        if (sent.kind === "answer") advise();
        break;
      case "conflict":
        show(outcome.payload);
        // Sent twice because nothing came back: it is not another tab that was first.
        if (sent.again && sent.kind !== "answer") say("This is the pair that waits for you.");
        else warn(outcome.message);
        break;
      case "errors":
        answer.showErrors(outcome.errors);
        speak($("alarm"), Object.values(outcome.errors).join(" "));
        break;
      default:
        warn(outcome.message ?? REFUSALS[outcome.status] ?? "The site did not take this.", [
          { words: "Your studies", url: root.dataset.homeUrl },
        ]);
    }
  }

  function askToSignIn(url) {
    skip.close();
    bar.show("You are signed out. Your answer is kept.", [
      { words: "Sign in (new tab)", url, newTab: true },
      { words: "Send again", action: courier.hurry },
    ]);
    signIn.querySelector("a").href = url;
    if (!signIn.open) signIn.showModal();
  }

  // At most one word between two pairs; nothing has to be done about it.
  function advise() {
    const goOn = { words: "Go on", action: dismiss };
    if (breaks.isDue(clock.worked())) advice(BREAK, [{ words: "Take a break", action: takeBreak }, goOn]);
    else if (isHasty) advice(LOOK_CLOSELY, [goOn]);
    isHasty = false;
  }

  function takeBreak() {
    bar.hide();
    pause.start();
  }

  function advice(words, choices) {
    bar.show(words, choices);
    say(`${payload.message} ${words}`);
  }

  function confirm() {
    if (!isFree()) {
      courier.hurry();
      return;
    }
    if (answer.isUntouched() && performance.now() - shownAt < SECOND_PRESS_MS) return;
    if (photograph === "failed") {
      warn("This pair cannot be judged without its photograph. Load it again, or skip the pair.");
      return;
    }
    const missing = answer.unanswered();
    if (missing.length > 0) {
      answer.showErrors(Object.fromEntries(missing.map((name) => [name, CHOOSE])));
      const unanswered = payload.criteria.filter(({ name }) => missing.includes(name));
      speak($("alarm"), `Not answered yet: ${unanswered.map(({ title }) => title).join(", ")}.`);
      return;
    }
    isHasty = !tools.lookedClosely();
    const aids = JSON.stringify(tools.aids());
    post("answer", form.action, { ...answer.fields(), seconds_taken: clock.seconds(), aids });
  }

  const actions = {
    answer({ criterion, verdict }) {
      if (answer.isOpen(criterion)) answer.toggle(criterion, verdict);
      else say("This follows from your answers.");
    },
    step: ({ by }) => answer.step(by),
    row: ({ by }) => answer.moveRow(by),
    same() {
      if (settings.same_for_all === false) return;
      if (!answer.sameForAll()) say("Answer one question first, then it can be copied.");
    },
    undo() {
      if (payload.can_undo) post("undo", undoForm.action, { screen: undoForm.elements.screen.value });
      else say("There is nothing to take back.");
    },
    skip: () => skip.open(),
    history() {
      if (!payload.study.history_url) return;
      const titles = Object.fromEntries(payload.criteria.map(({ name, title }) => [name, title]));
      history.open(payload.study.history_url, titles);
    },
  };
  // These wait for nothing.
  const always = { confirm, pause: pause.start, help: () => help.showModal() };

  document.addEventListener("keydown", (event) => {
    if (!event.repeat) advance.stop();
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.isComposing || target.closest("dialog") || target.matches(TAKES_TEXT)) return;
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
    else if (isFree()) actions[action.name](action);
  });
  document.addEventListener("keyup", ({ key, code }) => {
    const press = keys.read({ key, code });
    if (press) tools.release(press);
  });
  document.addEventListener("pointerdown", advance.stop);

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    confirm();
  });
  // The second half of a double click, and changes to an answer that is on its way.
  form.addEventListener("click", (event) => {
    const onConfirm = confirmButton.contains(event.target);
    if ((onConfirm && event.detail > 1) || (!onConfirm && !isFree())) event.preventDefault();
  });
  undoForm.addEventListener("submit", (event) => {
    event.preventDefault();
    if (isFree()) actions.undo();
  });
  signIn.querySelector("[data-send-again]").addEventListener("click", courier.hurry);
  for (const [target, type] of [[window, "online"], [window, "focus"], [document, "visibilitychange"]]) {
    target.addEventListener(type, () => {
      const isBack = courier.state() === "signed-out" || type === "online";
      if (isBack && document.visibilityState === "visible") courier.hurry();
    });
  }
  window.addEventListener("beforeunload", (event) => {
    if (!isFree()) event.preventDefault();
  });

  function offer(button, isOffered, action) {
    button.hidden = !isOffered;
    button.addEventListener("click", action);
  }
  offer($("same"), settings.same_for_all !== false, () => isFree() && actions.same());
  offer($("open-history"), payload.study.history_url, () => isFree() && actions.history());
  offer($("open-help"), true, always.help);
  offer(header.querySelector("[data-open-pause]"), true, always.pause);
  for (const link of [header.querySelector("[data-leave]"), $("history-page")]) link?.remove();

  keys.label(document.body);
  answer.begin(payload);
  showProgress();
  prefetch(payload);
  const left = courier.left();
  if (left?.kind === "answer" && left.screen === payload.screen.id) {
    answer.restore(new URLSearchParams(left.body));
  }
  if (left) courier.take(left);
  else if (bar.isShown()) speak($("alarm"), $("bar-words").textContent);
  else answer.focus();
}

for (const root of document.querySelectorAll("[data-screen]")) init(root);
