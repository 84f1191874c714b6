// The drawer with the last pairs: their answers, and a link back to each.
import { element } from "../elements/svg.js";
import { gettext, ngettext } from "../elements/words.js";
import { post } from "./exchange.js";
import { CRITERIA } from "./keys.js";

// The answer to each criterion, in the names of the panes: {recall: "Top better", ...}; "–" if it was
// not asked.
export function cellsOf({ verdicts }, { left, right }) {
  const words = { left: left.better, equal: gettext("Equal"), right: right.better };
  return Object.fromEntries(CRITERIA.map((name) => [name, words[verdicts[name]] ?? "–"]));
}

export function questionOf(n) {
  if (!n) return gettext("Change this answer? All your later answers stay.");
  return ngettext(
    "Change this answer? Up to {n} later answer may contradict the new one and be set aside.",
    "Change this answer? Up to {n} later answers may contradict the new one and be set aside.",
    n,
  );
}

export function openHistory(page) {
  page.history ??= createHistory(page.root.querySelector("[data-history-dialog]"), {
    namesOf: () => page.panes.layout.names(),
    onChange({ change_url }) {
      page.history.close();
      post(page, "change", change_url, {});
    },
  });
  page.history.open(page.payload.study.history_url);
}

function createHistory(dialog, { namesOf, onChange }) {
  const part = (name, within = dialog) => within.querySelector(`[data-${name}]`);
  const list = part("list");
  const words = part("words");

  part("close").addEventListener("click", () => dialog.close());

  async function open(url) {
    if (dialog.open) return;
    list.replaceChildren();
    words.textContent = gettext("Loading.");
    dialog.showModal();
    try {
      const response = await fetch(url, { headers: { Accept: "application/json" } });
      const { screens } = await response.json();
      list.replaceChildren(...screens.map(itemOf));
      words.textContent = screens.length
        ? gettext("Newest first.")
        : gettext("You have not answered any pairs yet.");
    } catch {
      words.textContent = gettext("The last pairs could not be loaded. Close this and open it again.");
    }
  }

  function itemOf(screen) {
    const item = part("item").content.cloneNode(true).firstElementChild;
    const [ask, change, sure, keep] = ["ask", "change", "sure", "keep"].map((name) => part(name, item));
    const names = namesOf();
    const cells = cellsOf(screen, names);
    const [answers, skipped] = ["answers", "skipped"].map((name) => part(name, item));
    const skip = screen.skipped && gettext("Skipped: {reason}", { reason: screen.skipped });
    const heads = [...answers.tHead.rows[0].cells].map(({ textContent }) => textContent);
    const said = skip || Object.values(cells).map((words, at) => `${heads[at]}: ${words}`).join(", ");
    part("place", item).textContent = gettext("Image {n}", { n: screen.image_number });
    part("pair", item).append(...Object.keys(names).map((side) => pictureOf(screen, side, names[side].result)));
    for (const words of Object.values(cells)) part("cells", item).insertCell().textContent = words;
    answers.hidden = Boolean(screen.skipped);
    skipped.hidden = !screen.skipped;
    skipped.textContent = skip;
    change.setAttribute("aria-label", gettext("Change image {n}. {answers}", { n: screen.image_number, answers: said }));
    part("question", item).textContent = questionOf(screen.n_set_aside);
    const turn = (asking) => {
      ask.hidden = !asking;
      change.hidden = asking;
      (asking ? sure : change).focus();
    };
    change.addEventListener("click", () => turn(true));
    keep.addEventListener("click", () => turn(false));
    sure.addEventListener("click", () => onChange(screen));
    return item;
  }

  return { open, close: () => dialog.close() };
}

function pictureOf(screen, side, name) {
  const { url, width, height } = screen;
  const { polygons, label } = screen[side];
  const d = polygons.map((points) => `M${points}Z`).join("");
  const picture = element("svg", { class: "history__picture", viewBox: `0 0 ${width} ${height}`, role: "img" });
  picture.setAttribute("aria-label", `${name}, ${label}`);
  if (url) picture.append(element("image", { href: url, width, height }));
  picture.append(element("path", { d, class: "boxes__under" }), element("path", { d, class: "boxes__over" }));
  return picture;
}
