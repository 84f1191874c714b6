// The boxes of a pair: whose are drawn on which side, which ones differ, and the ground truth.
// `pair` is the record of panes.js.
import { element } from "../elements/svg.js";
import { shapeOf } from "./boxes.js";

export const OTHER = { left: "right", right: "left" };

// Every box twice: dark strokes under light ones. classOf(index) may name a class for a box.
function strokesOf(polygons, classOf) {
  return ["boxes__under", "boxes__over"].map((stroke) => {
    const group = element("g", { class: stroke });
    polygons.forEach((points, at) => {
      const polygon = element("polygon", { points });
      const own = classOf(at);
      if (own) polygon.setAttribute("class", own);
      group.append(polygon);
    });
    return group;
  });
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
    nodes: strokesOf(result.polygons, (at) => states[at]),
  };
}

export function drawBoxes(pair) {
  const { aids, panes, results, root } = pair;
  root.dataset.aids = [...aids].join(" ");
  if (aids.has("differences")) pair.markTwins(results);
  for (const { side, boxes, none, swapped } of panes) {
    const { nodes, polygons, nTwins } = resultIn(pair, side);
    boxes.replaceChildren(...nodes);
    const nShown = polygons.length - (aids.has("differences") ? nTwins : 0);
    none.hidden = nShown > 0;
    none.textContent = polygons.length > 0 ? "No differences" : "No boxes";
    swapped.hidden = !aids.has("blink");
  }
}

export function drawTruth({ image, panes }) {
  const { polygons = [], ignored = [] } = image.truth ?? {};
  const n = ignored.length;
  for (const { truth, hatch } of panes) {
    const strokes = strokesOf([...ignored, ...polygons], (at) => (at < n ? "ignored" : ""));
    for (const shape of strokes[0].querySelectorAll(".ignored")) shape.setAttribute("fill", `url(#${hatch.id})`);
    truth.replaceChildren(...strokes);
  }
}

// The boxes that the study's protocol leaves without a match, where their colours are shown.
export function unmatchedOf(pair, side) {
  const { aids, image } = pair;
  if (!aids.has("match_colours")) return [];
  const { id, shapes } = resultIn(pair, side);
  const { detections = [], truth = [] } = image.matches?.[id] ?? {};
  const missed = aids.has("ground_truth") ? image.truth.polygons.filter((_, at) => truth[at] === "unmatched") : [];
  return [...shapes().filter((_, at) => detections[at] === "unmatched"), ...missed.map(shapeOf)];
}
