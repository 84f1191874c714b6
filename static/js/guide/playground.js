// The playground: one scene, its stage, its form, its link, and its scores from the site.
import { gettext } from "../elements/words.js";
import { createAddress, enhanceCopyLink, queryOf } from "./address.js";
import { createBoxForm, createChips } from "./box_form.js";
import { createLatest } from "./latest.js";
import { fromData, toLink } from "./links.js";
import { createResults } from "./results.js";
import { added, boxOf, changed, indexOf, nameOf, removed, sideOf } from "./scene.js";
import { askForScores } from "./scoring.js";
import { createSpeech } from "./speech.js";
import { createStage } from "./stage.js";
import { createSteps } from "./steps.js";
import { labelOf, sayBox } from "./words.js";

const AGAIN_AFTER_MS = 3000;
const TAKES_TEXT = "select, textarea, input:not([type=checkbox])";
const HELP = gettext("Drag a box, or its handles. By keyboard: Tab to a box, arrow keys move it, Shift and arrow keys resize it (with Ctrl by single units), Delete removes it, Ctrl+Z undoes.");

// Its parts and its state are one record. given: the site's data on limits, kinds, presets and the scene
// of the address; protocols: the displayed scores; chosen: the slug of the protocol whose matches are
// shown; selected: the name of a box or null. data-asked is the link whose scores were requested last,
// data-scored the one whose scores are shown.
export function enhancePlayground(root) {
  const given = JSON.parse(root.querySelector("#playground-data").textContent);
  const part = (name) => root.querySelector(`[data-${name}]`);
  const play = {
    root,
    part,
    given,
    protocols: given.protocols,
    chosen: given.shown,
    selected: part("form").elements.box.value || null,
    steps: createSteps(fromData(given.drawing)),
    address: createAddress(given.only, document.querySelector("[data-whole]")),
  };
  play.speech = createSpeech(part("status"), () => play.stage.isDragging());
  addEditing(play);
  addScores(play);
  wire(play);

  for (const name of ["undo", "redo"]) part(name).hidden = false;
  part("apply").hidden = true;
  part("help").textContent = HELP;
  root.dataset.asked = root.dataset.scored = given.scene;
  showScores(play);
  refresh(play);
  // On narrow screens the situations form one row that scrolls.
  const current = root.querySelector("[data-preset][aria-current]");
  if (current) current.closest("ul").scrollLeft = current.offsetLeft - current.offsetWidth;
}

function addEditing(play) {
  const { given, part } = play;
  const onChange = (name, box, what) => take(play, changed(play.steps.scene(), name, box), what);
  const onDelete = (name) => remove(play, name);
  const onSelect = (name) => select(play, name);
  play.stage = createStage(part("stage"), given.limits, { onSelect, onChange, onDelete });
  play.form = createBoxForm(part("form"), given.limits, { onChange, onDelete });
  play.chips = createChips(part("chips"), part("chip-list"), { onSelect });
}

function addScores(play) {
  const { given, part, root } = play;
  const stale = part("loading");
  let again;
  play.results = createResults(root, {
    onChoose(slug) {
      play.chosen = slug;
      showScores(play);
      play.address.keep(play.steps.scene(), slug);
      sayLater(play);
    },
  });
  play.scores = createLatest((scene) => askForScores(part("score").action, scene, given.only), {
    onAnswer(answer, scene) {
      play.protocols = answer;
      stale.hidden = true;
      showScores(play);
      root.dataset.scored = toLink(scene);
      sayLater(play);
    },
    onTrouble(trouble, scene) {
      stale.hidden = false;
      stale.textContent = trouble.message || gettext("Scores are out of date: the site is not responding.");
      clearTimeout(again);
      const ask = () => play.steps.scene() === scene && play.scores.ask(scene);
      if (trouble.isPassing) again = setTimeout(ask, AGAIN_AFTER_MS);
    },
  });
}

// Actions

function take(play, next, what = null) {
  play.steps.take(next, what);
  refresh(play);
}

