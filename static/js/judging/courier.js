// Sends one message at a time, repeats it until it is known to be saved, and reports the outcome.
import { tokenOf } from "../elements/csrf.js";

const PATIENCE_MS = 20_000;
const DELAYS_S = [1, 2, 4, 8, 15];
// Work to keep. The user can repeat a lost undo.
const KEPT = ["answer", "skip"];

export const delayOf = (nth) => DELAYS_S[Math.min(nth, DELAYS_S.length - 1)];

// status: of the response, or 0 without one; data: its JSON, or null.
export function outcomeOf(status, data) {
  if (status === 200 && data?.done) return { kind: "done", url: data.done.url };
  if (status === 200 && data?.screen) return { kind: "next", payload: data };
  if (status === 401) return { kind: "signed-out", url: data?.url ?? null };
  if (status === 409 && data?.payload) {
    return { kind: "conflict", message: data.message, payload: data.payload };
  }
  if (status === 409 && data?.done) return { kind: "done", url: data.done.url };
  if (status === 422 && data?.errors) return { kind: "errors", errors: data.errors };
  // 200 without data is a foreign page: a proxy's, a hotel's.
  const isTrouble = [0, 200, 408, 429].includes(status) || status >= 500;
  if (isTrouble) return { kind: "unsaved", status };
  return { kind: "refused", status, message: data?.message ?? null };
}

export async function send({ url, body }) {
  try {
    const response = await fetch(url, {
      method: "POST",
      body: new URLSearchParams(body),
      headers: { Accept: "application/json", "X-CSRFToken": tokenOf() },
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.type === "opaqueredirect") return outcomeOf(401, null);
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    return outcomeOf(response.status, isJson ? await response.json() : null);
  } catch {
    // No connection, no answer in time, or a truncated answer: it is unknown whether it was stored.
    return outcomeOf(0, null);
  }
}

// Keeps a letter until it is known to be saved. store() may throw.
function createBox(store, name) {
  return {
    keep(letter) {
      try {
        if (KEPT.includes(letter?.kind)) store().setItem(name, JSON.stringify(letter));
        else store().removeItem(name);
      } catch {
        // No room or no permission to store: the letter still waits in memory.
      }
    },

    // The letter that a page left behind when it was closed too early, or null.
    left() {
      try {
        const letter = JSON.parse(store().getItem(name));
        return letter?.url && letter?.body !== undefined ? letter : null;
      } catch {
        return null;
      }
    },
  };
}

// A letter is { kind, screen, url, body }. A kept letter is sent again after a reload, unchanged to the
// last character, because the site recognises a repeated letter.
export function createCourier({ store, name, onStart, onWait, onOutcome, post = send, timers = globalThis }) {
  const { keep, left } = createBox(store, name);
  let letter = null;
  let state = "free";
  let n_failed = 0;
  let timer;

  async function go() {
    timers.clearInterval(timer);
    state = "travelling";
    onStart();
    const outcome = await post(letter);
    if (outcome.kind === "unsaved") {
      wait(delayOf(n_failed), outcome.status);
      n_failed += 1;
      return;
    }
    const sent = { ...letter, again: n_failed > 0 };
    if (outcome.kind === "signed-out") {
      state = "signed-out";
    } else {
      letter = null;
      state = "free";
      n_failed = 0;
      keep(null);
    }
    onOutcome(outcome, sent);
  }

  function wait(seconds, status) {
    state = "waiting";
    onWait(seconds, status);
    timer = timers.setInterval(() => {
      seconds -= 1;
      if (seconds > 0) onWait(seconds, status);
      else go();
    }, 1000);
  }

  return {
    left,

    // "free", "travelling", "waiting" to try again, or "signed-out".
    state: () => state,

    // False while another letter is under way.
    take(next) {
      if (letter) return false;
      letter = next;
      keep(letter);
      go();
      return true;
    },

    // Sends a waiting letter now.
    hurry() {
      if (letter && state !== "travelling") go();
    },
  };
}
