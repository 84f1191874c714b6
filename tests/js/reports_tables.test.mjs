// Filtering and the steps of a slider: what the pages of reports work out by themselves.
import assert from "node:assert/strict";
import { test } from "node:test";

import { isFound } from "../../static/js/reports/filter.js";
import { stepOf } from "../../static/js/reports/thresholds.js";

test("a row stays when every word occurs in it, whatever the case", () => {
  assert.equal(isFound("img_12  a > b = c", "B IMG"), true);
  assert.equal(isFound("img_12  a > b = c", "img_13"), false);
  assert.equal(isFound("img_12", ""), true);
});

test("a slider has about a hundred steps, each a round number", () => {
  assert.equal(stepOf(1), 0.01);
  assert.equal(stepOf(100), 1);
  assert.equal(stepOf(0.5), 0.01);
});
