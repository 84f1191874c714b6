// A button with data-copy="id" puts the value of that field on the clipboard.
import { gettext } from "./words.js";

export function enhanceCopyButton(button, clipboard) {
  const field = document.getElementById(button.dataset.copy);
  const name = button.textContent;
  button.hidden = false;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    field.select();
    try {
      await clipboard.writeText(field.value);
      button.textContent = gettext("Copied");
    } catch {
      button.textContent = gettext("Press Ctrl+C to copy");
    }
    button.addEventListener("blur", () => (button.textContent = name), { once: true });
  });
}
