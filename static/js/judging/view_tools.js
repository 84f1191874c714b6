// The row of view tools, their keys, and how long each aid was in sight.
//
// const tools = createViewTools(root, panes, {onAid, onSay});   root holds [data-view-tools]
//   tools.press(press, target)   a keydown as keys.read() gives it, and where it happened; true when it was taken.
//                                Ask the page's own keys first: where both want a key, the answer has it.
//   tools.release(press)         every keyup, for the keys that are held
//   tools.pause(on)              while the page hides the pair, no aid is in sight
//   tools.aids()                 {aid: seconds in sight since the pair was shown}, used ones only; also "zoomed"
//   tools.lookedClosely()        false, once per image, where LOOK_CLOSELY should be asked; ask when confirming
// onAid(name, on) follows every aid that comes into sight or leaves it; onSay(words) is for the live region.
import { hasOffset, isZoomed, percentOf } from "./camera.js";
import { AIDS } from "./panes.js";

export const LOOK_CLOSELY = "Looked closely? Zoom is free.";

const QUICK_SECONDS = 2;
const LARGE_PIXELS = 4_000_000;
const PAN_PX = 64;
const CHANGE_MS = 334;
const BLINK_MS = 1000;
const CALM = "(prefers-reduced-motion: reduce)";

const LETTERS = { f: "fit", g: "ground_truth", m: "match_colours", v: "differences", l: "link", b: "blink" };
const SIGNS = { "+": "zoom_in", "=": "zoom_in", "-": "zoom_out", _: "zoom_out", 0: "fit" };
const ARROWS = {
  ArrowLeft: { x: PAN_PX, y: 0 },
  ArrowRight: { x: -PAN_PX, y: 0 },
  ArrowUp: { x: 0, y: PAN_PX },
  ArrowDown: { x: 0, y: -PAN_PX },
};
const HELD = ["boxes_hidden", "blink"];
const REPEATED = ["pan", "zoom_in", "zoom_out"];
const WORDS = {
  ground_truth: "Ground truth",
  match_colours: "Match colours",
  differences: "Differences",
  boxes_hidden: "Hiding boxes",
};

// What a key asks for, or null: {name}, with `by` for pan. Names: fit, zoom_in, zoom_out, pan, link,
// auto_blink and the AIDS.
export function viewActionOf({ key, code, ctrlKey, altKey, metaKey, shiftKey }) {
  if (ctrlKey || altKey || metaKey) return null;
  if (shiftKey && code in ARROWS) return { name: "pan", by: ARROWS[code] };
  if (code === "Space") return shiftKey ? null : { name: "boxes_hidden" };
  if (SIGNS[key]) return { name: SIGNS[key] };
  const name = LETTERS[letterOf(key, code)];
  if (!name) return null;
  if (shiftKey) return name === "blink" ? { name: "auto_blink" } : null;
  return { name };
}

// The letter on the key; on a layout without Latin letters the one at its place.
function letterOf(key, code) {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  return /^[\x20-\x7e]$/.test(key) || !/^Key[A-Z]$/.test(code) ? "" : code[3].toLowerCase();
}

// Adds up the seconds of each name that is on; paused, nothing counts.
export function createTally(now = () => performance.now()) {
  let seconds = new Map();
  let on = new Set();
  let isPaused = false;
  let since = now();

  function count() {
    const passed = isPaused ? 0 : (now() - since) / 1000;
    since = now();
    for (const name of on) seconds.set(name, (seconds.get(name) ?? 0) + passed);
  }

  return {
    set(names) {
      count();
      on = new Set(names);
    },
    pause(paused) {
      count();
      isPaused = paused;
    },
    restart() {
      since = now();
      seconds = new Map();
    },
    // Rounded to tenths; what was in sight at all counts a tenth.
    seconds() {
      count();
      const used = [...seconds].filter(([, value]) => value > 0);
      return Object.fromEntries(used.map(([name, value]) => [name, Math.max(0.1, Math.round(value * 10) / 10)]));
    },
  };
}

// Never more than three changes a second: one that comes early waits, and the last wish counts.
export function createPacer(apply, { now = () => performance.now(), later = setTimeout } = {}) {
  let changedAt = -Infinity;
  let wanted = false;
  let shown = false;
  let isWaiting = false;

  function change() {
    isWaiting = false;
    if (wanted === shown) return;
    changedAt = now();
    shown = wanted;
    apply(shown);
  }

  return {
    isWanted: () => wanted,
    want(on) {
      wanted = on;
      const wait = changedAt + CHANGE_MS - now();
      if (wait <= 0) change();
      else if (!isWaiting) {
        isWaiting = true;
        later(change, wait);
      }
    },
    // After a new pair nothing is on, and nothing comes late.
    reset() {
      wanted = false;
      shown = false;
    },
  };
}

export const isHasty = ({ seconds, nPixels, wasZoomed }) =>
  seconds < QUICK_SECONDS && nPixels > LARGE_PIXELS && !wasZoomed;

// Where Space already means something: it presses, opens, chooses.
function keepsSpace(target) {
  return target.matches("a, button, summary, input:not([type=radio]:checked)");
}

