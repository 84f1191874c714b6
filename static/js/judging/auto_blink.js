// One result and the other in turn, by itself, until a key is pressed. Fetched when it is first asked for.
const TURN_MS = 1000;

// onStop() is called when a key stopped it, or a wish for less motion.
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
    wasStoppedNow: () => wasStoppedNow,
    stop,
    end,
    start() {
      end();
      pacer.want(true);
      timer = setInterval(() => pacer.want(!pacer.isWanted()), TURN_MS);
    },
  };
}
