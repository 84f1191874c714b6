// The layout of the panes: side by side, one above the other, or one at a time. One at a time is for
// windows without room for two, and for people who prefer a single large view; the browser stores that.
// Panes that a text calls left and right stay side by side: [data-beside].
import { gettext } from "../elements/words.js";

const NARROW =
  "(width < 37.5rem), (width < 56.25rem) and (height < 44rem), (width < 80rem) and (height < 34rem)";
const STACKED = "(width < 56.25rem) and (orientation: portrait)";
const KEPT = "single view";
// The name of each side's result, and of an answer for it.
export const NAMES = {
  left: { result: gettext("Left result"), better: gettext("Left better") },
  right: { result: gettext("Right result"), better: gettext("Right better") },
};
export const STACKED_NAMES = {
  left: { result: gettext("Top result"), better: gettext("Top better") },
  right: { result: gettext("Bottom result"), better: gettext("Bottom better") },
};

function kept(value) {
  try {
    if (value !== undefined) localStorage.setItem(KEPT, value);
    return localStorage.getItem(KEPT) === "yes";
  } catch {
    return value === "yes"; // no permission to store: it applies until the page is left
  }
}

// onLay() is called after each change.
export function createLayout(root, onLay) {
  const [narrow, stacked] = [NARROW, STACKED].map((query) => matchMedia(query));
  let isSingle = kept();

  function lay() {
    root.toggleAttribute("data-one", isSingle || narrow.matches);
    root.toggleAttribute("data-single", isSingle && !narrow.matches);
    onLay();
  }
  for (const query of [narrow, stacked]) query.addEventListener("change", lay);

  return {
    lay,
    isOne: () => isSingle || narrow.matches,
    isSingle: () => isSingle,
    single(on) {
      isSingle = on;
      kept(on ? "yes" : "no");
      lay();
    },
    names: () =>
      stacked.matches && !isSingle && !narrow.matches && !root.hasAttribute("data-beside") ? STACKED_NAMES : NAMES,
  };
}
