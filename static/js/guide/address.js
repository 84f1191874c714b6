// The address of the page contains the scene, and the button copies it.
import { gettext } from "../elements/words.js";
import { toLink } from "./links.js";

const ADDRESS_AFTER_MS = 250;
const COPIED_FOR_MS = 2500;

// only: the page is about one protocol, and its address does not name it.
export function queryOf(scene, chosen, only) {
  const fields = only ? "" : `protocol=${encodeURIComponent(chosen)}&`;
  return `?${fields}scene=${toLink(scene)}`;
}

// `whole`: the link to the playground of all protocols, if the page has one.
export function createAddress(only, whole) {
  let timer;

  return {
    // Browsers refuse an address that changes too often.
    keep(scene, chosen) {
      clearTimeout(timer);
      timer = setTimeout(() => {
        history.replaceState(null, "", location.pathname + queryOf(scene, chosen, only));
        if (whole) whole.href = whole.dataset.whole + queryOf(scene, chosen, false);
      }, ADDRESS_AFTER_MS);
    },
  };
}

// linkOf() returns the link to copy; onSay(words) reports the outcome.
export function enhanceCopyLink(button, linkOf, onSay) {
  button.addEventListener("click", async () => {
    let words = gettext("Link copied.");
    try {
      await navigator.clipboard.writeText(linkOf());
    } catch {
      words = gettext("Copy the address of this page.");
    }
    button.textContent = words.replace(/\.$/, "");
    onSay(words);
    setTimeout(() => {
      button.textContent = gettext("Copy link");
    }, COPIED_FOR_MS);
  });
  button.hidden = false;
}
