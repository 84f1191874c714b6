// Showing one result and then the other: never too fast, by hand or by itself.
const CHANGE_MS = 334;
const TURN_MS = 1000;

// Never more than three changes a second: one that comes early waits, and the last wish counts.
export function createPacer(apply, { now = () => performance.now(), later = setTimeout } = {}) {
  let changedAt = -Infinity;
  let wanted = false;
  let shown = false;
  let isWaiting = false;

  function change() {
    isWaiting = false;
    if (wanted === shown) return;
    changedAt = now();
    shown = wanted;
    apply(shown);
  }

  return {
    isWanted: () => wanted,
    want(on) {
      wanted = on;
      const wait = changedAt + CHANGE_MS - now();
      if (wait <= 0) change();
      else if (!isWaiting) {
        isWaiting = true;
        later(change, wait);
      }
    },
    // After a new pair nothing is on, and nothing comes late.
    reset() {
      wanted = false;
      shown = false;
    },
  };
}

// In turn by itself. onStop() is called when a key stopped it, or a wish for less motion.
export function createAutoBlink(pacer, { onStop }) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let timer = null;
  let wasStoppedNow = false;

  function end() {
    clearInterval(timer);
    timer = null;
  }

  function stop() {
    if (timer !== null) pacer.want(false);
    end();
    onStop();
  }

  // Any key ends it, and then does what it does; its own keys only end it.
  document.addEventListener("keydown", ({ key }) => {
    if (timer === null || key === "Shift") return;
    stop();
    wasStoppedNow = true;
    setTimeout(() => {
      wasStoppedNow = false;
    });
  }, { capture: true });
  calm.addEventListener("change", stop);

  return {
    isOn: () => timer !== null,
    isCalm: () => calm.matches,
    wasStoppedNow: () => wasStoppedNow,
    stop,
    end,
    start() {
      pacer.want(true);
      timer = setInterval(() => pacer.want(!pacer.isWanted()), TURN_MS);
    },
  };
}
