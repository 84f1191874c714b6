// The list of a pane's boxes: where each is and how large. Fetched when a list is first opened.
import { centreOf } from "./boxes.js";

const COLUMNS = ["Box", "x", "y", "Width", "Height"];

const rounded = (value) => String(Number(value.toFixed(1)));

// x, y, width and height of a box.
export const rowOf = ({ left, top, right, bottom }) => [left, top, right - left, bottom - top].map(rounded);

// Fills the open list of a pane; `pair` is the record of panes.js.
export function fillList({ aim, camera, results }, { side, rows }, title) {
  const table = tableOf(title, results[side].shapes(), {
    onAim: (at, where) => aim.point(where ? { side, at, where } : null),
    onLook: (where) => camera.lookAt(side, where),
  });
  rows.replaceChildren(table);
}

// onAim(index, its centre) follows the focus, without arguments when it leaves; onLook(centre) asks to go there.
function tableOf(title, shapes, { onAim, onLook }) {
  const table = document.createElement("table");
  table.createCaption().textContent = `${title}, in pixels of the image`;
  const head = table.createTHead().insertRow();
  for (const textContent of COLUMNS) {
    head.append(Object.assign(document.createElement("th"), { textContent, scope: "col" }));
  }
  const body = table.createTBody();
  shapes.forEach((shape, at) => {
    const row = body.insertRow();
    const centre = centreOf(shape);
    const show = Object.assign(document.createElement("button"), { type: "button", textContent: at + 1 });
    show.setAttribute("aria-label", `Box ${at + 1}: look at it`);
    show.addEventListener("click", () => onLook(centre));
    show.addEventListener("focus", () => onAim(at, centre));
    show.addEventListener("blur", () => onAim());
    row.insertCell().append(show);
    for (const value of rowOf(shape)) row.insertCell().textContent = value;
  });
  return table;
}
