// The boxes as they are seen, focused, dragged and moved by keys. Names: t0, t1, ... d0, d1, ...
import { frameOf, HANDLES, moved, pointOf, resized, textSize } from "./geometry.js";
import { labelOf, sayBox } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const STEP = 10;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const HANDLE_PX = 10;
const FRAME_PX = { mouse: 30, touch: 64 };
const GRAB_PX = { mouse: 16, touch: 34 };
const STILL_PX = 4;

// onSelect(name), onChange(name, box, what), onDelete(name): what names a doing that goes on.
export function createStage(picture, limits, { onSelect, onChange, onDelete }) {
  const place = picture.querySelector("[data-boxes]");
  const handles = picture.querySelector("[data-handles]");
  const groups = new Map();
  const hand = matchMedia("(pointer: coarse)").matches ? "touch" : "mouse";
  let shown = { truth: [], detections: [] };
  let selected = null;
  let drag = null;
  let nDrags = 0;

  picture.setAttribute("role", "application");
  picture.setAttribute("aria-roledescription", "stage with boxes");
  picture.setAttribute("aria-describedby", "stage-help");
  handles.setAttribute("aria-hidden", "true");
  place.replaceChildren();

  // How many units of the stage one pixel of the screen is.
  function unit() {
    const scale = picture.getScreenCTM()?.a;
    return scale ? 1 / scale : 1;
  }

  function boxOf(name) {
    return shown[name[0] === "t" ? "truth" : "detections"][Number(name.slice(1))] ?? null;
  }

  function draw(scene, statuses, kinds, name) {
    shown = scene;
    selected = name;
    picture.style.setProperty("--unit", String(unit()));
    picture.setAttribute("aria-label", `The scene: ${scene.truth.length} truths, ${scene.detections.length} detections`);
    const names = new Set();
    for (const side of ["truth", "detections"]) {
      scene[side].forEach((box, at) => {
        const own = `${side[0]}${at}`;
        names.add(own);
        drawBox(own, side, at, box, statuses?.[side][at] ?? "unknown", kinds);
      });
    }
    for (const [own, { group }] of groups) {
      if (!names.has(own)) {
        group.remove();
        groups.delete(own);
      }
    }
    drawHandles();
  }

  function drawBox(name, side, at, box, status, kinds) {
    const parts = groups.get(name) ?? made(name, side, at);
    const { group, area, text, tag } = parts;
    setAll(area, { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top });
    const isTruth = side === "truth";
    text.textContent = isTruth ? box.text : "";
    if (isTruth) {
      setAll(text, { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, "font-size": textSize(box) });
    }
    setAll(tag, isTruth ? { x: box.left, y: box.top } : { x: box.right, y: box.bottom });
    group.dataset.status = status;
    group.toggleAttribute("data-selected", name === selected);
    setAll(group, {
      "aria-pressed": String(name === selected),
      "aria-label": sayBox(side, at, box, kinds[status]),
    });
  }

  function made(name, side, at) {
    const group = node("g", { class: `box box--${side === "truth" ? "truth" : "detection"}`, tabindex: 0, role: "button" });
    group.dataset.box = name;
    const parts = {
      group,
      area: node("rect", { class: "box__area" }),
      text: node("text", { class: "box__text" }),
      tag: node("text", { class: "box__tag" }),
    };
    parts.tag.textContent = labelOf(side, at);
    group.append(parts.area, parts.text, parts.tag);
    // Truths lie below detections, each side in its own order.
    const next = [...groups].find(([other]) => side === "truth" && other[0] === "d");
    place.insertBefore(group, next ? next[1].group : null);
    groups.set(name, parts);
    return parts;
  }

  function drawHandles() {
    const box = selected && boxOf(selected);
    handles.toggleAttribute("hidden", !box);
    if (!box) {
      handles.replaceChildren();
      return;
    }
    const size = unit();
    const frame = frameOf(box, FRAME_PX[hand] * size);
    if (!handles.firstChild) {
      for (const handle of HANDLES) {
        const group = node("g", { class: "handle" });
        group.dataset.handle = handle;
        group.append(node("circle", { class: "handle__area" }), node("rect", { class: "handle__mark" }));
        handles.append(group);
      }
    }
    for (const group of handles.children) {
      const { x, y } = pointOf(group.dataset.handle, frame);
      const [area, mark] = group.children;
      setAll(area, { cx: x, cy: y, r: (GRAB_PX[hand] / 2) * size });
      const side = HANDLE_PX * size;
      setAll(mark, { x: x - side / 2, y: y - side / 2, width: side, height: side });
    }
  }

  function under(event) {
    return document
      .elementsFromPoint(event.clientX, event.clientY)
      .map((found) => found.closest("[data-box]")?.dataset.box)
      .filter(Boolean)
      .filter((name, at, all) => all.indexOf(name) === at);
  }

  function begin(event) {
    if (event.button !== 0 || drag) return;
    const handle = event.target.closest("[data-handle]")?.dataset.handle ?? null;
    const stack = under(event);
    const wasSelected = selected;
    const name = handle ? selected : stack.includes(selected) ? selected : stack[0];
    if (!name) {
      onSelect(null);
      return;
    }
    event.preventDefault();
    nDrags += 1;
    drag = {
      name,
      handle,
      box: boxOf(name),
      from: [event.clientX, event.clientY],
      unit: unit(),
      what: `drag ${nDrags}`,
      hasMoved: false,
      // A second press on the same place reaches what lies beneath.
      beneath: wasSelected === name && !handle ? stack[(stack.indexOf(name) + 1) % stack.length] : null,
      pointer: event.pointerId,
    };
    picture.setPointerCapture(event.pointerId);
    onSelect(name);
    groups.get(name)?.group.focus({ preventScroll: true });
  }

  function go(event) {
    if (!drag || event.pointerId !== drag.pointer) return;
    const dx = event.clientX - drag.from[0];
    const dy = event.clientY - drag.from[1];
    if (!drag.hasMoved && Math.hypot(dx, dy) < STILL_PX) return;
    drag.hasMoved = true;
    const next = drag.handle
      ? resized(drag.box, drag.handle, dx * drag.unit, dy * drag.unit, limits)
      : moved(drag.box, dx * drag.unit, dy * drag.unit, limits);
    onChange(drag.name, next, drag.what);
  }

  function end(event) {
    if (!drag || event.pointerId !== drag.pointer) return;
    const { hasMoved, beneath } = drag;
    drag = null;
    if (event.type === "pointerup" && !hasMoved && beneath) {
      onSelect(beneath);
      groups.get(beneath)?.group.focus({ preventScroll: true });
    }
  }

  function press(event) {
    const name = event.target.closest("[data-box]")?.dataset.box;
    if (!name || event.altKey || event.metaKey) return;
    const arrow = ARROWS[event.key];
    const box = boxOf(name);
    if (arrow) {
      const step = event.ctrlKey ? 1 : STEP;
      const [x, y] = arrow.map((way) => way * step);
      onSelect(name);
      if (event.shiftKey) onChange(name, resized(box, "se", x, y, limits), `size ${name}`);
      else onChange(name, moved(box, x, y, limits), `move ${name}`);
    } else if (event.key === "Enter" || event.key === " ") {
      onSelect(name);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      onDelete(name);
    } else if (event.key === "Escape") {
      onSelect(null);
    } else {
      return;
    }
    event.preventDefault();
  }

  picture.addEventListener("pointerdown", begin);
  picture.addEventListener("pointermove", go);
  picture.addEventListener("pointerup", end);
  picture.addEventListener("pointercancel", end);
  picture.addEventListener("keydown", press);
  new ResizeObserver(() => {
    picture.style.setProperty("--unit", String(unit()));
    drawHandles();
  }).observe(picture);

  return {
    draw,
    isDragging: () => drag !== null,
    focus: (name) => groups.get(name)?.group.focus({ preventScroll: true }),
  };
}

function node(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  setAll(element, attributes);
  return element;
}

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}
