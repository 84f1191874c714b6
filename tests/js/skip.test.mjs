import assert from "node:assert/strict";
import { test } from "node:test";

import { numberOf } from "../../static/js/judging/skip.js";

test("digits of both blocks choose a reason, whatever the layout prints on them", () => {
  assert.equal(numberOf({ code: "Digit1" }), 1);
  assert.equal(numberOf({ code: "Numpad5" }), 5);
});

test("other keys choose none", () => {
  for (const code of ["KeyA", "NumpadAdd", "F1", "Enter", ""]) assert.equal(numberOf({ code }), 0);
});
