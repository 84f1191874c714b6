// One camera for both panes: first what a view is and how it changes, then the hands that change it.
//
// A view: {image: {width, height}, pane: {width, height}, dots, left: {cx, cy, scale}, offset, linked}.
// A camera looks at (cx, cy) of the image with `scale` CSS pixels to an image pixel; `dots` is how many
// dots of the screen a CSS pixel has, so that 100 % is a scale of 1 / dots. The right camera is the left
// one plus `offset`; without an offset both are equal. Places "at" are in CSS pixels from a pane's centre.
export const NOTCH = 1.2;
export const MOST = 40;
const PIXELATED_FROM = 3;
const OVERVIEW_FROM = 2;
const NO_OFFSET = { dx: 0, dy: 0, ratio: 1 };
const NEARLY = 1.001;

const TAP_PX = 6;
const TAP_MS = 300;
const TWO_TAPS_MS = 350;
const TWO_TAPS_PX = 30;

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export const fitScale = ({ image, pane }) =>
  Math.min(pane.width / image.width, pane.height / image.height);

export function fitted(view) {
  const { width, height } = view.image;
  const left = { cx: width / 2, cy: height / 2, scale: fitScale(view) };
  return { ...view, left, offset: NO_OFFSET };
}

export const createView = ({ width, height }, pane, dots = 1) =>
  fitted({ image: { width, height }, pane, dots, linked: true });

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

// What lies in sight, as {x, y, width, height} in image pixels.
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

// How the other camera stands to this one; unlinked it does not count.
function otherOf({ offset, linked }, side) {
  if (!linked) return NO_OFFSET;
  if (side === "left") return offset;
  return { dx: -offset.dx, dy: -offset.dy, ratio: 1 / offset.ratio };
}

// From fit to 40 times, for both cameras; where a camera is already outside, it need not jump.
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

// Brings a point of the image to a place of the pane, at a scale. Coming back to fit, the image is whole again.
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

// The image follows the hand by (x, y) CSS pixels.
export const panned = (view, side, by) =>
  placed(view, side, pointAt(view, side, { x: 0, y: 0 }), by, cameraOf(view, side).scale);

export function actualSize(view, side) {
  return moved(view, side, { ...cameraOf(view, side), scale: 1 / view.dots });
}

// From fit to 200 % (or twice the fit of a small image), from anywhere else to fit.
export function toggled(view, side, at) {
  const fit = fitScale(view);
  if (cameraOf(view, side).scale > fit * NEARLY) return placed(view, side, at, at, fit);
  const double = 2 / view.dots;
  const scale = double > fit * NOTCH ? double : 2 * fit;
  return placed(view, side, pointAt(view, side, at), at, scale);
}

export const linked = (view, on) => ({ ...view, linked: on });
export const hasOffset = ({ offset: { dx, dy, ratio } }) => dx !== 0 || dy !== 0 || ratio !== 1;

// A pane of another size shows the same middle at the same scale; a whole image stays whole.
export function resized(view, pane, dots) {
  const next = { ...view, pane, dots };
  if (!isZoomed(view) && !hasOffset(view)) return fitted(next);
  const fit = fitScale(next);
  return view.left.scale < fit ? { ...next, left: { ...view.left, scale: fit } } : next;
}

// A mouse's notch counts once, whatever the browser calls it; a trackpad's small steps in proportion.
export function wheelFactor({ deltaY, deltaMode, ctrlKey, wheelDeltaY = 0 }) {
  const isNotch = Math.abs(deltaY) >= 50 && wheelDeltaY !== 0 && wheelDeltaY % 120 === 0;
  if (ctrlKey && !isNotch && deltaMode === 0) return Math.exp(clamp(-deltaY, -50, 50) / 100);
  const perNotch = [100, 3, 1][deltaMode];
  const notches = isNotch ? -wheelDeltaY / 120 : deltaY / perNotch;
  return NOTCH ** clamp(-notches, -5, 5);
}

// What two fingers (or one) did: from where to where their middle went, and how much they spread.
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

