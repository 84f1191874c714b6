// What the panes draw and the view tools count, without a page.
import assert from "node:assert/strict";
import { test } from "node:test";

import { isHasty } from "../../static/js/judging/advice.js";
import { createPacer } from "../../static/js/judging/blink.js";
import { rowOf } from "../../static/js/judging/box_list.js";
import { boxAt, crossesOf, shapeOf } from "../../static/js/judging/boxes.js";
import { isTwin, twinsOf } from "../../static/js/judging/differences.js";
import { viewActionOf } from "../../static/js/judging/keys.js";
import { firstAids, mayHave, resultOf } from "../../static/js/judging/panes.js";
import { createTally } from "../../static/js/judging/view_tools.js";

const box = (left, top, right, bottom) => shapeOf(`${left},${top} ${right},${top} ${right},${bottom} ${left},${bottom}`);
const press = (key, code, held = {}) =>
  viewActionOf({ key, code, ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, ...held });

test("a box under the hand is the smallest one there", () => {
  const boxes = [box(0, 0, 100, 100), box(10, 10, 40, 40), box(20, 20, 90, 90)];
  assert.equal(boxAt(boxes, { x: 25, y: 25 }), 1);
  assert.equal(boxAt(boxes, { x: 60, y: 60 }), 2);
  assert.equal(boxAt(boxes, { x: 5, y: 95 }), 0);
  assert.equal(boxAt(boxes, { x: 101, y: 50 }), -1);
  assert.equal(boxAt([], { x: 0, y: 0 }), -1);
});

test("a slanted box is not found in the corners around it; a tiny one is found beside it", () => {
  const slanted = shapeOf("50,0 100,50 50,100 0,50");
  assert.equal(boxAt([slanted], { x: 5, y: 5 }), -1);
  assert.equal(boxAt([slanted], { x: 50, y: 50 }), 0);
  assert.equal(boxAt([box(10, 10, 12, 12)], { x: 15, y: 11 }, 4), 0);
});

test("twins have every corner within one pixel, wherever they begin and whichever way they run", () => {
  const one = box(10, 10, 50, 30);
  assert.ok(isTwin(one, box(10, 10, 50, 30)));
  assert.ok(isTwin(one, box(9, 11, 51, 30)));
  assert.ok(!isTwin(one, box(10, 10, 51.1, 30)));
  assert.ok(isTwin(one, shapeOf("50,30 10,30 10,10 50,10")));
  assert.ok(isTwin(one, shapeOf("10,30 50,30 50,10 10,10")));
  assert.ok(!isTwin(one, shapeOf("10,10 50,10 50,30 10,30 10,20")));
  assert.ok(!isTwin(shapeOf("0,0 10,0 10,10 0,10"), shapeOf("5,0 10,5 5,10 0,5")));
});

test("each side knows which of its boxes the other has", () => {
  const left = [box(0, 0, 10, 10), box(20, 0, 30, 10)];
  const right = [box(20.5, 0, 30, 10), box(50, 0, 60, 10), box(20, 0, 30, 11)];
  assert.deepEqual(twinsOf(left, right), [false, true]);
  assert.deepEqual(twinsOf(right, left), [true, false, true]);
  assert.deepEqual(twinsOf(left, []), [false, false]);
  assert.deepEqual(twinsOf([], right), []);
});

test("the list tells position and size", () => {
  assert.deepEqual(rowOf(box(10, 20, 40.25, 30)), ["10", "20", "30.3", "10"]);
});

test("a cross lies on the centre", () => {
  assert.equal(crossesOf([box(0, 0, 20, 10)], 2), "M8,3l4,4M8,7l4,-4");
  assert.equal(crossesOf([], 2), "");
});

test("a side is an id among the image's results, or the result itself", () => {
  const result = { polygons: ["0,0 1,0 1,1"], label: "1 box" };
  assert.deepEqual(resultOf({ left: "x" }, { results: { x: result } }, "left"), { id: "x", ...result });
  assert.deepEqual(resultOf({ left: result }, {}, "left"), { id: "left", ...result });
});

