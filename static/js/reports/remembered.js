// A choice that this browser remembers: <input type="checkbox" data-remembered="its name">.
export function remember(box, storage = localStorage) {
  const name = `report.${box.dataset.remembered}`;
  box.checked = storage.getItem(name) === "on";
  box.addEventListener("change", () => storage.setItem(name, box.checked ? "on" : ""));
}
