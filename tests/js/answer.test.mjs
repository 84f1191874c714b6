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
  assert.deepEqual(
    sameForAll({ recall: "", precision: "equal", preference: "" }, open),
    { recall: "equal", precision: "equal", preference: "equal" },
  );
  assert.deepEqual(
    sameForAll({ recall: "left", precision: "right", preference: "" }, open),
    { recall: "left", precision: "right", preference: "left" },
  );
});

test("same for all leaves implied criteria out and does nothing without an answer", () => {
  assert.deepEqual(sameForAll({ recall: "left", preference: "" }, ["recall", "preference"]), {
    recall: "left",
    preference: "left",
  });
  assert.deepEqual(sameForAll({ recall: "", preference: "" }, ["recall", "preference"]), {
    recall: "",
    preference: "",
  });
});

test("only open answers are sent, and nothing is disputed by itself", () => {
  assert.deepEqual(fieldsOf({ recall: "left", precision: "equal" }, { preference: "left" }), {
    recall: "left",
    precision: "equal",
    preference: "",
    disputed: "",
  });
});

test("what is answered against what follows is sent as disputed", () => {
  const follows = { recall: "left", preference: "equal" };
  assert.deepEqual(fieldsOf({ recall: "right", precision: "left", preference: "left" }, follows), {
    recall: "right",
    precision: "left",
    preference: "left",
    disputed: "recall,preference",
  });
});

test("who opens what follows and answers the same disputes nothing", () => {
  assert.deepEqual(fieldsOf({ recall: "left", precision: "left", preference: "left" }, { recall: "left" }), {
    recall: "",
    precision: "left",
    preference: "left",
    disputed: "",
  });
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
