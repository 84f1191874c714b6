// The viewer of two methods: the comparison page's panes and view tools, with ground truth and matches.
import { createPanes } from "../judging/panes.js";
import { createViewTools } from "../judging/view_tools.js";
import { enhanceThresholds } from "./thresholds.js";

export function init(root) {
  const payload = JSON.parse(root.querySelector("#compare-data").textContent);
  const status = root.querySelector("[data-status]");
  const panes = createPanes(root.querySelector("[data-panes]"), payload, {
    onPhotograph() {},
    onSkip() {},
  });
  const tools = createViewTools(root, panes, {
    onSay(words) {
      status.textContent = words;
    },
  });
  const showMatches = () => {
    for (const aid of ["ground_truth", "match_colours"]) panes.draw(aid, true);
  };
  showMatches();

  const form = root.dataset.thresholds && document.getElementById(root.dataset.thresholds);
  if (form) {
    enhanceThresholds(form, {
      onMatched(next) {
        panes.show(next);
        showMatches();
      },
      onSay(words) {
        status.textContent = words;
      },
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.target.matches("select, textarea, input")) return;
    if (tools.press(event, event.target)) event.preventDefault();
    else goOn(event);
  });
  document.addEventListener("keyup", (event) => tools.release(pressOf(event)));
}

// The arrows lead to the images before and after this one, in a list of worst images.
function goOn({ code, altKey, ctrlKey, metaKey, shiftKey }) {
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[code];
  if (rel && !altKey && !ctrlKey && !metaKey && !shiftKey) document.querySelector(`a[rel=${rel}]`)?.click();
}

// An event's own properties cannot be spread.
const pressOf = ({ key, code, ctrlKey, altKey, metaKey, shiftKey }) => ({ key, code, ctrlKey, altKey, metaKey, shiftKey });

for (const root of document.querySelectorAll("[data-viewer]")) init(root);
