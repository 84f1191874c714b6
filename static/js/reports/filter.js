// A box that keeps the rows of a long table that contain all typed words: <table data-filter="images">.
import { gettext } from "../elements/words.js";

const LEAST_ROWS = 20;
// By the attribute: the label of the box, and the message with the number of rows left.
const WHAT = {
  rows: { filter: gettext("Filter rows"), found: (counts) => gettext("{n} of {all} rows", counts) },
  images: { filter: gettext("Filter images"), found: (counts) => gettext("{n} of {all} images", counts) },
  annotators: {
    filter: gettext("Filter annotators"),
    found: (counts) => gettext("{n} of {all} annotators", counts),
  },
  orders: { filter: gettext("Filter orders"), found: (counts) => gettext("{n} of {all} orders", counts) },
};

// Whether every word of the query occurs in the text, ignoring case.
export function isFound(text, question) {
  const [inside, words] = [text.toLowerCase(), question.toLowerCase().split(/\s+/)];
  return words.every((word) => inside.includes(word));
}

export function enhanceFilter(table) {
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  if (rows.length < LEAST_ROWS) return;
  const what = table.dataset.filter in WHAT ? table.dataset.filter : "rows";
  const label = document.createElement("label");
  const input = document.createElement("input");
  const told = document.createElement("span");
  input.type = "search";
  input.autocomplete = "off";
  told.setAttribute("role", "status");
  label.append(`${WHAT[what].filter} `, input);
  const box = document.createElement("p");
  box.className = "table-filter no-print";
  box.append(label, told);
  (table.closest(".table-scroll") ?? table).before(box);

  input.addEventListener("input", () => {
    const question = input.value.trim();
    let n = 0;
    for (const row of rows) {
      row.hidden = question !== "" && !isFound(row.textContent, question);
      n += row.hidden ? 0 : 1;
    }
    told.textContent = question === "" ? "" : WHAT[what].found({ n, all: rows.length });
  });
}
