// Differences of two results: the boxes with a twin in the other, and the places of those without one.
// Fetched when the differences are first requested.
import { gettext } from "../elements/words.js";
import { areaOf, extentOf } from "./boxes.js";
import { cameraOf } from "./camera.js";
import { showsCoverage } from "./showing.js";

export const USUAL_IOU = 0.7;
// Between a place and the brackets that mark it, and their length, in CSS pixels.
const MARGIN = 8;
const BRACKET = 14;

const cross = ([ax, ay], [bx, by], [px, py]) => (bx - ax) * (py - ay) - (by - ay) * (px - ax);

// The intersection of a convex polygon and a triangle, both counter-clockwise (positive area).
function clipped(polygon, triangle) {
  let left = polygon;
  triangle.forEach((from, at) => {
    const to = triangle[(at + 1) % 3];
    const next = [];
    left.forEach((corner, nth) => {
      const before = left[(nth + left.length - 1) % left.length];
      const [here, there] = [cross(from, to, corner), cross(from, to, before)];
      if (here >= 0 !== there >= 0) {
        const share = there / (there - here);
        next.push(before.map((value, axis) => value + share * (corner[axis] - value)));
      }
      if (here >= 0) next.push(corner);
    });
    left = next;
  });
  return left;
}

// The triangles from the first corner, each counter-clockwise with its sign: their signed sum is the polygon.
function fanOf({ corners }) {
  const triangles = [];
  for (let at = 1; at < corners.length - 1; at += 1) {
    const triangle = [corners[0], corners[at], corners[at + 1]];
    const sign = Math.sign(areaOf(triangle));
    if (sign !== 0) triangles.push({ sign, triangle: sign > 0 ? triangle : triangle.reverse() });
  }
  return triangles;
}

// The IoU of two simple polygons, convex or not.
export function iouOf(one, other) {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  let shared = 0;
  for (const mine of fanOf(one)) {
    for (const yours of fanOf(other)) {
      shared += mine.sign * yours.sign * areaOf(clipped(mine.triangle, yours.triangle));
    }
  }
  shared = Math.abs(shared);
  const all = Math.abs(areaOf(one.corners)) + Math.abs(areaOf(other.corners)) - shared;
  return all > 0 ? shared / all : 0;
}

// One-to-one pairs {one, other} of indices, the largest IoU first, none below `least`.
export function twinsOf(shapes, others, least = USUAL_IOU) {
  const near = [];
  shapes.forEach((shape, one) => {
    others.forEach((candidate, other) => {
      const iou = iouOf(shape, candidate);
      if (iou >= least - 1e-9) near.push({ one, other, iou });
    });
  });
  near.sort((a, b) => b.iou - a.iou || a.one - b.one || a.other - b.other);
  const [ones, taken] = [new Set(), new Set()];
  return near.filter(({ one, other }) => {
    if (ones.has(one) || taken.has(other)) return false;
    ones.add(one);
    taken.add(other);
    return true;
  });
}

// Marks the boxes of both results that have a twin; `twins` of a result are their indices.
export function markTwins({ left, right }, least = USUAL_IOU) {
  if (left.twins) return;
  const pairs = twinsOf(left.shapes(), right.shapes(), least);
  left.twins = new Set(pairs.map(({ one }) => one));
  right.twins = new Set(pairs.map(({ other }) => other));
  for (const result of [left, right]) {
    result.nTwins = result.twins.size;
    for (const { children } of result.nodes) {
      [...children].forEach((node, at) => node.classList.toggle("twin", result.twins.has(at)));
    }
  }
}

