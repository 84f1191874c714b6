// Boxes as numbers.
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

// The signed area of a polygon.
export const areaOf = (corners) =>
  corners.reduce((sum, [ax, ay], at) => {
    const [bx, by] = corners[(at + 1) % corners.length];
    return sum + (ax * by - bx * ay) / 2;
  }, 0);

// The height of a box as a line of text: the short way across it, whichever way it is turned.
export function heightOf({ corners, left, top, right, bottom }) {
  const sides = corners.map(([ax, ay], at) => {
    const [bx, by] = corners[(at + 1) % corners.length];
    return Math.hypot(bx - ax, by - ay);
  });
  return Math.max(Math.min(right - left, bottom - top, Math.abs(areaOf(corners)) / Math.max(...sides)) || 0, 1);
}

// The points of a box whose edges are moved outwards. A pointed corner moves twice as far at most.
export function grown({ corners }, far) {
  const ring = corners.filter(([x, y], at) => {
    const [nextX, nextY] = corners[(at + 1) % corners.length];
    return x !== nextX || y !== nextY;
  });
  const outwards = ring.map(([ax, ay], at) => {
    const [bx, by] = ring[(at + 1) % ring.length];
    const length = Math.hypot(bx - ax, by - ay);
    return [(by - ay) / length, (ax - bx) / length];
  });
  const away = areaOf(ring) < 0 ? -far : far;
  const moved = ring.map(([x, y], at) => {
    const [ux, uy] = outwards.at(at - 1);
    const [vx, vy] = outwards[at];
    const along = away / Math.max(1 + ux * vx + uy * vy, 0.5);
    return [x + along * (ux + vx), y + along * (uy + vy)].map((value) => Number(value.toFixed(3)));
  });
  return (moved.length > 0 ? moved : corners).join(" ");
}

// The frame around some boxes; null for none.
export function extentOf(shapes) {
  if (shapes.length === 0) return null;
  const of = (edge, most) => shapes.reduce((found, shape) => most(found, shape[edge]), shapes[0][edge]);
  const [least, most] = [Math.min, Math.max];
  return { left: of("left", least), top: of("top", least), right: of("right", most), bottom: of("bottom", most) };
}
