// Boxes as numbers: where they are, and which one is under the hand.
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

// Small crosses at the centres, as the "d" of one path; `arm` in image pixels.
export function crossesOf(shapes, arm) {
  return shapes
    .map(centreOf)
    .map(({ x, y }) => `M${x - arm},${y - arm}l${2 * arm},${2 * arm}M${x - arm},${y + arm}l${2 * arm},${-2 * arm}`)
    .join("");
}
