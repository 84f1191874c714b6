// The button that confirms.
import { gettext } from "../elements/words.js";

const SLOW_MS = 1000;
const LATE_MS = 4000;

// Enables and disables it, and shows "Saving…" when an answer takes long; onLate() is called if it takes longer still.
export function createConfirmButton(form, { onSlow, onLate }, timers = globalThis) {
  const button = form.querySelector("[data-confirm]");
  const words = form.querySelector("[data-confirm-words]");
  let waits = [];

  const forget = () => waits.forEach((each) => timers.clearTimeout(each));

  return {
    button,
    allow(mayConfirm, isHeld) {
      button.setAttribute("aria-disabled", String(!mayConfirm));
      form.toggleAttribute("data-held", isHeld);
    },
    begin() {
      form.setAttribute("aria-busy", "true");
      forget();
      const showSlow = () => {
        words.textContent = gettext("Saving…");
        onSlow();
      };
      waits = [timers.setTimeout(showSlow, SLOW_MS), timers.setTimeout(onLate, LATE_MS)];
    },
    end() {
      forget();
      words.textContent = gettext("Confirm");
      form.removeAttribute("aria-busy");
    },
  };
}
