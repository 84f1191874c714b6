// Shows the two results alternately until a key is pressed. Fetched when first requested.
const TURN_MS = 1000;

// onStop() is called when a key or a preference for reduced motion stops it.
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

  // Any key stops it, and then has its usual effect; its own keys only stop it.
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
