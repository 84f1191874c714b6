// Boxes as numbers: where they are, which one is under the hand, which ones both results have.
const TWIN_PX = 1;

// points: the attribute of an SVG polygon, "x,y x,y ...".
export function shapeOf(points) {
  const corners = points.split(" ").map((pair) => pair.split(",").map(Number));
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return {
    corners,
    left: Math.min(...xs),
    top: Math.min(...ys),
    right: Math.max(...xs),
    bottom: Math.max(...ys),
  };
}

export const centreOf = ({ left, top, right, bottom }) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

function contains({ corners }, { x, y }) {
  let inside = false;
  corners.forEach(([ax, ay], at) => {
    const [bx, by] = corners[(at + 1) % corners.length];
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  });
  return inside;
}

// The smallest of the boxes a point lies in (or beside, by no more than `slack`): its index, or -1.
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

// Small crosses at the centres, as the "d" of one path; `arm` in image pixels.
export function crossesOf(shapes, arm) {
  return shapes
    .map(centreOf)
    .map(({ x, y }) => `M${x - arm},${y - arm}l${2 * arm},${2 * arm}M${x - arm},${y + arm}l${2 * arm},${-2 * arm}`)
    .join("");
}

const rounded = (value) => String(Number(value.toFixed(1)));

// What the list of boxes says: x, y, width and height of each.
export const rowOf = ({ left, top, right, bottom }) => [left, top, right - left, bottom - top].map(rounded);
