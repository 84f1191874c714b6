// Questions of which the last one counts, and words.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createLatest } from "../../static/js/guide/latest.js";
import { sayBox } from "../../static/js/guide/words.js";

const rest = () => new Promise((resolve) => setTimeout(resolve));

test("one question is under way at a time, and of those that wait the last is asked", async () => {
  const asked = [];
  const answers = [];
  const open = [];
  const latest = createLatest(
    (question) => {
      asked.push(question);
      return new Promise((resolve) => open.push(resolve));
    },
    { onAnswer: (answer) => answers.push(answer), onTrouble: assert.fail },
  );
  for (const question of [1, 2, 3, 4]) latest.ask(question);
  assert.deepEqual(asked, [1]);
  open[0]("first");
  await rest();
  assert.deepEqual(asked, [1, 4]);
  open[1]("last");
  await rest();
  assert.deepEqual(answers, ["first", "last"]);
  assert.deepEqual(asked, [1, 4]);
});

test("after trouble the question that waits is still asked", async () => {
  const troubles = [];
  const answers = [];
  const latest = createLatest(
    async (question) => {
      if (question === 1) throw new Error("away");
      return question;
    },
    { onAnswer: (answer) => answers.push(answer), onTrouble: ({ message }) => troubles.push(message) },
  );
  latest.ask(1);
  latest.ask(2);
  await rest();
  assert.deepEqual([troubles, answers], [["away"], [2]]);
});

test("a box is described in words", () => {
  const box = { left: 1, top: 2, right: 11, bottom: 22, text: "a", confidence: 50 };
  assert.equal(
    sayBox("detections", 0, box, "matched"),
    "Detection D1, “a”, left 1, top 2, 10 by 20, confidence 0.50, matched",
  );
});
