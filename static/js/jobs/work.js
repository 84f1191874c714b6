// The page of all jobs: refreshed while any of them wait or run.
const EVERY = 3000;

export function refreshed(page, text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("[data-live]");
  const shown = page.querySelector("[data-live]");
  // Do not replace the element that has the focus; try again at the next refresh.
  if (!fresh || shown.contains(page.activeElement) || shown.innerHTML === fresh.innerHTML) return;
  shown.replaceWith(fresh);
}

async function look() {
  try {
    const response = await fetch(location.href);
    if (response.ok) refreshed(document, await response.text());
  } catch {
    // The connection failed for a moment: ask again.
  }
  setTimeout(look, EVERY);
}

if (document.querySelector("[data-live] form")) setTimeout(look, EVERY);
