// One camera for both panes: the view and its changes. Input is in hands.js.
//
// A view: {image: {width, height, room}, pane: {width, height}, dots, left: {cx, cy, scale}, offset, linked}.
// A camera looks at (cx, cy) of the image with `scale` CSS pixels to an image pixel; `dots` is the number
// of screen pixels in a CSS pixel, so 100 % is a scale of 1 / dots. The right camera is the left one plus
// `offset`; without an offset both are equal. Places "at" are in CSS pixels from a pane's centre.
export const NOTCH = 1.2;
export const MOST = 40;
const PIXELATED_FROM = 3;
const NEAREST = 4;
// The share of a pane's area that a place takes at most, and of its width and height.
const CONTEXT = 0.15;
const WHOLE = 0.9;
export const OVERVIEW_FROM = 2;
const NO_OFFSET = { dx: 0, dy: 0, ratio: 1 };
const NEARLY = 1.001;

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// With room for boxes beyond the edges of the photograph, and at most 100 %; a drawing has no pixels.
export function fitScale({ image, pane, dots }) {
  const [x, y] = image.room ?? [0, 0];
  const most = image.is_drawing ? Infinity : 1 / dots;
  return Math.min(pane.width / (image.width + 2 * x), pane.height / (image.height + 2 * y), most);
}

export function fitted(view) {
  const { width, height } = view.image;
  const left = { cx: width / 2, cy: height / 2, scale: fitScale(view) };
  return { ...view, left, offset: NO_OFFSET };
}

export const createView = ({ width, height, room, is_drawing }, pane, dots = 1) =>
  fitted({ image: { width, height, room, is_drawing }, pane, dots, linked: true });

export function cameraOf({ left, offset }, side) {
  if (side === "left") return left;
  return { cx: left.cx + offset.dx, cy: left.cy + offset.dy, scale: left.scale * offset.ratio };
}

export const percentOf = (view, side) => cameraOf(view, side).scale * view.dots * 100;
export const isZoomed = (view) =>
  ["left", "right"].some((side) => cameraOf(view, side).scale > fitScale(view) * NEARLY);
export const isPixelated = (view, side) => percentOf(view, side) >= PIXELATED_FROM * 100;
export const needsOverview = (view, side) =>
  cameraOf(view, side).scale > OVERVIEW_FROM * fitScale(view) * NEARLY;

// The visible part of the image, as {x, y, width, height} in image pixels.
export function frameOf(view, side) {
  const { cx, cy, scale } = cameraOf(view, side);
  const width = view.pane.width / scale;
  const height = view.pane.height / scale;
  return { x: cx - width / 2, y: cy - height / 2, width, height };
}

export function viewBoxOf(view, side) {
  const { x, y, width, height } = frameOf(view, side);
  return [x, y, width, height].map((value) => Number(value.toFixed(4))).join(" ");
}

export function pointAt(view, side, at) {
  const { cx, cy, scale } = cameraOf(view, side);
  return { x: cx + at.x / scale, y: cy + at.y / scale };
}

// The offset of the other camera from this one; ignored if they are not linked.
function otherOf({ offset, linked }, side) {
  if (!linked) return NO_OFFSET;
  if (side === "left") return offset;
  return { dx: -offset.dx, dy: -offset.dy, ratio: 1 / offset.ratio };
}

// From fit to 40 times, for both cameras; a camera that is already outside need not jump.
function scalesOf(view, side) {
  const { ratio } = otherOf(view, side);
  const low = fitScale(view);
  const high = Math.max(MOST / view.dots, low);
  const now = cameraOf(view, side).scale;
  return [Math.min(Math.max(low, low / ratio), now), Math.max(Math.min(high, high / ratio), now)];
}

// The middle of a pane never leaves the image. Unlinked, only this side's camera moves.
function moved(view, side, camera) {
  const { width, height } = view.image;
  const { dx, dy } = otherOf(view, side);
  const next = {
    cx: clamp(camera.cx, Math.max(0, -dx), Math.min(width, width - dx)),
    cy: clamp(camera.cy, Math.max(0, -dy), Math.min(height, height - dy)),
    scale: camera.scale,
  };
  if (view.linked) {
    if (side === "left") return { ...view, left: next };
    const { offset } = view;
    const scale = next.scale / offset.ratio;
    return { ...view, left: { cx: next.cx - offset.dx, cy: next.cy - offset.dy, scale } };
  }
  const left = side === "left" ? next : view.left;
  const right = side === "left" ? cameraOf(view, "right") : next;
  const offset = { dx: right.cx - left.cx, dy: right.cy - left.cy, ratio: right.scale / left.scale };
  return { ...view, left, offset };
}

