// The address of the page contains the scene.
import { toLink } from "./links.js";

const ADDRESS_AFTER_MS = 250;

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
