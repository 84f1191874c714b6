// Drawing regions of a ground truth: <form data-mend> with an <svg data-drawing> and a row for each region.
import { element as svg } from "../elements/svg.js";

const CORNER_PX = 6;

export function enhanceMending(form) {
  const drawing = form.querySelector("[data-drawing]");
  const corners = form.querySelector("[data-corners]");
  const button = form.querySelector("[data-draw]");
  const hint = form.querySelector("[data-drawing-hint]");
  let chosen = null;
  let drawn = null;

  const polygonOf = (row) => drawing.querySelector(`[data-region="${row.dataset.row}"]`);
  const fieldOf = (row) => row.querySelector("input[name$=points]");
  const rowOf = (polygon) => form.querySelector(`[data-row="${polygon.dataset.region}"]`);
  const isBox = (numbers) => numbers.length === 4;

  function numbersOf(row) {
    const numbers = fieldOf(row).value.split(/[\s,;]+/).filter(Boolean).map(Number);
    if (numbers.some(Number.isNaN)) return [];
    if (!isBox(numbers)) return numbers;
    const [left, top, right, bottom] = numbers;
    return [left, top, right, top, right, bottom, left, bottom];
  }

  function at(event) {
    const point = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = point.matrixTransform(drawing.getScreenCTM().inverse());
    return [Math.round(x), Math.round(y)];
  }

  function show(row) {
    const numbers = numbersOf(row);
    polygonOf(row).setAttribute("points", numbers.join(" "));
    if (row !== chosen) return;
    const radius = CORNER_PX / drawing.getScreenCTM().a;
    const circles = [];
    for (let i = 0; i + 1 < numbers.length; i += 2) {
      const circle = svg("circle", { cx: numbers[i], cy: numbers[i + 1], r: radius });
      circle.dataset.corner = i;
      circles.push(circle);
    }
    corners.replaceChildren(...circles);
  }

  function write(row, numbers) {
    fieldOf(row).value = numbers.join(", ");
    show(row);
  }

  function choose(row) {
    if (chosen) polygonOf(chosen).classList.remove("chosen");
    for (const one of form.querySelectorAll("[data-row]")) one.classList.toggle("chosen", one === row);
    chosen = row;
    corners.replaceChildren();
    if (!row) return;
    polygonOf(row).classList.add("chosen");
    show(row);
  }

  function draws(is) {
    button.setAttribute("aria-pressed", String(is));
    hint.hidden = !is;
    drawn = is ? [] : null;
    if (!is) return;
    const free = [...form.querySelectorAll("[data-row]")].find((row) => !fieldOf(row).value.trim());
    if (free) choose(free);
    else draws(false);
  }

  function addCorner(event) {
    const [x, y] = at(event);
    const near = CORNER_PX / drawing.getScreenCTM().a;
    if (drawn.length >= 6 && Math.hypot(drawn[0] - x, drawn[1] - y) <= 2 * near) {
      const row = chosen;
      draws(false);
      row.querySelector("input[name$=text]").focus();
      return;
    }
    drawn.push(x, y);
    write(chosen, drawn);
  }

  function drag(event, moved) {
    const row = chosen;
    const [x, y] = at(event);
    const before = numbersOf(row);
    const follow = (next) => {
      const [nextX, nextY] = at(next);
      const shift = [nextX - x, nextY - y];
      write(row, before.map((value, i) => (moved(i) ? value + shift[i % 2] : value)));
    };
    const end = () => {
      drawing.removeEventListener("pointermove", follow);
      window.removeEventListener("pointerup", end);
    };
    drawing.addEventListener("pointermove", follow);
    window.addEventListener("pointerup", end);
  }

  drawing.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    if (drawn) return addCorner(event);
    const corner = event.target.dataset.corner;
    if (corner !== undefined) return drag(event, (i) => i - (i % 2) === Number(corner));
    const polygon = event.target.closest("[data-region]");
    choose(polygon && rowOf(polygon));
    if (polygon) {
      rowOf(polygon).scrollIntoView({ block: "nearest" });
      drag(event, () => true);
    }
  });
  form.addEventListener("focusin", (event) => {
    const row = event.target.closest("[data-row]");
    if (row && !drawn) choose(row);
  });
  form.addEventListener("input", (event) => {
    const row = event.target.closest("[data-row]");
    if (row) show(row);
  });
  button.addEventListener("click", () => draws(!drawn));
  form.querySelector("[data-hint]").hidden = false;
}
