import assert from "node:assert/strict";
import test from "node:test";

const read = (name) => import(`../../static/js/elements/words.js?${name}`);

test("without a catalogue the words are those of the code", async () => {
  const { gettext, ngettext, number } = await read("english");
  assert.equal(gettext("About {n} left.", { n: 11 }), "About 11 left.");
  assert.equal(ngettext("{n} box", "{n} boxes", 1), "1 box");
  assert.equal(ngettext("{n} box", "{n} boxes", 0), "0 boxes");
  assert.equal(number("0.50"), "0.50");
});

test("with one they are the catalogue's, where it has them", async () => {
  globalThis.catalogue = {
    words: { Pause: "Faire une pause", "{n} box": ["{n} boîte", "{n} boîtes"] },
    form: (n) => (n > 1 ? 1 : 0),
    point: ",",
  };
  const { gettext, ngettext, number } = await read("french");
  assert.equal(gettext("Pause"), "Faire une pause");
  assert.equal(gettext("A {thing}", { thing: "pane" }), "A pane");
  assert.equal(ngettext("{n} box", "{n} boxes", 0), "0 boîte");
  assert.equal(ngettext("{n} box", "{n} boxes", 2), "2 boîtes");
  assert.equal(number("0.50"), "0,50");
  delete globalThis.catalogue;
});

test("what is in braces and has no value stays as it is", async () => {
  const { gettext } = await read("holes");
  assert.equal(gettext("{a} and {b}", { a: 0 }), "0 and {b}");
});
