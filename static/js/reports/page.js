// The pages of images and annotators: long tables can be sorted.
import { enhanceSorting } from "./sort.js";

for (const table of document.querySelectorAll("table[data-sortable]")) enhanceSorting(table);
