// At most one word of advice between two pairs; nothing has to be done about it.
const BREAK = "You have been working for a while. A short break keeps the eye fresh.";
const LOOK_CLOSELY = "Looked closely? Zoom is free.";
const QUICK_SECONDS = 2;
const LARGE_PIXELS = 4_000_000;

export const isHasty = ({ seconds, nPixels, wasZoomed }) =>
  seconds < QUICK_SECONDS && nPixels > LARGE_PIXELS && !wasZoomed;

// A hasty answer is remarked on once an image.
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

export function advise(page) {
  const { messages } = page;
  // Asked after every pair, because it counts them.
  const isBreakDue = page.breaks.isDue(page.clock.worked());
  const words = isBreakDue ? BREAK : page.isHasty ? LOOK_CLOSELY : "";
  page.isHasty = false;
  if (!words) return;
  const choices = [{ words: "Continue", action: messages.dismiss }];
  if (isBreakDue) {
    choices.unshift({
      words: "Take a break",
      action() {
        messages.hide();
        page.pause.start();
      },
    });
  }
  messages.show(words, choices);
  messages.say(`${page.payload.message} ${words}`);
}
