// The display of the page: a pair, the progress, and whether the answer may be confirmed.
// `page` is the record of page.js.
import { gettext } from "../elements/words.js";

// Whether nothing is being sent to the site.
export const isFree = ({ courier }) => courier.state() === "free";

// While something is being sent the answers are locked; confirming again sends a waiting letter at once.
export function refresh(page) {
  const isReady = page.seen.missing().length === 0 && page.answer.unanswered().length === 0;
  const mayConfirm = isFree(page) ? isReady : page.courier.state() !== "travelling";
  page.confirmButton.allow(mayConfirm, !isFree(page));
}

// Shows which results have yet to be looked at, and enables what depends on that.
export function showSeen(page) {
  const missing = page.seen.missing();
  page.root.toggleAttribute("data-seen", missing.length === 0);
  for (const button of page.panes.pair.switches) {
    button.toggleAttribute("data-unseen", missing.includes(button.dataset.side));
  }
  refresh(page);
  if (missing.length > 0 || page.messages.shown() !== page.unseen) return;
  page.messages.hide();
  page.confirmButton.button.focus();
}

// Without open questions the page advances automatically, if the person prefers that.
export function followEdit({ advance, answer, person }) {
  advance(person.advance && answer.unanswered().length === 0);
}

// The median seconds of the page's last pairs or, until there are three, those that the site knew.
export function paceOf({ pace, times }) {
  const last = times.slice(-20).sort((a, b) => a - b);
  return last.length < 3 ? pace : last[Math.floor(last.length / 2)];
}

export function leftOf({ text, timed }, pace) {
  return timed && pace ? gettext("{text}, {n} min", { text, n: Math.max(1, Math.round(pace * timed / 60)) }) : text;
}

export function showProgress(page) {
  const { header, payload: { image, progress } } = page;
  // Sent once for each image.
  page.total = image.total ?? page.total;
  const place = image.pair
    ? gettext("Pair {n} of {total}", { n: image.pair, total: page.total })
    : gettext("Image {n} of {total}", { n: image.number, total: page.total });
  const told = header.querySelector("[data-image-number]");
  document.title = document.title.replace(told.textContent, place);
  told.textContent = place;
  header.querySelector("progress").value = progress.share;
  header.querySelector("[data-progress-text]").textContent = leftOf(progress, paceOf(page));
  header.querySelector("[data-progress-note]").textContent = progress.note ?? "";
}

export function show(page, payload) {
  const { answer, form, undoForm } = page;
  const { screen, study } = payload;
  page.payload = payload;
  form.action = screen.answer_url;
  form.dataset.screenId = screen.id;
  undoForm.action = study.undo_url;
  undoForm.elements.screen.value = screen.id;
  undoForm.querySelector("button").disabled = !payload.can_undo;
  page.root.querySelector("[data-skip]").action = screen.skip_url;
  page.panes.show(payload);
  answer.show(payload);
  showProgress(page);
  showSeen(page);
  page.clock.restart();
  page.shownAt = performance.now();
  answer.focus();
  page.prefetch(payload);
}
