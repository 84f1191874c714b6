// The pages of a load: what progress says, how large a file is, what an upload's answer means.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sizeInWords } from "../../static/js/imports/drop.js";
import { show, watchProgress, wordsOf } from "../../static/js/jobs/progress.js";

test("progress is said in words", () => {
  assert.equal(wordsOf({ doing: "Reading a.zip", done: 143, total: 233 }), "Reading a.zip: 143 of 233");
  assert.equal(wordsOf({ doing: "Reading a.zip", done: 0, total: 0 }), "Reading a.zip …");
  assert.equal(wordsOf({ doing: "", done: 0, total: 0 }), "Waiting in the queue …");
  assert.equal(wordsOf({ doing: "Reading a.zip", stopping: true }), "Stopping …");
});

test("a size is said in the largest unit that fits", () => {
  assert.equal(sizeInWords(0), "0 bytes");
  assert.equal(sizeInWords(1023), "1023 bytes");
  assert.equal(sizeInWords(1536), "1.5 KB");
  assert.equal(sizeInWords(3 * 1024 ** 3), "3.0 GB");
  assert.equal(sizeInWords(5000 * 1024 ** 3), "5000.0 GB");
});

function boxOf() {
  const words = { textContent: "" };
  const bar = { removeAttribute: (name) => (bar[name] = undefined) };
  return {
    words,
    bar,
    dataset: { progress: "/progress/" },
    querySelector: (wanted) => (wanted === "[data-words]" ? words : bar),
  };
}

test("the bar has no value while nobody knows how much there is", () => {
  const box = boxOf();
  show(box, { doing: "Reading", done: 2, total: 4 });
  assert.deepEqual([box.bar.value, box.bar.max], [2, 4]);
  show(box, { doing: "Writing", done: 0, total: 0 });
  assert.equal(box.bar.value, undefined);
});

test("it asks again after a broken connection and goes on when the work ends", async () => {
  const answers = [
    () => ({ doing: "Reading", done: 1, total: 2 }),
    () => {
      throw new Error("away");
    },
    () => ({ next: "/report/" }),
  ];
  let asked = 0;
  const gone = await new Promise((resolve) => {
    watchProgress(boxOf(), {
      wait: 0,
      go: resolve,
      ask: async () => ({ json: async () => answers[asked++]() }),
    });
  });
  assert.equal(gone, "/report/");
  assert.equal(asked, 3);
});
