// Boxes of the stage dragged by hand, whole or by a handle. `stage` is the record of stage.js.
import { unitOf } from "./drawing.js";
import { moved, resized } from "./geometry.js";
import { boxOf } from "./scene.js";

const STILL_PX = 4;

// Returns whether something is being dragged, as a function.
export function enableDrag(stage) {
  const { limits, onChange, onSelect, picture } = stage;
  let drag = null;

  picture.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || drag) return;
    const grip = gripOf(stage, event);
    if (!grip) {
      onSelect(null);
      return;
    }
    event.preventDefault();
    drag = { ...grip, hasMoved: false, pointer: event.pointerId };
    picture.setPointerCapture(event.pointerId);
    onSelect(drag.name);
    stage.focus(drag.name);
  });

  picture.addEventListener("pointermove", ({ clientX, clientY, pointerId }) => {
    if (pointerId !== drag?.pointer) return;
    const { box, from, handle, name, unit } = drag;
    const [x, y] = [clientX - from[0], clientY - from[1]];
    drag.hasMoved ||= Math.hypot(x, y) >= STILL_PX;
    if (!drag.hasMoved) return;
    const by = [x * unit, y * unit];
    onChange(name, handle ? resized(box, handle, ...by, limits) : moved(box, ...by, limits));
  });

  const end = ({ pointerId, type }) => {
    if (pointerId !== drag?.pointer) return;
    const { hasMoved, beneath } = drag;
    drag = null;
    if (type !== "pointerup" || hasMoved || !beneath) return;
    onSelect(beneath);
    stage.focus(beneath);
  };
  picture.addEventListener("pointerup", end);
  picture.addEventListener("pointercancel", end);
  return () => drag !== null;
}

// The target of a press: a handle of the selected box, that box, or the one on top; null for none.
function gripOf({ picture, scene, selected }, { clientX, clientY, target }) {
  const handle = target.closest("[data-handle]")?.dataset.handle ?? null;
  const stack = namesAt(clientX, clientY);
  const name = handle || stack.includes(selected) ? selected : stack[0];
  if (!name) return null;
  return {
    name,
    handle,
    box: boxOf(scene, name),
    from: [clientX, clientY],
    unit: unitOf(picture),
    // A second press on the same place selects the box beneath.
    beneath: selected === name && !handle ? stack[(stack.indexOf(name) + 1) % stack.length] : null,
  };
}

const namesAt = (x, y) => {
  const names = document.elementsFromPoint(x, y).map((node) => node.closest("[data-box]")?.dataset.box);
  return [...new Set(names.filter(Boolean))];
};
