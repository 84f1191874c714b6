// What counts as shown: a result painted over its photograph, inside the window.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createSeen, resultsIn } from "../../static/js/judging/seen.js";
import { createTally } from "../../static/js/judging/tally.js";

const both = new Set(["left", "right"]);

test("a result is in sight with its pane, its boxes and its photograph", () => {
  const inSight = (windows, aids = [], isPainted = true) =>
    resultsIn({ windows: new Set(windows), isPainted, aids: new Set(aids) });
  assert.deepEqual(inSight(both), ["left", "right"]);
  assert.deepEqual(inSight(both, [], false), []);
  assert.deepEqual(inSight(both, ["boxes_hidden"]), []);
  assert.deepEqual(inSight(["left"]), ["left"]);
  // The left pane shows the right result.
  assert.deepEqual(inSight(["left"], ["blink"]), ["right"]);
  assert.deepEqual(inSight(both, ["blink", "differences"]), ["left", "right"]);
});

// A pair with one pane in the window at a time, frames and a clock by hand.
function makePair() {
  let time = 0;
  let watched;
  const frames = [];
  const state = { isPainted: false };
  const stages = { left: {}, right: {} };
  globalThis.innerHeight = 800;
  globalThis.document = { addEventListener() {}, hidden: false };
  globalThis.IntersectionObserver = class {
    constructor(tell) {
      watched = tell;
    }
    observe() {}
  };
  const pair = {
    screen: "first",
    aids: new Set(),
    photograph: { isPainted: () => state.isPainted },
    panes: ["left", "right"].map((side) => ({ side, picture: { parentElement: stages[side] } })),
  };
  let nSeen = 0;
  const seen = createSeen(pair, {
    onSeen: () => (nSeen += 1),
    later: (then) => frames.push(then),
    makeTally: () => createTally(() => time),
  });
  return {
    seen,
    state,
    pair,
    nSeen: () => nSeen,
    // Panes that come into the window (or leave it), with the share of them that does.
    show(side, ratio) {
      const entry = { target: stages[side], isIntersecting: ratio > 0, intersectionRatio: ratio };
      watched([{ ...entry, intersectionRect: { height: 300 * ratio } }]);
    },
    paint: () => frames.splice(0).forEach((then) => then()),
    wait: (seconds) => (time += seconds * 1000),
  };
}

test("one side after the other: which was first and for how long, from the frame that shows it", () => {
  const { seen, state, nSeen, show, paint, wait } = makePair();
  show("right", 1);
  paint();
  wait(5);
  assert.deepEqual(seen.missing(), ["left", "right"], "no photograph yet");
  state.isPainted = true;
  seen.look();
  wait(1);
  assert.deepEqual(seen.missing(), ["left", "right"], "not painted yet");
  paint();
  assert.deepEqual(seen.missing(), ["left"]);
  wait(2);
  show("right", 0);
  show("left", 0.4);
  paint();
  assert.deepEqual(seen.missing(), ["left"], "less than half of it is in the window");
  show("left", 0.6);
  wait(0.5);
  paint();
  wait(3);
  assert.deepEqual(seen.missing(), []);
  assert.deepEqual(seen.fields(), { first: "right", right: 2, left: 3 });
  assert.equal(nSeen(), 2);
  seen.pause(true);
  wait(9);
  seen.pause(false);
  paint();
  wait(1);
  assert.deepEqual(seen.fields(), { first: "right", right: 2, left: 4 });
});

test("a new pair has been seen by nobody", () => {
  const { seen, pair, state, show, paint, wait } = makePair();
  state.isPainted = true;
  show("left", 1);
  show("right", 1);
  paint();
  wait(1);
  assert.deepEqual(seen.fields(), { first: "both", left: 1, right: 1 });
  pair.screen = "second";
  seen.restart();
  assert.deepEqual(seen.missing(), ["left", "right"]);
  assert.deepEqual(seen.fields(), { first: "unknown" });
  paint();
  wait(2);
  assert.deepEqual(seen.fields(), { first: "both", left: 2, right: 2 });
});

test("a pair that is shown again after an undo need not be looked at twice", () => {
  const { seen, pair, state, show, paint, wait } = makePair();
  state.isPainted = true;
  show("right", 1);
  paint();
  wait(1);
  show("right", 0);
  show("left", 1);
  paint();
  wait(2);
  pair.screen = "second";
  seen.restart();
  paint();
  assert.deepEqual(seen.missing(), ["right"]);
  pair.screen = "first";
  seen.restart();
  assert.deepEqual(seen.missing(), []);
  paint();
  wait(0.5);
  assert.deepEqual(seen.fields(), { first: "right", left: 2.5, right: 1 });
});
