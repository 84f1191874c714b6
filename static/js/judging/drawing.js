// The boxes of a pair: the result on each side, the boxes that differ, and the ground truth.
// `pair` is the record of panes.js.
import { element } from "../elements/svg.js";
import { gettext } from "../elements/words.js";
import { extentOf, grown, heightOf, shapeOf } from "./boxes.js";
import { cameraOf } from "./camera.js";

export const OTHER = { left: "right", right: "left" };

// In units of panes.css: the dark stroke of a box, that of a small box, and the height from which a box is not small.
const WIDE = 4;
const NARROW = 3;
const SMALL = 24;
// The share of its height that an outline covers at each edge, at most.
const INSIDE = WIDE / 2 / SMALL;

// The unit of panes.css, in CSS pixels: at least one pixel of the screen, also in a page that is zoomed out.
const unitOf = (dots) => (dots >= 1 ? 1 : dots >= 0.5 ? 2 : 4);

// Draws every box twice: dark strokes under light ones. classOf(index) may name a class for a box. thin(camera, dots)
// draws the outlines of small boxes narrow and outwards; while the scale stays it touches nothing.
export function strokesOf(polygons, classOf) {
  const shapes = polygons.map(shapeOf);
  const heights = shapes.map(heightOf);
  const nodes = ["boxes__under", "boxes__over"].map((stroke) => {
    const group = element("g", { class: stroke });
    polygons.forEach((points, at) => {
      const polygon = element("polygon", { points });
      const own = classOf(at);
      if (own) polygon.setAttribute("class", own);
      group.append(polygon);
    });
    return group;
  });
  const order = heights.map((_, at) => at).sort((one, other) => heights[one] - heights[other]);
  let nThin = 0;
  let before = "";

  function redraw(at, isThin, points) {
    for (const { children } of nodes) {
      children[at].classList.toggle("thin", isThin);
      children[at].setAttribute("points", points);
    }
  }

  function thin({ scale }, dots) {
    const unit = unitOf(dots);
    if (before === (before = `${scale} ${unit}`)) return;
    const isThin = (at) => heights[at] * scale < SMALL * unit;
    let nth = 0;
    for (; nth < order.length && isThin(order[nth]); nth += 1) {
      const at = order[nth];
      const by = Math.max((NARROW / 2) * (unit / scale) - heights[at] * INSIDE, 0);
      redraw(at, true, by > 0 ? grown(shapes[at], by) : polygons[at]);
    }
    for (let past = nth; past < nThin; past += 1) redraw(order[past], false, polygons[order[past]]);
    nThin = nth;
  }
  return { nodes, shapes: () => shapes, thin };
}

// The result that a side shows now.
export const resultIn = ({ aids, results }, side) => results[aids.has("blink") ? OTHER[side] : side];

// A result with its nodes and shapes.
export function drawable(result, image) {
  const states = image.matches?.[result.id]?.detections ?? [];
  return { ...result, ...strokesOf(result.polygons, (at) => states[at]) };
}

export function drawBoxes(pair) {
  const { aids, panes, results, root } = pair;
  root.dataset.aids = [...aids].join(" ");
  if (aids.has("differences")) pair.differences.markTwins(results, pair.settings.twin_iou);
  for (const { side, boxes, label, swapped } of panes) {
    const { nodes, polygons, nTwins, label: words } = resultIn(pair, side);
    boxes.replaceChildren(...nodes);
    const total = polygons.length;
    const differs = aids.has("differences") && total > 0;
    label.textContent = differs ? gettext("{n} of {total} boxes differ", { n: total - nTwins, total }) : words;
    swapped.hidden = !aids.has("blink");
  }
}

// Outlines follow the size that boxes have on the screen.
export function thinOut(pair, view) {
  for (const { side, truthLines } of pair.panes) {
    const camera = cameraOf(view, side);
    resultIn(pair, side).thin(camera, view.dots);
    truthLines?.thin(camera, view.dots);
  }
}

export const truthShapesOf = ({ truth }) => (truth?.polygons ?? []).map(shapeOf);

// The frame around all detections and ground truth; null if there are none.
export const extentOfPair = ({ image, results }) =>
  extentOf([...results.left.shapes(), ...results.right.shapes(), ...truthShapesOf(image)]);

export function drawTruth({ image, panes }) {
  const { polygons = [], ignored = [] } = image.truth ?? {};
  const n = ignored.length;
  for (const pane of panes) {
    const { truth, hatch } = pane;
    pane.truthLines = strokesOf([...ignored, ...polygons], (at) => (at < n ? "ignored" : ""));
    const [under, over] = pane.truthLines.nodes;
    for (const shape of under.querySelectorAll(".ignored")) shape.setAttribute("fill", `url(#${hatch.id})`);
    truth.replaceChildren(under, over);
  }
}
