// Requests the progress of a job once a second; when the job ends, the page continues.
import { gettext } from "../elements/words.js";

export function wordsOf(told) {
  if (told.stopping) return gettext("Stopping …");
  if (!told.doing) return gettext("Waiting in the queue …");
  return told.total ? gettext("{doing}: {done} of {total}", told) : `${told.doing} …`;
}

export function show(box, told) {
  const words = box.querySelector("[data-words]");
  const bar = box.querySelector("[data-bar]");
  if (words.textContent !== wordsOf(told)) words.textContent = wordsOf(told);
  if (told.total) {
    bar.max = told.total;
    bar.value = told.done;
  } else {
    bar.removeAttribute("value");
  }
}

export function watchProgress(
  box,
  { go = (url) => location.replace(url), ask = fetch, wait = 1000 } = {},
) {
  async function look() {
    try {
      const response = await ask(box.dataset.progress, { headers: { Accept: "application/json" } });
      const told = await response.json();
      if (told.next) {
        go(told.next);
        return;
      }
      show(box, told);
    } catch {
      // The connection failed for a moment, or the session ended: ask again.
    }
    setTimeout(look, wait);
  }
  setTimeout(look, wait);
}