// Moves a point of the image to a place of the pane, at a scale. Back at fit, the whole image is shown.
export function placed(view, side, point, at, scale) {
  const now = cameraOf(view, side).scale;
  const [low, high] = scalesOf(view, side);
  const next = clamp(scale, low, high);
  if (next < now && next <= fitScale(view) * NEARLY) {
    return moved(view, side, fitted(view).left);
  }
  return moved(view, side, { cx: point.x - at.x / next, cy: point.y - at.y / next, scale: next });
}

export const zoomed = (view, side, at, factor) =>
  placed(view, side, pointAt(view, side, at), at, cameraOf(view, side).scale * factor);

// Shows a rectangle of the image, {left, top, right, bottom}, with some room around it, at 400 % at most:
// beyond that, a small one would be seen without its surroundings.
export function framed(view, side, { left, top, right, bottom }, room) {
  const { width, height } = view.pane;
  const scale = Math.min(width / (right - left) / room, height / (bottom - top) / room, NEAREST / view.dots);
  return placed(view, side, { x: (left + right) / 2, y: (top + bottom) / 2 }, { x: 0, y: 0 }, scale);
}

// Shows a place with its surroundings: at most a share of the pane's area and 300 %.
export function lookedAt(view, side, { left, top, right, bottom }) {
  const { width, height } = view.pane;
  const [w, h] = [right - left, bottom - top];
  const scale = Math.min(
    Math.sqrt((CONTEXT * width * height) / (w * h)),
    (WHOLE * width) / w,
    (WHOLE * height) / h,
    PIXELATED_FROM / view.dots,
  );
  return placed(view, side, { x: (left + right) / 2, y: (top + bottom) / 2 }, { x: 0, y: 0 }, scale);
}

// Moves the image by (x, y) CSS pixels.
export const panned = (view, side, by) =>
  placed(view, side, pointAt(view, side, { x: 0, y: 0 }), by, cameraOf(view, side).scale);

export function actualSize(view, side) {
  return moved(view, side, { ...cameraOf(view, side), scale: 1 / view.dots });
}

// From fit to 200 % (or twice the fit of a drawing), from anywhere else to fit.
export function toggled(view, side, at) {
  const fit = fitScale(view);
  if (cameraOf(view, side).scale > fit * NEARLY) return placed(view, side, at, at, fit);
  const double = 2 / view.dots;
  const scale = double > fit * NOTCH ? double : 2 * fit;
  return placed(view, side, pointAt(view, side, at), at, scale);
}

export const linked = (view, on) => ({ ...view, linked: on });
export const hasOffset = ({ offset: { dx, dy, ratio } }) => dx !== 0 || dy !== 0 || ratio !== 1;

// A resized pane keeps its middle and its scale; a whole image stays whole.
export function resized(view, pane, dots) {
  const next = { ...view, pane, dots };
  if (!isZoomed(view) && !hasOffset(view)) return fitted(next);
  const fit = fitScale(next);
  return view.left.scale < fit ? { ...next, left: { ...view.left, scale: fit } } : next;
}

// A notch of a mouse wheel counts once in every browser's units; small steps of a trackpad in proportion.
export function wheelFactor({ deltaY, deltaMode, ctrlKey, wheelDeltaY = 0 }) {
  const isNotch = Math.abs(deltaY) >= 50 && wheelDeltaY !== 0 && wheelDeltaY % 120 === 0;
  if (ctrlKey && !isNotch && deltaMode === 0) return Math.exp(clamp(-deltaY, -50, 50) / 100);
  const perNotch = [100, 3, 1][deltaMode];
  const notches = isNotch ? -wheelDeltaY / 120 : deltaY / perNotch;
  return NOTCH ** clamp(-notches, -5, 5);
}

// The gesture of two fingers (or one): from where to where their middle moved, and how much they spread.
export function pinchOf(before, after) {
  const middle = (fingers) => ({
    x: fingers.reduce((sum, { x }) => sum + x, 0) / fingers.length,
    y: fingers.reduce((sum, { y }) => sum + y, 0) / fingers.length,
  });
  const spread = ([a, b]) => (b ? Math.hypot(a.x - b.x, a.y - b.y) : 1);
  return {
    from: middle(before),
    to: middle(after),
    factor: Math.max(spread(after), 1) / Math.max(spread(before), 1),
  };
}
