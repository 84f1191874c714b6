// The photograph in both panes: painted, waited for, and loaded again where it failed.
import { element } from "../elements/svg.js";

const SLOW_MS = 300;
const WORDS = {
  none: "The photograph is not available",
  asked: "",
  loading: "Loading the photograph",
  shown: "",
  failed: "The photograph could not be loaded.",
};

// onState is told how it stands with the photograph: a key of WORDS.
export function createPhotograph(panes, { onState, onSkip }) {
  let image = { url: null, width: 1, height: 1 };

  function report(state) {
    onState(state);
    for (const { words } of panes) {
      words.hidden = WORDS[state] === "";
      words.textContent = WORDS[state];
      if (state === "failed") words.append(button("Load again", reload), button("Skip", onSkip));
    }
    if (state === "failed") panes.forEach((pane) => paint(pane, image, null));
  }

  // Both panes show one file, so one request tells about both.
  async function load({ url }) {
    await null; // who made the panes has them by then
    if (!url) {
      report("none");
      return;
    }
    const reportIfCurrent = (state) => url === image.url && report(state);
    report("asked");
    const slow = setTimeout(reportIfCurrent, SLOW_MS, "loading");
    const state = await stateOf(url);
    clearTimeout(slow);
    reportIfCurrent(state);
  }

  function reload() {
    panes.forEach((pane) => paint(pane, image, image.url));
    load(image);
  }

  return {
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

function stateOf(url) {
  return new Promise((resolve) => {
    const probe = new Image();
    probe.onload = () => resolve("shown");
    probe.onerror = () => resolve("failed");
    probe.src = url;
  });
}

function button(textContent, action) {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent });
  made.addEventListener("click", action);
  return made;
}
