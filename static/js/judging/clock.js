// Counts the seconds of work on a pair; a hidden tab, a pause and a minute without input stop the clock.
const A_DAY = 86_400;
const PATIENCE_MS = 60_000;
const INPUTS = ["keydown", "pointermove", "pointerdown", "wheel", "touchmove", "scroll"];

export function createClock(page = document, now = () => performance.now()) {
  let counted = 0;
  let before = 0;
  // The start of the time that is not added yet, and the last input in it.
  let since = null;
  let seen = 0;
  let paused = false;

  const running = () => (since === null ? 0 : Math.min(now(), seen + PATIENCE_MS) - since);
  const stop = () => {
    counted += running();
    since = null;
  };
  const run = () => {
    if (paused || page.visibilityState === "hidden") return;
    stop();
    since = seen = now();
  };
  page.addEventListener("visibilitychange", () => {
    if (page.visibilityState === "hidden") stop();
    else run();
  });
  for (const type of INPUTS) {
    page.addEventListener(
      type,
      () => {
        if (since !== null && now() - seen < PATIENCE_MS) seen = now();
        else run();
      },
      { passive: true, capture: true },
    );
  }
  run();

  const seconds = () => Math.min((counted + running()) / 1000, A_DAY);

  return {
    restart() {
      before += seconds();
      since = null;
      counted = 0;
      run();
    },
    pause() {
      stop();
      paused = true;
    },
    resume() {
      paused = false;
      run();
    },
    // For this pair, as the form sends it: one decimal, and no more than the site accepts.
    seconds: () => seconds().toFixed(1),
    // For all pairs since the page was opened.
    worked: () => before + seconds(),
  };
}
