// The form of the selected box, and the chips that select one.
import { boxOf, indexOf, nameOf, SIDES, sideOf, typed } from "./scene.js";
import { labelOf, titleOf } from "./words.js";

const NUMBERS = ["left", "top", "width", "height"];

// onChange(name, box) is called for typed values, onDelete(name) by the button.
export function createBoxForm(form, limits, { onChange, onDelete }) {
  let scene = null;
  let selected = null;

  function read() {
    const { elements } = form;
    const numbers = NUMBERS.map((field) => [field, elements[field].valueAsNumber]);
    const texts = ["text", "line", "confidence"].map((field) => [field, elements[field].value]);
    return { ...Object.fromEntries([...numbers, ...texts]), ignored: elements.ignored.checked };
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter?.value === "delete" && selected) onDelete(selected);
  });
  form.addEventListener("input", ({ target: input }) => {
    const box = boxOf(scene, selected);
    if (!box) return;
    const next = typed(box, input.name, read(), limits);
    const isValid = next !== null && input.validity.valid;
    if (isValid) input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
    if (isValid) onChange(selected, next);
  });
  // A refused number is replaced by the valid one.
  form.addEventListener("focusout", () => requestAnimationFrame(() => fill(form, scene, selected)));

  return {
    show(next, name) {
      scene = next;
      selected = name;
      fill(form, scene, selected);
    },
  };
}

function fill(form, scene, name) {
  const box = boxOf(scene, name);
  form.hidden = !box;
  if (!box) return;
  const side = sideOf(name);
  form.querySelector("[data-form-title]").textContent =
    titleOf(side, indexOf(name));
  for (const field of form.querySelectorAll("[data-of]")) field.hidden = field.dataset.of !== name[0];
  const isOther = form.elements.box.value !== name;
  form.elements.box.value = name;
  for (const [field, value] of Object.entries(valuesOf(box))) {
    const input = form.elements[field];
    // Leave a field unchanged while the user types in it.
    if (input === document.activeElement && !isOther) continue;
    input.value = value;
    input.removeAttribute("aria-invalid");
  }
  form.elements.ignored.checked = box.ignored;
}

export function valuesOf({ left, top, right, bottom, text, line, confidence }) {
  return {
    left,
    top,
    width: right - left,
    height: bottom - top,
    text,
    line,
    confidence: confidence === null ? "" : (confidence / 100).toFixed(2),
  };
}

export function createChips(form, list, { onSelect }) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter) onSelect(event.submitter.value);
  });

  function add() {
    const item = document.createElement("li");
    const chip = Object.assign(document.createElement("button"), { type: "submit", name: "box", className: "chip" });
    item.append(chip);
    list.append(item);
    return chip;
  }

  return {
    show(scene, selected) {
      const wanted = SIDES.flatMap((side) => scene[side].map(({ text }, at) => [nameOf(side, at), labelOf(side, at), text]));
      while (list.children.length > wanted.length) list.lastElementChild.remove();
      wanted.forEach(([name, label, text], at) => {
        const chip = list.children[at]?.firstElementChild ?? add();
        const words = [label, text].filter(Boolean).join(" ");
        chip.value = name;
        if (chip.textContent !== words) chip.textContent = words;
        chip.setAttribute("aria-pressed", String(name === selected));
      });
    },
  };
}