export function createViewTools(root, panes, { onAid = () => {}, onSay = () => {} } = {}) {
  const bar = root.querySelector("[data-view-tools]");
  const buttons = [...bar.querySelectorAll("button[data-do]")];
  const words = bar.querySelector("[data-view-words]");
  const zoom = bar.querySelector("[data-zoom]");
  const calm = matchMedia(CALM);
  const { camera } = panes;
  const tally = createTally();
  const asked = new Set();
  let inSight = new Set();
  let shownAt = performance.now();
  let blinking = null;
  let stoppedNow = false;
  let isPaused = false;

  const paced = Object.fromEntries(HELD.map((aid) => [aid, createPacer((on) => panes.draw(aid, on))]));

  // What no button shows stays to be read until the next pair.
  function show(text) {
    words.textContent = text;
    onSay(text);
  }

  function follow() {
    const on = new Set(AIDS.filter(panes.isOn));
    if (isZoomed(camera.view())) on.add("zoomed");
    tally.set(on);
    for (const aid of [...AIDS, "zoomed"]) {
      if (on.has(aid) !== inSight.has(aid)) onAid(aid, on.has(aid));
    }
    inSight = on;
  }

  function refresh() {
    const view = camera.view();
    const percents = ["left", "right"].map((side) => `${Math.round(percentOf(view, side))} %`);
    const scales = [...new Set(percents)].join(" | ");
    if (zoom.textContent !== scales) zoom.textContent = scales;
    const pressed = { link: view.linked, auto_blink: blinking !== null };
    for (const button of buttons) {
      const { do: name } = button.dataset;
      if (AIDS.includes(name)) button.hidden = !panes.mayHave(name);
      if (name === "auto_blink") button.hidden = calm.matches;
      if (button.hasAttribute("aria-pressed")) {
        const value = String(pressed[name] ?? panes.isOn(name));
        if (button.getAttribute("aria-pressed") !== value) button.setAttribute("aria-pressed", value);
      }
    }
  }

  function stopBlinking() {
    clearInterval(blinking);
    blinking = null;
    words.textContent = "";
    paced.blink.want(false);
    refresh();
  }

  function toggle(aid) {
    if (!panes.mayHave(aid)) {
      if (!panes.isOn(aid)) show(`${WORDS[aid]}: not in this study.`);
      return;
    }
    const on = !(paced[aid]?.isWanted() ?? panes.isOn(aid));
    if (paced[aid]) paced[aid].want(on);
    else panes.draw(aid, on);
    if (aid in WORDS) onSay(`${WORDS[aid]} ${on ? "on" : "off"}.`);
  }

  const actions = {
    fit() {
      words.textContent = "";
      camera.fit();
    },
    actual_size: camera.actualSize,
    zoom_in: () => camera.zoom(1),
    zoom_out: () => camera.zoom(-1),
    pan: ({ by }) => camera.pan(by),
    link() {
      const on = !camera.view().linked;
      camera.link(on);
      const kept = hasOffset(camera.view()) ? "Panes linked, offset kept. Fit clears it." : "Panes linked.";
      show(on ? kept : "Panes move alone.");
    },
    auto_blink() {
      if (calm.matches) show("Your system asks for less motion: hold B to blink by hand.");
      else if (blinking !== null) stopBlinking();
      else {
        paced.blink.want(true);
        blinking = setInterval(() => paced.blink.want(!paced.blink.isWanted()), BLINK_MS);
        show("Blinking. Any key stops it.");
        refresh();
      }
    },
  };
  const act = (action) => (actions[action.name] ?? (() => toggle(action.name)))(action);

  for (const button of buttons) {
    button.addEventListener("click", () => act({ name: button.dataset.do }));
  }
  bar.hidden = false;

  // Any key ends the automatic blink, and then does what it does; its own keys only end it.
  document.addEventListener("keydown", ({ key }) => {
    if (blinking === null || key === "Shift") return;
    stopBlinking();
    stoppedNow = true;
    setTimeout(() => {
      stoppedNow = false;
    });
  }, { capture: true });
  calm.addEventListener("change", () => {
    if (blinking !== null) stopBlinking();
    refresh();
  });
  // A key let go elsewhere is never heard of.
  window.addEventListener("blur", () => HELD.forEach((aid) => paced[aid].want(false)));
  const rest = () => tally.pause(isPaused || document.hidden);
  document.addEventListener("visibilitychange", rest);

  panes.watch((what) => {
    if (what === "pair") {
      clearInterval(blinking);
      blinking = null;
      for (const aid of HELD) paced[aid].reset();
      words.textContent = "";
      shownAt = performance.now();
    }
    follow();
    if (what === "pair") tally.restart();
    refresh();
  });
  follow();
  refresh();

  return {
    press(press, target = document.body) {
      const action = viewActionOf(press);
      if (!action || (press.code === "Space" && keepsSpace(target))) return false;
      if (press.repeat && !REPEATED.includes(action.name)) return true;
      if (stoppedNow && ["blink", "auto_blink"].includes(action.name)) return true;
      if (HELD.includes(action.name)) paced[action.name].want(true);
      else act(action);
      return true;
    },
    release(press) {
      const name = viewActionOf({ ...press, shiftKey: false })?.name;
      if (HELD.includes(name) && blinking === null) paced[name].want(false);
    },
    pause(paused) {
      isPaused = paused;
      rest();
    },
    aids: tally.seconds,
    lookedClosely() {
      const seconds = (performance.now() - shownAt) / 1000;
      const key = panes.imageKey();
      if (!isHasty({ seconds, nPixels: panes.nPixels(), wasZoomed: "zoomed" in tally.seconds() })) return true;
      if (asked.has(key)) return true;
      asked.add(key);
      return false;
    },
  };
}
