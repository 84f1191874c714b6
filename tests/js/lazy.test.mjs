// A part that comes with the first wish is made once.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createLazy } from "../../static/js/judging/lazy.js";

test("who asks while it is coming gets the same part", async () => {
  let nMade = 0;
  const lazy = createLazy(async () => ({ number: (nMade += 1) }));
  assert.equal(lazy.now(), undefined);
  const [first, second] = await Promise.all([lazy.get(), lazy.get()]);
  assert.equal(first, second);
  assert.equal(await lazy.get(), first);
  assert.equal(lazy.now(), first);
  assert.equal(nMade, 1);
});

test("what could not be loaded is asked for again", async () => {
  let nAsked = 0;
  const lazy = createLazy(async () => {
    nAsked += 1;
    if (nAsked === 1) throw new Error("no connection");
    return "part";
  });
  await assert.rejects(lazy.get(), /no connection/);
  assert.equal(await lazy.get(), "part");
});
