// The row of view tools, their keys, and how long each aid was in sight.
//
// const tools = createViewTools(root, panes, {onSay});   root holds [data-view-tools]
//   tools.press(press, target)   a keydown as keys.read() gives it, and where it happened; true when it was taken.
//                                Ask the page's own keys first: where both want a key, the answer has it.
//   tools.release(press)         every keyup, for the keys that are held
//   tools.pause(on)              while the page hides the pair, no aid is in sight
//   tools.aids()                 {aid: seconds in sight since the pair was shown}, used ones only; also "zoomed"
//   tools.isHasty()              true, once an image, when a quick answer to it is confirmed without a close look
// onSay(words) is for the live region.
import { createHaste } from "./advice.js";
import { createAutoBlink, createPacer } from "./blink.js";
import { hasOffset, isZoomed, percentOf } from "./camera.js";
import { viewActionOf } from "./keys.js";
import { AIDS } from "./panes.js";

// These last as long as their key is held, and those go on with it.
const HELD = ["boxes_hidden", "blink"];
const REPEATED = ["pan", "zoom_in", "zoom_out"];
// Where Space already means something: it presses, opens, chooses.
const KEEPS_SPACE = "a, button, summary, input:not([type=radio]:checked)";
const WORDS = {
  ground_truth: "Ground truth",
  match_colours: "Match colours",
  differences: "Differences",
  boxes_hidden: "Hiding boxes",
};

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

export function createViewTools(root, panes, { onSay = () => {} } = {}) {
  const paced = Object.fromEntries(HELD.map((aid) => [aid, createPacer((on) => panes.draw(aid, on))]));
  const blink = createAutoBlink(paced.blink, {
    onStop() {
      toolbar.show("");
      toolbar.refresh();
    },
  });
  const toolbar = createToolbar(root.querySelector("[data-view-tools]"), panes, blink, (name) => act({ name }));
  const tools = { panes, paced, blink, toolbar, onSay };
  const actions = actionsOf(tools);
  const act = (action) => (actions[action.name] ?? (() => toggle(tools, action.name)))(action);
  const tally = createTally();
  const haste = createHaste(panes);

  // A key let go elsewhere is never heard of.
  window.addEventListener("blur", () => HELD.forEach((aid) => paced[aid].want(false)));
  follow(tools, tally, haste);

  return {
    press(press, target = document.body) {
      const action = viewActionOf(press);
      if (!action || (press.code === "Space" && target.matches(KEEPS_SPACE))) return false;
      if (press.repeat && !REPEATED.includes(action.name)) return true;
      if (blink.wasStoppedNow() && ["blink", "auto_blink"].includes(action.name)) return true;
      if (HELD.includes(action.name)) paced[action.name].want(true);
      else act(action);
      return true;
    },
    release(press) {
      const name = viewActionOf({ ...press, shiftKey: false })?.name;
      if (HELD.includes(name) && !blink.isOn()) paced[name].want(false);
    },
    pause: pauseOf(tally),
    aids: tally.seconds,
    isHasty: () => haste.isNew("zoomed" in tally.seconds()),
  };
}

// The buttons: which of them there are, which are on; and the scale.
// blink: the automatic one. onDo(name) is called for a button.
function createToolbar(bar, panes, blink, onDo) {
  const buttons = [...bar.querySelectorAll("button[data-do]")];
  const words = bar.querySelector("[data-view-words]");
  const zoom = bar.querySelector("[data-zoom]");

  for (const button of buttons) button.addEventListener("click", () => onDo(button.dataset.do));
  bar.hidden = false;

  function refreshButton(button, pressed) {
    const { do: name } = button.dataset;
    if (AIDS.includes(name)) button.hidden = !panes.mayHave(name);
    if (name === "auto_blink") button.hidden = blink.isCalm();
    if (!button.hasAttribute("aria-pressed")) return;
    const value = String(pressed[name] ?? panes.isOn(name));
    if (button.getAttribute("aria-pressed") !== value) button.setAttribute("aria-pressed", value);
  }

  return {
    // Stays to be read until the next pair.
    show(text) {
      words.textContent = text;
    },
    refresh() {
      const view = panes.camera.view();
      const percents = ["left", "right"].map((side) => `${Math.round(percentOf(view, side))} %`);
      const scales = [...new Set(percents)].join(" | ");
      if (zoom.textContent !== scales) zoom.textContent = scales;
      const pressed = { link: view.linked, auto_blink: blink.isOn() };
      for (const button of buttons) refreshButton(button, pressed);
    },
  };
}

// What no button shows is said and written.
function tell({ toolbar, onSay }, text) {
  toolbar.show(text);
  onSay(text);
}

function toggle(tools, aid) {
  const { panes, paced, onSay } = tools;
  if (!panes.mayHave(aid)) {
    if (!panes.isOn(aid)) tell(tools, `${WORDS[aid]}: not in this study.`);
    return;
  }
  const on = !(paced[aid]?.isWanted() ?? panes.isOn(aid));
  if (paced[aid]) paced[aid].want(on);
  else panes.draw(aid, on);
  if (aid in WORDS) onSay(`${WORDS[aid]} ${on ? "on" : "off"}.`);
}

function actionsOf(tools) {
  const { blink, toolbar } = tools;
  const { camera } = tools.panes;
  return {
    fit() {
      toolbar.show("");
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
      tell(tools, on ? kept : "Panes move independently.");
    },
    auto_blink() {
      if (blink.isCalm()) tell(tools, "Your system asks for less motion: hold B to blink by hand.");
      else if (blink.isOn()) blink.stop();
      else {
        blink.start();
        tell(tools, "Blinking. Any key stops it.");
        toolbar.refresh();
      }
    },
  };
}

// Counts and shows what comes into sight; a new pair begins with nothing held, and counts from nothing.
function follow({ panes, paced, blink, toolbar }, tally, haste) {
  const count = () => tally.set([...AIDS.filter(panes.isOn), ...(isZoomed(panes.camera.view()) ? ["zoomed"] : [])]);
  panes.watch((what) => {
    if (what === "pair") {
      blink.end();
      for (const aid of HELD) paced[aid].reset();
      toolbar.show("");
      haste.restart();
    }
    count();
    if (what === "pair") tally.restart();
    toolbar.refresh();
  });
  count();
  toolbar.refresh();
}

// Nothing is in sight while the page hides the pair, or the browser the page.
function pauseOf(tally) {
  let isPaused = false;
  const rest = () => tally.pause(isPaused || document.hidden);
  document.addEventListener("visibilitychange", rest);
  return (paused) => {
    isPaused = paused;
    rest();
  };
}
