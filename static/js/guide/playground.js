// The playground: one scene, its stage, its form, its link, and its scores from the site.
import { tokenOf } from "../elements/csrf.js";
import { fresh, fromNumbers } from "./geometry.js";
import { createLatest } from "./latest.js";
import { fromLink, isPlain, toData, toLink } from "./links.js";
import { createResults } from "./results.js";
import { createStage } from "./stage.js";
import { createSteps } from "./steps.js";
import { labelOf, sayBox, sayScore } from "./words.js";

const SAY_AFTER_MS = 600;
const ADDRESS_AFTER_MS = 250;
const AGAIN_AFTER_MS = 3000;
const PATIENCE_MS = 10_000;
const TAKES_TEXT = "select, textarea, input:not([type=checkbox])";
const HELP =
  "Drag a box, or its handles. By keyboard: Tab to a box, arrows move it, Shift and arrows change its size " +
  "(with Ctrl by single units), Delete removes it, Ctrl+Z takes back.";

export function enhancePlayground(root) {
  const given = JSON.parse(root.querySelector("#playground-data").textContent);
  const { limits, kinds, only } = given;
  const steps = createSteps(fromLink(given.scene, limits));
  const form = root.querySelector("[data-form]");
  const tools = root.querySelector("[data-tools]");
  const chips = root.querySelector("[data-chips]");
  const chipList = root.querySelector("[data-chip-list]");
  const scoreForm = root.querySelector("[data-score]");
  const notice = root.querySelector("[data-notice]");
  const status = root.querySelector("[data-status]");
  const stale = root.querySelector("[data-loading]");
  const says = root.querySelector("[data-says]");
  const undoButton = root.querySelector("[data-undo]");
  const redoButton = root.querySelector("[data-redo]");
  const copyButton = root.querySelector("[data-copy]");
  const whole = document.querySelector("[data-whole]");
  let protocols = given.protocols;
  let chosen = given.shown;
  let selected = form.elements.box.value || null;
  let asked = given.scene;
  let saying;
  let addressing;
  let again;

  const stage = createStage(root.querySelector("[data-stage]"), limits, {
    onSelect: select,
    onChange: (name, box, what) => change(name, box, what),
    onDelete: remove,
  });
  const results = createResults(root, kinds, {
    onChoose(slug) {
      chosen = slug;
      showScores();
      drawStage();
      keepAddress();
      say();
    },
  });
  const scores = createLatest(askForScores, {
    onAnswer(answer, scene) {
      protocols = answer;
      stale.hidden = true;
      showScores();
      drawStage();
      root.dataset.scored = toLink(scene);
      say();
    },
    onTrouble(trouble, scene) {
      stale.hidden = false;
      stale.textContent = trouble.message || "Scores are not up to date: the site does not answer.";
      clearTimeout(again);
      if (trouble.isPassing) again = setTimeout(() => steps.scene() === scene && scores.ask(scene), AGAIN_AFTER_MS);
    },
  });

  async function askForScores(scene) {
    let response;
    try {
      response = await fetch(scoreForm.action, {
        method: "POST",
        body: JSON.stringify({ scene: toData(scene), ...(only && { protocol: only }) }),
        headers: { "Content-Type": "application/json", "X-CSRFToken": tokenOf() },
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      if (response.ok) return (await response.json()).protocols;
    } catch {
      throw Object.assign(new Error(""), { isPassing: true });
    }
    if (response.status === 400) throw new Error((await response.json()).message);
    if (response.status === 403) throw new Error("Reload the page to go on; the address keeps the scene.");
    throw Object.assign(new Error(""), { isPassing: true });
  }

  const sideOf = (name) => (name[0] === "t" ? "truth" : "detections");
  const indexOf = (name) => Number(name.slice(1));
  const boxOf = (name) => (name ? (steps.scene()[sideOf(name)][indexOf(name)] ?? null) : null);

  function take(next, what = null) {
    steps.take(next, what);
    refresh();
  }

  function change(name, box, what = null) {
    const side = sideOf(name);
    const boxes = steps.scene()[side].with(indexOf(name), box);
    take({ ...steps.scene(), [side]: boxes }, what);
  }

  function add(side) {
    const boxes = steps.scene()[side];
    if (boxes.length >= limits.maxBoxes) {
      sayNow(`There is room for ${limits.maxBoxes} only.`);
      return;
    }
    const box = { ...fresh(boxes.length), confidence: side === "detections" ? 90 : null };
    selected = `${side[0]}${boxes.length}`;
    take({ ...steps.scene(), [side]: [...boxes, box] });
    stage.focus(selected);
    sayNow(`${sayBox(side, boxes.length, box)} added.`);
  }

  function remove(name) {
    const side = sideOf(name);
    const at = indexOf(name);
    const boxes = steps.scene()[side].toSpliced(at, 1);
    selected = boxes.length > 0 ? `${side[0]}${Math.min(at, boxes.length - 1)}` : null;
    take({ ...steps.scene(), [side]: boxes });
    if (selected) stage.focus(selected);
    else tools.querySelector("button").focus();
    sayNow(`${labelOf(side, at)} deleted.`);
  }

  function select(name) {
    if (name === selected) return;
    selected = name;
    drawStage();
    showForm();
    showChips();
  }

  function travel(way) {
    if (!steps[way]()) return;
    if (!boxOf(selected)) selected = null;
    refresh();
    sayNow(way === "undo" ? "Taken back." : "Done again.");
  }

  // What is shown

  function refresh() {
    const link = toLink(steps.scene());
    drawStage();
    showForm();
    showChips();
    undoButton.disabled = !steps.canUndo();
    redoButton.disabled = !steps.canRedo();
    const preset = given.presets.find(({ scene }) => scene === link);
    says.textContent = preset?.says ?? "A scene of your own.";
    for (const chip of root.querySelectorAll("[data-preset]")) {
      if (chip.dataset.preset === preset?.slug) chip.setAttribute("aria-current", "true");
      else chip.removeAttribute("aria-current");
    }
    keepAddress();
    if (link !== asked || !stale.hidden) scores.ask(steps.scene());
    asked = link;
  }

  function drawStage() {
    const said = protocols.find(({ slug }) => slug === chosen);
    stage.draw(steps.scene(), said.status, kinds, selected);
  }

  function showScores() {
    results.show(protocols, chosen);
  }

  function showForm() {
    const box = boxOf(selected);
    form.hidden = !box;
    if (!box) return;
    const side = sideOf(selected);
    form.querySelector("[data-form-title]").textContent =
      `${side === "truth" ? "Truth" : "Detection"} ${labelOf(side, indexOf(selected))}`;
    for (const field of form.querySelectorAll("[data-of]")) field.hidden = field.dataset.of !== selected[0];
    const isOther = form.elements.box.value !== selected;
    form.elements.box.value = selected;
    const values = {
      left: box.left,
      top: box.top,
      width: box.right - box.left,
      height: box.bottom - box.top,
      text: box.text,
      line: box.line,
      confidence: box.confidence === null ? "" : (box.confidence / 100).toFixed(2),
    };
    for (const [name, value] of Object.entries(values)) {
      const input = form.elements[name];
      // What is being typed stays as it is typed.
      if (input === document.activeElement && !isOther) continue;
      input.value = value;
      input.removeAttribute("aria-invalid");
    }
    form.elements.ignored.checked = box.ignored;
  }

  function showChips() {
    const scene = steps.scene();
    const wanted = ["truth", "detections"].flatMap((side) =>
      scene[side].map((box, at) => ({
        name: `${side[0]}${at}`,
        words: [labelOf(side, at), box.text].filter(Boolean).join(" "),
      })),
    );
    while (chipList.children.length > wanted.length) chipList.lastElementChild.remove();
    wanted.forEach(({ name, words }, at) => {
      const chip = chipList.children[at]?.firstElementChild ?? addChip();
      chip.value = name;
      if (chip.textContent !== words) chip.textContent = words;
      chip.setAttribute("aria-pressed", String(name === selected));
    });
  }

  function addChip() {
    const item = document.createElement("li");
    const chip = document.createElement("button");
    chip.type = "submit";
    chip.name = "box";
    chip.className = "chip";
    item.append(chip);
    chipList.append(item);
    return chip;
  }

  // Browsers refuse an address that changes too often.
  function keepAddress() {
    clearTimeout(addressing);
    addressing = setTimeout(() => {
      const fields = only ? "" : `protocol=${encodeURIComponent(chosen)}&`;
      history.replaceState(null, "", `${location.pathname}?${fields}scene=${toLink(steps.scene())}`);
      if (whole) whole.href = `${whole.dataset.whole}?protocol=${chosen}&scene=${toLink(steps.scene())}`;
    }, ADDRESS_AFTER_MS);
  }

  function sayNow(words) {
    clearTimeout(saying);
    status.textContent = "";
    requestAnimationFrame(() => {
      status.textContent = words;
    });
  }

  // Once the hand rests: the box, and what the chosen protocol says.
  function say() {
    clearTimeout(saying);
    saying = setTimeout(() => {
      if (stage.isDragging()) {
        say();
        return;
      }
      const box = boxOf(selected);
      const said = protocols.find(({ slug }) => slug === chosen);
      const kind = box && said.status[sideOf(selected)][indexOf(selected)];
      const place = box ? `${sayBox(sideOf(selected), indexOf(selected), box, kinds[kind])}. ` : "";
      status.textContent = place + sayScore(said);
    }, SAY_AFTER_MS);
  }

  // What is done

  tools.addEventListener("submit", (event) => {
    event.preventDefault();
    add(event.submitter?.value === "add-detection" ? "detections" : "truth");
  });
  chips.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter) select(event.submitter.value);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter?.value === "delete" && selected) remove(selected);
  });
  form.addEventListener("input", (event) => {
    const box = boxOf(selected);
    if (!box) return;
    const input = event.target;
    const next = typed(box, input.name);
    const isValid = next !== null && input.validity.valid;
    if (isValid) input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
    if (isValid) change(selected, next, input.name === "ignored" ? null : `type ${selected} ${input.name}`);
  });
  // A number that was refused gives way to the one that holds.
  form.addEventListener("focusout", () => requestAnimationFrame(showForm));

  function typed(box, name) {
    const { elements } = form;
    if (name === "text") {
      const text = elements.text.value.trim();
      return isPlain(text, limits) ? { ...box, text } : null;
    }
    if (name === "ignored") return { ...box, ignored: elements.ignored.checked };
    if (name === "line") {
      const line = Number(elements.line.value);
      return Number.isInteger(line) && line >= 0 && line <= limits.maxLine ? { ...box, line } : null;
    }
    if (name === "confidence") {
      const text = elements.confidence.value;
      if (text === "") return { ...box, confidence: null };
      const confidence = Math.round(100 * Number(text));
      return confidence >= 0 && confidence <= 100 ? { ...box, confidence } : null;
    }
    const numbers = Object.fromEntries(
      ["left", "top", "width", "height"].map((field) => [field, elements[field].valueAsNumber]),
    );
    return fromNumbers(box, numbers, limits);
  }

  root.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-preset]");
    if (!chip || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const preset = given.presets.find(({ slug }) => slug === chip.dataset.preset);
    selected = null;
    notice.hidden = true;
    take(fromLink(preset.scene, limits));
    sayNow(preset.says);
  });
  undoButton.addEventListener("click", () => travel("undo"));
  redoButton.addEventListener("click", () => travel("redo"));
  copyButton.addEventListener("click", async () => {
    const fields = only ? "" : `protocol=${encodeURIComponent(chosen)}&`;
    const link = `${location.origin}${location.pathname}?${fields}scene=${toLink(steps.scene())}`;
    let words = "Link copied";
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      words = "Copy the address of this page";
    }
    copyButton.textContent = words;
    sayNow(`${words}.`);
    setTimeout(() => {
      copyButton.textContent = "Copy link";
    }, 2500);
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing || target.matches(TAKES_TEXT)) return;
    const key = event.key.toLowerCase();
    const way = key === "z" ? (event.shiftKey ? "redo" : "undo") : key === "y" ? "redo" : null;
    if (!way) return;
    event.preventDefault();
    travel(way);
  });

  for (const button of [undoButton, redoButton, copyButton]) button.hidden = false;
  root.querySelector("[data-apply]").hidden = true;
  root.querySelector("[data-help]").textContent = HELP;
  root.dataset.scored = given.scene;
  showScores();
  refresh();
  // On narrow screens the situations are one row that scrolls.
  const current = root.querySelector("[data-preset][aria-current]");
  if (current) current.closest("ul").scrollLeft = current.offsetLeft - current.offsetWidth;
}
