// Which boxes both results have. Fetched when somebody first asks for the differences.
import { OTHER } from "./drawing.js";

const TWIN_PX = 1;

// Every corner within a pixel, in x and in y, of one of the other; it does not matter where either begins.
export function isTwin(one, other) {
  const n = one.corners.length;
  if (n !== other.corners.length) return false;
  if (["left", "top", "right", "bottom"].some((edge) => Math.abs(one[edge] - other[edge]) > TWIN_PX)) return false;
  const near = ([ax, ay], [bx, by]) => Math.abs(ax - bx) <= TWIN_PX && Math.abs(ay - by) <= TWIN_PX;
  for (const way of [1, -1]) {
    for (let from = 0; from < n; from += 1) {
      if (one.corners.every((corner, at) => near(corner, other.corners[(from + way * at + n) % n]))) return true;
    }
  }
  return false;
}

// For each shape whether the others have its twin.
export const twinsOf = (shapes, others) => shapes.map((shape) => others.some((other) => isTwin(shape, other)));

// Classes on the nodes of both results tell which boxes the other has too; nTwins counts them.
export function markTwins(results) {
  if ("nTwins" in results.left) return;
  for (const side of ["left", "right"]) {
    const twins = twinsOf(results[side].shapes(), results[OTHER[side]].shapes());
    results[side].nTwins = twins.filter(Boolean).length;
    for (const group of results[side].nodes) {
      twins.forEach((isTwin, at) => group.children[at].classList.toggle("twin", isTwin));
    }
  }
}
