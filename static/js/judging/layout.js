// The layout of the panes: side by side, stacked, or one at a time, with the desk of answers below or at the side.
// It is chosen by measuring: the greatest scale of the photograph, with both results in sight if that costs little.
// One key changes it, and the browser stores that. Panes that a text calls left and right lie side by side if there
// is room: [data-beside].
import { gettext } from "../elements/words.js";

const NARROW =
  "(width < 37.5rem), (width < 56.25rem) and (height < 44rem), (width < 80rem) and (height < 34rem)";
const KEPT = "layout";
// The share of the best scale from which both results are shown.
const BOTH = 0.9;
const HALF = 0.5;
// A desk at the side has to be worth it.
const WORTH = 1.02;
const CANDIDATES = ["below", "side"].flatMap((desk) =>
  ["beside", "stacked", "one"].map((panes) => ({ panes, desk })),
);
// The name of each side's result, and of an answer for it.
export const NAMES = {
  left: { result: gettext("Left result"), better: gettext("Left better") },
  right: { result: gettext("Right result"), better: gettext("Right better") },
};
export const STACKED_NAMES = {
  left: { result: gettext("Top result"), better: gettext("Top better") },
  right: { result: gettext("Bottom result"), better: gettext("Bottom better") },
};

// The best of the measured layouts {panes, desk, scale, share}; share: of the window, covered by photographs.
// wish: "one", "both" or null.
export function bestOf(measured, wish = null) {
  const greatest = (all) => all.reduce((best, each) => (each.scale > best.scale * WORTH ? each : best));
  const one = greatest(measured.filter(({ panes }) => panes === "one"));
  const both = greatest(measured.filter(({ panes }) => panes !== "one"));
  if (wish) return wish === "one" ? one : both;
  const isCheap = both.scale >= BOTH * one.scale;
  return isCheap || (one.share < HALF && both.share >= HALF) ? both : one;
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
  const isBeside = root.hasAttribute("data-beside");
  const narrow = matchMedia(NARROW);
  let wish = kept();
  let known = "";

  function set({ panes, desk }) {
    root.toggleAttribute("data-one", panes === "one");
    root.toggleAttribute("data-stacked", panes === "stacked");
    root.toggleAttribute("data-tight", panes === "stacked" && innerWidth < 600);
    root.dataset.desk = desk;
  }

  function measure(candidate) {
    set(candidate);
    const { width: w, height: h } = image();
    const n = candidate.panes === "one" ? 1 : 2;
    const shown = root.dataset.shown ?? "left";
    const { width, height } = root.querySelector(`[data-pane=${shown}] .pane__picture`).getBoundingClientRect();
    const scale = Math.min(width / w, height / h);
    return { ...candidate, scale, share: (n * w * h * scale ** 2) / (innerWidth * innerHeight) };
  }

  const choose = (by) => bestOf(CANDIDATES.map(measure), by);

  function lay() {
    if (isBeside) set({ panes: wish === "one" || narrow.matches ? "one" : "beside", desk: "below" });
    else {
      const { width, height } = image();
      const now = [width, height, innerWidth, innerHeight, wish].join();
      if (now === known) return;
      known = now;
      set(choose(wish));
    }
    onLay();
  }
  window.addEventListener("resize", lay);

  const isOne = () => root.hasAttribute("data-one");
  return {
    lay,
    isOne,
    // A choice that is the page's own is not stored.
    single(on) {
      wish = on ? "one" : "both";
      if (!isBeside && (choose(null).panes === "one") === on) wish = null;
      if (isBeside && !on) wish = null;
      kept(wish);
      lay();
    },
    names: () => (root.hasAttribute("data-stacked") ? STACKED_NAMES : NAMES),
  };
}
