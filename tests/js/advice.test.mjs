// Advice between two pairs, taps, and what is remembered.
import assert from "node:assert/strict";
import { test } from "node:test";

import { advise } from "../../static/js/judging/advice.js";
import { createTaps } from "../../static/js/judging/hands.js";
import { createHaste } from "../../static/js/judging/haste.js";
import { createMemory } from "../../static/js/judging/panes.js";

const LARGE = { imageKey: () => "large", nPixels: () => 5_000_000 };

test("a hasty answer is remarked on once an image", () => {
  let time = 0;
  const haste = createHaste(LARGE, () => time);
  time = 1000;
  assert.equal(haste.isNew(false), true);
  assert.equal(haste.isNew(false), false);
});

test("who zoomed, or took two seconds, was not hasty; the time begins with the pair", () => {
  let time = 0;
  const haste = createHaste(LARGE, () => time);
  assert.equal(haste.isNew(true), false);
  time = 2000;
  assert.equal(haste.isNew(false), false);
  haste.restart();
  time = 3000;
  assert.equal(haste.isNew(false), true);
});

function adviceFor(isBreakDue) {
  const shown = [];
  const page = {
    payload: { message: "Saved." },
    pause: { start() {} },
    messages: { hide() {}, dismiss() {}, say() {}, show: (words, choices) => shown.push([words, choices.length]) },
  };
  advise(page, isBreakDue);
  return shown;
}

test("a break goes before a closer look", () => {
  assert.match(adviceFor(true)[0][0], /short break/);
  assert.equal(adviceFor(true)[0][1], 2);
  assert.match(adviceFor(false)[0][0], /Zoom/);
});

test("two short taps near each other are a double tap, and a third begins anew", () => {
  const taps = createTaps();
  const tap = (x, time) => {
    taps.begin({ x, y: 0 }, time);
    return taps.end(time + 50);
  };
  assert.equal(tap(0, 0), null);
  assert.deepEqual(tap(10, 200), { x: 10, y: 0 });
  assert.equal(tap(10, 400), null);
});

test("what is far apart, late, long or dragged is no double tap", () => {
  const second = (x, time, { length = 50, drag = 0 } = {}) => {
    const taps = createTaps();
    taps.begin({ x: 0, y: 0 }, 0);
    taps.end(50);
    taps.begin({ x, y: 0 }, time);
    taps.move({ x: x + drag, y: 0 });
    return taps.end(time + length);
  };
  assert.deepEqual(second(0, 200), { x: 0, y: 0 });
  assert.equal(second(40, 200), null);
  assert.equal(second(0, 600), null);
  assert.equal(second(0, 100, { length: 400 }), null);
  assert.equal(second(0, 200, { drag: 10 }), null);
});

test("the oldest is forgotten when there is no more room; what is set again is new", () => {
  const memory = createMemory(2);
  for (const [key, value] of [["a", 1], ["b", 2], ["a", 3], ["c", 4]]) memory.set(key, value);
  assert.deepEqual(["a", "b", "c"].map(memory.get), [3, undefined, 4]);
});
