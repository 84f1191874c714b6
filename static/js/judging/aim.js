// What is as large as the screen wants it, whatever the camera does: the halo of the box under the hand,
// the crosshair at the same place of the other pane, and the crosses on unmatched boxes.
import { boxAt, crossesOf } from "./boxes.js";
import { cameraOf } from "./camera.js";
import { resultIn, unmatchedOf } from "./drawing.js";

const NEAR_PX = 4;
const ARM_PX = 4;

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

  // Of one box at most: {side, at: its index, where: the point for the other pane}; null for none.
  function point(what) {
    for (const pane of pair.panes) {
      const { side, halo, crosshair } = pane;
      const points = what?.side === side ? resultIn(pair, side).polygons[what.at] : "";
      for (const node of halo.children) node.setAttribute("points", points ?? "");
      pane.aimedAt = what && what.side !== side ? what.where : null;
      crosshair.toggleAttribute("hidden", !pane.aimedAt);
      placeCrosshair(pane, unitOf(view(), side));
    }
  }

  return {
    point,
    // A mouse moves more often than the screen is drawn.
    hover(side, where) {
      const isAsked = latest !== null;
      latest = { side, where };
      if (!isAsked) requestAnimationFrame(aimAtLatest);
    },
    // After every move of the camera.
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
