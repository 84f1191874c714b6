// The button that confirms, also on its own.
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
      button.setAttribute("aria-disabled", !mayConfirm);
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

// Confirms automatically a moment after the last answer, unless it is told not to before: advance(false).
export function createAdvance(button, { after, onTime, timers = globalThis }) {
  let timer;
  return function advance(isOn) {
    timers.clearTimeout(timer);
    button.toggleAttribute("data-advancing", isOn);
    if (!isOn) return;
    timer = timers.setTimeout(() => {
      advance(false);
      onTime();
    }, after);
  };
}
