// The first visit: what its pages do beyond their links and forms.
import { actionOf, createKeys } from "../judging/keys.js";
import { initFeedback, initPair } from "./practice.js";
import { init as initTrainer } from "./trainer.js";

const keys = createKeys(JSON.parse(document.querySelector("#own-keys").textContent));

// What a key asks for, as this person has laid their keys; null for what asks for nothing.
function read(event) {
  const known = event.isComposing ? null : keys.read(event);
  return known && actionOf(known);
}

keys.label(document.body);
// Who has switched the keys off has none to train.
if (keys.single) {
  for (const root of document.querySelectorAll("[data-trainer]")) initTrainer(root, read);
}
for (const form of document.querySelectorAll("[data-practice]")) {
  initPair(form, document.querySelector("[data-status]"), read);
}
for (const root of document.querySelectorAll("[data-feedback]")) initFeedback(root, read);
// Keys are shown on the buttons from now on.
document.body.dataset.keys = "";
