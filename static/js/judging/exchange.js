// Messages to the site (an answer, a skip, an undo, a change), and their outcomes.
import { gettext } from "../elements/words.js";
import { forgetDraft } from "./draft.js";
import { isFree, refresh, show } from "./screen.js";
import { askToLook } from "./seen.js";

const SECOND_PRESS_MS = 500;

export function post(page, kind, url, fields) {
  const { image, screen } = page.payload;
  page.advance(false);
  const have = [image.key, ...page.prefetch.ready()].filter(Boolean).join();
  const body = new URLSearchParams({ ...fields, have }).toString();
  page.courier.take({ kind, screen: screen.id, url, body });
}

// The first reason for skipping is an answer: equal in every open question.
export function confirmAlike(page) {
  if (!isFree(page) || performance.now() - page.shownAt < SECOND_PRESS_MS) return;
  page.skip.close();
  page.answer.giveAll("equal");
  confirm(page, { looks_same: "1" });
}

export function confirm(page, more = {}) {
  const { answer } = page;
  if (!isFree(page)) {
    page.courier.hurry();
    return;
  }
  if (answer.isUntouched() && performance.now() - page.shownAt < SECOND_PRESS_MS) return;
  if (page.photograph === "failed") {
    page.messages.warn(gettext("This pair cannot be judged without its photograph. Load it again, or skip the pair."));
    return;
  }
  const missing = answer.unanswered();
  if (missing.length > 0) {
    showMissing(page, missing);
    return;
  }
  const unseen = page.seen.missing();
  if (unseen.length > 0) {
    page.unseen = askToLook(unseen, page.panes.pair);
    page.messages.warn(page.unseen);
    return;
  }
  const { tools } = page;
  page.isHasty = tools.isHasty();
  const aids = JSON.stringify(tools.aids());
  const seen = JSON.stringify(page.seen.fields());
  const places = JSON.stringify(page.panes.places() ?? {});
  const layout = JSON.stringify(page.panes.layout.standing());
  const fields = { ...answer.fields(), seconds_taken: page.clock.seconds(), aids, seen, places, layout, ...more };
  post(page, "answer", page.form.action, fields);
}

function showMissing(page, missing) {
  page.answer.showErrors(Object.fromEntries(missing.map((name) => [name, page.form.dataset.choose])));
  const titles = page.payload.criteria.filter(({ name }) => missing.includes(name)).map(({ title }) => title);
  page.messages.alert(gettext("Not answered yet: {questions}.", { questions: titles.join(", ") }));
}

// Events of the courier

export function begin(page) {
  refresh(page);
  page.confirmButton.begin();
}

function end(page) {
  page.confirmButton.end();
  refresh(page);
}

const LATE = gettext("The site has not answered for 4 seconds.");
const KEPT = gettext("Everything is kept here until it is saved.");

// A dialog would cover the results, and screen readers would not announce messages outside of it.
export function sayItIsSlow({ messages, skip }) {
  skip.close();
  messages.say(gettext("Saving…"));
}

export function sayItIsLate({ messages }) {
  const words = [reasonOf(LATE), KEPT].join(" ");
  messages.show(words);
  messages.say(words);
}

// status: of the response, 0 without one. 200 is another page than the site's.
function whyNot(status) {
  return reasonOf(status > 200 ? gettext("The site is busy.") : gettext("The site cannot be reached."));
}

const reasonOf = (words) => (globalThis.navigator?.onLine === false ? gettext("You are offline.") : words);

// The countdown is visual; it is announced once.
export function wait(page, seconds, status) {
  const { messages } = page;
  end(page);
  const isNew = !messages.shown();
  page.skip.close();
  const words = gettext("Not saved yet, trying again in {seconds} s", { seconds });
  const told = `${whyNot(status)} ${words}. ${KEPT}`;
  messages.show(told, [{ words: gettext("Try now"), action: page.courier.hurry }]);
  if (isNew) messages.alert(told);
}

async function advise(page) {
  // Called after every pair, because it counts them.
  const isBreakDue = page.breaks.isDue(page.clock.worked());
  const { isHasty } = page;
  page.isHasty = false;
  if (isBreakDue || isHasty) (await import("./advice.js")).advise(page, isBreakDue);
}

const RECEIVERS = {
  done: (page, { url }) => location.assign(url),
  next(page, { payload }, sent) {
    if (sent.kind === "answer") page.times.push(Number(new URLSearchParams(sent.body).get("seconds_taken")));
    show(page, payload);
    page.messages.say([payload.message, payload.progress.note].filter(Boolean).join(" "));
    if (sent.kind === "answer") advise(page);
  },
};

// outcome: in the format of courier.js; sent: the letter it belongs to.
export async function receive(page, outcome, sent) {
  end(page);
  if (!RECEIVERS[outcome.kind]) {
    (await import("./trouble.js")).receive(page, outcome, sent);
    return;
  }
  page.signIn.close();
  page.skip.close();
  page.messages.hide();
  forgetDraft(page.payload);
  RECEIVERS[outcome.kind](page, outcome, sent);
}
