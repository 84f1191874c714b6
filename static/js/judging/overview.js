// The corner of the panes for the map of the whole image: one without boxes in either pane, else none.
import { cameraOf, frameOf } from "./camera.js";
import { resultIn } from "./drawing.js";

const CORNERS = ["bottom right", "top right", "bottom left", "top left"];
// The size of the map with its margins, in CSS pixels and as a share of the pane (panes.css).
const ROOM = { width: 160, height: 112 };
const SHARE = 0.3;
const MARGINS = 16;

// The part of the image that a map in a corner covers; `frame`: the visible part.
function underOf(corner, { x, y, width, height }, scale) {
  const w = Math.min(ROOM.width / scale, width * SHARE + MARGINS / scale);
  const h = Math.min(ROOM.height / scale, height * SHARE + MARGINS / scale);
  const left = corner.includes("left") ? x : x + width - w;
  const top = corner.includes("top") ? y : y + height - h;
  return { left, top, right: left + w, bottom: top + h };
}

const meet = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

// sides: [{frame, scale, shapes}], what each pane shows. Returns a corner that covers no shape, or null.
export const cornerOf = (sides) =>
  CORNERS.find((corner) =>
    sides.every(({ frame, scale, shapes }) => {
      const under = underOf(corner, frame, scale);
      return !shapes.some((shape) => meet(shape, under));
    }),
  ) ?? null;

// The corner for a pair as it is seen now.
export function cornerFor(pair, view, truth) {
  return cornerOf(
    pair.panes.map(({ side }) => {
      const shapes = pair.aids.has("boxes_hidden") ? [] : resultIn(pair, side).shapes();
      return {
        frame: frameOf(view, side),
        scale: cameraOf(view, side).scale,
        shapes: pair.aids.has("ground_truth") ? [...shapes, ...truth] : shapes,
      };
    }),
  );
}
