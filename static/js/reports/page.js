// The researcher's pages: long tables can be sorted and filtered, a report's questions open in place.
import { enhanceTables } from "../elements/tables.js";
import { enhanceAsked } from "./asked.js";
import { enhanceCells } from "./cells.js";
import { enhanceFilter } from "./filter.js";
import { remember } from "./remembered.js";
import { enhanceSorting } from "./sort.js";

function enhance(root) {
  for (const table of root.querySelectorAll("table[data-sortable]")) enhanceSorting(table);
  for (const table of root.querySelectorAll("table[data-filter]")) enhanceFilter(table);
  for (const table of root.querySelectorAll("table[data-cells]")) enhanceCells(table);
}

enhance(document);
for (const box of document.querySelectorAll("[data-remembered]")) remember(box);
for (const root of document.querySelectorAll("[data-asked]")) {
  root.addEventListener("added", ({ target }) => {
    enhance(target);
    enhanceTables(target);
  });
  enhanceAsked(root);
}
