// What a person chooses to see, kept by the browser: keys on all buttons, and how many places were looked at; and
// what was said once.
function kept(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(`show ${name}`, value ? "yes" : "no");
    return localStorage.getItem(`show ${name}`) === "yes";
  } catch {
    return false; // no permission to store
  }
}

export const showsCoverage = () => kept("coverage");

// Whether this is said for the first time in this browser.
export function isNews(name) {
  if (kept(`${name} said`)) return false;
  kept(`${name} said`, true);
  return true;
}

// boxes: check boxes, named "keys" or "coverage" by their value.
export function offerChoices(boxes) {
  const apply = () => document.documentElement.toggleAttribute("data-keys", kept("keys"));
  for (const box of boxes) {
    box.checked = kept(box.value);
    box.addEventListener("change", () => {
      kept(box.value, box.checked);
      apply();
    });
  }
  apply();
}
