// The researcher's pages: long tables can be sorted and filtered.
import { enhanceFilter } from "./filter.js";
import { enhanceSorting } from "./sort.js";

for (const table of document.querySelectorAll("table[data-sortable]")) enhanceSorting(table);
for (const table of document.querySelectorAll("table[data-filter]")) enhanceFilter(table);
