// Which key means what on the comparison page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { actionOf, capOf, createKeys, PLACES } from "../../static/js/judging/keys.js";
import { assign, conflictsOf } from "../../static/js/judging/preferences.js";

const press = (code, key, modifiers = {}) =>
  actionOf({ code, key, ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, ...modifiers });

const BLOCK = {
  recall: { left: ["Digit1", "Numpad7"], equal: ["Digit2", "Numpad8"], right: ["Digit3", "Numpad9"] },
  precision: { left: ["KeyQ", "Numpad4"], equal: ["KeyW", "Numpad5"], right: ["KeyE", "Numpad6"] },
  preference: { left: ["KeyA", "Numpad1"], equal: ["KeyS", "Numpad2"], right: ["KeyD", "Numpad3"] },
};

for (const [criterion, columns] of Object.entries(BLOCK)) {
  for (const [verdict, codes] of Object.entries(columns)) {
    for (const code of codes) {
      test(`${code} answers ${criterion} with ${verdict}`, () => {
        assert.deepEqual(press(code, ""), { name: "answer", criterion, verdict });
      });
    }
  }
}

test("answer keys go by their place, whatever the layout prints on them", () => {
  // French: the key at the place of Q prints "a", the one at the place of 1 prints "&".
  assert.deepEqual(press("KeyQ", "a"), { name: "answer", criterion: "precision", verdict: "left" });
  assert.deepEqual(press("KeyA", "q"), { name: "answer", criterion: "preference", verdict: "left" });
  assert.deepEqual(press("Digit1", "&"), { name: "answer", criterion: "recall", verdict: "left" });
});

test("letters that stand for a word go by what the key prints", () => {
  for (const [key, name] of [["u", "undo"], ["x", "skip"], ["r", "same"], ["i", "alike"], ["p", "pause"], ["h", "history"]]) {
    assert.deepEqual(press("KeyF", key), { name });
    // With caps lock on.
    assert.deepEqual(press("KeyF", key.toUpperCase()), { name });
  }
});

test("on a layout without Latin letters they go by their place", () => {
  assert.deepEqual(press("KeyX", "ч"), { name: "skip" });
  assert.deepEqual(press("KeyU", "г"), { name: "undo" });
  assert.deepEqual(press("KeyZ", "я", { ctrlKey: true }), { name: "undo" });
});

test("Enter of either block confirms, and arrows move", () => {
  assert.deepEqual(press("Enter", "Enter"), { name: "confirm" });
  assert.deepEqual(press("NumpadEnter", "Enter"), { name: "confirm" });
  assert.deepEqual(press("ArrowLeft", "ArrowLeft"), { name: "step", by: -1 });
  assert.deepEqual(press("ArrowRight", "ArrowRight"), { name: "step", by: 1 });
  assert.deepEqual(press("ArrowUp", "ArrowUp"), { name: "row", by: -1 });
  assert.deepEqual(press("ArrowDown", "ArrowDown"), { name: "row", by: 1 });
});

test("the question mark asks for help wherever it stands", () => {
  assert.deepEqual(press("Slash", "?", { shiftKey: true }), { name: "help" });
  assert.deepEqual(press("Minus", "?", { shiftKey: true }), { name: "help" });
});

test("Ctrl+Z undoes; no other key works with Ctrl, Alt or Meta", () => {
  assert.deepEqual(press("KeyZ", "z", { ctrlKey: true }), { name: "undo" });
  assert.equal(press("KeyZ", "Z", { ctrlKey: true, shiftKey: true }), null);
  for (const modifier of ["ctrlKey", "altKey", "metaKey"]) {
    for (const [code, key] of [["Digit1", "1"], ["KeyU", "u"], ["Enter", "Enter"], ["ArrowLeft", "ArrowLeft"]]) {
      assert.equal(press(code, key, { [modifier]: true }), null, `${modifier} ${code}`);
    }
  }
  assert.equal(press("KeyZ", "z", { metaKey: true }), null);
});

test("keys with Shift, Backspace, Delete, Tab, Space and Escape mean nothing", () => {
  assert.equal(press("ArrowLeft", "ArrowLeft", { shiftKey: true }), null);
  assert.equal(press("KeyQ", "Q", { shiftKey: true }), null);
  for (const key of ["Backspace", "Delete", "Tab", "Escape"]) assert.equal(press(key, key), null);
  assert.equal(press("Space", " "), null);
  assert.equal(press("KeyZ", "z"), null);
});

