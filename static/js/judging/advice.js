// At most one piece of advice between two pairs, which needs no reaction. Fetched when there is some.
import { gettext } from "../elements/words.js";

const BREAK = gettext("You have been working for a while. How about a short break?");
const LOOK_CLOSELY = gettext("Did you look closely? Zooming in is often worth it.");

export function advise(page, isBreakDue) {
  const { messages } = page;
  const words = isBreakDue ? BREAK : LOOK_CLOSELY;
  const choices = [{ words: gettext("Continue"), action: messages.dismiss }];
  if (isBreakDue) {
    choices.unshift({
      words: gettext("Take a break"),
      action() {
        messages.hide();
        page.pause.start();
      },
    });
  }
  messages.show(words, choices);
  messages.say(`${page.payload.message} ${words}`);
}
