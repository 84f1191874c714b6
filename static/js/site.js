// Every page's script.
if (document.querySelector(".table-scroll")) {
  const { enhanceTables } = await import("./elements/tables.js");
  enhanceTables(document);
}
