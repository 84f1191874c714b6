// What the panes draw and the view tools count, without a page.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createPacer } from "../../static/js/judging/blink.js";
import { rowOf } from "../../static/js/judging/box_list.js";
import { boxAt, crossesOf } from "../../static/js/judging/aim.js";
import { extentOf, grown, heightOf, shapeOf } from "../../static/js/judging/boxes.js";
import { iouOf, placesOf, twinsOf } from "../../static/js/judging/differences.js";
import { isHasty } from "../../static/js/judging/haste.js";
import { viewActionOf } from "../../static/js/judging/keys.js";
import { firstAids, mayHave, resultOf } from "../../static/js/judging/panes.js";
import { createTally } from "../../static/js/judging/tally.js";

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

test("t25 the overlap of polygons is what geometry says", () => {
  const near = (found, expected) => assert.ok(Math.abs(found - expected) < 1e-9, `${found}, not ${expected}`);
  near(iouOf(box(0, 0, 10, 10), box(0, 0, 10, 10)), 1);
  // 50 of 150.
  near(iouOf(box(0, 0, 10, 10), box(5, 0, 15, 10)), 1 / 3);
  assert.equal(iouOf(box(0, 0, 10, 10), box(10, 0, 20, 10)), 0);
  // A diamond of 50 inside a square of 100, whichever way its corners run.
  near(iouOf(box(0, 0, 10, 10), shapeOf("5,0 10,5 5,10 0,5")), 0.5);
  near(iouOf(shapeOf("0,5 5,10 10,5 5,0"), box(0, 0, 10, 10)), 0.5);
  // An L of 75 (not convex) with the square of 25 it leaves out, and with half of it.
  const bent = shapeOf("0,0 10,0 10,5 5,5 5,10 0,10");
  assert.equal(iouOf(bent, box(5, 5, 10, 10)), 0);
  near(iouOf(bent, box(0, 0, 10, 10)), 0.75);
  near(iouOf(bent, box(0, 0, 5, 10)), 50 / 75);
  assert.equal(iouOf(box(0, 0, 0, 10), box(0, 0, 0, 10)), 0, "no area, no overlap");
});

test("t25 twins are one-to-one, the greatest overlap first", () => {
  const left = [box(0, 0, 100, 10), box(200, 0, 300, 10)];
  // 0.8 and 0.9 of the first of the left; 0.69 of the second.
  const right = [box(0, 0, 80, 10), box(0, 0, 90, 10), box(200, 0, 269, 10)];
  const pairs = (...given) => twinsOf(...given).map(({ one, other }) => [one, other]);
  assert.deepEqual(pairs(left, right), [[0, 1]], "the other near one has no partner left");
  assert.deepEqual(pairs(left, right, 0.69), [[0, 1], [1, 2]], "the bound itself counts");
  assert.deepEqual(pairs(left, right, 0.95), []);
  assert.deepEqual(pairs(right, left), [[1, 0]], "the same from the other side");
  // The best pair may leave two others alone; what is left is paired again.
  const row = [box(0, 0, 100, 10), box(10, 0, 110, 10)];
  const shifted = [box(9, 0, 109, 10), box(20, 0, 120, 10)];
  assert.deepEqual(pairs(row, shifted), [[1, 0]]);
  assert.deepEqual(pairs(row, shifted, 0.6), [[1, 0], [0, 1]]);
  assert.deepEqual(pairs(left, []), []);
});

test("t24 places of difference: what lies in one another together, in the order of reading", () => {
  const found = placesOf([box(200, 2, 260, 12), box(0, 0, 50, 10), box(205, 0, 255, 11), box(0, 40, 20, 50)]);
  assert.deepEqual(
    found.map(({ left, top, right, bottom }) => [left, top, right, bottom]),
    [
      [0, 0, 50, 10],
      [200, 0, 260, 12],
      [0, 40, 20, 50],
    ],
  );
  assert.deepEqual(placesOf([]), []);
});

test("t24 a box is as high as its short way across, whichever way it is turned", () => {
  assert.equal(heightOf(box(0, 0, 100, 12)), 12);
  assert.equal(heightOf(box(0, 0, 12, 100)), 12);
  // A square of 50 on its corner is 50 / sqrt(2) high.
  assert.ok(Math.abs(heightOf(shapeOf("50,0 100,50 50,100 0,50")) - 100 / Math.SQRT2) < 1e-9);
  assert.equal(heightOf(box(5, 5, 5, 5)), 1, "a line is still drawn");
  assert.equal(extentOf([]), null);
  const { left, top, right, bottom } = extentOf([box(5, 1, 9, 2), box(1, 3, 4, 8)]);
  assert.deepEqual([left, top, right, bottom], [1, 1, 9, 8]);
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
  assert.deepEqual([...firstAids({ ground_truth: "always", place_list: "always" }, {})], ["ground_truth", "place_list"]);
  assert.deepEqual([...firstAids({ ground_truth: "always" }, null)], []);
  assert.deepEqual([...firstAids({ ground_truth: "request", place_list: "never" }, {})], []);
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

test("t35 a box grows by as much at each edge, whichever way its corners run", () => {
  assert.equal(grown(box(10, 10, 20, 14), 1.5), "8.5,8.5 21.5,8.5 21.5,15.5 8.5,15.5");
  assert.equal(grown(shapeOf("10,10 10,14 20,14 20,10"), 1.5), "8.5,8.5 8.5,15.5 21.5,15.5 21.5,8.5");
  // A diamond: its edges move by sqrt(2), so its corners by 2.
  assert.equal(grown(shapeOf("5,0 10,5 5,10 0,5"), Math.SQRT2), "5,-2 12,5 5,12 -2,5");
  assert.equal(grown(shapeOf("0,0 0,0 10,0 10,10 0,10 0,0"), 1), "-1,-1 11,-1 11,11 -1,11", "a corner twice");
  // The corner of a needle would move by 1000; it moves twice as far as its edges at most.
  const far = grown(shapeOf("0,0 1000,-1 1000,1"), 1).split(" ").map((pair) => pair.split(",").map(Number));
  assert.ok(Math.hypot(...far[0]) <= 4, far[0]);
  assert.equal(grown(shapeOf("3,4 3,4 3,4"), 1), "3,4 3,4 3,4", "a point stays");
});
