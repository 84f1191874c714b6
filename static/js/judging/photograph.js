// The photograph in both panes: loading, painting, and loading again after a failure.
import { element } from "../elements/svg.js";
import { gettext } from "../elements/words.js";

const SLOW_MS = 300;
const WORDS = {
  none: gettext("The photograph is not available"),
  asked: "",
  loading: gettext("Loading the photograph"),
  shown: "",
  failed: gettext("The photograph could not be loaded."),
};

// onState(state) is called with the state of the photograph, a key of WORDS.
export function createPhotograph(panes, { onState, onSkip }) {
  let image = { url: null, width: 1, height: 1 };
  let now = "asked";

  function report(state) {
    now = state;
    onState(state);
    for (const { words } of panes) {
      words.hidden = WORDS[state] === "";
      words.textContent = WORDS[state];
      if (state === "failed") words.append(button(gettext("Load again"), reload), button(gettext("Skip"), onSkip));
    }
    if (state === "failed") panes.forEach((pane) => paint(pane, image, null));
  }

  // Both panes show one file, and each must have it ready for painting.
  async function load({ url }) {
    now = "asked";
    await null; // by then the caller has the panes
    if (!url) {
      report("none");
      return;
    }
    const reportIfCurrent = (state) => url === image.url && report(state);
    report("asked");
    const slow = setTimeout(reportIfCurrent, SLOW_MS, "loading");
    const nodes = panes.map(({ photograph }) => photograph.querySelector("image"));
    const state = await stateOf(url, nodes);
    clearTimeout(slow);
    reportIfCurrent(state);
  }

  function reload() {
    panes.forEach((pane) => paint(pane, image, image.url));
    load(image);
  }

  return {
    // Whether the photograph is painted, or the image has none.
    isPainted: () => now === "shown" || now === "none",
    show(next) {
      image = next;
      reload();
    },
  };
}

function paint({ photograph, overview }, { width, height }, url) {
  const drawn = photograph.querySelector(url ? "image" : "rect");
  const node = drawn ?? (url ? element("image") : element("rect", { class: "pane__blank" }));
  if (url && node.getAttribute("href") !== url) node.setAttribute("href", url);
  for (const each of [node, overview.firstElementChild]) {
    each.setAttribute("width", width);
    each.setAttribute("height", height);
  }
  if (node !== drawn) photograph.replaceChildren(node);
  overview.setAttribute("viewBox", `0 0 ${width} ${height}`);
  overview.firstElementChild.setAttribute("href", url ?? "");
}

async function stateOf(url, nodes) {
  const probe = Object.assign(new Image(), { src: url });
  try {
    // Not every browser can decode an SVG <image>.
    await Promise.all([probe, ...nodes].map((node) => node.decode?.()));
    return "shown";
  } catch {
    return "failed";
  }
}

function button(textContent, action) {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent });
  made.addEventListener("click", action);
  return made;
}
