// What a new passkey must be, and what is said when one cannot be used.
import assert from "node:assert/strict";
import { test } from "node:test";

import { creationOptions, reasonOf } from "../../static/js/accounts/passkeys.js";

// Frozen: the options of the page are not changed.
const GIVEN = Object.freeze({
  publicKey: Object.freeze({
    challenge: "x",
    authenticatorSelection: Object.freeze({ userVerification: "discouraged" }),
  }),
});

test("a key that signs in alone is found by itself and knows its owner", () => {
  const { publicKey } = creationOptions(GIVEN, true);
  assert.deepEqual(publicKey.authenticatorSelection, {
    residentKey: "required",
    requireResidentKey: true,
    userVerification: "required",
  });
  assert.equal(publicKey.challenge, "x");
});

test("a key for the second step keeps what the server asked for", () => {
  assert.deepEqual(creationOptions(GIVEN, false).publicKey.authenticatorSelection, {
    residentKey: "discouraged",
    requireResidentKey: false,
    userVerification: "discouraged",
  });
});

test("a refusal is said in words, a strange one too", () => {
  assert.match(reasonOf({ name: "NotAllowedError" }), /cancelled/);
  assert.match(reasonOf({ name: "InvalidStateError" }), /already/);
  assert.match(reasonOf(new Error("odd")), /Try again/);
});
