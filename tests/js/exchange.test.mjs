// What is sent, and what becomes of it, with the parts of the page replaced by ones that note what they are told.
import assert from "node:assert/strict";
import { test } from "node:test";

import { confirm, receive, wait } from "../../static/js/judging/exchange.js";
import { leftOf, paceOf, refresh } from "../../static/js/judging/screen.js";

const CHOOSE = "Say something.";
const PAYLOAD = {
  screen: { id: "s1" },
  image: { key: "k" },
  criteria: [
    { name: "recall", title: "Recall" },
    { name: "precision", title: "Precision" },
  ],
};

// A page on which everything is answered and nothing is under way, and what its parts were told.
function makePage({ state = "free", unanswered = [], isUntouched = false, ...rest } = {}) {
  const told = [];
  const part = (name, ...methods) =>
    Object.fromEntries(methods.map((method) => [method, (...words) => told.push([`${name}.${method}`, ...words])]));
  const page = {
    payload: PAYLOAD,
    photograph: "shown",
    shownAt: -Infinity,
    isHasty: false,
    root: { dataset: { homeUrl: "/", loginUrl: "/login/" } },
    form: { action: "/answer/", dataset: { choose: CHOOSE } },
    advance: (isOn) => told.push([`advance.${isOn ? "start" : "stop"}`]),
    answer: {
      ...part("answer", "showErrors", "giveAll"),
      unanswered: () => unanswered,
      isUntouched: () => isUntouched,
      fields: () => ({ recall: "left" }),
    },
    clock: { seconds: () => "2.5" },
    confirmButton: part("button", "allow", "end"),
    courier: { ...part("courier", "take", "hurry"), state: () => state },
    messages: { ...part("messages", "show", "say", "alert", "warn", "hide"), shown: () => "" },
    signIn: part("signIn", "close"),
    skip: part("skip", "close", "showErrors"),
    tools: { isHasty: () => true, aids: () => ({ blink: 1 }) },
    panes: { places: () => ({ n: 3, seen: 2 }), layout: { standing: () => ({ panes: "one", scale: 0.4 }) } },
    seen: { missing: () => [], fields: () => ({ first: "both", left: 2, right: 2 }) },
    person: { advance: true },
    prefetch: { ready: () => ["next", "after next"] },
    ...rest,
  };
  const names = () => told.map(([name]) => name);
  return { page, told, names };
}

test("confirming again while something is under way sends that sooner, and nothing else", () => {
  const { page, names } = makePage({ state: "waiting" });
  confirm(page);
  assert.deepEqual(names(), ["courier.hurry"]);
});

test("an answer names the images whose results the page has, the one it shows first", () => {
  const { page, told } = makePage();
  page.payload = { ...PAYLOAD, image: { ...PAYLOAD.image, key: "shown" } };
  confirm(page);
  const [, { body }] = told.find(([name]) => name === "courier.take");
  assert.equal(new URLSearchParams(body).get("have"), "shown,next,after next");
});

test("without its photograph a pair is not answered", () => {
  const { page, names } = makePage({ photograph: "failed" });
  confirm(page);
  assert.deepEqual(names(), ["messages.warn"]);
});

test("the button waits for the last answer, the photograph, and what is under way", () => {
  const allowed = (options) => {
    const { page, told } = makePage(options);
    refresh(page);
    return told[0].slice(1);
  };
  assert.deepEqual(allowed({}), [true, false]);
  assert.deepEqual(allowed({ unanswered: ["recall"] }), [false, false]);
  assert.deepEqual(allowed({ seen: { missing: () => ["left", "right"] } }), [false, false]);
  assert.deepEqual(allowed({ state: "travelling" }), [false, true]);
  assert.deepEqual(allowed({ state: "waiting" }), [true, true]);
  assert.deepEqual(allowed({ state: "signed-out" }), [true, true]);
});

test("the countdown until the next try is said once", () => {
  const { page, names } = makePage();
  wait(page, 2);
  assert.ok(names().includes("messages.alert"));
  const again = makePage();
  again.page.messages.shown = () => "Not saved yet, trying again in 2 s";
  wait(again.page, 1);
  assert.ok(!again.names().includes("messages.alert"));
});

test("t42 what is not saved is said with the reason, and that it is kept", () => {
  for (const [status, reason] of [[0, "The site cannot be reached."], [200, "The site cannot be reached."], [503, "The site is busy."]]) {
    const { page, told } = makePage();
    wait(page, 4, status);
    const said = (method) => told.find(([name]) => name === method)[1];
    assert.equal(
      said("messages.show"),
      `${reason} Not saved yet, trying again in 4 s. Everything is kept here until it is saved.`,
    );
    assert.ok(said("messages.alert").startsWith(reason));
  }
});

test("errors of a skip stay in its dialog, those of an answer go to the questions", async () => {
  const errors = { reason: "Choose a reason." };
  const skipped = makePage();
  await receive(skipped.page, { kind: "errors", errors }, { kind: "skip" });
  assert.ok(skipped.names().includes("skip.showErrors"));
  assert.ok(!skipped.names().includes("skip.close"));
  const answered = makePage();
  await receive(answered.page, { kind: "errors", errors: { recall: CHOOSE } }, { kind: "answer" });
  assert.ok(answered.names().includes("answer.showErrors"));
  assert.ok(answered.names().includes("skip.close"));
});

test("a refusal is said in the site's words, or in words of our own, with a way home", async () => {
  const said = async (outcome) => {
    const { page, told } = makePage();
    await receive(page, { kind: "refused", ...outcome }, { kind: "answer" });
    const [, words, actions] = told.find(([name]) => name === "messages.warn");
    assert.deepEqual(actions, [{ words: "Your studies", url: "/" }]);
    return words;
  };
  assert.equal(await said({ status: 403, message: "The study is closed." }), "The study is closed.");
  assert.match(await said({ status: 403 }), /signed out/);
  assert.match(await said({ status: 404 }), /no longer yours/);
  assert.match(await said({ status: 418 }), /did not accept/);
});

test("the time that is left is said in whole minutes, once it is known", () => {
  assert.equal(leftOf({ text: "3 pairs left", timed: 3 }, null), "3 pairs left");
  assert.equal(leftOf({ text: "3 pairs left", timed: null }, 9), "3 pairs left");
  assert.equal(leftOf({ text: "3 pairs left", timed: 3 }, 4), "3 pairs left, 1 min");
  assert.equal(leftOf({ text: "3 pairs left", timed: 3 }, 52), "3 pairs left, 3 min");
});

test("the pace is the median of the page's last pairs, or the site's until there are three", () => {
  assert.equal(paceOf({ pace: 9, times: [1, 2] }), 9);
  assert.equal(paceOf({ pace: 9, times: [30, 2, 5] }), 5);
  assert.equal(paceOf({ pace: 9, times: [...Array(20).fill(60), ...Array(20).fill(4)] }), 4);
});
