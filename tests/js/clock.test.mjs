// How long a pair was in view.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createBreaks } from "../../static/js/judging/breaks.js";
import { createClock } from "../../static/js/judging/clock.js";

function setUp(visibilityState = "visible") {
  const page = Object.assign(new EventTarget(), { visibilityState });
  const time = { ms: 1000 };
  const clock = createClock(page, () => time.ms);
  const see = (state) => {
    page.visibilityState = state;
    page.dispatchEvent(new Event("visibilitychange"));
  };
  return { clock, time, see, page };
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

test("time ends a minute after the last input, and goes on with the next", () => {
  const { clock, time, page } = setUp();
  time.ms += 20_000;
  page.dispatchEvent(new Event("pointermove"));
  time.ms += 300_000;
  assert.equal(clock.seconds(), "80.0");
  page.dispatchEvent(new Event("keydown"));
  time.ms += 5000;
  assert.equal(clock.seconds(), "85.0");
});

test("a pause stops the clock, whatever is pressed meanwhile", () => {
  const { clock, time, page, see } = setUp();
  time.ms += 4000;
  clock.pause();
  time.ms += 9000;
  page.dispatchEvent(new Event("keydown"));
  see("hidden");
  see("visible");
  time.ms += 9000;
  assert.equal(clock.seconds(), "4.0");
  clock.resume();
  time.ms += 1000;
  assert.equal(clock.seconds(), "5.0");
});

test("the work of all pairs adds up", () => {
  const { clock, time } = setUp();
  time.ms += 4000;
  clock.restart();
  time.ms += 2000;
  assert.equal(clock.worked(), 6);
});

test("never more than a day, which is what the site takes", () => {
  const { clock, time, page } = setUp();
  for (let minute = 0; minute < 1500; minute += 1) {
    time.ms += 59_999;
    page.dispatchEvent(new Event("wheel"));
  }
  assert.equal(clock.seconds(), "86400.0");
});

test("a break is proposed once, by time or by pairs, and again only after a rest", () => {
  const breaks = createBreaks({ break_minutes: 25, break_screens: 60 });
  assert.equal(breaks.isDue(25 * 60 - 1), false);
  assert.equal(breaks.isDue(25 * 60), true);
  assert.equal(breaks.isDue(90 * 60), false);
  breaks.rested(90 * 60);
  const due = Array.from({ length: 61 }, () => breaks.isDue(91 * 60));
  assert.deepEqual([due.indexOf(true), due.filter(Boolean).length], [59, 1]);
});

test("a study without breaks proposes none", () => {
  assert.ok(!createBreaks().isDue(1e6));
  assert.ok(!createBreaks({ break_minutes: 0, break_screens: 0 }).isDue(1e6));
});