// The places where the results differ, in reading order: frames with their shapes, boxes without a twin, joined
// if at least half of one is inside the other.
export function placesOf(shapes) {
  const places = [];
  for (const shape of shapes) {
    let frame = { ...extentOf([shape]), shapes: [shape] };
    let at;
    while ((at = places.findIndex((other) => isWithin(frame, other))) >= 0) {
      const both = [frame, ...places.splice(at, 1)];
      frame = { ...extentOf(both), shapes: both.flatMap(({ shapes: each }) => each) };
    }
    places.push(frame);
  }
  // A frame belongs to a line if its top is above the middle of the line's first frame.
  const lines = [];
  for (const frame of places.sort((a, b) => a.top - b.top)) {
    const line = lines.at(-1);
    if (line && frame.top < (line[0].top + line[0].bottom) / 2) line.push(frame);
    else lines.push([frame]);
  }
  return lines.flatMap((line) => line.sort((a, b) => a.left - b.left));
}

function isWithin(one, other) {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  const least = Math.min(...[one, other].map(({ left, top, right, bottom }) => (right - left) * (bottom - top)));
  return width > 0 && height > 0 && width * height >= least / 2;
}

// How many of some boxes each side has.
export const onEachSide = (results, shapes) => {
  const these = new Set(shapes);
  const [left, right] = ["left", "right"].map((side) => results[side].shapes().filter((each) => these.has(each)).length);
  return { left, right };
};

// How many boxes each side has, with the names of the sides.
export const sidesInWords = ({ root }, { left, right }) =>
  root.hasAttribute("data-stacked")
    ? gettext("{left} top, {right} bottom", { left, right })
    : gettext("{left} left, {right} right", { left, right });

// The places of a pair, computed once.
export function differencesOf(pair) {
  const { left, right } = pair.results;
  markTwins(pair.results, pair.settings.twin_iou);
  left.places ??= placesOf([left, right].flatMap(({ shapes, twins }) => shapes().filter((_, at) => !twins.has(at))));
  return left.places;
}

// Takes both cameras to a place: its number from 1, those there are and those gone to, and the boxes of each side.
export function goTo(pair, at) {
  const places = differencesOf(pair);
  pair.place = at;
  pair.placesSeen.add(at);
  pair.camera.look(places[at]);
  markPlace(pair, places[at]);
  pair.mark?.(at);
  pair.tell("aid");
  return { at: at + 1, n: places.length, seen: pair.placesSeen.size, ...onEachSide(pair.results, places[at].shapes) };
}

// Brackets around a place of both results, the same on both sides; none without a place.
export function markPlace({ camera, panes }, place) {
  for (const { side, place: mark } of panes) {
    const d = place ? bracketsOf(place, cameraOf(camera.view(), side).scale) : "";
    for (const path of mark.children) path.setAttribute("d", d);
  }
}

function bracketsOf({ left, top, right, bottom }, scale) {
  const by = MARGIN / scale;
  const length = BRACKET / scale;
  return [[left - by, top - by, 1, 1], [right + by, top - by, -1, 1], [right + by, bottom + by, -1, -1],
    [left - by, bottom + by, 1, -1]]
    .map(([x, y, inwards, down]) => `M${x + inwards * length},${y}H${x}V${y + down * length}`).join("");
}

// Goes to the next place, and says which it is.
export function goToNext(pair) {
  const n = differencesOf(pair).length;
  if (n === 0) return { n, words: gettext("No differences: every box has a counterpart.") };
  const found = goTo(pair, ((pair.place ?? -1) + 1) % n);
  const words = [
    gettext("Place {at} of {n} (boxes: {sides})", { ...found, sides: sidesInWords(pair, found) }),
    showsCoverage() && gettext("seen {seen} of {n}", found),
  ];
  return { n, words: words.filter(Boolean).join(", ") };
}

// The number of boxes without a twin on each side.
export function inWords(pair) {
  const { left, right } = pair.results;
  const [nLeft, nRight] = [left, right].map(({ polygons, nTwins }) => polygons.length - nTwins);
  return gettext("Without a counterpart: {sides}.", { sides: sidesInWords(pair, { left: nLeft, right: nRight }) });
}
