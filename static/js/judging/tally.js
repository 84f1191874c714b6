// Adds up the seconds of each name that is on, except while paused.
export function createTally(now = () => performance.now()) {
  let seconds = new Map();
  let on = new Set();
  let isPaused = false;
  let since = now();

  function count() {
    const passed = isPaused ? 0 : (now() - since) / 1000;
    since = now();
    for (const name of on) seconds.set(name, (seconds.get(name) ?? 0) + passed);
  }

  return {
    set(names) {
      count();
      on = new Set(names);
    },
    pause(paused) {
      count();
      isPaused = paused;
    },
    restart() {
      since = now();
      seconds = new Map();
    },
    // Rounded to tenths, at most `most`; any time above zero counts at least a tenth.
    seconds(most = Infinity) {
      count();
      const used = [...seconds].filter(([, value]) => value > 0);
      const rounded = (value) => Math.min(Math.max(0.1, Math.round(value * 10) / 10), most);
      return Object.fromEntries(used.map(([name, value]) => [name, rounded(value)]));
    },
  };
}