function add(play, side) {
  const { given, speech, stage, steps } = play;
  const at = steps.scene()[side].length;
  if (at >= given.limits.maxBoxes) {
    speech.now(gettext("There is only room for {n}.", { n: given.limits.maxBoxes }));
    return;
  }
  const next = added(steps.scene(), side);
  play.selected = nameOf(side, at);
  take(play, next);
  stage.focus(play.selected);
  speech.now(gettext("Added: {box}.", { box: sayBox(side, at, next[side][at]) }));
}

function remove(play, name) {
  const { scene, next } = removed(play.steps.scene(), name);
  play.selected = next;
  take(play, scene);
  if (next) play.stage.focus(next);
  else play.part("tools").querySelector("button").focus();
  play.speech.now(gettext("{label} deleted.", { label: labelOf(sideOf(name), indexOf(name)) }));
}

function select(play, name) {
  if (name === play.selected) return;
  play.selected = name;
  showBoxes(play);
}

// way: "undo" or "redo".
function travel(play, way) {
  if (!play.steps[way]()) return;
  if (!boxOf(play.steps.scene(), play.selected)) play.selected = null;
  refresh(play);
  play.speech.now(way === "undo" ? gettext("Undone.") : gettext("Redone."));
}

function takePreset(play, slug) {
  const preset = play.given.presets.find((known) => known.slug === slug);
  play.selected = null;
  play.part("notice").hidden = true;
  take(play, fromData(preset.drawing));
  play.speech.now(preset.says);
}

// Display

function refresh(play) {
  const { address, given, part, root, scores, steps } = play;
  const link = toLink(steps.scene());
  showBoxes(play);
  part("undo").disabled = !steps.canUndo();
  part("redo").disabled = !steps.canRedo();
  const preset = given.presets.find(({ scene }) => scene === link);
  part("says").textContent = preset?.says ?? gettext("A scene of your own.");
  for (const chip of root.querySelectorAll("[data-preset]")) {
    if (chip.dataset.preset === preset?.slug) chip.setAttribute("aria-current", "true");
    else chip.removeAttribute("aria-current");
  }
  address.keep(steps.scene(), play.chosen);
  if (link !== root.dataset.asked || !part("loading").hidden) scores.ask(steps.scene());
  root.dataset.asked = link;
}

const saidOf = ({ protocols, chosen }) => protocols.find(({ slug }) => slug === chosen);

function drawStage(play) {
  play.stage.draw(play.steps.scene(), saidOf(play).status, play.given.kinds, play.selected);
}

function showBoxes(play) {
  drawStage(play);
  play.form.show(play.steps.scene(), play.selected);
  play.chips.show(play.steps.scene(), play.selected);
}

function showScores(play) {
  play.results.show(play.protocols, play.chosen);
  drawStage(play);
}

// Announces the selected box and the chosen protocol's result.
function sayLater(play) {
  play.speech.later(() => {
    const { selected } = play;
    const said = saidOf(play);
    const box = boxOf(play.steps.scene(), selected);
    if (!box) return said.sentence;
    const side = sideOf(selected);
    const at = indexOf(selected);
    return `${sayBox(side, at, box, play.given.kinds[said.status[side][at]])}. ${said.sentence}`;
  });
}

// Events

function wire(play) {
  const { given, part, root, speech, steps } = play;
  part("tools").addEventListener("submit", (event) => {
    event.preventDefault();
    add(play, event.submitter?.value === "add-detection" ? "detections" : "truth");
  });
  root.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-preset]");
    if (!chip || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    takePreset(play, chip.dataset.preset);
  });
  for (const way of ["undo", "redo"]) part(way).addEventListener("click", () => travel(play, way));
  const linkOf = () => location.origin + location.pathname + queryOf(steps.scene(), play.chosen, given.only);
  enhanceCopyLink(part("copy-link"), linkOf, speech.now);
  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.matches(TAKES_TEXT)) return;
    const way = wayOf(event);
    if (!way) return;
    event.preventDefault();
    travel(play, way);
  });
}

// The direction in which a key moves through the steps, or null.
export function wayOf({ key, ctrlKey, metaKey, altKey, shiftKey, isComposing }) {
  if (!(ctrlKey || metaKey) || altKey || isComposing) return null;
  if (key.toLowerCase() === "z") return shiftKey ? "redo" : "undo";
  return key.toLowerCase() === "y" ? "redo" : null;
}