// pictures: {left, right}, the two <svg>. onFrame(view) follows every drawn change; onPoint(side, point)
// tells the point of the image under a resting mouse, null when it leaves.
export function createCamera(pictures, image, { onFrame, onPoint }) {
  const sides = Object.keys(pictures);
  let view = createView(image, { width: image.width, height: image.height }, devicePixelRatio);
  let isMeasured = false;
  let frame = null;
  let active = "left";

  function draw() {
    frame = null;
    if (!isMeasured) return;
    for (const side of sides) pictures[side].setAttribute("viewBox", viewBoxOf(view, side));
    onFrame(view);
  }

  function set(next) {
    view = next;
    frame ??= requestAnimationFrame(draw);
  }

  // Both panes are of one size; where only one is shown, the hidden one takes after it.
  function measure() {
    const extents = sides.map((side) => pictures[side].getBoundingClientRect());
    const shown = extents.find(({ width, height }) => width > 0 && height > 0);
    if (!shown) return;
    const pane = { width: shown.width, height: shown.height };
    set(isMeasured ? resized(view, pane, devicePixelRatio) : createView(view.image, pane, devicePixelRatio));
    isMeasured = true;
  }

  function atOf(side, { clientX, clientY }) {
    const { left, top, width, height } = pictures[side].getBoundingClientRect();
    return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
  }

  for (const side of sides) listen(side, pictures[side]);
  const observer = new ResizeObserver(measure);
  for (const side of sides) observer.observe(pictures[side]);
  measure();

  function listen(side, picture) {
    const fingers = new Map();
    let tap = null;
    let lastTap = null;

    picture.parentElement.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        active = side;
        if (event.deltaY !== 0) set(zoomed(view, side, atOf(side, event), wheelFactor(event)));
      },
      { passive: false },
    );

    // The focus stays with the question that is being answered.
    picture.addEventListener("mousedown", (event) => event.preventDefault());
    picture.addEventListener("dblclick", (event) => event.preventDefault());
    picture.addEventListener("focus", () => {
      active = side;
    });

    picture.addEventListener("pointerdown", (event) => {
      if (event.button > 1 || fingers.size === 2) return;
      active = side;
      picture.setPointerCapture(event.pointerId);
      const at = atOf(side, event);
      fingers.set(event.pointerId, at);
      tap = fingers.size === 1 && event.button === 0 ? { at, time: event.timeStamp } : null;
      onPoint(side, null);
    });

    picture.addEventListener("pointermove", (event) => {
      const at = atOf(side, event);
      if (!fingers.has(event.pointerId)) {
        active = side;
        if (event.pointerType === "mouse") onPoint(side, pointAt(view, side, at));
        return;
      }
      if (tap && Math.hypot(at.x - tap.at.x, at.y - tap.at.y) > TAP_PX) tap = null;
      const before = [...fingers.values()];
      fingers.set(event.pointerId, at);
      const { from, to, factor } = pinchOf(before, [...fingers.values()]);
      const { scale } = cameraOf(view, side);
      if (!tap) set(placed(view, side, pointAt(view, side, from), to, scale * factor));
    });

    const lift = (event) => {
      fingers.delete(event.pointerId);
      if (event.type !== "pointerup" || !tap || event.timeStamp - tap.time > TAP_MS) return;
      const { at } = tap;
      const isSecond =
        lastTap !== null &&
        event.timeStamp - lastTap.time < TWO_TAPS_MS &&
        Math.hypot(at.x - lastTap.at.x, at.y - lastTap.at.y) < TWO_TAPS_PX;
      if (isSecond) set(toggled(view, side, at));
      lastTap = isSecond ? null : { at, time: event.timeStamp };
      tap = null;
    };
    picture.addEventListener("pointerup", lift);
    picture.addEventListener("pointercancel", lift);
    picture.addEventListener("pointerleave", () => onPoint(side, null));
  }

  const middle = { x: 0, y: 0 };
  return {
    view: () => view,
    reset(nextImage, kept = null) {
      const { pane } = view;
      set(kept ? resized(kept, pane, devicePixelRatio) : createView(nextImage, pane, devicePixelRatio));
    },
    measure,
    fit: () => set(fitted(view)),
    actualSize: () => set(actualSize(view, active)),
    zoom: (notches) => set(zoomed(view, active, middle, NOTCH ** notches)),
    pan: (by) => set(panned(view, active, by)),
    // Brings a point to the middle, and a whole image closer.
    lookAt(side, point) {
      const least = OVERVIEW_FROM * fitScale(view);
      set(placed(view, side, point, middle, Math.max(cameraOf(view, side).scale, least)));
    },
    link(on) {
      set(linked(view, on));
    },
  };
}
