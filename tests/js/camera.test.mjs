// The camera's geometry: limits, places that stay, and two panes that stay together.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  actualSize,
  cameraOf,
  createView,
  fitScale,
  fitted,
  framed,
  frameOf,
  hasOffset,
  isPixelated,
  isZoomed,
  linked,
  MOST,
  needsOverview,
  panned,
  percentOf,
  pinchOf,
  placed,
  pointAt,
  resized,
  toggled,
  viewBoxOf,
  wheelFactor,
  zoomed,
} from "../../static/js/judging/camera.js";

const IMAGE = { width: 4000, height: 3000 };
const PANE = { width: 800, height: 600 };
const MIDDLE = { x: 0, y: 0 };
const view = createView(IMAGE, PANE);
const near = (a, b, slack = 1e-6) => assert.ok(Math.abs(a - b) <= slack * Math.max(1, Math.abs(b)), `${a} is not ${b}`);
const boxes = (of) => ["left", "right"].map((side) => viewBoxOf(of, side));

test("a new view shows the whole image, in the middle", () => {
  assert.equal(fitScale(view), 0.2);
  assert.deepEqual(boxes(view), ["0 0 4000 3000", "0 0 4000 3000"]);
  // A pane of another shape leaves room at two sides: 1000 px at 0.2 are 5000 px of the image.
  assert.equal(viewBoxOf(createView(IMAGE, { width: 1000, height: 600 }), "left"), "-500 0 5000 3000");
});

test("zooming keeps the point under the hand where it is", () => {
  for (const side of ["left", "right"]) {
    const at = { x: 130, y: -70 };
    const before = pointAt(view, side, at);
    const after = pointAt(zoomed(zoomed(view, side, at, 1.2), side, at, 3), side, at);
    near(after.x, before.x);
    near(after.y, before.y);
  }
});

test("a notch in and a notch out are where one began", () => {
  const start = zoomed(view, "left", MIDDLE, 4);
  const at = { x: 200, y: 100 };
  const back = zoomed(zoomed(start, "left", at, 1.2), "left", at, 1 / 1.2);
  near(back.left.cx, start.left.cx);
  near(back.left.scale, start.left.scale);
});

test("t37 a photograph fits at 100 % of the screen's dots at most, a drawing as large as the pane", () => {
  const small = { width: 80, height: 60 };
  assert.deepEqual([1, 2, 3].map((dots) => percentOf(createView(small, PANE, dots), "left")), [100, 100, 100]);
  assert.equal(viewBoxOf(createView(small, PANE), "right"), "-360 -270 800 600");
  assert.ok(!isZoomed(createView(small, PANE, 2)));
  assert.equal(fitScale(createView({ ...small, is_drawing: true }, PANE, 2)), 10);
});

test("the image follows the hand", () => {
  const close = zoomed(view, "left", MIDDLE, 5); // 100 %: a CSS pixel is an image pixel
  assert.deepEqual(panned(close, "left", { x: 100, y: -50 }).left, { cx: 1900, cy: 1550, scale: 1 });
});

test("the scale goes from fit to 40 times, counted in dots of the screen", () => {
  assert.equal(zoomed(view, "left", MIDDLE, 1e6).left.scale, MOST);
  assert.equal(zoomed(createView(IMAGE, PANE, 2), "left", MIDDLE, 1e6).left.scale, MOST / 2);
  assert.equal(percentOf(zoomed(createView(IMAGE, PANE, 2), "left", MIDDLE, 1e6), "right"), 4000);
  assert.equal(zoomed(view, "left", MIDDLE, 1e-6).left.scale, 0.2);
  // A drawing of 8 x 6 fits at 100 times; it cannot be enlarged further.
  const drawing = { width: 8, height: 6, is_drawing: true };
  assert.equal(zoomed(createView(drawing, PANE), "left", MIDDLE, 2).left.scale, 100);
});

test("coming back to fit the image is whole again", () => {
  const corner = zoomed(view, "right", { x: 390, y: 290 }, 10);
  assert.deepEqual(zoomed(corner, "right", { x: -300, y: 200 }, 0.01).left, fitted(view).left);
});

test("the middle of the pane cannot leave the image", () => {
  const far = panned(zoomed(view, "left", MIDDLE, 10), "left", { x: -1e6, y: 1e6 });
  assert.deepEqual([far.left.cx, far.left.cy], [4000, 0]);
  // At fit this also keeps the image's middle in the pane.
  const { cx } = panned(view, "left", { x: 1e6, y: 0 }).left;
  assert.ok(Math.abs(cx - 2000) * 0.2 <= 400);
});

