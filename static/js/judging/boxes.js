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

// How high a box is, as a line of text is high: the short way across it, whichever way it is turned.
export function heightOf({ corners, left, top, right, bottom }) {
  let area = 0;
  let longest = 0;
  corners.forEach(([ax, ay], at) => {
    const [bx, by] = corners[(at + 1) % corners.length];
    area += (ax * by - bx * ay) / 2;
    longest = Math.max(longest, Math.hypot(bx - ax, by - ay));
  });
  return Math.max(Math.min(right - left, bottom - top, Math.abs(area) / longest) || 0, 1);
}

// What frames all of some boxes; null for none.
export function extentOf(shapes) {
  if (shapes.length === 0) return null;
  const of = (edge, most) => shapes.reduce((found, shape) => most(found, shape[edge]), shapes[0][edge]);
  const [least, most] = [Math.min, Math.max];
  return { left: of("left", least), top: of("top", least), right: of("right", most), bottom: of("bottom", most) };
}
