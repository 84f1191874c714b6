// The page of all work: what waits and runs is looked at again while there is any.
const EVERY = 3000;

export function refreshed(page, text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("[data-live]");
  const shown = page.querySelector("[data-live]");
  // What has the focus stays: the next look will do.
  if (!fresh || shown.contains(page.activeElement) || shown.innerHTML === fresh.innerHTML) return;
  shown.replaceWith(fresh);
}

async function look() {
  try {
    const response = await fetch(location.href);
    if (response.ok) refreshed(document, await response.text());
  } catch {
    // The connection is away for a moment: ask again.
  }
  setTimeout(look, EVERY);
}

if (document.querySelector("[data-live] form")) setTimeout(look, EVERY);
