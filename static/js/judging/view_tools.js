// The row of view tools, their keys, and the time that each aid was visible.
//
// const tools = createViewTools(root, panes, {onSay});   root holds [data-view-tools]
//   tools.press(press, target)   a keydown from keys.read(), and its target; true if it was handled. Try the
//                                page's own keys first: if both use a key, it belongs to the answer.
//   tools.release(press)         every keyup, for the keys that are held
//   tools.pause(on)              while the page hides the pair, no aid is visible
//   tools.aids()                 {aid: seconds visible since the pair was shown}, used ones only; also "zoomed"
//   tools.show(words)            shows words until the next pair
//   tools.isHasty()              true, once per image, when a quick answer is confirmed without a close look
// onSay(words) is for the live region; onNote() opens the form of a note.
import { gettext } from "../elements/words.js";
import { createPacer } from "./blink.js";
import { hasOffset, isZoomed, percentOf } from "./camera.js";
import { createHaste } from "./haste.js";
import { viewActionOf } from "./keys.js";
import { createLazy } from "./lazy.js";
import { isNews } from "./showing.js";
import { AIDS } from "./panes.js";
import { createTally } from "./tally.js";

// The first are on while their key is held, the others repeat with it.
const HELD = ["boxes_hidden", "blink"];
const BLINK_MS = 600;
const REPEATED = ["pan", "zoom_in", "zoom_out"];
// Elements in which Space already has a meaning: it presses, opens, chooses.
const KEEPS_SPACE = "a, button, summary, input:not([type=radio]:checked)";
const HAS_FINGERS_ONLY = "(hover: none) and (pointer: coarse)";
// Messages for each aid: switched on, and switched off.
const WORDS = {
  ground_truth: [gettext("Ground truth on."), gettext("Ground truth off.")],
  match_colours: [gettext("Match colours on."), gettext("Match colours off.")],
  differences: ["", gettext("Differences off.")],
  boxes_hidden: [gettext("Hiding boxes on."), gettext("Hiding boxes off.")],
};

export function createViewTools(root, panes, { onSay = () => {}, onNote = () => {} } = {}) {
  const paced = Object.fromEntries(HELD.map((aid) => [aid, createPacer((on) => panes.draw(aid, on))]));
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const onStop = () => {
    toolbar.show("");
    toolbar.refresh();
  };
  const lazy = createLazy(async () => (await import("./auto_blink.js")).createAutoBlink(paced.blink, { onStop }));
  calm.addEventListener("change", () => toolbar.refresh());
  const blink = {
    now: lazy.now,
    isOn: () => lazy.now()?.isOn() ?? false,
    isCalm: () => calm.matches,
    start: async () => (await lazy.get()).start(),
  };
  const toolbar = createToolbar(root.querySelector("[data-view-tools]"), panes, blink, (name) => act({ name }));
  const tools = { panes, paced, blink, toolbar, onSay, onNote };
  const actions = actionsOf(tools);
  const isLeftOut = (name) => root.querySelector(`[data-without~=${name}]`);
  const act = (action) => isLeftOut(action.name) || (actions[action.name] ?? (() => toggle(tools, action.name)))(action);
  const tally = createTally();
  const haste = createHaste(panes);

  // A keyup outside the window is never reported.
  window.addEventListener("blur", () => HELD.forEach((aid) => paced[aid].want(false)));
  follow(tools, tally, haste);
  // A new pair, which clears the words, may follow.
  panes.watch((what) => what === "layout" && queueMicrotask(() => introduceSingle(tools)));
  introduceSingle(tools);

  return {
    press(press, target = document.body) {
      const action = viewActionOf(press);
      if (!action || (press.code === "Space" && target.matches(KEEPS_SPACE))) return false;
      if (press.repeat && !REPEATED.includes(action.name)) return true;
      if (blink.now()?.wasStoppedNow() && ["blink", "auto_blink"].includes(action.name)) return true;
      if (HELD.includes(action.name)) paced[action.name].want(true);
      else act(action);
      return true;
    },
    release(press) {
      const name = viewActionOf({ ...press, shiftKey: false })?.name;
      if (HELD.includes(name) && !blink.isOn()) paced[name].want(false);
    },
    show: toolbar.show,
    pause: pauseOf(tally),
    aids: tally.seconds,
    isHasty: () => haste.isNew("zoomed" in tally.seconds()),
  };
}

