// A table wider than its box can be scrolled by keyboard and says what it is.
export function enhanceTables(page = document) {
  for (const box of page.querySelectorAll(".table-scroll")) {
    const heading = box.closest("section")?.querySelector("h2, h3") ?? page.querySelector("h1");
    const update = () => {
      const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
      if (!scrolls) {
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
