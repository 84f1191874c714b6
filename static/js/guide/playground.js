// The playground: one scene, its stage, its form, its link, and its scores from the site.
import { gettext } from "../elements/words.js";
import { createAddress } from "./address.js";
import { createBoxForm, createChips } from "./box_form.js";
import { createLatest } from "./latest.js";
import { fromData, toLink } from "./links.js";
import { createResults } from "./results.js";
import { added, boxOf, changed, indexOf, nameOf, removed, sideOf } from "./scene.js";
import { askForScores } from "./scoring.js";
import { createSpeech } from "./speech.js";
import { createStage } from "./stage.js";
import { labelOf, sayBox } from "./words.js";

const AGAIN_AFTER_MS = 3000;
const HELP = gettext("Drag a box, or its handles. By keyboard: Tab to a box, arrow keys move it, Shift and arrow keys resize it (with Ctrl by single units), Delete removes it.");

// Its parts and its state are one record. given: the site's data on limits, kinds, presets and the scene
// of the address; protocols: the displayed scores; chosen: the slug of the protocol whose matches are
// shown; scene: its boxes; selected: the name of a box or null. data-asked is the link whose scores were requested last,
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
    scene: fromData(given.drawing),
    address: createAddress(given.only, document.querySelector("[data-whole]")),
  };
  play.speech = createSpeech(part("status"), () => play.stage.isDragging());
  addEditing(play);
  addScores(play);
  wire(play);

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
  const onChange = (name, box) => take(play, changed(play.scene, name, box));
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
      play.address.keep(play.scene, slug);
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
      const ask = () => play.scene === scene && play.scores.ask(scene);
      if (trouble.isPassing) again = setTimeout(ask, AGAIN_AFTER_MS);
    },
  });
}

// Actions

function take(play, next) {
  play.scene = next;
  refresh(play);
}

function add(play, side) {
  const { given, scene, speech, stage } = play;
  const at = scene[side].length;
  if (at >= given.limits.maxBoxes) {
    speech.now(gettext("There is only room for {n}.", { n: given.limits.maxBoxes }));
    return;
  }
  const next = added(scene, side);
  play.selected = nameOf(side, at);
  take(play, next);
  stage.focus(play.selected);
  speech.now(gettext("Added: {box}.", { box: sayBox(side, at, next[side][at]) }));
}

function remove(play, name) {
  const { scene, next } = removed(play.scene, name);
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

function takePreset(play, slug) {
  const preset = play.given.presets.find((known) => known.slug === slug);
  play.selected = null;
  play.part("notice").hidden = true;
  take(play, fromData(preset.drawing));
  play.speech.now(preset.says);
}

// Display

function refresh(play) {
  const { address, given, part, root, scene, scores } = play;
  const link = toLink(scene);
  showBoxes(play);
  const preset = given.presets.find((known) => known.scene === link);
  part("says").textContent = preset?.says ?? gettext("A scene of your own.");
  for (const chip of root.querySelectorAll("[data-preset]")) {
    if (chip.dataset.preset === preset?.slug) chip.setAttribute("aria-current", "true");
    else chip.removeAttribute("aria-current");
  }
  address.keep(scene, play.chosen);
  if (link !== root.dataset.asked || !part("loading").hidden) scores.ask(scene);
  root.dataset.asked = link;
}

const saidOf = ({ protocols, chosen }) => protocols.find(({ slug }) => slug === chosen);

function drawStage(play) {
  play.stage.draw(play.scene, saidOf(play).status, play.given.kinds, play.selected);
}

function showBoxes(play) {
  drawStage(play);
  play.form.show(play.scene, play.selected);
  play.chips.show(play.scene, play.selected);
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
    const box = boxOf(play.scene, selected);
    if (!box) return said.sentence;
    const side = sideOf(selected);
    const at = indexOf(selected);
    return `${sayBox(side, at, box, play.given.kinds[said.status[side][at]])}. ${said.sentence}`;
  });
}

// Events

function wire(play) {
  const { part, root } = play;
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
}
