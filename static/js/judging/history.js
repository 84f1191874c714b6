// The drawer with the last pairs: what was answered, and the way back to each.
import { element } from "../elements/svg.js";
import { post } from "./exchange.js";

// words: what was answered, by title, as the site says it.
export function linesOf({ words, skipped }) {
  if (skipped) return [`Skipped: ${skipped}`];
  return Object.entries(words).map(([title, verdict]) => `${title}: ${verdict.toLowerCase()}`);
}

export function questionOf(n) {
  if (!n) return "Change this answer? No later answer is set aside.";
  return `Change this answer? ${n} later ${n === 1 ? "answer" : "answers"} that came from it will be set aside. What still fits is kept.`;
}

export function openHistory(page) {
  page.history ??= createHistory(page.root.querySelector("[data-history-dialog]"), {
    onChange({ change_url }) {
      page.history.close();
      post(page, "change", change_url, {});
    },
  });
  page.history.open(page.payload.study.history_url);
}

function createHistory(dialog, { onChange }) {
  const part = (name, within = dialog) => within.querySelector(`[data-${name}]`);
  const list = part("list");
  const words = part("words");

  part("close").addEventListener("click", () => dialog.close());

  async function open(url) {
    if (dialog.open) return;
    list.replaceChildren();
    words.textContent = "Loading.";
    dialog.showModal();
    try {
      const response = await fetch(url, { headers: { Accept: "application/json" } });
      const { screens } = await response.json();
      list.replaceChildren(...screens.map(itemOf));
      words.textContent = screens.length ? "The newest first." : "No pair is answered yet.";
    } catch {
      words.textContent = "The last pairs could not be loaded. Close this and open it again.";
    }
  }

  function itemOf(screen) {
    const item = part("item").content.cloneNode(true).firstElementChild;
    const [ask, change, sure, keep] = ["ask", "change", "sure", "keep"].map((name) => part(name, item));
    const said = linesOf(screen);
    part("place", item).textContent = `Image ${screen.image_number}`;
    part("pair", item).append(pictureOf(screen, "left"), pictureOf(screen, "right"));
    part("answers", item).append(
      ...said.map((line) => Object.assign(document.createElement("li"), { textContent: line })),
    );
    change.setAttribute("aria-label", `Change image ${screen.image_number}, ${said.join(", ")}`);
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

function pictureOf(screen, side) {
  const { url, width, height } = screen;
  const { polygons, label } = screen[side];
  const d = polygons.map((points) => `M${points}Z`).join("");
  const picture = element("svg", { class: "history__picture", viewBox: `0 0 ${width} ${height}`, role: "img" });
  picture.setAttribute("aria-label", `The result on the ${side}, ${label}`);
  if (url) picture.append(element("image", { href: url, width, height }));
  picture.append(element("path", { d, class: "boxes__under" }), element("path", { d, class: "boxes__over" }));
  return picture;
}
