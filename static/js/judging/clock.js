// Counts the seconds somebody worked on a pair: a hidden tab, a pause and a minute without input end them.
const A_DAY = 86_400;
const PATIENCE_MS = 60_000;
const INPUTS = ["keydown", "pointermove", "pointerdown", "wheel", "touchmove", "scroll"];

export function createClock(page = document, now = () => performance.now()) {
  let counted = 0;
  let before = 0;
  // When the time that is not counted yet began, and the last sign of life in it.
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
    // Of this pair, as the form sends it: one decimal, and no more than the site takes.
    seconds: () => seconds().toFixed(1),
    // Of all pairs since the page was opened.
    worked: () => before + seconds(),
  };
}
