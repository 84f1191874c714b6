// The boxes of the stage and the handles of the selected one. `stage` is the record of stage.js.
import { gettext } from "../elements/words.js";
import { element, setAll } from "../elements/svg.js";
import { frameOf, HANDLES, pointOf, textSize } from "./geometry.js";
import { boxOf, nameOf, SIDES } from "./scene.js";
import { labelOf, sayBox } from "./words.js";

const HANDLE_PX = 10;
const FRAME_PX = { mouse: 30, touch: 64 };
const GRAB_PX = { mouse: 16, touch: 34 };

// The units of the stage in one pixel of the screen.
export function unitOf(picture) {
  const scale = picture.getScreenCTM()?.a;
  return scale ? 1 / scale : 1;
}

export function drawBoxes(stage, statuses, kinds) {
  const { groups, picture, scene } = stage;
  picture.setAttribute("aria-label", gettext("The scene: truths {truths}, detections {detections}", { truths: scene.truth.length, detections: scene.detections.length }));
  const names = new Set();
  for (const side of SIDES) {
    scene[side].forEach((box, at) => {
      names.add(nameOf(side, at));
      drawBox(stage, side, at, box, statuses?.[side][at] ?? "unknown", kinds);
    });
  }
  for (const [name, { group }] of groups) {
    if (names.has(name)) continue;
    group.remove();
    groups.delete(name);
  }
}

function drawBox(stage, side, at, box, status, kinds) {
  const name = nameOf(side, at);
  const { group, area, text, tag } = stage.groups.get(name) ?? addBox(stage, side, at);
  setAll(area, { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top });
  const isTruth = side === "truth";
  text.textContent = isTruth ? box.text : "";
  if (isTruth) {
    setAll(text, { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, "font-size": textSize(box) });
  }
  setAll(tag, isTruth ? { x: box.left, y: box.top } : { x: box.right, y: box.bottom });
  const isSelected = name === stage.selected;
  group.dataset.status = status;
  group.toggleAttribute("data-selected", isSelected);
  setAll(group, { "aria-pressed": String(isSelected), "aria-label": sayBox(side, at, box, kinds[status]) });
}

function addBox({ groups, place }, side, at) {
  const kind = side === "truth" ? "truth" : "detection";
  const group = element("g", { class: `box box--${kind}`, tabindex: 0, role: "button" });
  const parts = {
    group,
    area: element("rect", { class: "box__area" }),
    text: element("text", { class: "box__text" }),
    tag: element("text", { class: "box__tag" }),
  };
  group.dataset.box = nameOf(side, at);
  parts.tag.textContent = labelOf(side, at);
  group.append(parts.area, parts.text, parts.tag);
  // Truths are drawn below detections, each side in its own order.
  const next = [...groups].find(([other]) => side === "truth" && other[0] === "d");
  place.insertBefore(group, next ? next[1].group : null);
  groups.set(nameOf(side, at), parts);
  return parts;
}

export function drawHandles({ hand, handles, picture, scene, selected }) {
  const box = boxOf(scene, selected);
  handles.toggleAttribute("hidden", !box);
  if (!box) {
    handles.replaceChildren();
    return;
  }
  const unit = unitOf(picture);
  const frame = frameOf(box, FRAME_PX[hand] * unit);
  if (!handles.firstChild) handles.append(...HANDLES.map(newHandle));
  for (const group of handles.children) {
    const { x, y } = pointOf(group.dataset.handle, frame);
    const [area, mark] = group.children;
    setAll(area, { cx: x, cy: y, r: (GRAB_PX[hand] / 2) * unit });
    const side = HANDLE_PX * unit;
    setAll(mark, { x: x - side / 2, y: y - side / 2, width: side, height: side });
  }
}

function newHandle(handle) {
  const group = element("g", { class: "handle" });
  group.dataset.handle = handle;
  group.append(element("circle", { class: "handle__area" }), element("rect", { class: "handle__mark" }));
  return group;
}
