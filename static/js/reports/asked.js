// The questions of a report, which open and close in place; the address names the open ones.
//
// <div data-asked><section data-question="sure" data-holds="intervals differences">
//   <h3><a href="?open=sure#part-sure" aria-expanded="false">How sure is this?</a></h3></section></div>
// Without this module, each link loads the page that shows the same.
export function enhanceAsked(root, page = document) {
  const view = page.defaultView;

  // Takes the questions that differ from the page at an address, and the links of all.
  async function show(address) {
    const response = await fetch(address);
    if (!response.ok) return false;
    const fetched = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const other of fetched.querySelectorAll("[data-question]")) {
      const own = root.querySelector(`[data-question="${other.dataset.question}"]`);
      const [link, otherLink] = [own, other].map((section) => section.querySelector("[aria-expanded]"));
      if (link.ariaExpanded === otherLink.ariaExpanded) link.href = otherLink.href;
      else {
        own.replaceChildren(...other.childNodes);
        own.dispatchEvent(new CustomEvent("added", { bubbles: true }));
      }
    }
    return true;
  }

  // Opens the question that holds what the address names.
  function reveal() {
    const name = decodeURIComponent(view.location.hash.slice(1));
    const found = name && page.getElementById(name);
    if (found) found.closest("details")?.setAttribute("open", "");
    if (!name || (found && !found.matches("[data-question]"))) return;
    const section = root.querySelector(`[data-holds~="${CSS.escape(name)}"]`);
    const link = section?.querySelector("[aria-expanded=false]");
    if (link) view.location.replace(new URL(`${link.search}#${name}`, view.location.href));
  }

  root.addEventListener("click", async (event) => {
    const link = event.target.closest("[aria-expanded]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { href } = link;
    const { question } = link.closest("[data-question]").dataset;
    if (!(await show(href))) return view.location.assign(href);
    view.history.pushState(null, "", href);
    const section = root.querySelector(`[data-question="${question}"]`);
    const own = section.querySelector("[aria-expanded]");
    own.focus({ preventScroll: true });
    if (own.ariaExpanded === "true") section.scrollIntoView();
  });
  view.addEventListener("popstate", () => show(view.location.href));
  reveal();
}
