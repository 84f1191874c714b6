// Marks whose size on the screen does not depend on the zoom: the halo of the box under the mouse, the
// crosshair at the same place of the other pane, and the crosses on unmatched boxes. Fetched when a
// mouse is used or the crosses are requested.
import { centreOf, heightOf, shapeOf } from "./boxes.js";
import { cameraOf } from "./camera.js";
import { resultIn } from "./drawing.js";

const NEAR_PX = 4;
const ARM_PX = 4;
// From this height of a box on the screen, in CSS pixels, its halo is as wide as in panes.css.
const HALO_SHARE = 24;

const unitOf = (view, side) => 1 / cameraOf(view, side).scale;

export function createAim(pair) {
  const view = () => pair.camera.view();
  let latest = null;

  function aimAtLatest() {
    const { side, where } = latest;
    latest = null;
    const isSeen = where && !pair.aids.has("boxes_hidden");
    const at = isSeen ? boxAt(resultIn(pair, side).shapes(), where, NEAR_PX * unitOf(view(), side)) : -1;
    point(at < 0 ? null : { side, at, where });
  }

  // Marks at most one box: {side, at: its index, where: the point for the other pane}; null for none.
  function point(what) {
    pair.aimed = what && { side: what.side, shape: resultIn(pair, what.side).shapes()[what.at] };
    for (const pane of pair.panes) {
      const { side, halo, crosshair } = pane;
      const points = what?.side === side ? resultIn(pair, side).polygons[what.at] : "";
      for (const node of halo.children) {
        node.setAttribute("points", points ?? "");
        if (!points) continue;
        const height = heightOf(shapeOf(points));
        node.style.setProperty("--line", height / HALO_SHARE);
        node.classList.toggle("thin", height < HALO_SHARE * unitOf(view(), side));
      }
      pane.aimedAt = what && what.side !== side ? what.where : null;
      crosshair.toggleAttribute("hidden", !pane.aimedAt);
      placeCrosshair(pane, unitOf(view(), side));
    }
  }

  return {
    point,
    // The mouse moves more often than the screen is drawn.
    hover(side, where) {
      const isAsked = latest !== null;
      latest = { side, where };
      if (!isAsked) requestAnimationFrame(aimAtLatest);
    },
    // Called after every move of the camera.
    mark() {
      for (const pane of pair.panes) {
        const { side, marks } = pane;
        const unit = unitOf(view(), side);
        const d = crossesOf(unmatchedOf(pair, side), ARM_PX * unit);
        for (const path of marks.querySelectorAll(":scope > path")) {
          if (d || path.hasAttribute("d")) path.setAttribute("d", d);
        }
        placeCrosshair(pane, unit);
      }
    },
  };
}

function placeCrosshair({ aimedAt, crosshair }, unit) {
  if (aimedAt) crosshair.setAttribute("transform", `translate(${aimedAt.x} ${aimedAt.y}) scale(${unit})`);
}

// The boxes that the study's protocol leaves unmatched; none unless the match colours are on.
function unmatchedOf(pair, side) {
  const { aids, image } = pair;
  if (!aids.has("match_colours")) return [];
  const { id, shapes } = resultIn(pair, side);
  const { detections = [], truth = [] } = image.matches?.[id] ?? {};
  const missed = aids.has("ground_truth") ? image.truth.polygons.filter((_, at) => truth[at] === "unmatched") : [];
  return [...shapes().filter((_, at) => detections[at] === "unmatched"), ...missed.map(shapeOf)];
}

function contains({ corners }, { x, y }) {
  let inside = false;
  corners.forEach(([ax, ay], at) => {
    const [bx, by] = corners[(at + 1) % corners.length];
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  });
  return inside;
}

// The index of the smallest box that contains a point (or is within `slack` of it), or -1.
export function boxAt(shapes, point, slack = 0) {
  let found = -1;
  let least = Infinity;
  shapes.forEach((shape, at) => {
    const { left, top, right, bottom } = shape;
    const isNear =
      point.x >= left - slack && point.x <= right + slack && point.y >= top - slack && point.y <= bottom + slack;
    const area = (right - left) * (bottom - top);
    if (!isNear || area >= least) return;
    const isSmall = Math.min(right - left, bottom - top) < 2 * slack;
    if (!isSmall && !contains(shape, point)) return;
    found = at;
    least = area;
  });
  return found;
}

// Small crosses at the centres, as the "d" of one path; `arm` in image pixels.
export function crossesOf(shapes, arm) {
  return shapes
    .map(centreOf)
    .map(({ x, y }) => `M${x - arm},${y - arm}l${2 * arm},${2 * arm}M${x - arm},${y + arm}l${2 * arm},${-2 * arm}`)
    .join("");
}
