// Requests the scores of a scene from the site.
import { tokenOf } from "../elements/csrf.js";
import { gettext } from "../elements/words.js";
import { toLink } from "./links.js";

const PATIENCE_MS = 10_000;

// A temporary failure: it is worth asking again.
const passing = () => Object.assign(new Error(""), { isPassing: true });

// The result of each protocol, or of one; throws an Error with a message for the user, empty if isPassing.
export async function askForScores(url, scene, only) {
  let response;
  try {
    response = await fetch(url, {
      method: "POST",
      body: new URLSearchParams({ scene: toLink(scene), ...(only && { protocol: only }) }),
      headers: { "X-CSRFToken": tokenOf() },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.ok) return (await response.json()).protocols;
  } catch {
    throw passing();
  }
  if (response.status === 400) throw new Error((await response.json()).message);
  if (response.status === 403) throw new Error(gettext("Reload the page to continue; the scene is kept in the address."));
  throw passing();
}
