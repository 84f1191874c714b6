// What a response means, and with which token an answer is sent.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { outcomeOf, send, tokenOf } from "../../static/js/judging/courier.js";

const PAYLOAD = { screen: { id: "b" }, message: "Saved." };
const realFetch = globalThis.fetch;
const realFormData = globalThis.FormData;

afterEach(() => {
  globalThis.fetch = realFetch;
  globalThis.FormData = realFormData;
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
    assert.deepEqual(outcomeOf(status, null), { kind: "unsaved" }, String(status));
  }
});

test("what the site refuses is said in its words where it has any", () => {
  assert.deepEqual(outcomeOf(403, { message: "The study is closed." }), {
    kind: "refused",
    message: "The study is closed.",
  });
  for (const status of [400, 403, 404, 409, 422]) {
    assert.deepEqual(outcomeOf(status, null), { kind: "refused", message: null }, String(status));
  }
});

test("a page instead of data is no success", () => {
  assert.deepEqual(outcomeOf(200, null), { kind: "unsaved" });
});

const form = {
  action: "/answer/",
  elements: { csrfmiddlewaretoken: { value: "of-the-form" } },
};

test("the token of the cookie goes before the one of the form, which may be old", () => {
  assert.equal(tokenOf(form, "theme=dark; csrftoken=of-the-cookie"), "of-the-cookie");
  assert.equal(tokenOf(form, "notcsrftoken=other"), "of-the-form");
  assert.equal(tokenOf(form, ""), "of-the-form");
});

function pretend({ fields, respond }) {
  const sent = [];
  globalThis.document = { cookie: "" };
  globalThis.FormData = class {
    constructor() {
      return Object.entries(fields);
    }
  };
  globalThis.fetch = async (url, options) => {
    sent.push({ url, ...options });
    return respond();
  };
  return sent;
}

const json = (status, data) => new Response(JSON.stringify(data), {
  status,
  headers: { "Content-Type": "application/json" },
});

test("an answer is one POST that asks for data and carries the token in its header alone", async () => {
  const sent = pretend({
    fields: { csrfmiddlewaretoken: "of-the-form", recall: "left", seconds_taken: "2.5" },
    respond: () => json(200, PAYLOAD),
  });
  assert.deepEqual(await send(form), { kind: "next", payload: PAYLOAD });
  assert.equal(sent.length, 1);
  assert.equal(sent[0].url, "/answer/");
  assert.equal(sent[0].method, "POST");
  assert.equal(String(sent[0].body), "recall=left&seconds_taken=2.5");
  assert.equal(sent[0].headers.Accept, "application/json");
  assert.equal(sent[0].headers["X-CSRFToken"], "of-the-form");
});

test("without a connection, or with an answer cut short, nothing counts as saved", async () => {
  pretend({ fields: {}, respond: () => { throw new TypeError("no connection"); } });
  assert.deepEqual(await send(form), { kind: "unsaved" });
  pretend({
    fields: {},
    respond: () => new Response('{"screen": ', { headers: { "Content-Type": "application/json" } }),
  });
  assert.deepEqual(await send(form), { kind: "unsaved" });
});

test("being sent elsewhere means being signed out", async () => {
  pretend({ fields: {}, respond: () => ({ type: "opaqueredirect" }) });
  assert.deepEqual(await send(form), { kind: "signed-out", url: null });
});

test("a page of an error is not read as data", async () => {
  pretend({
    fields: {},
    respond: () => new Response("<h1>Not found</h1>", { status: 404, headers: { "Content-Type": "text/html" } }),
  });
  assert.deepEqual(await send(form), { kind: "refused", message: null });
});
