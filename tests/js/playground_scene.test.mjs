// The scene of the playground under change, and what is typed into the form of a box.
import assert from "node:assert/strict";
import { test } from "node:test";

import { queryOf } from "../../static/js/guide/address.js";
import { valuesOf } from "../../static/js/guide/box_form.js";
import { added, boxOf, changed, removed, typed } from "../../static/js/guide/scene.js";

const LIMITS = { width: 1000, height: 600, minSide: 4, maxBoxes: 60, maxText: 40, maxLine: 99 };
const BOX = { left: 10, top: 20, right: 110, bottom: 60, text: "word", line: 0, ignored: false, confidence: null };
const SCENE = { truth: [BOX, { ...BOX, text: "two" }], detections: [{ ...BOX, confidence: 90 }] };

test("a box is found by its name, and none where there is none", () => {
  assert.equal(boxOf(SCENE, "t1").text, "two");
  assert.equal(boxOf(SCENE, "d0").confidence, 90);
  assert.equal(boxOf(SCENE, "d1"), null);
  assert.equal(boxOf(SCENE, null), null);
});

test("every change is a new scene, and the other boxes stay", () => {
  const before = structuredClone(SCENE);
  const next = changed(SCENE, "t0", { ...BOX, left: 0 });
  assert.equal(next.truth[0].left, 0);
  assert.equal(next.truth[1], SCENE.truth[1]);
  assert.deepEqual(SCENE, before);
});

test("a new box is its side's last; a detection begins with a confidence", () => {
  assert.equal(added(SCENE, "truth").truth.length, 3);
  assert.equal(added(SCENE, "truth").truth[2].confidence, null);
  assert.equal(added(SCENE, "detections").detections[1].confidence, 90);
});

test("after a box is deleted the next one is selected, else the last, else none", () => {
  assert.equal(removed(SCENE, "t0").next, "t0");
  assert.equal(removed(SCENE, "t1").next, "t0");
  assert.equal(removed(SCENE, "d0").next, null);
  assert.deepEqual(removed(SCENE, "t0").scene.truth, [SCENE.truth[1]]);
});

test("what is typed is taken where it describes a box", () => {
  const values = { left: 10, top: 20, width: 100, height: 40, text: " new ", line: "7", confidence: "0.5", ignored: true };
  const after = (field, more = {}) => typed(BOX, field, { ...values, ...more }, LIMITS);
  assert.equal(after("text").text, "new");
  assert.equal(after("text", { text: "a".repeat(41) }), null);
  assert.equal(after("line").line, 7);
  assert.equal(after("line", { line: "100" }), null);
  assert.equal(after("line", { line: "1.5" }), null);
  assert.equal(after("confidence").confidence, 50);
  assert.equal(after("confidence", { confidence: "" }).confidence, null);
  assert.equal(after("confidence", { confidence: "1.01" }), null);
  assert.equal(after("ignored").ignored, true);
  assert.equal(after("width", { width: 50 }).right, 60);
  assert.equal(after("width", { width: 3 }), null);
  assert.equal(after("left", { left: NaN }), null);
});

test("the form shows position and size, and the confidence with two decimals", () => {
  const { width, height, confidence } = valuesOf(SCENE.detections[0]);
  assert.deepEqual([width, height, confidence], [100, 40, "0.90"]);
  assert.equal(valuesOf(BOX).confidence, "");
});

test("an address names its protocol, unless the page is about one", () => {
  const empty = { truth: [], detections: [] };
  assert.equal(queryOf(empty, "a b", ""), "?protocol=a%20b&scene=1");
  assert.equal(queryOf(empty, "iou", "iou"), "?scene=1");
});
