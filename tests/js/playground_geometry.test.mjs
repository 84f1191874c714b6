// Boxes of the playground: moved, resized and typed, they stay on the stage.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  frameOf,
  fresh,
  fromNumbers,
  HANDLES,
  moved,
  pointOf,
  resized,
  textSize,
} from "../../static/js/guide/geometry.js";

const LIMITS = { width: 1000, height: 600, minSide: 4 };
// Frozen: a function that changed it would throw.
const BOX = Object.freeze({ left: 100, top: 100, right: 200, bottom: 140, text: "word" });
const rect = ({ left, top, right, bottom }) => [left, top, right, bottom];

test("a box is moved by whole units and keeps what it carries", () => {
  assert.deepEqual(moved(BOX, 10.4, -20.6, LIMITS), {
    left: 110,
    top: 79,
    right: 210,
    bottom: 119,
    text: "word",
  });
});

test("a box that is pushed against the edge keeps its size", () => {
  assert.deepEqual(rect(moved(BOX, -500, -500, LIMITS)), [0, 0, 100, 40]);
  assert.deepEqual(rect(moved(BOX, 5000, 5000, LIMITS)), [900, 560, 1000, 600]);
});

test("each handle moves its own sides and leaves the opposite ones", () => {
  const sides = { w: 0, n: 1, e: 2, s: 3 };
  for (const handle of HANDLES) {
    const after = rect(resized(BOX, handle, 7, 9, LIMITS));
    rect(BOX).forEach((before, at) => {
      const isOwn = [...handle].some((side) => sides[side] === at);
      assert.equal(after[at], before + (isOwn ? (at % 2 ? 9 : 7) : 0), handle);
    });
  }
});

test("a box never gets smaller than the smallest side, nor leaves the stage", () => {
  for (const handle of HANDLES) {
    for (const [dx, dy] of [[9999, 9999], [-9999, -9999], [9999, -9999], [-9999, 9999]]) {
      const [left, top, right, bottom] = rect(resized(BOX, handle, dx, dy, LIMITS));
      assert.ok(left >= 0 && top >= 0 && right <= 1000 && bottom <= 600, handle);
      assert.ok(right - left >= 4 && bottom - top >= 4, handle);
    }
  }
});

test("typed numbers are taken when they describe a box on the stage", () => {
  const typed = fromNumbers(BOX, { left: 0, top: 0, width: 1000, height: 600 }, LIMITS);
  assert.deepEqual(rect(typed), [0, 0, 1000, 600]);
  for (const wrong of [{ left: -1 }, { left: 901 }, { top: 561 }, { width: 3 }, { height: NaN }, { left: 0.5 }]) {
    const numbers = { left: 100, top: 100, width: 100, height: 40, ...wrong };
    assert.equal(fromNumbers(BOX, numbers, LIMITS), null, JSON.stringify(wrong));
  }
});

test("sixty new boxes lie on the stage, neighbours at different places", () => {
  const places = Array.from({ length: 60 }, (_, nth) => rect(fresh(nth)));
  for (const [left, top, right, bottom] of places) {
    assert.ok(left >= 0 && top >= 0 && right <= 1000 && bottom <= 600);
  }
  places.slice(1).forEach((place, at) => assert.notDeepEqual(place, places[at]));
});

test("the handles of a small box stand apart, those of a large one on its corners", () => {
  const small = { left: 100, top: 100, right: 110, bottom: 110 };
  assert.deepEqual(rect(frameOf(small, 30)), [90, 90, 120, 120]);
  assert.deepEqual(rect(frameOf(BOX, 30)), rect(BOX));
  assert.deepEqual(pointOf("nw", BOX), { x: 100, y: 100 });
  assert.deepEqual(pointOf("e", BOX), { x: 200, y: 120 });
});

test("a text fits into its box in both directions", () => {
  assert.equal(textSize({ ...BOX, text: "a" }), 24.8);
  assert.equal(textSize({ ...BOX, text: "abcdefghijklmnopqrst" }), 8.1);
  assert.ok(Number.isFinite(textSize({ ...BOX, text: "" })));
});
