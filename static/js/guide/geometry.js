// Boxes on the stage: whole units, within the stage, never smaller than its smallest side.
export const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// A box keeps its size and stops at the edge.
export function moved(box, dx, dy, { width, height }) {
  const x = clamp(Math.round(dx), -box.left, width - box.right);
  const y = clamp(Math.round(dy), -box.top, height - box.bottom);
  return { ...box, left: box.left + x, right: box.right + x, top: box.top + y, bottom: box.bottom + y };
}

// handle: the corner or side that is dragged, of HANDLES; the opposite one stays.
export function resized(box, handle, dx, dy, { width, height, minSide }) {
  const next = { ...box };
  const x = Math.round(dx);
  const y = Math.round(dy);
  if (handle.includes("w")) next.left = clamp(box.left + x, 0, box.right - minSide);
  if (handle.includes("e")) next.right = clamp(box.right + x, box.left + minSide, width);
  if (handle.includes("n")) next.top = clamp(box.top + y, 0, box.bottom - minSide);
  if (handle.includes("s")) next.bottom = clamp(box.bottom + y, box.top + minSide, height);
  return next;
}

// The box that four typed numbers describe, or null if they are invalid.
export function fromNumbers(box, { left, top, width, height }, limits) {
  const typed = [left, top, width, height];
  if (!typed.every((value) => Number.isInteger(value))) return null;
  const isInside = left >= 0 && top >= 0 && left + width <= limits.width && top + height <= limits.height;
  if (!isInside || width < limits.minSide || height < limits.minSide) return null;
  return { ...box, left, top, right: left + width, bottom: top + height };
}

// The place of a new box: shifted from the one before it, so that none hides another.
export function fresh(nth) {
  const step = 24 * (nth % 12);
  const left = 400 + step;
  const top = 250 + step / 2;
  return {
    left,
    top,
    right: left + 160,
    bottom: top + 60,
    text: "",
    line: 0,
    ignored: false,
    confidence: null,
  };
}

// The frame that carries the handles: the box itself, or a larger one if the box is too small to grab.
export function frameOf(box, smallest) {
  const x = Math.max(0, (smallest - (box.right - box.left)) / 2);
  const y = Math.max(0, (smallest - (box.bottom - box.top)) / 2);
  return { left: box.left - x, top: box.top - y, right: box.right + x, bottom: box.bottom + y };
}

export function pointOf(handle, { left, top, right, bottom }) {
  const x = handle.includes("w") ? left : handle.includes("e") ? right : (left + right) / 2;
  const y = handle.includes("n") ? top : handle.includes("s") ? bottom : (top + bottom) / 2;
  return { x, y };
}

// The size at which a text fits into its box; letters are about 0.62 times as wide.
export function textSize({ left, top, right, bottom, text }) {
  const fits = Math.min(0.62 * (bottom - top), (right - left) / (0.62 * Math.max([...text].length, 1)));
  return Math.round(fits * 10) / 10;
}
