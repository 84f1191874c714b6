// The stage: boxes that can be focused, dragged and moved by keys. Names: t0, t1, ... d0, d1, ...
import { gettext } from "../elements/words.js";
import { drawBoxes, drawHandles, unitOf } from "./drawing.js";
import { enableDrag } from "./drag.js";
import { moved, resized } from "./geometry.js";
import { boxOf } from "./scene.js";

const STEP = 10;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// onSelect(name), onChange(name, box), onDelete(name)
export function createStage(picture, limits, { onSelect, onChange, onDelete }) {
  // The state for the modules that draw and drag; groups: the elements of each box by its name.
  const stage = {
    picture,
    place: picture.querySelector("[data-boxes]"),
    handles: picture.querySelector("[data-handles]"),
    groups: new Map(),
    hand: matchMedia("(pointer: coarse)").matches ? "touch" : "mouse",
    scene: { truth: [], detections: [] },
    selected: null,
    limits,
    onSelect,
    onChange,
    focus: (name) => stage.groups.get(name)?.group.focus({ preventScroll: true }),
  };

  picture.setAttribute("role", "application");
  picture.setAttribute("aria-roledescription", gettext("stage with boxes"));
  picture.setAttribute("aria-describedby", "stage-help");
  stage.handles.setAttribute("aria-hidden", "true");
  stage.place.replaceChildren();
  const isDragging = enableDrag(stage);
  picture.addEventListener("keydown", (event) => {
    const name = event.target.closest("[data-box]")?.dataset.box;
    if (!name || event.altKey || event.metaKey) return;
    if (press(stage, name, event, onDelete)) event.preventDefault();
  });
  const fit = () => picture.style.setProperty("--unit", String(unitOf(picture)));
  new ResizeObserver(() => {
    fit();
    drawHandles(stage);
  }).observe(picture);

  return {
    isDragging,
    focus: stage.focus,
    draw(scene, statuses, kinds, selected) {
      Object.assign(stage, { scene, selected });
      fit();
      drawBoxes(stage, statuses, kinds);
      drawHandles(stage);
    },
  };
}

// Returns true if the key had an effect on the focused box.
function press({ limits, onChange, onSelect, scene }, name, { key, ctrlKey, shiftKey }, onDelete) {
  const box = boxOf(scene, name);
  if (key in ARROWS) {
    const [x, y] = ARROWS[key].map((way) => way * (ctrlKey ? 1 : STEP));
    onSelect(name);
    if (shiftKey) onChange(name, resized(box, "se", x, y, limits));
    else onChange(name, moved(box, x, y, limits));
  } else if (key === "Enter" || key === " ") onSelect(name);
  else if (key === "Delete" || key === "Backspace") onDelete(name);
  else if (key === "Escape") onSelect(null);
  else return false;
  return true;
}
