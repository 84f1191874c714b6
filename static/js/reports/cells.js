// Cells that lead to what is behind their number: <table data-cells> with <td data-address="…">.
//
// A row has one link; from it, the arrow keys reach its cells, and Enter opens the one in focus.
export function enhanceCells(table, go = (address) => location.assign(address)) {
  for (const cell of table.querySelectorAll("[data-address]")) cell.tabIndex = -1;

  table.addEventListener("click", ({ target }) => {
    const cell = target.closest("[data-address]");
    if (cell) go(cell.dataset.address);
  });
  table.addEventListener("keydown", (event) => {
    const row = event.target.closest("tbody tr");
    if (!row) return;
    if (event.key === "Enter" && event.target.dataset.address) go(event.target.dataset.address);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const stops = [row.querySelector("a"), ...row.querySelectorAll("[data-address]")].filter(
      (stop) => stop?.checkVisibility(),
    );
    const next = stops[stops.indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}
