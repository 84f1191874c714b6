// Chosen but unsent answers, kept until the pair is answered, so that a reload loses nothing.
const nameOf = ({ study }) => `draft ${study.undo_url}`;

export function keepDraft({ answer, payload }, store = sessionStorage) {
  const draft = { screen: payload.screen.id, body: new URLSearchParams(answer.fields()).toString() };
  try {
    store.setItem(nameOf(payload), JSON.stringify(draft));
  } catch {
    // No room or no permission to store: the answers are still on the page.
  }
}

export function forgetDraft(payload, store = sessionStorage) {
  try {
    store.removeItem(nameOf(payload));
  } catch {
    // Then nothing could be kept either.
  }
}

// The last kept draft, {screen, body}, or null.
export function draftOf(payload, store = sessionStorage) {
  try {
    return JSON.parse(store.getItem(nameOf(payload)));
  } catch {
    return null;
  }
}