test("ground truth is never had, had on request, or there from the start", () => {
  const image = { truth: { polygons: [], ignored: [] }, matches: null };
  const settings = (ground_truth) => ({ ground_truth, match_colours: "IOU" });
  assert.deepEqual(["never", "request", "always"].map((word) => mayHave("ground_truth", settings(word), image)), [false, true, false]);
  assert.deepEqual([...firstAids("always")], ["ground_truth"]);
  assert.deepEqual([...firstAids("request")], []);
  assert.ok(!mayHave("ground_truth", settings("request"), { truth: null }));
  assert.ok(!mayHave("match_colours", settings("request"), image));
  assert.ok(!mayHave("match_colours", { match_colours: "" }, { matches: {} }));
  assert.ok(mayHave("differences", {}, image));
});

test("the keys of looking", () => {
  const plain = { f: "fit", 0: "fit", "+": "zoom_in", "=": "zoom_in", "-": "zoom_out", g: "ground_truth" };
  const letters = { m: "match_colours", v: "differences", l: "link", b: "blink" };
  for (const [key, name] of Object.entries({ ...plain, ...letters })) assert.equal(press(key, "").name, name);
  assert.equal(press(" ", "Space").name, "boxes_hidden");
  assert.equal(press("B", "KeyB", { shiftKey: true }).name, "auto_blink");
  assert.equal(press("+", "Equal", { shiftKey: true }).name, "zoom_in");
  assert.deepEqual(press("ArrowRight", "ArrowRight", { shiftKey: true }), { name: "pan", by: { x: -64, y: 0 } });
});

test("other keys, and keys with Ctrl, Alt or Meta, are left alone", () => {
  assert.equal(press("ArrowRight", "ArrowRight"), null);
  assert.equal(press("1", "Digit1"), null);
  assert.equal(press("G", "KeyG", { shiftKey: true }), null);
  for (const held of ["ctrlKey", "altKey", "metaKey"]) {
    assert.equal(press("f", "KeyF", { [held]: true }), null);
    assert.equal(press("0", "Digit0", { [held]: true }), null);
  }
});

test("on a layout without Latin letters keys go by their place", () => {
  assert.equal(press("п", "KeyG").name, "ground_truth");
});

test("seconds count while a name is on, and not while the page is hidden", () => {
  let time = 0;
  const tally = createTally(() => time);
  const after = (seconds) => (time += seconds * 1000);
  tally.set(["zoomed"]);
  after(2);
  tally.set(["zoomed", "blink"]);
  after(1);
  tally.pause(true);
  after(100);
  tally.pause(false);
  tally.set([]);
  after(50);
  assert.deepEqual(tally.seconds(), { zoomed: 3, blink: 1 });
});

test("a new pair counts from nothing, what is still on goes on, and the shortest look is a tenth", () => {
  let time = 0;
  const tally = createTally(() => time);
  tally.set(["zoomed"]);
  time = 5000;
  tally.restart();
  assert.deepEqual(tally.seconds(), {});
  time = 5010;
  assert.deepEqual(tally.seconds(), { zoomed: 0.1 });
});

test("never more than three changes a second, and the last wish counts", () => {
  let time = 0;
  const due = [];
  const changes = [];
  const pacer = createPacer((on) => changes.push([time, on]), {
    now: () => time,
    later: (action, wait) => due.push({ at: time + wait, action }),
  });
  for (time = 0; time < 3000; time += 10) {
    for (const each of due.splice(0)) {
      if (each.at <= time) each.action();
      else due.push(each);
    }
    if (time % 50 === 0) pacer.want((time / 50) % 2 === 0);
  }
  const times = changes.map(([at]) => at);
  assert.ok(times.length >= 3);
  times.slice(1).forEach((at, index) => assert.ok(at - times[index] >= 334));
  changes.forEach(([, on], index) => assert.equal(on, index % 2 === 0));
});

test("a quick answer on a large image that nobody enlarged was hasty", () => {
  const hasty = { seconds: 1.9, nPixels: 4_000_001, wasZoomed: false };
  assert.ok(isHasty(hasty));
  assert.ok(!isHasty({ ...hasty, seconds: 2 }));
  assert.ok(!isHasty({ ...hasty, nPixels: 4_000_000 }));
  assert.ok(!isHasty({ ...hasty, wasZoomed: true }));
});