test("1:1 is 100 % of the screen's dots, even below fit", () => {
  assert.equal(percentOf(actualSize(createView(IMAGE, PANE, 2), "left"), "left"), 100);
  const small = actualSize(createView({ width: 80, height: 60, is_drawing: true }, PANE), "left");
  assert.equal(small.left.scale, 1);
  near(zoomed(small, "left", MIDDLE, 1.2).left.scale, 1.2);
  assert.equal(zoomed(small, "left", MIDDLE, 0.5).left.scale, 1);
});

test("two taps go to 200 % at that place, and from anywhere back to fit", () => {
  const at = { x: 100, y: 50 };
  const close = toggled(view, "left", at);
  assert.equal(percentOf(close, "left"), 200);
  near(pointAt(close, "left", at).x, pointAt(view, "left", at).x);
  assert.deepEqual(toggled(close, "left", at).left, view.left);
  assert.deepEqual(toggled(zoomed(close, "left", at, 2), "left", at).left, view.left);
  assert.equal(toggled(createView({ width: 80, height: 60 }, PANE), "left", at).left.scale, 2);
  // A small drawing already fits at 1000 %: there two taps enlarge it twice.
  const drawing = { width: 80, height: 60, is_drawing: true };
  assert.equal(toggled(createView(drawing, PANE), "left", at).left.scale, 20);
});

test("an offset is made unlinked, kept linked, and cleared by fit", () => {
  const alone = panned(zoomed(linked(view, false), "right", MIDDLE, 8), "right", { x: -160, y: 80 });
  assert.deepEqual(alone.left, view.left);
  const joined = linked(alone, true);
  assert.ok(hasOffset(joined));
  const moved = panned(zoomed(joined, "left", { x: 30, y: 40 }, 1.44), "right", { x: 64, y: 0 });
  const [a, b, c, d] = [cameraOf(joined, "left"), cameraOf(joined, "right"), cameraOf(moved, "left"), cameraOf(moved, "right")];
  assert.notEqual(a.cx, c.cx);
  near(d.cx - c.cx, b.cx - a.cx);
  near(d.cy - c.cy, b.cy - a.cy);
  near(d.scale / c.scale, b.scale / a.scale);
  assert.deepEqual(boxes(fitted(moved)), boxes(view));
  assert.ok(!hasOffset(fitted(moved)));
});

// Numbers in [0, 1) that are the same in every run.
function drawer(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

function randomStep(draw, now) {
  const side = draw() < 0.5 ? "left" : "right";
  const at = { x: (draw() - 0.5) * 800, y: (draw() - 0.5) * 600 };
  const steps = [
    () => zoomed(now, side, at, wheelFactor({ deltaY: (draw() - 0.5) * 600, deltaMode: 0, ctrlKey: draw() < 0.3 })),
    () => panned(now, side, { x: (draw() - 0.5) * 900, y: (draw() - 0.5) * 900 }),
    () => toggled(now, side, at),
    () => placed(now, side, pointAt(now, side, at), { x: -at.y, y: at.x }, cameraOf(now, side).scale * (0.5 + draw())),
    () => resized(now, { width: 300 + 900 * draw(), height: 200 + 600 * draw() }, 1),
    () => actualSize(now, side),
  ];
  return steps[Math.floor(draw() * steps.length)]();
}

test("whatever is done, linked panes show the same", () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const draw = drawer(seed);
    let now = view;
    for (let step = 0; step < 200; step += 1) {
      now = randomStep(draw, now);
      const [left, right] = boxes(now);
      assert.equal(left, right);
      const { cx, cy, scale } = now.left;
      assert.ok(cx >= 0 && cx <= 4000 && cy >= 0 && cy <= 3000 && scale <= MOST);
      assert.ok(scale >= Math.min(fitScale(now), 1) * 0.999);
    }
  }
});

test("whatever is done, a kept offset stays, and both cameras stay within their limits", () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const draw = drawer(seed);
    let now = linked(view, false);
    for (let step = 0; step < 5; step += 1) now = randomStep(draw, now);
    now = linked(now, true);
    const { dx, dy, ratio } = now.offset;
    for (let step = 0; step < 100; step += 1) {
      now = randomStep(draw, now);
      const [left, right] = ["left", "right"].map((side) => cameraOf(now, side));
      near(right.cx - left.cx, dx);
      near(right.cy - left.cy, dy);
      near(right.scale / left.scale, ratio);
      for (const { cx, cy } of [left, right]) {
        assert.ok(cx >= -1e-6 && cx <= 4000 + 1e-6 && cy >= -1e-6 && cy <= 3000 + 1e-6);
      }
    }
  }
});

