import { gettext } from "./words.js";

// A table larger than its box can be scrolled by keyboard and has an accessible name.
export function enhanceTables(page) {
  for (const box of page.querySelectorAll(".table-scroll")) {
    const table = box.querySelector("table");
    const name = nameOf(box, page);
    const update = () => {
      const isTall = box.classList.contains("table-scroll--tall") && table.offsetHeight > box.clientHeight;
      const isWide = isTall || table.offsetWidth > box.clientWidth;
      box.toggleAttribute("data-wide", isWide);
      box.toggleAttribute("data-fits", !isWide);
      if (!isWide) {
        for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
        return;
      }
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", gettext("Table: {name}", { name }));
    };
    // The table too: buttons that sort it widen it while its box keeps its size.
    const watcher = new ResizeObserver(update);
    watcher.observe(box);
    watcher.observe(table);
  }
}

// The section's heading; if there are several, the nearest one above the table.
function nameOf(box, page) {
  const section = box.closest("section") ?? page;
  const above = [...section.querySelectorAll("h1, h2, h3, summary")].filter(
    (heading) => heading.compareDocumentPosition(box) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  const names = [above[0] ?? page.querySelector("h1"), above.at(-1)].map((it) => it?.textContent.trim());
  return [...new Set(names.filter(Boolean))].join(", ") || gettext("figures");
}
