// The places in which two results differ, as a list: each in words and, if the study shows them, as two equal crops.
// Fetched when it is first opened.
import { element } from "../elements/svg.js";
import { gettext } from "../elements/words.js";
import { cameraOf, createView, frameOf, lookedAt, viewBoxOf } from "./camera.js";
import * as differences from "./differences.js";
import { strokesOf } from "./drawing.js";

// Of a crop, in CSS pixels.
const SIZE = { width: 132, height: 84 };
const MOST_LISTED = 60;
const WHERE = [
  [gettext("upper left"), gettext("top"), gettext("upper right")],
  [gettext("left"), gettext("centre"), gettext("right")],
  [gettext("lower left"), gettext("bottom"), gettext("lower right")],
];

const third = (low, high, size) => Math.min(Math.max(Math.floor((1.5 * (low + high)) / size), 0), 2);

// Where a place is in the image, and which result lacks how many boxes there.
function wordsOf({ left, top, right, bottom, shapes }, pair) {
  const { width, height } = pair.image;
  const where = WHERE[third(top, bottom, height)][third(left, right, width)];
  const n = differences.onEachSide(pair.results, shapes);
  const sides = differences.sidesInWords(pair, n);
  if (n.left && n.right) return gettext("{where}: boxes differ ({sides})", { where, sides });
  const { result } = pair.layout.names()[n.left ? "right" : "left"];
  return gettext("{where}: {result} lacks {n}", { where, result, n: n.left + n.right });
}

// pair: the record of panes.js. onClose() is called when a person closes the list.
export function createList(pair, onClose) {
  const section = pair.root.parentElement.querySelector("[data-places]");
  let shown = "";
  pair.differences = differences;
  section.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    onClose();
    pair.panes[0].picture.focus();
  });

  // The panes get the room that is left.
  function set(isHidden) {
    if (section.hidden === isHidden) return;
    section.hidden = isHidden;
    pair.layout.again();
  }

  function fill() {
    const places = differences.differencesOf(pair);
    const now = [pair.screen, pair.image.url, pair.layout.names().left.result].join();
    if (now === shown) return;
    shown = now;
    const list = document.createElement("ol");
    places.slice(0, MOST_LISTED).forEach((place, at) => {
      const go = Object.assign(document.createElement("button"), { type: "button" });
      go.addEventListener("click", () => differences.goTo(pair, at));
      if (pair.settings.place_list !== "never") go.append(...["left", "right"].map((side) => cropOf(pair, side, place)));
      go.append(Object.assign(document.createElement("span"), { textContent: wordsOf(place, pair) }));
      list.append(document.createElement("li"));
      list.lastChild.append(go);
    });
    const left = places.length - MOST_LISTED;
    const more = document.createElement("p");
    if (places.length === 0) more.textContent = gettext("No differences: every box has a counterpart.");
    if (left > 0) more.textContent = gettext("{n} more places: Next difference shows all.", { n: left });
    section.replaceChildren(list, more);
    section.scrollLeft = 0;
  }

  // The place to which the person went.
  pair.mark = (at) => {
    section.querySelectorAll("button").forEach((each, nth) => {
      if (nth === at) each.setAttribute("aria-current", "true");
      else each.removeAttribute("aria-current");
      if (nth === at) each.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  };

  return {
    show() {
      if (pair.aids.has("place_list")) fill();
      set(!pair.aids.has("place_list"));
    },
    hide: () => set(true),
  };
}

// A side's result at a place, as *Next difference* would show it in a pane of this size.
function cropOf({ image, results }, side, place) {
  const view = lookedAt(createView(image, SIZE, devicePixelRatio), side, place);
  const { x, y, width, height } = frameOf(view, side);
  const isIn = (shape) => shape.right > x && shape.left < x + width && shape.bottom > y && shape.top < y + height;
  const shapes = results[side].shapes();
  const strokes = strokesOf(results[side].polygons.filter((_, at) => isIn(shapes[at])), () => "");
  strokes.thin(cameraOf(view, side), view.dots);
  const crop = element("svg", { viewBox: viewBoxOf(view, side), "aria-hidden": "true", ...SIZE });
  if (image.url) crop.append(element("image", { href: image.url, width: image.width, height: image.height }));
  const boxes = element("g", { class: "boxes" });
  boxes.append(...strokes.nodes);
  crop.append(boxes);
  return crop;
}
