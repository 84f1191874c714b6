// Answers given too quickly to a large photograph to have looked closely.
const QUICK_SECONDS = 2;
const LARGE_PIXELS = 4_000_000;

export const isHasty = ({ seconds, nPixels, wasZoomed }) =>
  seconds < QUICK_SECONDS && nPixels > LARGE_PIXELS && !wasZoomed;

// Reports a hasty answer once per image.
export function createHaste(panes, now = () => performance.now()) {
  const known = new Set();
  let shownAt = now();

  return {
    restart() {
      shownAt = now();
    },
    isNew(wasZoomed) {
      const seconds = (now() - shownAt) / 1000;
      const key = panes.imageKey();
      if (known.has(key) || !isHasty({ seconds, nPixels: panes.nPixels(), wasZoomed })) return false;
      known.add(key);
      return true;
    },
  };
}
