// What goes to the site (an answer, a skip, an undo, a change), and what becomes of it.
import { advise } from "./advice.js";
import { isFree, refresh, show } from "./screen.js";
import { askToSignIn } from "./sign_in.js";

const SECOND_PRESS_MS = 500;
const REFUSED = "The site did not accept this.";
const REFUSALS = {
  403: `${REFUSED} You may have been signed out or removed from the study.`,
  404: "This pair is no longer yours to answer.",
};

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
    page.messages.warn("This pair cannot be judged without its photograph. Load it again, or skip the pair.");
    return;
  }
  const missing = answer.unanswered();
  if (missing.length > 0) {
    showMissing(page, missing);
    return;
  }
  const { tools } = page;
  page.isHasty = tools.isHasty();
  const aids = JSON.stringify(tools.aids());
  post(page, "answer", page.form.action, { ...answer.fields(), seconds_taken: page.clock.seconds(), aids });
}

function showMissing(page, missing) {
  page.answer.showErrors(Object.fromEntries(missing.map((name) => [name, page.form.dataset.choose])));
  const titles = page.payload.criteria.filter(({ name }) => missing.includes(name)).map(({ title }) => title);
  page.messages.alert(`Not answered yet: ${titles.join(", ")}.`);
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
  messages.show(`Not saved yet, trying again in ${seconds} s`, [{ words: "Try now", action: page.courier.hurry }]);
  if (isNew) messages.alert("Not saved yet. It is kept here and sent again until it is saved.");
}

const RECEIVERS = {
  done: (page, { url }) => location.assign(url),
  next(page, { payload }, sent) {
    show(page, payload);
    page.messages.say([payload.message, payload.progress.note].filter(Boolean).join(" "));
    if (sent.kind === "answer") advise(page);
  },
  conflict(page, { payload, message }, sent) {
    show(page, payload);
    // Sent twice because nothing came back: it is not another tab that was first.
    if (sent.again && sent.kind !== "answer") page.messages.say("This is the pair waiting for you.");
    else page.messages.warn(message);
  },
  errors({ answer, messages }, { errors }) {
    answer.showErrors(errors);
    messages.alert(Object.values(errors).join(" "));
  },
  refused({ messages, root }, { message, status }) {
    const home = { words: "Your studies", url: root.dataset.homeUrl };
    messages.warn(message ?? REFUSALS[status] ?? REFUSED, [home]);
  },
};

// outcome: as courier.js tells it; sent: the letter it belongs to.
export function receive(page, outcome, sent) {
  const { skip } = page;
  end(page);
  if (outcome.kind === "signed-out") {
    skip.close();
    askToSignIn(page, outcome.url ?? page.root.dataset.loginUrl);
    return;
  }
  page.signIn.close();
  if (outcome.kind === "errors" && sent.kind === "skip") {
    skip.showErrors(outcome.errors);
    return;
  }
  skip.close();
  page.messages.hide();
  RECEIVERS[outcome.kind](page, outcome, sent);
}
