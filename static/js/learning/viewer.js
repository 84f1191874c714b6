// The pair of a lesson with the comparison page's camera, view tools and controls.
import { createPanes } from "../judging/panes.js";
import { createSeen } from "../judging/seen.js";
import { createViewTools } from "../judging/view_tools.js";

// Factor for the room around the place to look at.
const AROUND = 1.1;

// read(event): the press by this person's own keys, null if it is switched off.
export function createViewer(root, read) {
  const payload = JSON.parse(root.querySelector("#pair-data").textContent);
  const said = root.querySelector("[data-looked]");
  const onSay = (words) => {
    said.textContent = words;
  };
  let seen = null;
  const panes = createPanes(root.querySelector("[data-panes]"), payload, {
    onPhotograph: () => seen?.look(),
    onSkip() {},
  });
  const switches = [...root.querySelectorAll("[data-switch] [data-side]")];
  const mark = () => {
    for (const each of switches) each.toggleAttribute("data-unseen", seen.missing().includes(each.dataset.side));
  };
  seen = createSeen(panes.pair, { onSeen: mark });
  panes.watch((what) => what === "aid" && seen.look());
  mark();
  const tools = createViewTools(root, panes, { onSay });

  document.addEventListener("keyup", (event) => {
    const press = read(event);
    if (press) tools.release(press);
  });

  return {
    panes,
    press: tools.press,
    // The sides that have yet to be looked at, if one is shown at a time.
    unseen: () => (panes.layout.isOne() ? seen.missing() : []),
    // Zooms in on the subject of the lesson.
    closeUp() {
      if (!payload.close_up) return;
      const [left, top, right, bottom] = payload.close_up;
      panes.camera.frame({ left, top, right, bottom }, AROUND);
    },
  };
}
