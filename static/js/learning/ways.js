// Ways to look, each to be tried once, by key, button or finger: zoom, blink, next difference, single view.
import { gettext, ngettext } from "../elements/words.js";
import { isZoomed } from "../judging/camera.js";

// Whether a way has just been used; `panes`: see judging/panes.js.
const TAKEN = {
  zoom: ({ panes }) => isZoomed(panes.camera.view()),
  next_difference: ({ panes }) => panes.hasGone(),
  // If one result is shown at a time, switching to the other side is a blink, too.
  blink: ({ panes, first }) => panes.isOn("blink") || panes.pair.root.dataset.shown !== first,
  single_view: ({ panes, wasSingle }) => panes.layout.isOne() !== wasSingle,
};

export function leftOf(n) {
  return n === 0 ? gettext("All tried. That is all you need.") : ngettext("{n} more to try.", "{n} more to try.", n);
}

export function init(root, panes) {
  const items = [...root.querySelectorAll("[data-way]")];
  const left = document.querySelector("[data-left]");
  const start = { panes, first: panes.pair.root.dataset.shown, wasSingle: panes.layout.isOne() };
  const isOpen = (item) => !item.hasAttribute("data-done") && item.checkVisibility();

  function look() {
    const taken = items.filter((item) => isOpen(item) && TAKEN[item.dataset.way](start));
    if (taken.length === 0) return;
    for (const item of taken) {
      item.setAttribute("data-done", "");
      item.querySelector("[data-mark]").textContent = gettext("Done:");
    }
    left.textContent = leftOf(items.filter(isOpen).length);
  }

  panes.watch(look);
  root.removeAttribute("data-idle");
}
