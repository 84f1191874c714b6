// Which key means what on the comparison page.
import assert from "node:assert/strict";
import { test } from "node:test";

import { actionOf, sameForAll, step } from "../../static/js/judging/answer.js";

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
  for (const [key, name] of [["u", "undo"], ["x", "skip"], ["r", "same"]]) {
    assert.deepEqual(press("KeyF", key), { name });
  }
});

test("on a layout without Latin letters they go by their place", () => {
  assert.deepEqual(press("KeyX", "ч"), { name: "skip" });
  assert.deepEqual(press("KeyU", "г"), { name: "undo" });
  assert.deepEqual(press("KeyZ", "я", { ctrlKey: true }), { name: "undo" });
});

test("with caps lock on, letters still work", () => {
  assert.deepEqual(press("KeyU", "U"), { name: "undo" });
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

test("Shift is kept for other uses", () => {
  assert.equal(press("ArrowLeft", "ArrowLeft", { shiftKey: true }), null);
  assert.equal(press("KeyQ", "Q", { shiftKey: true }), null);
});

test("Backspace, Delete, Tab, Space and Escape mean nothing", () => {
  for (const key of ["Backspace", "Delete", "Tab", "Escape"]) assert.equal(press(key, key), null);
  assert.equal(press("Space", " "), null);
  assert.equal(press("KeyZ", "z"), null);
});

test("without an answer an arrow chooses the side it points to", () => {
  assert.equal(step("", -1), "left");
  assert.equal(step("", 1), "right");
});

test("arrows go through equal and stop at the ends", () => {
  assert.equal(step("left", 1), "equal");
  assert.equal(step("equal", 1), "right");
  assert.equal(step("right", 1), "right");
  assert.equal(step("right", -1), "equal");
  assert.equal(step("left", -1), "left");
});

test("same for all copies the first answer to the open criteria that have none", () => {
  const open = ["recall", "precision", "preference"];
  assert.deepEqual(
    sameForAll({ recall: "", precision: "equal", preference: "" }, open),
    { recall: "equal", precision: "equal", preference: "equal" },
  );
  assert.deepEqual(
    sameForAll({ recall: "left", precision: "right", preference: "" }, open),
    { recall: "left", precision: "right", preference: "left" },
  );
});

test("same for all leaves implied criteria out and does nothing without an answer", () => {
  assert.deepEqual(sameForAll({ recall: "left", preference: "" }, ["recall", "preference"]), {
    recall: "left",
    preference: "left",
  });
  assert.deepEqual(sameForAll({ recall: "", preference: "" }, ["recall", "preference"]), {
    recall: "",
    preference: "",
  });
});
