// Breaks: taken by the person, or proposed once after long work; never forced.
export function createBreaks({ break_minutes: minutes, break_screens: screens } = {}) {
  let since = 0;
  let n_screens = 0;
  let proposed = false;

  return {
    // Called after each pair with the seconds worked so far: true when a break should be proposed.
    isDue(worked) {
      n_screens += 1;
      const due = (minutes && worked - since >= 60 * minutes) || (screens && n_screens >= screens);
      if (proposed || !due) return false;
      proposed = true;
      return true;
    },
    rested(worked) {
      since = worked;
      n_screens = 0;
      proposed = false;
    },
  };
}

const HELD = ["Tab", "Shift", "Control", "Alt", "Meta", "CapsLock"];

// The cover over both results. Any key removes it, without another effect.
export function createPause(dialog, { onPause, onResume }) {
  dialog.addEventListener("keydown", (event) => {
    if (event.repeat || HELD.includes(event.key) || event.target.closest("a")) return;
    event.preventDefault();
    dialog.close();
  });
  dialog.addEventListener("close", onResume);

  return {
    start() {
      if (dialog.open) return;
      onPause();
      dialog.showModal();
    },
  };
}
