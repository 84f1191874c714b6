// Showing one result and then the other, never too fast.
const CHANGE_MS = 334;

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