const plain = { ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, repeat: false };
const readBy = (person) => {
  const keys = createKeys(person);
  return (code, key, modifiers = {}) => {
    const read = keys.read({ ...plain, code, key, ...modifiers });
    return read && actionOf(read);
  };
};

test("without wishes every key is read as it is", () => {
  for (const person of [undefined, {}, { single_keys: true, keys: {} }, { keys: null }]) {
    assert.deepEqual(readBy(person)("KeyQ", "q"), { name: "answer", criterion: "precision", verdict: "left" });
  }
});

test("single letters and digits can be switched off; Enter and Ctrl+Z stay", () => {
  const read = readBy({ single_keys: false });
  for (const [code, key] of [["Digit1", "1"], ["Numpad7", "7"], ["KeyQ", "q"], ["KeyU", "u"], ["Slash", "?"], ["KeyQ", "Dead"]]) {
    assert.equal(read(code, key), null, key);
  }
  assert.deepEqual(read("Enter", "Enter"), { name: "confirm" });
  assert.deepEqual(read("KeyZ", "z", { ctrlKey: true }), { name: "undo" });
});

test("without single letters the plain arrows are the radio buttons' own again", () => {
  const keys = createKeys({ single_keys: false });
  assert.equal(keys.read({ ...plain, code: "ArrowUp", key: "ArrowUp" }), null);
  assert.ok(keys.read({ ...plain, code: "ArrowUp", key: "ArrowUp", shiftKey: true }));
});

test("a key that was moved works at its new place and no longer at the old one", () => {
  const read = readBy({ keys: { recall_left: "KeyZ", undo: "F2", skip: "KeyQ" } });
  assert.deepEqual(read("KeyZ", "z"), { name: "answer", criterion: "recall", verdict: "left" });
  assert.equal(read("Digit1", "1"), null);
  assert.deepEqual(read("F2", "F2"), { name: "undo" });
  assert.equal(read("KeyU", "u"), null);
  assert.deepEqual(read("KeyQ", "q"), { name: "skip" });
  assert.deepEqual(read("Numpad7", "7"), { name: "answer", criterion: "recall", verdict: "left" });
});

test("two keys can change places", () => {
  const read = readBy({ keys: { recall_left: "Digit3", recall_right: "Digit1" } });
  assert.equal(read("Digit1", "1").verdict, "right");
  assert.equal(read("Digit3", "3").verdict, "left");
});

test("a moved view key arrives as the key it stands for, with Shift", () => {
  const keys = createKeys({ keys: { blink: "KeyN", boxes_hidden: "KeyT" } });
  assert.equal(keys.read({ ...plain, code: "KeyN", key: "n" }).key, "b");
  assert.equal(keys.read({ ...plain, code: "KeyN", key: "N", shiftKey: true }).key, "B");
  assert.deepEqual([" ", "Space"], Object.values(keys.read({ ...plain, code: "KeyT", key: "t" })).slice(0, 2));
});

test("an unknown action moves nothing", () => {
  assert.deepEqual(readBy({ keys: { fly: "KeyU" } })("KeyU", "u"), { name: "undo" });
});

test("no two actions share a place, and a cap shows what the layout prints", () => {
  assert.equal(new Set(Object.values(PLACES)).size, Object.keys(PLACES).length);
  assert.equal(capOf("KeyQ", new Map([["KeyQ", "a"]])), "A");
  assert.equal(capOf("Digit1", undefined), "1");
  assert.equal(capOf("F2", new Map()), "F2");
});

test("the keys are those that the pages print, by one table of both", () => {
  const printed = JSON.parse(readFileSync(new URL("../annotate/judging/keys.json", import.meta.url)));
  const caps = Object.entries(PLACES).map(([name, code]) => [name, capOf(code)]);
  assert.deepEqual(Object.fromEntries(caps), printed);
});

test("t29 a key that one action takes from another is said, and comes back", () => {
  assert.deepEqual(assign({}, "undo", "KeyQ"), { undo: "KeyQ" });
  assert.deepEqual(conflictsOf({ undo: "KeyQ" }), [{ code: "KeyQ", has: "undo", lost: "precision_left" }]);
  assert.deepEqual(conflictsOf({ undo: "KeyQ", precision_left: "KeyU" }), []);
  assert.deepEqual(conflictsOf({ undo: "KeyZ" }), []);
  assert.deepEqual(assign({ undo: "KeyZ" }, "skip", "KeyZ"), { skip: "KeyZ" });
  assert.deepEqual(assign({ undo: "KeyZ" }, "undo", "KeyU"), {}, "its usual key");
});
