// Showing one result and then the other, never too fast.
const CHANGE_MS = 334;

// At most three changes a second: an early one waits, and the last request counts.
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
    // For a new pair: switches off, and drops a waiting change.
    reset() {
      wanted = false;
      shown = false;
    },
  };
}
