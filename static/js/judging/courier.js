// Sends one thing at a time, again until it is known to be saved, and says what became of it.
import { tokenOf } from "../elements/csrf.js";

const PATIENCE_MS = 20_000;
const DELAYS_S = [1, 2, 4, 8, 15];
// What somebody worked on. An undo that got lost is pressed again.
const KEPT = ["answer", "skip"];

export const delayOf = (nth) => DELAYS_S[Math.min(nth, DELAYS_S.length - 1)];

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
    // No connection, no answer in time, or an answer cut short: whether it was stored is unknown.
    return outcomeOf(0, null);
  }
}

// Where a letter is kept until it is known to be saved. store() may throw.
function createBox(store, name) {
  return {
    keep(letter) {
      try {
        if (KEPT.includes(letter?.kind)) store().setItem(name, JSON.stringify(letter));
        else store().removeItem(name);
      } catch {
        // No room or no leave to store: the letter still waits in memory.
      }
    },

    // What a page that was closed too early left behind, or null.
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

// A letter is { kind, screen, url, body }. What is kept goes out again after a reload, the same to the
// last character, because the site takes the same letter twice for one.
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
      wait(delayOf(n_failed));
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

  function wait(seconds) {
    state = "waiting";
    onWait(seconds);
    timer = timers.setInterval(() => {
      seconds -= 1;
      if (seconds > 0) onWait(seconds);
      else go();
    }, 1000);
  }

  return {
    left,

    // "free", "travelling", "waiting" to try again, or "signed-out".
    state: () => state,

    // False while something else is under way.
    take(next) {
      if (letter) return false;
      letter = next;
      keep(letter);
      go();
      return true;
    },

    // Now instead of later.
    hurry() {
      if (letter && state !== "travelling") go();
    },
  };
}
