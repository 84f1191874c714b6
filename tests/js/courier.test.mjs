// What a response means, with which token an answer is sent, and that it is sent until it is saved.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { tokenOf } from "../../static/js/elements/csrf.js";
import { createCourier, delayOf, outcomeOf, send } from "../../static/js/judging/courier.js";

const PAYLOAD = { screen: { id: "b" }, message: "Saved." };
const realFetch = globalThis.fetch;

afterEach(() => {
  globalThis.fetch = realFetch;
  delete globalThis.document;
});

test("the next pair, and the end", () => {
  assert.deepEqual(outcomeOf(200, PAYLOAD), { kind: "next", payload: PAYLOAD });
  assert.deepEqual(outcomeOf(200, { done: { url: "/end/" } }), { kind: "done", url: "/end/" });
});

test("what is missing comes back by question", () => {
  const errors = { recall: "Choose left, equal or right." };
  assert.deepEqual(outcomeOf(422, { errors }), { kind: "errors", errors });
});

test("an answer given in another tab brings the pair that waits, or the end", () => {
  assert.deepEqual(outcomeOf(409, { message: "Answered.", payload: PAYLOAD }), {
    kind: "conflict",
    message: "Answered.",
    payload: PAYLOAD,
  });
  assert.deepEqual(outcomeOf(409, { message: "Answered.", done: { url: "/end/" } }), {
    kind: "done",
    url: "/end/",
  });
});

test("signed out, with or without the address to sign in", () => {
  assert.deepEqual(outcomeOf(401, { url: "/login/" }), { kind: "signed-out", url: "/login/" });
  assert.deepEqual(outcomeOf(401, null), { kind: "signed-out", url: null });
});

test("no response, a busy site and a fault of the site leave the answer unsaved", () => {
  for (const status of [0, 408, 429, 500, 502, 503]) {
    assert.deepEqual(outcomeOf(status, null), { kind: "unsaved", status }, String(status));
  }
});

test("what the site refuses is said in its words where it has any", () => {
  assert.deepEqual(outcomeOf(403, { message: "The study is closed." }), {
    kind: "refused",
    status: 403,
    message: "The study is closed.",
  });
  for (const status of [400, 403, 404, 409, 422]) {
    assert.deepEqual(outcomeOf(status, null), { kind: "refused", status, message: null }, String(status));
  }
});

test("a page instead of data is no success", () => {
  assert.deepEqual(outcomeOf(200, null), { kind: "unsaved", status: 200 });
});

const pageWith = (cookie) => ({ cookie, querySelector: () => ({ value: "of-the-form" }) });

test("the token of the cookie goes before the one of the form, which may be old", () => {
  assert.equal(tokenOf(pageWith("theme=dark; csrftoken=of-the-cookie")), "of-the-cookie");
  assert.equal(tokenOf(pageWith("notcsrftoken=other")), "of-the-form");
  assert.equal(tokenOf(pageWith("")), "of-the-form");
});

function pretend(respond) {
  const sent = [];
  globalThis.document = pageWith("");
  globalThis.fetch = async (url, options) => {
    sent.push({ url, ...options });
    return respond();
  };
  return sent;
}

const LETTER = { kind: "answer", screen: "a", url: "/answer/", body: "recall=left&seconds_taken=2.5" };
const json = (status, data) => new Response(JSON.stringify(data), {
  status,
  headers: { "Content-Type": "application/json" },
});

test("an answer is one POST that asks for data and carries the token in its header alone", async () => {
  const sent = pretend(() => json(200, PAYLOAD));
  assert.deepEqual(await send(LETTER), { kind: "next", payload: PAYLOAD });
  assert.equal(sent.length, 1);
  assert.equal(sent[0].url, "/answer/");
  assert.equal(sent[0].method, "POST");
  assert.equal(String(sent[0].body), LETTER.body);
  assert.equal(sent[0].headers.Accept, "application/json");
  assert.equal(sent[0].headers["X-CSRFToken"], "of-the-form");
});

test("without a connection, or with an answer cut short, nothing counts as saved", async () => {
  pretend(() => { throw new TypeError("no connection"); });
  assert.deepEqual(await send(LETTER), { kind: "unsaved", status: 0 });
  pretend(() => new Response('{"screen": ', { headers: { "Content-Type": "application/json" } }));
  assert.deepEqual(await send(LETTER), { kind: "unsaved", status: 0 });
});

test("being sent elsewhere means being signed out", async () => {
  pretend(() => ({ type: "opaqueredirect" }));
  assert.deepEqual(await send(LETTER), { kind: "signed-out", url: null });
});

test("a page of an error is not read as data", async () => {
  pretend(() => new Response("<h1>Not found</h1>", { status: 404, headers: { "Content-Type": "text/html" } }));
  assert.deepEqual(await send(LETTER), { kind: "refused", status: 404, message: null });
});

