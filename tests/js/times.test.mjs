// Times of a competition: the reader's zone, and UTC beside them.
import assert from "node:assert/strict";
import { test } from "node:test";

import { enhanceTimes, momentOf } from "../../static/js/codabench/times.js";

test("a time of a zone is the moment that a clock there shows, also next to a change of the clocks", () => {
  const moments = [
    ["2027-03-28T09:30", "Europe/Paris", "2027-03-28T07:30:00.000Z"],
    ["2027-03-28T01:30", "Europe/Paris", "2027-03-28T00:30:00.000Z"],
    ["2027-03-28T03:30", "Europe/Paris", "2027-03-28T01:30:00.000Z"],
    ["2027-01-01T00:00", "America/New_York", "2027-01-01T05:00:00.000Z"],
    ["2027-01-01T00:00", "Asia/Kathmandu", "2026-12-31T18:15:00.000Z"],
  ];
  for (const [local, zone, expected] of moments) assert.equal(momentOf(local, zone).toISOString(), expected);
  assert.equal(momentOf("", "UTC"), null);
});

function makeForm(value) {
  const told = { textContent: " " };
  const zone = { value: "UTC", options: [{ value: "UTC" }, { value: "Europe/Paris" }] };
  const listeners = [];
  return {
    told,
    zone,
    time: { id: "start", value },
    elements: { namedItem: () => zone },
    querySelectorAll() {
      return [this.time];
    },
    ownerDocument: { getElementById: (id) => (id === "start_helptext" ? told : null) },
    addEventListener: (_, listener) => listeners.push(listener),
    change() {
      for (const listener of listeners) listener();
    },
  };
}

test("an empty form takes the reader's zone, and shows UTC when a time is given", () => {
  const form = makeForm("");
  enhanceTimes(form, "Europe/Paris");
  assert.deepEqual([form.zone.value, form.told.textContent], ["Europe/Paris", ""]);
  form.time.value = "2027-01-01T10:00";
  form.change();
  assert.equal(form.told.textContent, "2027-01-01 09:00 UTC");
});

test("a form with times keeps its zone, and so does one that does not offer the reader's", () => {
  const given = makeForm("2027-01-01T10:00");
  enhanceTimes(given, "Europe/Paris");
  assert.deepEqual([given.zone.value, given.told.textContent], ["UTC", "2027-01-01 10:00 UTC"]);
  const other = makeForm("");
  enhanceTimes(other, "Europe/Berlin");
  assert.equal(other.zone.value, "UTC");
});
