// Sends an answer, a skip or an undo once, and says in one word what became of it.
const PATIENCE_MS = 20_000;

// status: of the response, 0 without one; data: its JSON, null without.
export function outcomeOf(status, data) {
  if (status === 200 && data?.done) return { kind: "done", url: data.done.url };
  if (status === 200 && data?.screen) return { kind: "next", payload: data };
  if (status === 401) return { kind: "signed-out", url: data?.url ?? null };
  if (status === 409 && data?.payload) {
    return { kind: "conflict", message: data.message, payload: data.payload };
  }
  if (status === 409 && data?.done) return { kind: "done", url: data.done.url };
  if (status === 422 && data?.errors) return { kind: "errors", errors: data.errors };
  // 200 without data is somebody else's page: a proxy's, a hotel's.
  const isTrouble = [0, 200, 408, 429].includes(status) || status >= 500;
  if (isTrouble) return { kind: "unsaved" };
  return { kind: "refused", message: data?.message ?? null };
}

// The cookie comes first: signing in again in another tab makes the form's own token stale.
export function tokenOf(form, cookies = document.cookie) {
  const cookie = cookies.split("; ").find((entry) => entry.startsWith("csrftoken="));
  return cookie ? cookie.slice("csrftoken=".length) : form.elements.csrfmiddlewaretoken.value;
}

export async function send(form) {
  const fields = new URLSearchParams(new FormData(form));
  fields.delete("csrfmiddlewaretoken");
  try {
    const response = await fetch(form.action, {
      method: "POST",
      body: fields,
      headers: { Accept: "application/json", "X-CSRFToken": tokenOf(form) },
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.type === "opaqueredirect") return outcomeOf(401, null);
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    return outcomeOf(response.status, isJson ? await response.json() : null);
  } catch {
    // No connection, no answer in time, or an answer cut short: whether it was stored is unknown.
    return outcomeOf(0, null);
  }
}
