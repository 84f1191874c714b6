// The map of the whole image, in a corner of the panes without boxes in either of them; without one there is no map.
import { setAll } from "../elements/svg.js";
import { cameraOf, frameOf, needsOverview } from "./camera.js";
import { resultIn, truthShapesOf } from "./drawing.js";

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

// Draws the map of an enlarged image, in both panes at once and at the same place.
export function drawOverview(pair, view) {
  const { image, panes } = pair;
  const isNear = image.url && panes.some(({ side }) => needsOverview(view, side));
  const corner = isNear ? cornerFor(pair, view, truthShapesOf(image)) : null;
  for (const { side, overview } of panes) {
    overview.toggleAttribute("hidden", !corner);
    overview.dataset.corner = corner ?? "";
    if (corner) for (const seen of overview.querySelectorAll("rect")) setAll(seen, frameOf(view, side));
  }
}

// The corner for a pair as it is seen now.
function cornerFor(pair, view, truth) {
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
