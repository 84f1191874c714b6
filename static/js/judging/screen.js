// What the page shows: a pair, how far it is, and whether its answer may be confirmed.
// `page` is the record of page.js.

// Nothing is under way to the site.
export const isFree = ({ courier }) => courier.state() === "free";

// While something is under way the answers are held; confirming again sends sooner what waits.
export function refresh(page) {
  const isReady = page.photograph !== "failed" && page.answer.unanswered().length === 0;
  const mayConfirm = isFree(page) ? isReady : page.courier.state() !== "travelling";
  page.confirmButton.allow(mayConfirm, !isFree(page));
}

// Without open questions the page goes on by itself, for those who want that.
export function followEdit({ advance, answer, person }) {
  if (person.advance && answer.unanswered().length === 0) advance.start();
  else advance.stop();
}

export function leftOf({ text, minutes }) {
  return minutes == null ? text : `${text}, ${Math.max(1, Math.round(minutes))} min`;
}

export function showProgress({ header, payload: { image, progress } }) {
  const place = `Image ${image.number} of ${image.total}`;
  document.title = document.title.replace(/^Image \d+ of \d+/, place);
  header.querySelector("[data-image-number]").textContent = place;
  header.querySelector("progress").value = progress.share;
  header.querySelector("[data-progress-text]").textContent = leftOf(progress);
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
  page.skip.show(screen.skip_url);
  page.panes.show(payload);
  answer.show(payload);
  showProgress(page);
  page.clock.restart();
  page.shownAt = performance.now();
  answer.focus();
  page.prefetch(payload);
}
