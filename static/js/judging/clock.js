// Counts the seconds a pair was in view; while the tab is hidden the clock stands.
const A_DAY = 86_400;

export function createClock(page = document, now = () => performance.now()) {
  let counted = 0;
  let since = null;

  const stop = () => {
    if (since !== null) counted += now() - since;
    since = null;
  };
  const run = () => {
    if (since === null && page.visibilityState !== "hidden") since = now();
  };
  page.addEventListener("visibilitychange", () => {
    if (page.visibilityState === "hidden") stop();
    else run();
  });
  run();

  return {
    restart() {
      counted = 0;
      since = null;
      run();
    },
    // As the form sends it: one decimal, and no more than the site takes.
    seconds() {
      const running = since === null ? 0 : now() - since;
      return Math.min((counted + running) / 1000, A_DAY).toFixed(1);
    },
  };
}
