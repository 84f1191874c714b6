// Every page's script.
const buttons = document.querySelectorAll("[data-copy]");
if (buttons.length > 0) {
  const { enhanceCopyButton } = await import("./elements/copy.js");
  for (const button of buttons) enhanceCopyButton(button, navigator.clipboard);
}
if (document.querySelector(".table-scroll")) {
  const { enhanceTables } = await import("./elements/tables.js");
  enhanceTables(document);
}
