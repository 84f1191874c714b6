// The list of a pane's boxes: the position and size of each. Fetched when a list is first opened.
import { gettext } from "../elements/words.js";
import { centreOf } from "./boxes.js";

const COLUMNS = [gettext("Box"), "x", "y", gettext("Width"), gettext("Height")];

const rounded = (value) => String(Number(value.toFixed(1)));

// x, y, width and height of a box.
export const rowOf = ({ left, top, right, bottom }) => [left, top, right - left, bottom - top].map(rounded);

// Fills the open list of a pane; `pair` is the record of panes.js.
export function fillList({ aim, camera, results }, { side, rows }, result) {
  const table = tableOf(gettext("{result}, in pixels of the image", { result }), results[side].shapes(), {
    onAim: (at, where) => aim.point(where ? { side, at, where } : null),
    onLook: (where) => camera.lookAt(side, where),
  });
  rows.replaceChildren(table);
}

// onAim(index, its centre) follows the focus, without arguments when it leaves; onLook(centre) moves there.
function tableOf(caption, shapes, { onAim, onLook }) {
  const table = document.createElement("table");
  table.createCaption().textContent = caption;
  const head = table.createTHead().insertRow();
  for (const textContent of COLUMNS) {
    head.append(Object.assign(document.createElement("th"), { textContent, scope: "col" }));
  }
  const body = table.createTBody();
  shapes.forEach((shape, at) => {
    const row = body.insertRow();
    const centre = centreOf(shape);
    const show = Object.assign(document.createElement("button"), { type: "button", textContent: at + 1 });
    show.setAttribute("aria-label", gettext("Show box {n}", { n: at + 1 }));
    show.addEventListener("click", () => onLook(centre));
    show.addEventListener("focus", () => onAim(at, centre));
    show.addEventListener("blur", () => onAim());
    row.insertCell().append(show);
    for (const value of rowOf(shape)) row.insertCell().textContent = value;
  });
  return table;
}
