// The comparison page: sends answers to the site, and shows the next screen in place.
//
// Its parts and its state are one record, which its modules share. payload: the screen as the site sent
// it (judging/screens.py); photograph: the state of the photograph, a key of WORDS in photograph.js;
// pace: the seconds of a pair before the page was opened; times: those since; shownAt: when the pair
// was shown; isHasty: whether the answer under way was hasty.
import { createAnswer } from "./answer.js";
import { createBreaks, createPause } from "./breaks.js";
import { createClock } from "./clock.js";
import { createAdvance, createConfirmButton } from "./confirm.js";
import { createCourier } from "./courier.js";
import { draftOf, keepDraft } from "./draft.js";
import { begin, confirm, confirmAlike, post, receive, sayItIsLate, sayItIsSlow, wait } from "./exchange.js";
import { createKeys } from "./keys.js";
import { createLazy } from "./lazy.js";
import { createMessages } from "./messages.js";
import { createPanes } from "./panes.js";
import { createPrefetch } from "./prefetch.js";
import { followEdit, isFree, refresh, showProgress, showSeen } from "./screen.js";
import { createSeen } from "./seen.js";
import { offerChoices } from "./showing.js";
import { createSkip, environmentOf } from "./skip.js";
import { createViewTools } from "./view_tools.js";
import { wire } from "./wiring.js";

const ADVANCE_MS = 700;

function createPage(root) {
  const payload = JSON.parse(root.querySelector("#screen-data").textContent);
  const settings = payload.study.settings ?? {};
  return {
    root,
    payload,
    settings,
    person: payload.person,
    pace: payload.pace,
    times: [],
    photograph: "none",
    shownAt: performance.now(),
    isHasty: false,
    header: document.querySelector("[data-progress]"),
    form: root.querySelector("[data-answer]"),
    undoForm: root.querySelector("[data-undo]"),
    signIn: root.querySelector("[data-sign-in-dialog]"),
    help: root.querySelector("[data-help-dialog]"),
    breaks: createBreaks(settings),
    clock: createClock(),
    keys: createKeys(payload.person),
  };
}

function addAnswer(page) {
  const { form, payload, root } = page;
  page.messages = createMessages(root, { onDismiss: () => page.answer.focus() });
  page.confirmButton = createConfirmButton(form, { onSlow: () => sayItIsSlow(page), onLate: () => sayItIsLate(page) });
  page.advance = createAdvance(page.confirmButton.button, { after: ADVANCE_MS, onTime: () => confirm(page) });
  page.answer = createAnswer(form, {
    onChange: () => refresh(page),
    onEdit() {
      keepDraft(page);
      followEdit(page);
    },
  });
  page.courier = createCourier({
    store: () => sessionStorage,
    name: `unsent ${payload.study.undo_url}`,
    onStart: () => begin(page),
    onWait: (seconds, status) => wait(page, seconds, status),
    onOutcome: (outcome, sent) => receive(page, outcome, sent),
  });
}

function addPanes(page) {
  page.panes = createPanes(page.root.querySelector("[data-panes]"), page.payload, {
    onPhotograph(state) {
      page.photograph = state;
      page.seen.look();
      refresh(page);
    },
    onSkip: () => page.skip.open("broken"),
  });
  page.seen = createSeen(page.panes.pair, { onSeen: () => showSeen(page) });
  page.panes.watch((what) => {
    if (what === "pair") page.seen.restart();
    else if (what === "aid") page.seen.look();
  });
  const note = createLazy(async () => (await import("./note.js")).createNote(page));
  page.tools = createViewTools(page.root, page.panes, {
    onSay: page.messages.say,
    onNote: async () => (await note.get()).open(),
  });
  page.prefetch = createPrefetch({ onImage: page.panes.remember });
}

function skipOf(page) {
  const { root } = page;
  const details = root.querySelector("[data-skip-details]");
  const opener = root.querySelector("[data-open-skip]");
  const skip = createSkip(root, {
    mayOpen: () => isFree(page),
    onSend({ action, elements: { reason, text } }) {
      if (reason.value === "same") {
        confirmAlike(page);
        return;
      }
      const environment = reason.value === "broken" ? JSON.stringify(environmentOf(page.photograph)) : "";
      post(page, "skip", action, { reason: reason.value, text: text.value, environment });
    },
  });
  details.hidden = true;
  root.querySelector("[data-note-details]").hidden = true;
  opener.hidden = false;
  opener.addEventListener("click", () => skip.open());
  if (details.open) skip.open();
  return skip;
}

function addDialogs(page) {
  const { answer, breaks, clock, root, seen, tools } = page;
  page.skip = skipOf(page);
  const hide = (isPaused) => {
    tools.pause(isPaused);
    seen.pause(isPaused);
    root.toggleAttribute("data-paused", isPaused);
  };
  page.pause = createPause(root.querySelector("[data-pause-dialog]"), {
    onPause() {
      clock.pause();
      hide(true);
    },
    onResume() {
      clock.resume();
      hide(false);
      breaks.rested(clock.worked());
      answer.focus();
    },
  });
}

function start({ answer, courier, messages, payload, prefetch }) {
  offerChoices(document.querySelectorAll("[data-show]"));
  answer.begin(payload);
  prefetch(payload);
  const left = courier.left();
  const draft = left?.kind === "answer" ? left : draftOf(payload);
  if (draft?.screen === payload.screen.id) answer.restore(new URLSearchParams(draft.body));
  if (left) courier.take(left);
  else if (messages.shown()) messages.alert(messages.shown());
  else answer.focus();
}

for (const root of document.querySelectorAll("[data-screen]")) {
  const page = createPage(root);
  page.keys.label(document.body);
  addAnswer(page);
  addPanes(page);
  addDialogs(page);
  wire(page);
  showProgress(page);
  showSeen(page);
  start(page);
  root.toggleAttribute("data-ready", true);
}
