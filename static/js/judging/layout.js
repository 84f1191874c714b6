// The layout of the panes: side by side, stacked, or one at a time, with the desk of answers below, in three rows
// or one, or at the side.
// Landscape windows from 900 px of width show both results side by side at first, any other window in the layout
// with the greatest scale, if the photograph is large enough there; else one at a time. One key changes it, and the
// browser stores that. Panes that a text calls left and right are never stacked: [data-beside].
import { gettext } from "../elements/words.js";
import { fitScale } from "./camera.js";

const WIDE_PX = 900;
const KEPT = "layout";
// Both results are shown from this width of the photograph, in CSS pixels or as a share of its own.
const ENOUGH_PX = 480;
const ENOUGH = 0.4;
// A layout further down the list has to be worth it.
const WORTH = 1.02;
const CANDIDATES = [
  { panes: "beside", desk: "rows" },
  ...["below", "side"].flatMap((desk) => ["beside", "stacked", "one"].map((panes) => ({ panes, desk }))),
];
// The name of each side's result, and of an answer for it.
export const NAMES = {
  left: { result: gettext("Left result"), better: gettext("Left better") },
  right: { result: gettext("Right result"), better: gettext("Right better") },
};
export const STACKED_NAMES = {
  left: { result: gettext("Top result"), better: gettext("Top better") },
  right: { result: gettext("Bottom result"), better: gettext("Bottom better") },
};

// The best of the measured layouts {panes, desk, scale, width}; width: of the photograph, in CSS pixels.
// wish: "one", "both" or null. isWide: in this window both results are side by side at first.
export function bestOf(measured, { wish = null, isWide = false } = {}) {
  const greatest = (all) => all.reduce((best, each) => (each.scale > best.scale * WORTH ? each : best));
  const one = greatest(measured.filter(({ panes }) => panes === "one"));
  const both = greatest(measured.filter(({ panes }) => (isWide ? panes === "beside" : panes !== "one")));
  if (wish) return wish === "one" ? one : both;
  return isWide || both.width >= ENOUGH_PX || both.scale >= ENOUGH ? both : one;
}

function kept(value) {
  try {
    if (value === null) localStorage.removeItem(KEPT);
    else if (value) localStorage.setItem(KEPT, value);
    return localStorage.getItem(KEPT);
  } catch {
    return value ?? null; // no permission to store: it applies until the page is left
  }
}

// image(): the size of the photograph. onLay() is called after each change.
export function createLayout(root, { image, onLay }) {
  const candidates = CANDIDATES.filter(({ panes }) => panes !== "stacked" || !root.hasAttribute("data-beside"));
  let wish = kept();
  let known = "";
  let standing = null;

  function set({ panes, desk }) {
    root.toggleAttribute("data-one", panes === "one");
    root.toggleAttribute("data-stacked", panes === "stacked");
    root.toggleAttribute("data-tight", panes === "stacked" && innerWidth < 600);
    root.dataset.desk = desk;
  }

  function measure(candidate) {
    set(candidate);
    const shown = root.dataset.shown ?? "left";
    const pane = root.querySelector(`[data-pane=${shown}] .pane__picture`).getBoundingClientRect();
    const scale = fitScale({ image: image(), pane, dots: devicePixelRatio });
    return { ...candidate, scale, width: scale * image().width };
  }

  // Of two that are as large, an upright window takes the stacked one.
  function choose(by) {
    const isUpright = innerHeight >= innerWidth;
    const measured = candidates.map(measure);
    if (isUpright) measured.sort((a, b) => (b.panes === "stacked") - (a.panes === "stacked"));
    return bestOf(measured, { wish: by, isWide: innerWidth >= WIDE_PX && !isUpright });
  }

  // The shape of a pane is that of its photograph, and no pane is larger than its pixels.
  function shape() {
    const { width, height, room: [x, y] = [0, 0] } = image();
    const most = fitScale({ image: image(), pane: { width: Infinity, height: Infinity }, dots: devicePixelRatio });
    root.style.setProperty("--shape", `${width + 2 * x} / ${height + 2 * y}`);
    root.style.setProperty("--most", Number.isFinite(most) ? `${(height + 2 * y) * most}px` : "none");
  }

  function lay() {
    const { width, height } = image();
    const now = [width, height, innerWidth, innerHeight, devicePixelRatio, wish].join();
    if (now === known) return;
    known = now;
    shape();
    const chosen = choose(wish);
    set(chosen);
    standing = { panes: chosen.panes, scale: Number(chosen.scale.toPrecision(4)) };
    onLay();
  }
  function again() {
    known = "";
    lay();
  }
  window.addEventListener("resize", lay);

  const isOne = () => root.hasAttribute("data-one");
  return {
    lay,
    // After something else took room from the panes, or gave it back.
    again,
    isOne,
    // One result is shown by the page's own choice.
    isOwnSingle: () => isOne() && !wish,
    // A choice that is the page's own is not stored.
    single(on) {
      wish = on ? "one" : "both";
      if ((choose(null).panes === "one") === on) wish = null;
      kept(wish);
      again();
    },
    // The layout in the format that the site stores.
    standing: () => standing,
    names: () => (root.hasAttribute("data-stacked") ? STACKED_NAMES : NAMES),
  };
}
