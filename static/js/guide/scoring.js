// Scores of a scene, asked for from the site.
import { tokenOf } from "../elements/csrf.js";
import { gettext } from "../elements/words.js";
import { toData } from "./links.js";

const PATIENCE_MS = 10_000;

// Trouble that will pass: it is worth while to ask again.
const passing = () => Object.assign(new Error(""), { isPassing: true });

// What each protocol (or only one of them) says; throws an Error with what to tell, empty if isPassing.
export async function askForScores(url, scene, only) {
  let response;
  try {
    response = await fetch(url, {
      method: "POST",
      body: JSON.stringify({ scene: toData(scene), ...(only && { protocol: only }) }),
      headers: { "Content-Type": "application/json", "X-CSRFToken": tokenOf() },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.ok) return (await response.json()).protocols;
  } catch {
    throw passing();
  }
  if (response.status === 400) throw new Error((await response.json()).message);
  if (response.status === 403) throw new Error(gettext("Reload the page to go on; the address keeps the scene."));
  throw passing();
}
