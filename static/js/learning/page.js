// The scripts of the pages of the first visit.
import { actionOf, createKeys, TAKES_TEXT } from "../judging/keys.js";
import { initFeedback, initPair } from "./practice.js";
import { init as initTrainer } from "./trainer.js";
import { createViewer } from "./viewer.js";
import { init as initTasks } from "./ways.js";

const keys = createKeys(JSON.parse(document.querySelector("#own-keys").textContent));
const find = (name) => document.querySelector(`[data-${name}]`);
const pressOf = (event) => (event.isComposing ? null : keys.read(event));

// The action of a key, by this person's own keys; null if it has none.
function read(event) {
  const press = pressOf(event);
  return press && actionOf(press);
}

keys.label(document.body);
const [practice, feedback, tasks, trainer, root] = ["practice", "feedback", "tasks", "trainer", "viewer"].map(find);
const viewer = root && createViewer(root, pressOf);
// There is nothing to train if the keys are switched off.
if (trainer && keys.single) initTrainer(trainer, read);
if (tasks) initTasks(tasks, viewer.panes);
if (practice) initPair(practice, find("status"), read, viewer);
if (feedback) {
  initFeedback(feedback, read);
  viewer.closeUp();
}
if (viewer) {
  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    const press = target.matches(TAKES_TEXT) ? null : pressOf(event);
    if (press && !actionOf(press) && viewer.press(press, target)) event.preventDefault();
  });
}
// From now on the buttons show their keys.
document.body.dataset.keys = "";
