// Which layout a window gets, of those that were measured.
import assert from "node:assert/strict";
import { test } from "node:test";

import { bestOf } from "../../static/js/judging/layout.js";

const PIXELS = 2000;
const measured = (scales) =>
  Object.entries(scales).map(([panes, scale]) => ({ panes, desk: "below", scale, width: scale * PIXELS }));
const panesOf = (scales, options) => bestOf(measured(scales), options).panes;

test("t37 a wide window shows both results side by side, whatever that costs", () => {
  const tiny = { beside: 0.1, stacked: 0.3, one: 0.9 };
  assert.equal(panesOf(tiny, { isWide: true }), "beside");
  assert.equal(panesOf(tiny, { isWide: true, wish: "both" }), "beside");
  assert.equal(panesOf(tiny, { isWide: true, wish: "one" }), "one");
});

test("t37 other windows show both from 480 px or 40 % of the photograph's width", () => {
  const of = (scale) => panesOf({ beside: 0.1, stacked: scale, one: 0.9 });
  assert.deepEqual([0.239, 0.24].map(of), ["one", "stacked"], "480 of 2000 px");
  const small = (scale) => bestOf([
    { panes: "beside", desk: "below", scale, width: 600 * scale },
    { panes: "one", desk: "below", scale: 0.9, width: 540 },
  ]).panes;
  assert.deepEqual([0.39, 0.4].map(small), ["one", "beside"], "240 of 600 px");
});

test("of two layouts that are as large, the first is taken", () => {
  const rows = { panes: "beside", desk: "rows", scale: 0.5, width: 1000 };
  const options = { isWide: true };
  assert.equal(bestOf([rows, { ...rows, desk: "below", scale: 0.509 }, { ...rows, panes: "one" }], options).desk, "rows");
  assert.equal(bestOf([rows, { ...rows, desk: "side", scale: 0.52 }, { ...rows, panes: "one" }], options).desk, "side");
});
