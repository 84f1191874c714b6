// Outcomes that are not a success; fetched when the first occurs.
import { gettext } from "../elements/words.js";
import { show } from "./screen.js";

const REFUSED = gettext("The site did not accept this.");
const REFUSALS = {
  403: gettext("The site did not accept this. You may have been signed out or removed from the study."),
  404: gettext("This pair is no longer yours to answer."),
};

const RECEIVERS = {
  conflict(page, { payload, message }, sent) {
    show(page, payload);
    // Sent twice because no answer arrived: no other tab was first.
    if (sent.again && sent.kind !== "answer") page.messages.say(gettext("This is the pair waiting for you."));
    else page.messages.warn(message);
  },
  errors({ answer, messages }, { errors }) {
    answer.showErrors(errors);
    if (errors.seen) messages.warn(errors.seen);
    else messages.alert(Object.values(errors).join(" "));
  },
  refused({ messages, root }, { message, status }) {
    const home = { words: gettext("Your studies"), url: root.dataset.homeUrl };
    messages.warn(message ?? REFUSALS[status] ?? REFUSED, [home]);
  },
};

function askToSignIn({ courier, messages, signIn }, url) {
  messages.show(gettext("You are signed out. Your answer is kept."), [
    { words: gettext("Sign in (new tab)"), url, newTab: true },
    { words: gettext("Send again"), action: courier.hurry },
  ]);
  signIn.querySelector("a").href = url;
  if (!signIn.open) signIn.showModal();
}

export function receive(page, outcome, sent) {
  const { skip } = page;
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
