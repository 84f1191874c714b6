// The boxes of a pair: whose are drawn on which side, which ones differ, and the ground truth.
// `pair` is the record of panes.js.
import { element } from "../elements/svg.js";
import { gettext } from "../elements/words.js";
import { extentOf, heightOf, shapeOf } from "./boxes.js";

export const OTHER = { left: "right", right: "left" };

// An outline is as wide as panes.css has it, but never more than a sixth of its box's height.
const WIDE_PX = 4;
const SHARE = 6;

// Every box twice: dark strokes under light ones. classOf(index) may name a class for a box. thin(scale)
// lets the outlines of small boxes shrink and grow with the photograph; only those that begin or cease to
// be small are touched.
function strokesOf(polygons, classOf) {
  const heights = polygons.map((points) => heightOf(shapeOf(points)));
  const nodes = ["boxes__under", "boxes__over"].map((stroke) => {
    const group = element("g", { class: stroke });
    polygons.forEach((points, at) => {
      const polygon = element("polygon", { points });
      const own = classOf(at);
      if (own) polygon.setAttribute("class", own);
      polygon.style.setProperty("--line", heights[at] / SHARE / WIDE_PX);
      group.append(polygon);
    });
    return group;
  });
  const order = heights.map((_, at) => at).sort((one, other) => heights[one] - heights[other]);
  let nThin = 0;

  function thin(scale) {
    const isThin = (nth) => heights[order[nth]] * scale < WIDE_PX * SHARE;
    const turn = (nth, on) => nodes.forEach(({ children }) => children[order[nth]].classList.toggle("thin", on));
    while (nThin < order.length && isThin(nThin)) turn(nThin++, true);
    while (nThin > 0 && !isThin(nThin - 1)) turn(--nThin, false);
  }
  return { nodes, thin };
}

// The result that a side shows now.
export const resultIn = ({ aids, results }, side) => results[aids.has("blink") ? OTHER[side] : side];

// A result with its nodes, and with its shapes once they are asked for.
export function drawable(result, image) {
  const states = image.matches?.[result.id]?.detections ?? [];
  let shapes;
  return {
    ...result,
    shapes: () => (shapes ??= result.polygons.map(shapeOf)),
    ...strokesOf(result.polygons, (at) => states[at]),
  };
}

export function drawBoxes(pair) {
  const { aids, panes, results, root } = pair;
  root.dataset.aids = [...aids].join(" ");
  if (aids.has("differences")) pair.differences.markTwins(results, pair.settings.twin_iou);
  for (const { side, boxes, none, swapped } of panes) {
    const { nodes, polygons, nTwins } = resultIn(pair, side);
    boxes.replaceChildren(...nodes);
    none.hidden = polygons.length > 0 && !aids.has("differences");
    const total = polygons.length;
    none.textContent = total > 0 ? gettext("{n} of {total} differ", { n: total - nTwins, total }) : gettext("No boxes");
    swapped.hidden = !aids.has("blink");
  }
}

// Outlines follow the size that boxes have on the screen.
export function thinOut(pair, scaleOf) {
  for (const { side, truthLines } of pair.panes) {
    const scale = scaleOf(side);
    resultIn(pair, side).thin(scale);
    truthLines?.thin(scale);
  }
}

// What frames everything that was detected or is in the ground truth; null for nothing.
export function extentOfPair({ image, results }) {
  const truth = (image.truth?.polygons ?? []).map(shapeOf);
  return extentOf([...results.left.shapes(), ...results.right.shapes(), ...truth]);
}

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
