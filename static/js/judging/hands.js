// Input that moves the camera: wheel, mouse, fingers and taps on either picture.
import {
  actualSize,
  cameraOf,
  createView,
  fitScale,
  fitted,
  framed,
  linked,
  lookedAt,
  NOTCH,
  OVERVIEW_FROM,
  panned,
  pinchOf,
  placed,
  pointAt,
  resized,
  toggled,
  viewBoxOf,
  wheelFactor,
  zoomed,
} from "./camera.js";

const TAP_PX = 6;
const TAP_MS = 300;
const TWO_TAPS_MS = 350;
const TWO_TAPS_PX = 30;
const MIDDLE = { x: 0, y: 0 };

// pictures: {left, right}, the two <svg>. onFrame(view) is called after every drawn change, onPoint(side,
// point) with the point of the image under a mouse without pressed buttons, null when it leaves.
export function createCamera(pictures, image, { onFrame, onPoint }) {
  const sides = Object.keys(pictures);
  let isMeasured = false;
  let frame = null;
  // The current view, and the side that keys move.
  const hand = { view: createView(image, image, devicePixelRatio), active: "left", set, onPoint };

  function draw() {
    frame = null;
    if (!isMeasured) return;
    for (const side of sides) pictures[side].setAttribute("viewBox", viewBoxOf(hand.view, side));
    onFrame(hand.view);
  }

  function set(next) {
    hand.view = next;
    frame ??= requestAnimationFrame(draw);
  }

  // Both panes have one size; a hidden one takes the size of the other.
  function measure() {
    const extents = sides.map((side) => pictures[side].getBoundingClientRect());
    const shown = extents.find(({ width, height }) => width > 0 && height > 0);
    if (!shown) return;
    const { view } = hand;
    const pane = { width: shown.width, height: shown.height };
    const isSame = pane.width === view.pane.width && pane.height === view.pane.height && view.dots === devicePixelRatio;
    if (isMeasured && isSame) return;
    set(isMeasured ? resized(view, pane, devicePixelRatio) : createView(view.image, pane, devicePixelRatio));
    isMeasured = true;
  }

  const observer = new ResizeObserver(measure);
  for (const side of sides) {
    listen(side, pictures[side], hand);
    observer.observe(pictures[side]);
  }
  measure();
  return { measure, view: () => hand.view, ...movesOf(hand) };
}

function movesOf(hand) {
  // move(view, side that keys move, ...more) returns the next view.
  const by = (move) => (...more) => hand.set(move(hand.view, hand.active, ...more));
  return {
    reset(image, kept = null) {
      const { pane } = hand.view;
      hand.set(kept ? resized(kept, pane, devicePixelRatio) : createView(image, pane, devicePixelRatio));
    },
    fit: by(fitted),
    frame: by(framed),
    look: by(lookedAt),
    actualSize: by(actualSize),
    zoom: by((view, side, notches) => zoomed(view, side, MIDDLE, NOTCH ** notches)),
    pan: by(panned),
    link: (on) => hand.set(linked(hand.view, on)),
    // Moves a point to the middle, and zooms in on a whole image.
    lookAt(side, point) {
      const { view } = hand;
      const least = OVERVIEW_FROM * fitScale(view);
      hand.set(placed(view, side, point, MIDDLE, Math.max(cameraOf(view, side).scale, least)));
    },
  };
}

// Distinguishes taps from drags, and the second of two taps from the first.
export function createTaps() {
  let tap = null;
  let last = null;

  return {
    isOpen: () => tap !== null,
    // at: null if it cannot become a tap.
    begin(at, time) {
      tap = at && { at, time };
    },
    move(at) {
      if (tap && Math.hypot(at.x - tap.at.x, at.y - tap.at.y) > TAP_PX) tap = null;
    },
    // Returns the place of a second tap, else null.
    end(time) {
      if (!tap || time - tap.time > TAP_MS) return null;
      const { at } = tap;
      const isSecond =
        last !== null &&
        time - last.time < TWO_TAPS_MS &&
        Math.hypot(at.x - last.at.x, at.y - last.at.y) < TWO_TAPS_PX;
      last = isSecond ? null : { at, time };
      tap = null;
      return isSecond ? at : null;
    },
  };
}

// hand: {view, active, set(view), onPoint}.
function listen(side, picture, hand) {
  // The place of an event, in CSS pixels from the middle of the picture.
  function placeOf({ clientX, clientY }) {
    const { left, top, width, height } = picture.getBoundingClientRect();
    return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
  }

  picture.parentElement.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      hand.active = side;
      if (event.deltaY !== 0) hand.set(zoomed(hand.view, side, placeOf(event), wheelFactor(event)));
    },
    { passive: false },
  );
  // The focus stays with the question that is being answered.
  for (const type of ["mousedown", "dblclick"]) picture.addEventListener(type, (event) => event.preventDefault());
  picture.addEventListener("focus", () => {
    hand.active = side;
  });
  listenToPointers(side, picture, placeOf, hand);
}

function listenToPointers(side, picture, placeOf, hand) {
  const fingers = new Map();
  const taps = createTaps();

  picture.addEventListener("pointerdown", (event) => {
    if (event.button > 1 || fingers.size === 2) return;
    hand.active = side;
    picture.setPointerCapture(event.pointerId);
    const place = placeOf(event);
    fingers.set(event.pointerId, place);
    taps.begin(fingers.size === 1 && event.button === 0 ? place : null, event.timeStamp);
    hand.onPoint(side, null);
  });

  picture.addEventListener("pointermove", (event) => {
    const { view } = hand;
    const place = placeOf(event);
    if (!fingers.has(event.pointerId)) {
      hand.active = side;
      if (event.pointerType === "mouse") hand.onPoint(side, pointAt(view, side, place));
      return;
    }
    taps.move(place);
    const before = [...fingers.values()];
    fingers.set(event.pointerId, place);
    if (taps.isOpen()) return;
    const { from, to, factor } = pinchOf(before, [...fingers.values()]);
    hand.set(placed(view, side, pointAt(view, side, from), to, cameraOf(view, side).scale * factor));
  });

  const lift = ({ pointerId, type, timeStamp }) => {
    fingers.delete(pointerId);
    const place = type === "pointerup" && taps.end(timeStamp);
    if (place) hand.set(toggled(hand.view, side, place));
  };
  picture.addEventListener("pointerup", lift);
  picture.addEventListener("pointercancel", lift);
  picture.addEventListener("pointerleave", () => hand.onPoint(side, null));
}
