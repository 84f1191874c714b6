// The researcher's pages: long tables can be sorted and filtered, a report has parts.
import { enhanceFilter } from "./filter.js";
import { enhanceParts } from "./parts.js";
import { enhanceSorting } from "./sort.js";

for (const table of document.querySelectorAll("table[data-sortable]")) enhanceSorting(table);
for (const table of document.querySelectorAll("table[data-filter]")) enhanceFilter(table);
for (const root of document.querySelectorAll("[data-parts]")) enhanceParts(root);
