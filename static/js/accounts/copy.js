// A button with data-copy="id" puts the value of that field on the clipboard.

export function enhanceCopyButton(button, clipboard) {
  const field = document.getElementById(button.dataset.copy);
  const name = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await clipboard.writeText(field.value);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Press Ctrl+C to copy";
    }
    button.addEventListener("blur", () => (button.textContent = name), { once: true });
  });
}
