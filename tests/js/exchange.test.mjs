// What is sent, and what becomes of it, with the parts of the page replaced by ones that note what they are told.
import assert from "node:assert/strict";
import { test } from "node:test";

import { confirm, confirmAlike, receive, wait } from "../../static/js/judging/exchange.js";
import { NAMES } from "../../static/js/judging/layout.js";
import { followEdit, leftOf, paceOf, refresh } from "../../static/js/judging/screen.js";

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
    advance: part("advance", "start", "stop"),
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
    ...rest,
  };
  const names = () => told.map(([name]) => name);
  return { page, told, names };
}

test("results that look the same are equal everywhere, and sent at once", () => {
  const { page, told, names } = makePage();
  confirmAlike(page);
  assert.deepEqual(told.find(([name]) => name === "answer.giveAll"), ["answer.giveAll", "equal"]);
  const [, letter] = told.find(([name]) => name === "courier.take");
  assert.equal(new URLSearchParams(letter.body).get("looks_same"), "1");
  assert.ok(names().includes("skip.close"));
});

test("a pair that was just shown, or an answer under way, takes no such answer", () => {
  for (const other of [{ shownAt: performance.now() }, { state: "travelling" }]) {
    const { page, told } = makePage(other);
    confirmAlike(page);
    assert.deepEqual(told, []);
  }
});

test("an answer is sent with its time, the aids and the image that is known", () => {
  const { page, told } = makePage();
  confirm(page);
  const [, letter] = told.find(([name]) => name === "courier.take");
  assert.deepEqual([letter.kind, letter.screen, letter.url], ["answer", "s1", "/answer/"]);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(letter.body)), {
    recall: "left",
    seconds_taken: "2.5",
    aids: '{"blink":1}',
    places: '{"n":3,"seen":2}',
    layout: '{"panes":"one","scale":0.4}',
    seen: '{"first":"both","left":2,"right":2}',
    have: "k",
  });
  assert.equal(page.isHasty, true);
});

test("nothing is sent before both results were shown", () => {
  for (const [missing, words] of [
    [["left", "right"], "Wait until both results are shown, then confirm."],
    [["right"], "Not looked at yet: Right result."],
  ]) {
    const { page, told } = makePage({ seen: { missing: () => missing } });
    const focused = [];
    const switches = ["left", "right"].map((side) => ({ dataset: { side }, focus: () => focused.push(side) }));
    page.panes.pair = { layout: { names: () => NAMES }, switches };
    confirm(page);
    assert.deepEqual(told, [["messages.warn", words]]);
    assert.deepEqual(focused, missing.length === 1 ? ["right"] : []);
  }
});

test("confirming again while something is under way sends that sooner, and nothing else", () => {
  const { page, names } = makePage({ state: "waiting" });
  confirm(page);
  assert.deepEqual(names(), ["courier.hurry"]);
});

test("a second press meant for the pair before is no answer to this one", () => {
  const { page, names } = makePage({ isUntouched: true, shownAt: performance.now() });
  confirm(page);
  assert.deepEqual(names(), []);
});

test("without its photograph a pair is not answered", () => {
  const { page, names } = makePage({ photograph: "failed" });
  confirm(page);
  assert.deepEqual(names(), ["messages.warn"]);
});

test("what is missing is said at its question and aloud, and nothing is sent", () => {
  const { page, told } = makePage({ unanswered: ["precision"] });
  confirm(page);
  assert.deepEqual(told, [
    ["answer.showErrors", { precision: CHOOSE }],
    ["messages.alert", "Not answered yet: Precision."],
  ]);
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

test("only who wants it goes on by itself, and only after the last answer", () => {
  const after = (options) => {
    const { page, names } = makePage(options);
    followEdit(page);
    return names();
  };
  assert.deepEqual(after({}), ["advance.start"]);
  assert.deepEqual(after({ unanswered: ["recall"] }), ["advance.stop"]);
  assert.deepEqual(after({ person: { advance: false } }), ["advance.stop"]);
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
