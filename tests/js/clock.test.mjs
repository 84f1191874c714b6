// How long a pair was in view.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createClock } from "../../static/js/judging/clock.js";

function setUp(visibilityState = "visible") {
  const page = Object.assign(new EventTarget(), { visibilityState });
  const time = { ms: 1000 };
  const clock = createClock(page, () => time.ms);
  const see = (state) => {
    page.visibilityState = state;
    page.dispatchEvent(new Event("visibilitychange"));
  };
  return { clock, time, see };
}

test("seconds count from the start, with one decimal", () => {
  const { clock, time } = setUp();
  assert.equal(clock.seconds(), "0.0");
  time.ms += 2540;
  assert.equal(clock.seconds(), "2.5");
});

test("time in a hidden tab does not count", () => {
  const { clock, time, see } = setUp();
  time.ms += 3000;
  see("hidden");
  time.ms += 60_000;
  assert.equal(clock.seconds(), "3.0");
  see("visible");
  time.ms += 1000;
  assert.equal(clock.seconds(), "4.0");
});

test("a tab opened in the background starts when it is looked at", () => {
  const { clock, time, see } = setUp("hidden");
  time.ms += 5000;
  assert.equal(clock.seconds(), "0.0");
  see("visible");
  time.ms += 700;
  assert.equal(clock.seconds(), "0.7");
});

test("the next pair starts at zero, also while hidden", () => {
  const { clock, time, see } = setUp();
  time.ms += 5000;
  clock.restart();
  time.ms += 1200;
  assert.equal(clock.seconds(), "1.2");
  see("hidden");
  clock.restart();
  time.ms += 9000;
  assert.equal(clock.seconds(), "0.0");
});

test("never more than a day, which is what the site takes", () => {
  const { clock, time } = setUp();
  time.ms += 90_000_000;
  assert.equal(clock.seconds(), "86400.0");
});
