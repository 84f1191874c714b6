// The scene in the address: the same cases as the site's own tests, so that both read alike.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fromLink, isPlain, toData, toLink } from "../../static/js/guide/links.js";

const LIMITS = { width: 1000, height: 600, minSide: 4, maxBoxes: 60, maxText: 40, maxLine: 99 };
const CASES = JSON.parse(readFileSync(new URL("../annotate/guide/links.json", import.meta.url)));

test("links are read as the site reads them, and written the same", () => {
  for (const [link, data] of CASES.good) {
    const scene = fromLink(link, LIMITS);
    assert.deepEqual(toData(scene), data, link);
    assert.equal(toLink(scene), link);
  }
});

test("damaged links hold no scene", () => {
  for (const link of CASES.bad) assert.equal(fromLink(link, LIMITS), null, JSON.stringify(link));
});

test("a scene has room for sixty boxes on each side", () => {
  const full = ["1", ...Array(60).fill("t0.0.9.9"), ...Array(60).fill("d0.0.9.9")].join("_");
  assert.equal(fromLink(full, LIMITS).truth.length, 60);
  assert.equal(fromLink(`${full}_d0.0.9.9`, LIMITS), null);
});

test("drawn scenes come back from their links", () => {
  let seed = 7;
  const random = (below) => {
    seed = (seed * 16807) % 2147483647;
    return seed % below;
  };
  const letters = [..."aZ09 -_.~%é漢🙂\"<&\uFEFF\u0301"];
  for (let round = 0; round < 300; round += 1) {
    const make = (isTruth) => {
      const left = random(990);
      const top = random(590);
      return {
        left,
        top,
        right: left + 4 + random(1000 - left - 4 + 1),
        bottom: top + 4 + random(600 - top - 4 + 1),
        text: Array.from({ length: random(12) }, () => letters[random(letters.length)]).join(""),
        line: isTruth ? random(100) : 0,
        ignored: isTruth && random(2) === 1,
        confidence: isTruth || random(3) === 0 ? null : random(101),
      };
    };
    const scene = {
      truth: Array.from({ length: random(5) }, () => make(true)),
      detections: Array.from({ length: random(5) }, () => make(false)),
    };
    assert.deepEqual(fromLink(toLink(scene), LIMITS), scene);
    assert.equal(encodeURIComponent(toLink(scene)), toLink(scene));
  }
});

test("a text is one line of at most forty letters, each counted once", () => {
  assert.ok(isPlain("🙂".repeat(40), LIMITS));
  assert.ok(!isPlain("a".repeat(41), LIMITS));
  assert.ok(!isPlain("a\tb", LIMITS));
  assert.ok(!isPlain("\ud800", LIMITS));
});
