// Confirms automatically a moment after the last answer, unless the user presses something before.
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
