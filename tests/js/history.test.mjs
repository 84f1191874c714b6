// The last pairs in words, and what is fetched before it is needed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { cellsOf, questionOf } from "../../static/js/judging/history.js";
import { NAMES, STACKED_NAMES } from "../../static/js/judging/layout.js";
import { createPrefetch } from "../../static/js/judging/prefetch.js";


test("each answer stands under its question, and what was not asked is a dash", () => {
  const past = { verdicts: { recall: "equal", preference: "right" } };
  assert.deepEqual(cellsOf(past, NAMES), { recall: "Equal", precision: "–", preference: "Right better" });
});

test("sides are named as the panes lie now", () => {
  const past = { verdicts: { recall: "left", precision: "equal", preference: "right" } };
  assert.deepEqual(Object.values(cellsOf(past, STACKED_NAMES)), ["Top better", "Equal", "Bottom better"]);
});

test("how many answers may be set aside is said before it is done", () => {
  assert.match(questionOf(0), /All your later answers stay/);
  assert.match(questionOf(1), /Up to 1 later answer may/);
  assert.match(questionOf(3), /Up to 3 later answers may/);
});

const PAYLOAD = {
  image: { key: "k" },
  study: { next_image_url: "/next/" },
  progress: { expected: 3 },
};

function prefetchWith({ next = { key: "n", url: "/n.jpg" }, connection, fail = false } = {}) {
  const seen = { asked: [], images: [], decoded: [] };
  const look = createPrefetch({
    onImage: (image) => seen.images.push(image.key),
    ask: async (url) => {
      seen.asked.push(url);
      if (fail) throw new Error("away");
      return { image: next };
    },
    decode: async (url) => seen.decoded.push(url),
    connection,
  });
  return { look, seen };
}

test("near the end of an image the next one is fetched once", async () => {
  const { look, seen } = prefetchWith();
  await look(PAYLOAD);
  await look({ ...PAYLOAD, progress: { expected: 1 } });
  assert.deepEqual(seen, { asked: ["/next/"], images: ["n"], decoded: ["/n.jpg"] });
});

test("nothing is fetched early, on a metered connection, or without an address", async () => {
  const { look, seen } = prefetchWith();
  await look({ ...PAYLOAD, progress: { expected: 3.1 } });
  await look({ ...PAYLOAD, study: {} });
  const metered = prefetchWith({ connection: { saveData: true } });
  await metered.look(PAYLOAD);
  assert.deepEqual([...seen.asked, ...metered.seen.asked], []);
});

test("no next image, and no connection, are no trouble", async () => {
  const last = prefetchWith({ next: null });
  await last.look(PAYLOAD);
  assert.deepEqual(last.seen.images, []);
  await prefetchWith({ fail: true }).look(PAYLOAD);
});
