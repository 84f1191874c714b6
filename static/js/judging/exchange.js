// What goes to the site (an answer, a skip, an undo, a change), and what becomes of it.
import { gettext } from "../elements/words.js";
import { forgetDraft } from "./draft.js";
import { isFree, refresh, show } from "./screen.js";
import { lookAt } from "./seen.js";

const SECOND_PRESS_MS = 500;

export function post(page, kind, url, fields) {
  const { image, screen } = page.payload;
  page.advance.stop();
  const body = new URLSearchParams({ ...fields, have: image.key ?? "" }).toString();
  page.courier.take({ kind, screen: screen.id, url, body });
}

export function confirm(page) {
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
    page.unseen = lookAt(unseen);
    page.messages.warn(page.unseen);
    return;
  }
  const { tools } = page;
  page.isHasty = tools.isHasty();
  const aids = JSON.stringify(tools.aids());
  const seen = JSON.stringify(page.seen.fields());
  post(page, "answer", page.form.action, { ...answer.fields(), seconds_taken: page.clock.seconds(), aids, seen });
}

function showMissing(page, missing) {
  page.answer.showErrors(Object.fromEntries(missing.map((name) => [name, page.form.dataset.choose])));
  const titles = page.payload.criteria.filter(({ name }) => missing.includes(name)).map(({ title }) => title);
  page.messages.alert(gettext("Not answered yet: {questions}.", { questions: titles.join(", ") }));
}

// What the courier tells

export function begin(page) {
  refresh(page);
  page.confirmButton.begin();
}

function end(page) {
  page.confirmButton.end();
  refresh(page);
}

// The countdown is for the eyes; it is said once.
export function wait(page, seconds) {
  const { messages } = page;
  end(page);
  const isNew = !messages.shown();
  page.skip.close();
  const words = gettext("Not saved yet, trying again in {seconds} s", { seconds });
  messages.show(words, [{ words: gettext("Try now"), action: page.courier.hurry }]);
  if (isNew) messages.alert(gettext("Not saved yet. It is kept here and sent again until it is saved."));
}

async function advise(page) {
  // Asked after every pair, because it counts them.
  const isBreakDue = page.breaks.isDue(page.clock.worked());
  const { isHasty } = page;
  page.isHasty = false;
  if (isBreakDue || isHasty) (await import("./advice.js")).advise(page, isBreakDue);
}

const RECEIVERS = {
  done: (page, { url }) => location.assign(url),
  next(page, { payload }, sent) {
    show(page, payload);
    page.messages.say([payload.message, payload.progress.note].filter(Boolean).join(" "));
    if (sent.kind === "answer") advise(page);
  },
};

// outcome: as courier.js tells it; sent: the letter it belongs to.
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
