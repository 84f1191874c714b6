// The button that confirms.
import { gettext } from "../elements/words.js";

const SLOW_MS = 400;

// Whether it may be pressed, and "Saving" when an answer takes long.
export function createConfirmButton(form, timers = globalThis) {
  const button = form.querySelector("[data-confirm]");
  const words = form.querySelector("[data-confirm-words]");
  let slow;

  return {
    button,
    allow(mayConfirm, isHeld) {
      button.setAttribute("aria-disabled", String(!mayConfirm));
      form.toggleAttribute("data-held", isHeld);
    },
    begin() {
      form.setAttribute("aria-busy", "true");
      timers.clearTimeout(slow);
      slow = timers.setTimeout(() => {
        words.textContent = gettext("Saving");
      }, SLOW_MS);
    },
    end() {
      timers.clearTimeout(slow);
      words.textContent = gettext("Confirm");
      form.removeAttribute("aria-busy");
    },
  };
}
