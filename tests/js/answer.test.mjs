// Answers: chosen by arrows, copied, filled in, disputed, confirmed by themselves.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createAdvance } from "../../static/js/judging/confirm.js";
import { fieldsOf } from "../../static/js/judging/answer.js";
import { sameForAll, step } from "../../static/js/judging/questions.js";

test("without an answer an arrow chooses the side it points to", () => {
  assert.equal(step("", -1), "left");
  assert.equal(step("", 1), "right");
});

test("arrows go through equal and stop at the ends", () => {
  assert.equal(step("left", 1), "equal");
  assert.equal(step("equal", 1), "right");
  assert.equal(step("right", 1), "right");
  assert.equal(step("right", -1), "equal");
  assert.equal(step("left", -1), "left");
});

test("same for all copies the first answer to the open criteria that have none", () => {
  const open = ["recall", "precision", "preference"];
  const answers = [
    [["", "equal", ""], ["equal", "equal", "equal"]],
    [["left", "right", ""], ["left", "right", "left"]],
    [["", "", ""], ["", "", ""]],
    // One that follows is left out.
    [["left", null, ""], ["left", null, "left"]],
  ];
  for (const [before, after] of answers) {
    const named = (values) => Object.fromEntries(open.map((name, at) => [name, values[at]]).filter(([, value]) => value !== null));
    assert.deepEqual(sameForAll(named(before), open.filter((_, at) => before[at] !== null)), named(after));
  }
});

test("open answers are sent, and one against what follows is disputed, unless it is the same", () => {
  const cases = [
    [["left", "equal", undefined], { preference: "left" }, ["left", "equal", "", ""]],
    [["right", "left", "left"], { recall: "left", preference: "equal" }, ["right", "left", "left", "recall,preference"]],
    [["left", "left", "left"], { recall: "left" }, ["", "left", "left", ""]],
  ];
  for (const [[recall, precision, preference], follows, sent] of cases) {
    const fields = fieldsOf({ recall, precision, ...(preference && { preference }) }, follows);
    assert.deepEqual(["recall", "precision", "preference", "disputed"].map((name) => fields[name]), sent);
    assert.equal(Object.keys(fields).length, 4);
  }
});

function advanceWith() {
  const asked = [];
  const button = { shown: false, toggleAttribute(_, isOn) { this.shown = isOn; } };
  const timers = {
    setTimeout: (act, after) => asked.push({ act, after }),
    clearTimeout: (nth) => nth && (asked[nth - 1].act = () => {}),
  };
  let n_confirmed = 0;
  const advance = createAdvance(button, { after: 700, onTime: () => (n_confirmed += 1), timers });
  return { advance, asked, button, n: () => n_confirmed };
}

test("advancing by itself confirms once, after its time, and shows that it will", () => {
  const { advance, asked, button, n } = advanceWith();
  advance(true);
  assert.deepEqual([asked[0].after, button.shown, n()], [700, true, 0]);
  asked[0].act();
  assert.deepEqual([button.shown, n()], [false, 1]);
});

test("advancing by itself is stopped, and begins anew with another answer", () => {
  const { advance, asked, button, n } = advanceWith();
  advance(true);
  advance(false);
  asked[0].act();
  assert.deepEqual([button.shown, n()], [false, 0]);
  advance(true);
  advance(true);
  asked.forEach(({ act }) => act());
  assert.equal(n(), 1);
});
