// What is read aloud: at once, or once the hand rests.
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
    // The same words are read again.
    now(words) {
      clearTimeout(timer);
      status.textContent = "";
      requestAnimationFrame(() => {
        status.textContent = words;
      });
    },
  };
}
