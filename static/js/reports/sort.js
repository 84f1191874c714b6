// Sorts a table by its columns: <table data-sortable> with <th data-sort>; a cell's data-value overrides its text.
//
// The first press sorts numbers in descending and words in ascending order, the next reverses that.
// Cells without a value (a dash) always come last.
import { inOrder, numberOf } from "../elements/words.js";

const NONE = "–";

// "12", "3.5 s" and "-1" are numbers, "img_10" is a word; null for a cell without a value.
export function valueOf(text) {
  const words = text.trim();
  if (words === "" || words === NONE) return null;
  const number = numberOf(words);
  return Number.isNaN(number) || !/^[-−+.\d]/.test(words) ? words : number;
}

export function compare(a, b, isDown) {
  if (a === null || b === null) return (a === null) - (b === null);
  const both = typeof a === "number" && typeof b === "number";
  const order = both ? a - b : inOrder(String(a), String(b));
  return isDown ? -order : order;
}

export function enhanceSorting(table) {
  const headers = leavesOf(table.tHead);
  const body = table.tBodies[0];

  headers.forEach((header, column) => {
    if (!header.hasAttribute("data-sort") || body.rows.length < 2) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sort(header, column));
  });

  function sort(header, column) {
    const cells = [...body.rows].map((row) => ({ row, value: cellValue(row.cells[column]) }));
    const isNumeric = cells.some(({ value }) => typeof value === "number");
    const before = header.getAttribute("aria-sort");
    const isDown = before ? before === "ascending" : isNumeric;
    for (const each of headers) each.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    cells.sort((one, other) => compare(one.value, other.value, isDown));
    body.append(...cells.map(({ row }) => row));
  }
}

const cellValue = (cell) => valueOf(cell?.dataset.value ?? cell?.textContent ?? "");

// The headers of single columns, from left to right; a head has one row or two.
function leavesOf(head) {
  const [first, second] = [...head.rows].map((row) => [...row.cells]);
  return first.flatMap((header) => (header.colSpan > 1 ? second.splice(0, header.colSpan) : [header]));
}
