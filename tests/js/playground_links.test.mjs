// The scene in the address: written here and by the site, read by the site alone, tested with one table of cases.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fromData, isPlain, toLink } from "../../static/js/guide/links.js";

const LIMITS = { maxText: 40 };
const CASES = JSON.parse(readFileSync(new URL("../annotate/guide/links.json", import.meta.url)));

test("links are written as the site writes and reads them", () => {
  for (const [link, data] of CASES.good) assert.equal(toLink(fromData(data)), link);
});

test("a link needs no escaping in an address", () => {
  for (const [link, data] of CASES.good) assert.equal(encodeURIComponent(toLink(fromData(data))), link);
});

test("a text is one line of at most forty letters, each counted once", () => {
  assert.ok(isPlain("🙂".repeat(40), LIMITS));
  assert.ok(!isPlain("a".repeat(41), LIMITS));
  assert.ok(!isPlain("a\tb", LIMITS));
  assert.ok(!isPlain("\ud800", LIMITS));
});
