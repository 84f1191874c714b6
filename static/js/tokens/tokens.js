// The button that copies a new token. Without scripts the field can be selected and copied.
import { gettext } from "../elements/words.js";

export function init(section, clipboard = navigator.clipboard) {
  const field = section.querySelector("[data-secret]");
  const button = section.querySelector("[data-copy]");
  const told = section.querySelector("[data-copied]");
  if (!clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await clipboard.writeText(field.value);
      told.textContent = gettext("Copied.");
    } catch {
      field.select();
      told.textContent = gettext("Press Ctrl+C to copy.");
    }
  });
}

const made = document.querySelector("[data-made]");
if (made) init(made);
