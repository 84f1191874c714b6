// A table wider than its box can be scrolled by keyboard and says what it is.
export function enhanceTables(page) {
  for (const box of page.querySelectorAll(".table-scroll")) {
    const table = box.querySelector("table");
    const heading = box.closest("section")?.querySelector("h2, h3") ?? page.querySelector("h1");
    const update = () => {
      const isWide = table.offsetWidth > box.clientWidth;
      box.toggleAttribute("data-wide", isWide);
      box.toggleAttribute("data-fits", !isWide);
      if (!isWide) {
        for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
        return;
      }
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", `Table: ${heading?.textContent.trim() ?? "figures"}`);
    };
    new ResizeObserver(update).observe(box);
  }
}
