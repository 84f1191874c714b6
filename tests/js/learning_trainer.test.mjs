// The key trainer: what it asks, and how it counts.
import assert from "node:assert/strict";
import { test } from "node:test";

import { asked, begun, isOver, pressed, questionsOf, sayingOf, summary } from "../../static/js/learning/trainer.js";
import { leftOf } from "../../static/js/learning/ways.js";

const cell = (criterion, verdict) => ({ criterion, verdict });
const nameOf = ({ criterion, verdict }) => `${criterion}_${verdict}`;
const RECALL_LEFT = cell("recall", "left");
const PRECISION_EQUAL = cell("precision", "equal");

// A generator that repeats its numbers.
const drawing = (...numbers) => {
  let at = 0;
  return () => numbers[at++ % numbers.length];
};

test("every key is asked twice", () => {
  const counts = new Map();
  for (const question of questionsOf()) {
    counts.set(nameOf(question), (counts.get(nameOf(question)) ?? 0) + 1);
  }
  assert.equal(counts.size, 9);
  assert.deepEqual([...new Set(counts.values())], [2]);
});

for (const numbers of [[0], [0.999], [0.3, 0.9, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0.999]]) {
  test(`no key follows itself, drawn with ${numbers}`, () => {
    const questions = questionsOf(drawing(...numbers)).map(nameOf);
    assert.equal(questions.length, 18);
    for (let at = 1; at < questions.length; at += 1) assert.notEqual(questions[at], questions[at - 1]);
  });
}

test("a right key counts and brings the next question", () => {
  const run = pressed(begun([RECALL_LEFT, PRECISION_EQUAL]), RECALL_LEFT);
  assert.equal(run.nRight, 1);
  assert.deepEqual(asked(run), PRECISION_EQUAL);
});

test("a wrong key leaves the question, and the right one afterwards no longer counts", () => {
  const wrong = pressed(begun([RECALL_LEFT, PRECISION_EQUAL]), cell("recall", "right"));
  assert.deepEqual(asked(wrong), RECALL_LEFT);
  assert.equal(wrong.missed, true);
  const mended = pressed(wrong, RECALL_LEFT);
  assert.equal(mended.nRight, 0);
  assert.equal(mended.missed, false);
  assert.equal(pressed(mended, PRECISION_EQUAL).nRight, 1);
});

test("after the last question it is over, and keys do nothing", () => {
  const run = pressed(begun([RECALL_LEFT]), RECALL_LEFT);
  assert.equal(isOver(run), true);
  assert.equal(asked(run), null);
  assert.deepEqual(pressed(run, RECALL_LEFT), run);
});

test("it says how many were right first time", () => {
  const questions = [RECALL_LEFT, PRECISION_EQUAL];
  assert.equal(summary({ questions, nRight: 2 }), "All 2 right first time.");
  assert.equal(summary({ questions, nRight: 1 }), "1 of 2 right first time.");
});

test("after a right key the next is asked for; a wrong one is named, and the question stays", () => {
  const wordsOf = ({ criterion, verdict }) => `${criterion.toUpperCase()}, ${verdict}`;
  const run = begun([RECALL_LEFT, PRECISION_EQUAL]);
  assert.deepEqual(sayingOf(pressed(run, RECALL_LEFT), wordsOf), { said: "Right.", ask: "PRECISION, equal" });
  assert.deepEqual(sayingOf(pressed(run, PRECISION_EQUAL), wordsOf), {
    said: "That was precision, equal.",
    ask: "RECALL, left",
  });
  const over = pressed(pressed(run, RECALL_LEFT), PRECISION_EQUAL);
  assert.deepEqual(sayingOf(over, wordsOf), { said: "Right.", ask: "All 2 right first time." });
});

test("the ways to look say how many are left to try", () => {
  assert.deepEqual([2, 1, 0].map(leftOf), ["2 more to try.", "1 more to try.", "All tried. That is all you need."]);
});