test("it is tried again after 1, 2, 4, 8 and then every 15 seconds", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 99].map(delayOf), [1, 2, 4, 8, 15, 15, 15]);
});

const rest = () => new Promise((resolve) => setImmediate(resolve));

function courierWith(outcomes, store = memory()) {
  const seen = { posted: [], waits: [], outcomes: [] };
  let tick = null;
  const courier = createCourier({
    store: () => store,
    name: "unsent",
    onStart() {},
    onWait: (seconds) => seen.waits.push(seconds),
    onOutcome: (outcome, sent) => seen.outcomes.push({ ...outcome, sent }),
    post: async (letter) => {
      seen.posted.push(letter.body);
      return outcomes.shift();
    },
    timers: {
      setInterval: (act) => (tick = act),
      clearInterval: () => (tick = null),
    },
  });
  const pass = async (seconds) => {
    await rest();
    for (let at = 0; at < seconds; at += 1) {
      tick?.();
      await rest();
    }
  };
  return { courier, store, seen, pass };
}

function memory(items = new Map()) {
  return {
    items,
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => items.set(name, value),
    removeItem: (name) => items.delete(name),
  };
}

const UNSAVED = { kind: "unsaved" };
const NEXT = { kind: "next" };

test("one thing travels at a time; a second press is not sent", async () => {
  const { courier, seen } = courierWith([NEXT]);
  assert.equal(courier.take(LETTER), true);
  assert.equal(courier.take(LETTER), false);
  courier.hurry();
  await rest();
  assert.equal(seen.posted.length, 1);
  assert.equal(courier.state(), "free");
});

test("an unsaved answer goes out again unchanged until it is saved, once", async () => {
  const { courier, seen, store, pass } = courierWith([UNSAVED, UNSAVED, UNSAVED, NEXT]);
  courier.take(LETTER);
  await pass(0);
  assert.equal(courier.state(), "waiting");
  assert.deepEqual(JSON.parse(store.getItem("unsent")), LETTER);
  await pass(1 + 2 + 4);
  assert.deepEqual(seen.waits, [1, 2, 1, 4, 3, 2, 1]);
  assert.deepEqual(seen.posted, Array(4).fill(LETTER.body));
  assert.deepEqual(seen.outcomes, [{ ...NEXT, sent: { ...LETTER, again: true } }]);
  assert.equal(store.getItem("unsent"), null);
});

test("who does not want to wait sends it now", async () => {
  const { courier, seen, pass } = courierWith([UNSAVED, UNSAVED, UNSAVED, UNSAVED, UNSAVED, NEXT]);
  courier.take(LETTER);
  for (let nth = 0; nth < 5; nth += 1) {
    await pass(0);
    courier.hurry();
  }
  await pass(0);
  assert.equal(seen.posted.length, 6);
  assert.equal(courier.state(), "free");
});

test("after signing in again the kept answer is sent", async () => {
  const { courier, seen, store, pass } = courierWith([{ kind: "signed-out", url: "/login/" }, NEXT]);
  courier.take(LETTER);
  await pass(60);
  assert.equal(courier.state(), "signed-out");
  assert.equal(seen.posted.length, 1, "nobody is asked again before the person comes back");
  assert.notEqual(store.getItem("unsent"), null);
  courier.hurry();
  await pass(0);
  assert.deepEqual(seen.outcomes.map(({ kind }) => kind), ["signed-out", "next"]);
});

test("what a closed page left behind is found by the next one", async () => {
  const { courier, store, pass } = courierWith([UNSAVED]);
  courier.take(LETTER);
  await pass(0);
  const next = courierWith([NEXT], store);
  assert.deepEqual(next.courier.left(), LETTER);
  next.courier.take(next.courier.left());
  await next.pass(0);
  assert.deepEqual(next.seen.posted, [LETTER.body]);
  assert.equal(next.courier.left(), null);
});

test("an undo is sent until it is done, but not after a reload", async () => {
  const { courier, store, seen, pass } = courierWith([UNSAVED, NEXT]);
  courier.take({ ...LETTER, kind: "undo" });
  await pass(0);
  assert.equal(store.getItem("unsent"), null);
  await pass(1);
  assert.equal(seen.posted.length, 2);
});

test("nothing, or something else, in the store is no answer", () => {
  for (const text of [null, "", "{", "[]", '{"url": "/answer/"}', "null"]) {
    const store = memory(new Map(text === null ? [] : [["unsent", text]]));
    assert.equal(courierWith([], store).courier.left(), null, String(text));
  }
});

test("without a store an answer still waits in memory", async () => {
  const refuse = () => { throw new Error("no room"); };
  const { courier, seen, pass } = courierWith([UNSAVED, NEXT], { getItem: refuse, setItem: refuse, removeItem: refuse });
  assert.equal(courier.left(), null);
  courier.take(LETTER);
  await pass(1);
  assert.equal(seen.posted.length, 2);
});
