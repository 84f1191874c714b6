// Announces words to screen readers, at once or after a pause in the input.
const SAY_AFTER_MS = 600;

export function createSpeech(status, isBusy) {
  let timer;

  function later(wordsOf) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (isBusy()) later(wordsOf);
      else status.textContent = wordsOf();
    }, SAY_AFTER_MS);
  }

  return {
    later,
    // Clearing makes screen readers repeat equal words.
    now(words) {
      clearTimeout(timer);
      status.textContent = "";
      requestAnimationFrame(() => {
        status.textContent = words;
      });
    },
  };
}
