// The button that confirms, by hand or by itself.
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
        words.textContent = "Saving";
      }, SLOW_MS);
    },
    end() {
      timers.clearTimeout(slow);
      words.textContent = "Confirm";
      form.removeAttribute("aria-busy");
    },
  };
}

// Confirms by itself, a moment after the last answer, unless something is pressed before.
export function createAdvance(button, { after, onTime, timers = globalThis }) {
  let timer = null;

  const stop = () => {
    timers.clearTimeout(timer);
    timer = null;
    button.removeAttribute("data-advancing");
  };
  return {
    stop,
    start() {
      stop();
      button.setAttribute("data-advancing", "");
      timer = timers.setTimeout(() => {
        stop();
        onTime();
      }, after);
    },
  };
}