// The buttons, which of them are offered and on, and the scale.
// blink: the automatic one. onDo(name) is called for a button.
function createToolbar(bar, panes, blink, onDo) {
  const buttons = [...bar.querySelectorAll("button[data-do]")];
  const words = document.querySelector("[data-view-words]");
  const zoom = bar.querySelector("[data-zoom]");

  for (const button of buttons) button.addEventListener("click", () => onDo(button.dataset.do));
  offerMore(bar.querySelector("[data-more]"));
  bar.hidden = false;

  function refreshButton(button, pressed) {
    const { do: name } = button.dataset;
    if (AIDS.includes(name)) button.hidden = !panes.mayHave(name);
    if (name === "auto_blink") button.hidden = blink.isCalm();
    const value = String(pressed[name] ?? panes.isOn(name));
    if (button.ariaPressed && button.ariaPressed !== value) button.ariaPressed = value;
  }

  return {
    // Stays until the next pair.
    show(text) {
      words.textContent = text;
    },
    forget(text) {
      if (words.textContent === text) words.textContent = "";
    },
    refresh() {
      const view = panes.camera.view();
      const percents = ["left", "right"].map((side) => `${Math.round(percentOf(view, side))}\u00a0%`);
      const scales = [...new Set(percents)].join(" | ");
      if (zoom.textContent !== scales) zoom.textContent = scales;
      const pressed = { link: view.linked, auto_blink: blink.isOn(), single_view: panes.layout.isOne() };
      for (const button of buttons) refreshButton(button, pressed);
    },
  };
}

// Small windows have the other tools behind a button. Zooming keeps them open; any other tool closes them.
function offerMore(more) {
  const tools = more.closest(".viewtools");
  function open(on) {
    tools.toggleAttribute("data-open", on);
    more.ariaExpanded = String(on);
  }
  tools.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button === more) open(!tools.hasAttribute("data-open"));
    else if (button && !button.dataset.do.startsWith("zoom")) open(false);
  });
  tools.addEventListener("keydown", ({ key }) => key === "Escape" && open(false));
}

// Announces and displays a state that no button shows.
function tell({ toolbar, onSay }, text) {
  toolbar.show(text);
  onSay(text);
}

function singleWords() {
  const hasKeys = !matchMedia(HAS_FINGERS_ONLY).matches && !document.body.hasAttribute("data-no-letters");
  return hasKeys ? gettext("Single view: C shows the other result.") : gettext("Single view: choose Left or Right.");
}

// The first time that a window has room for one result only. Words about another layout are no longer true.
function introduceSingle(tools) {
  const { layout } = tools.panes;
  if (layout.isOwnSingle() && isNews("single view")) tell(tools, singleWords());
  else tools.toolbar.forget(layout.isOne() ? gettext("Both results.") : singleWords());
}

async function toggle(tools, aid) {
  const { panes, paced, onSay } = tools;
  if (!panes.mayHave(aid)) {
    if (!panes.isOn(aid)) tell(tools, gettext("Not in this study."));
    return;
  }
  const on = !(paced[aid]?.isWanted() ?? panes.isOn(aid));
  if (paced[aid]) paced[aid].want(on);
  else await panes.draw(aid, on);
  if (aid === "differences" && panes.isOn(aid)) {
    const words = panes.differencesInWords();
    // With two panes it is visible anyway.
    if (panes.layout.isOne()) tell(tools, words);
    else onSay(words);
  } else if (aid in WORDS) onSay(WORDS[aid][on ? 0 : 1]);
}

function actionsOf(tools) {
  const { blink, toolbar, panes } = tools;
  const { camera, layout } = panes;

  // Returns whether the results differ anywhere.
  async function goThere() {
    const found = await panes.nextDifference();
    if (found) tell(tools, found.words);
    return found?.n > 0;
  }

  return {
    fit_boxes: panes.frameBoxes,
    next_difference: goThere,
    // Both results of the place, one after the other, once.
    async blink_there() {
      if (!(await goThere()) || blink.isCalm()) return;
      tools.paced.blink.want(true);
      setTimeout(() => tools.paced.blink.want(false), BLINK_MS);
    },
    note: tools.onNote,
    single_view() {
      layout.single(!layout.isOne());
      tell(tools, layout.isOne() ? singleWords() : gettext("Both results."));
    },
    other_side() {
      if (layout.isOne()) panes.other();
    },
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
      const kept = hasOffset(camera.view()) ? gettext("Panes linked, offset kept. Fit clears it.") : gettext("Panes linked.");
      tell(tools, on ? kept : gettext("Panes move independently."));
    },
    async auto_blink() {
      if (blink.isCalm()) tell(tools, gettext("Your system is set to reduce motion: hold B to blink manually."));
      else if (blink.isOn()) blink.now().stop();
      else {
        await blink.start();
        tell(tools, gettext("Blinking. Any key stops it."));
        toolbar.refresh();
      }
    },
  };
}

// Counts and shows the visible aids; a new pair starts with no key held and all counts at zero.
function follow({ panes, paced, blink, toolbar }, tally, haste) {
  const count = () => {
    const also = {
      zoomed: isZoomed(panes.camera.view()),
      next_difference: panes.hasGone(),
      single_view: panes.layout.isOne(),
    };
    tally.set([...AIDS.filter(panes.isOn), ...Object.keys(also).filter((name) => also[name])]);
  };
  panes.watch((what) => {
    if (what === "pair") {
      blink.now()?.end();
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

// Nothing is visible while the page hides the pair, or the browser hides the page.
function pauseOf(tally) {
  let isPaused = false;
  const rest = () => tally.pause(isPaused || document.hidden);
  document.addEventListener("visibilitychange", rest);
  return (paused) => {
    isPaused = paused;
    rest();
  };
}
