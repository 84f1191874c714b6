// The list of a report's parts: the style shows the part in the address; this marks it in the list, too.
//
// <div data-parts><nav><ul><li><a href="#part-…">…</a></li></ul></nav><section class="part" id="part-…">…</section></div>
export function enhanceParts(root, page = document) {
  const links = [...root.querySelectorAll("nav a[href^='#']")];

  const mark = () => {
    const target = page.getElementById(decodeURIComponent(page.location.hash.slice(1)));
    const part = target?.closest(".part") ?? root.querySelector(".part");
    for (const link of links) {
      if (link.hash === `#${part.id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  root.querySelector("nav").addEventListener("keydown", (event) => {
    const at = links.indexOf(event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0 || !step) return;
    event.preventDefault();
    links[(at + step + links.length) % links.length].focus();
  });
  page.defaultView.addEventListener("hashchange", mark);
  mark();
}