test("unlinked, only one camera moves", () => {
  const draw = drawer(9);
  let now = linked(view, false);
  for (let step = 0; step < 50; step += 1) {
    const next = zoomed(now, "left", { x: draw() * 200, y: draw() * 200 }, 0.6 + draw());
    near(cameraOf(next, "right").scale, 0.2);
    near(cameraOf(next, "right").cx, 2000);
    now = next;
  }
});

test("a pane of another size: a whole image stays whole, a close look stays where it is", () => {
  const pane = { width: 400, height: 600 };
  assert.equal(viewBoxOf(resized(view, pane, 1), "right"), "0 -1500 4000 6000");
  const close = zoomed(view, "left", { x: 100, y: 100 }, 4);
  assert.deepEqual(resized(close, pane, 1).left, close.left);
  const grown = resized(zoomed(view, "left", MIDDLE, 1.2), { width: 1600, height: 1200 }, 1);
  assert.equal(grown.left.scale, 0.4);
});

test("a mouse's notch is 1.2 in every browser, a trackpad's step in proportion", () => {
  near(wheelFactor({ deltaY: -100, deltaMode: 0 }), 1.2);
  near(wheelFactor({ deltaY: 3, deltaMode: 1 }), 1 / 1.2);
  near(wheelFactor({ deltaY: -120, deltaMode: 0, wheelDeltaY: 120 }), 1.2);
  near(wheelFactor({ deltaY: 240, deltaMode: 0, wheelDeltaY: -240 }), 1 / 1.44);
  near(wheelFactor({ deltaY: -10, deltaMode: 0, wheelDeltaY: 30 }), 1.2 ** 0.1);
  near(wheelFactor({ deltaY: 0, deltaMode: 0 }), 1);
});

test("fingers on a trackpad (a wheel with Ctrl) pinch; Ctrl and a mouse's wheel are a notch", () => {
  near(wheelFactor({ deltaY: -10, deltaMode: 0, ctrlKey: true, wheelDeltaY: 12 }), Math.exp(0.1));
  near(wheelFactor({ deltaY: -120, deltaMode: 0, ctrlKey: true, wheelDeltaY: 120 }), 1.2);
});

test("two fingers pinch and pan at once; one only pans", () => {
  const two = pinchOf([{ x: 0, y: 0 }, { x: 100, y: 0 }], [{ x: 0, y: 20 }, { x: 200, y: 20 }]);
  assert.deepEqual(two, { from: { x: 50, y: 0 }, to: { x: 100, y: 20 }, factor: 2 });
  assert.equal(pinchOf([{ x: 5, y: 5 }], [{ x: 9, y: 5 }]).factor, 1);
});

test("pixels show from 300 %, the overview beyond twice the fit", () => {
  const at = (scale) => placed(view, "left", { x: 2000, y: 1500 }, MIDDLE, scale);
  assert.deepEqual([2.9, 3].map((scale) => isPixelated(at(scale), "right")), [false, true]);
  assert.deepEqual([0.4, 0.5].map((scale) => needsOverview(at(scale), "left")), [false, true]);
  assert.deepEqual([0.2, 0.3].map((scale) => isZoomed(at(scale))), [false, true]);
});

test("t24 what is framed is in sight, and a small thing not nearer than 400 %", () => {
  const view = createView({ width: 1280, height: 720 }, { width: 640, height: 360 });
  const wide = framed(view, "left", { left: 100, top: 100, right: 420, bottom: 200 }, 2);
  // 640 of 320 wide, with as much room again.
  assert.deepEqual(cameraOf(wide, "left"), { cx: 260, cy: 150, scale: 1 });
  assert.equal(cameraOf(framed(view, "left", { left: 100, top: 100, right: 110, bottom: 105 }, 2), "left").scale, 4);
  const { width } = frameOf(framed(view, "right", { left: 0, top: 0, right: 1280, bottom: 10 }, 1.06), "right");
  assert.equal(width, 1280, "no further away than the whole");
});

test("t35 a whole image has room for the boxes beyond its edges", () => {
  const view = createView({ width: 1000, height: 500, room: [0, 100] }, { width: 200, height: 140 });
  assert.equal(viewBoxOf(view, "left"), "0 -100 1000 700");
});
