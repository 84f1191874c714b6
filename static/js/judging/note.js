// A note to the researchers, pinned to the box under the mouse, to the place of *Next difference*, or to the pair.
// Loaded when one is first written.
import { gettext } from "../elements/words.js";
import { centreOf } from "./boxes.js";

// {side, at: [x, y]}, or null for the pair.
export function placeOf({ aimed, differences, place, results, settings }) {
  const pinned = (side, shape) => {
    const { x, y } = centreOf(shape);
    return { side, at: [x, y].map((value) => Math.round(value * 10) / 10) };
  };
  if (aimed) return pinned(aimed.side, aimed.shape);
  if (place === null || place === undefined) return null;
  const [shape] = differences.differencesOf({ results, settings })[place].shapes;
  return pinned(results.left.shapes().includes(shape) ? "left" : "right", shape);
}

export function createNote(page) {
  const { messages, panes, root } = page;
  const dialog = root.querySelector("[data-note-dialog]");
  const form = root.querySelector("[data-note-form]");
  const [about, error, closer] = ["about", "error", "close"].map((name) => form.querySelector(`[data-${name}]`));
  const { text, place } = form.elements;

  dialog.append(form);
  closer.hidden = false;
  closer.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => page.answer.focus());

  async function send() {
    const headers = { Accept: "application/json" };
    try {
      const response = await fetch(form.action, { method: "POST", headers, body: new FormData(form) });
      const { message, errors = {} } = await response.json();
      if (response.ok) {
        dialog.close();
        messages.say(message);
        page.tools.show(message);
      } else error.textContent = errors.text ?? message;
    } catch {
      error.textContent = gettext("The note could not be sent. Your words are kept here; try again.");
    }
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });

  return {
    open() {
      if (dialog.open) return;
      const found = placeOf(panes.pair);
      const { result } = panes.layout.names()[found?.side ?? "left"];
      if (!error.textContent) form.reset();
      error.textContent = "";
      form.action = page.payload.screen.note_url;
      place.value = found ? JSON.stringify(found) : "";
      about.textContent = found ? gettext("About a box: {result}.", { result }) : gettext("About this pair.");
      dialog.showModal();
      text.focus();
    },
  };
}
