// The last pairs in words, and what is fetched before it is needed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { cellsOf, questionOf } from "../../static/js/judging/history.js";
import { NAMES, STACKED_NAMES } from "../../static/js/judging/layout.js";
import { aheadOf, createPrefetch } from "../../static/js/judging/prefetch.js";


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

// A line on which an image takes `seconds`, and answers every `pace` seconds.
function prefetchWith({ keys = ["n"], connection, fail = false, seconds = 0 } = {}) {
  const seen = { asked: [], images: [], decoded: [] };
  let time = 0;
  const look = createPrefetch({
    onImage: (image) => seen.images.push(image.key),
    ask: async (url) => {
      seen.asked.push(url);
      if (fail) throw new Error("away");
      return { images: keys.map((key) => ({ key, url: `/${key}.jpg` })) };
    },
    decode: async (url) => {
      seen.decoded.push(url);
      time += seconds;
    },
    connection,
    now: () => time,
  });
  return { look, seen, wait: (more) => (time += more) };
}

test("near the end of an image the next one is fetched once", async () => {
  const { look, seen } = prefetchWith();
  await look(PAYLOAD);
  await look({ ...PAYLOAD, progress: { expected: 1 } });
  assert.deepEqual(seen, { asked: ["/next/?n=2&have=k"], images: ["n"], decoded: ["/n.jpg"] });
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
  const last = prefetchWith({ keys: [] });
  await last.look(PAYLOAD);
  assert.deepEqual(last.seen.images, []);
  await prefetchWith({ fail: true }).look(PAYLOAD);
});

test("t43 as many images are fetched ahead as the line and the pace need, three at most", () => {
  // An image every 6 s that takes 0.5, 5, 8 and 30 s.
  assert.deepEqual([0.5, 5, 8, 30].map((cost) => aheadOf(6, cost)), [2, 2, 3, 3]);
});

test("t43 on a slow line a third image is fetched, and none twice", async () => {
  const { look, seen, wait } = prefetchWith({ keys: ["a", "b", "c"], seconds: 8 });
  const one = { ...PAYLOAD, progress: { expected: 1 } };
  await look(one);
  assert.deepEqual(seen.images, ["a", "b", "c"]);
  wait(-18);
  await look({ ...one, image: { key: "a" } });
  assert.deepEqual(seen.images, ["a", "b", "c"]);
  assert.match(seen.asked.at(-1), /have=a,b,c$/);
});

test("t43 a pair that is shown while images arrive has its own fetched after them", async () => {
  const asked = [];
  let arrive;
  const look = createPrefetch({
    onImage() {},
    ask: async (url) => {
      asked.push(url);
      return { images: [{ key: `after ${asked.length}`, url: "/photograph.jpg" }] };
    },
    decode: () => new Promise((done) => (arrive = done)),
    connection: undefined,
    now: () => 0,
  });
  const first = look(PAYLOAD);
  await new Promise(setImmediate);
  await look({ ...PAYLOAD, image: { key: "second" } });
  assert.equal(asked.length, 1);
  arrive();
  await new Promise(setImmediate);
  arrive();
  await first;
  assert.match(asked.at(1), /have=second,after 1$/);
});
