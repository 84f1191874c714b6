// The menu behind "Skip": a digit skips at once for its reason. Another reason is typed and sent
// by Enter; the mouse chooses and sends.
import { gettext } from "../elements/words.js";

export function createSkip(root, { mayOpen, onSend }) {
  const dialog = root.querySelector("[data-skip-dialog]");
  const form = root.querySelector("[data-skip]");
  const closer = form.querySelector("[data-close]");
  const reasons = [...form.querySelectorAll("input[name=reason]")];
  const text = form.elements.text;

  function note(errors) {
    for (const place of form.querySelectorAll("[data-error]")) {
      place.textContent = errors[place.dataset.error] ?? "";
    }
  }

  function showErrors(errors) {
    if (!dialog.open) dialog.showModal();
    note(errors);
    ("text" in errors && !("reason" in errors) ? text : reasons[0]).focus();
  }

  root.querySelector("[data-skip-place]").append(form);
  closer.hidden = false;
  closer.addEventListener("click", () => dialog.close());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (reasons.some((reason) => reason.checked)) onSend(form);
    else showErrors({ reason: gettext("Choose a reason.") });
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.target === text || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    const reason = reasons[numberOf(event) - 1];
    if (!reason) return;
    event.preventDefault();
    reason.checked = true;
    if (reason.value === "other") text.focus();
    else onSend(form);
  });

  return {
    showErrors,
    close: () => dialog.close(),
    open(reason = "") {
      if (dialog.open || !mayOpen()) return;
      form.reset();
      note({});
      dialog.showModal();
      const chosen = reasons.find(({ value }) => value === reason);
      if (chosen) chosen.checked = true;
      (chosen ?? reasons[0]).focus();
    },
  };
}

// The digit of a key in the digit row or the number pad, whatever the keyboard layout.
export function numberOf({ code }) {
  return Number(/^(?:Digit|Numpad)(\d)$/.exec(code)?.[1] ?? 0);
}

// The first facts needed to find a fault.
export function environmentOf(photograph) {
  return {
    window: `${innerWidth} x ${innerHeight}`,
    screen: `${screen.width} x ${screen.height}`,
    pixel_ratio: devicePixelRatio,
    online: navigator.onLine,
    photograph,
  };
}
