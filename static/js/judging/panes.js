// Two results drawn on the same photograph, in image pixels, under one camera.
//
// const panes = createPanes(root, payload, {onPhotograph, onSkip});   root: [data-panes]
//   panes.show(payload)      the next pair; image.results, truth and matches may be left out of an image it knows
//   panes.remember(image)    what was fetched ahead for an image
//   panes.draw(aid, on)      shows an aid of AIDS or ends it; panes.isOn(aid), panes.mayHave(aid)
//   panes.camera             zoom(notches), pan({x, y}), fit(), actualSize(), link(on), view()
//   panes.watch(tell)        tell("pair" | "aid" | "camera") after each change
import { setAll } from "../elements/svg.js";
import { createAim } from "./aim.js";
import { cameraOf, frameOf, isPixelated, isZoomed, needsOverview } from "./camera.js";
import { drawable, drawBoxes, drawTruth } from "./drawing.js";
import { createCamera } from "./hands.js";
import { createPhotograph } from "./photograph.js";

export const AIDS = ["ground_truth", "match_colours", "differences", "boxes_hidden", "blink"];

const SIDES = ["left", "right"];
const TITLES = { left: "Left", right: "Right" };
// Without single letters these are left.
const OTHER_KEYS = "Shift+ArrowUp Shift+ArrowDown Shift+ArrowLeft Shift+ArrowRight Space";
const N_IMAGES_KEPT = 3;
const N_CAMERAS_KEPT = 50;

// A side of the payload: its result by the id it names, or the result itself.
export function resultOf(payload, image, side) {
  const named = payload[side];
  return typeof named === "string" ? { id: named, ...image.results[named] } : { id: side, ...named };
}

// Which aids a pair begins with, by the setting of the study.
export const firstAids = (setting) => new Set(setting === "always" ? ["ground_truth"] : []);

export function mayHave(aid, settings, image) {
  if (aid === "ground_truth") return settings.ground_truth === "request" && Boolean(image.truth);
  if (aid === "match_colours") return Boolean(settings.match_colours && image.matches);
  return AIDS.includes(aid);
}

// The last values by key: the oldest goes when there is no more room.
export function createMemory(room) {
  const known = new Map();

  return {
    get: (key) => known.get(key),
    set(key, value) {
      known.delete(key);
      known.set(key, value);
      if (known.size > room) known.delete(known.keys().next().value);
    },
  };
}

// The elements of a pane that change, by the name of their data attribute.
const PARTS = (
  "photograph hatch truth boxes halo marks crosshair overview swapped label words none list rows"
).split(" ");

function partsOf(root, side) {
  const pane = root.querySelector(`[data-pane="${side}"]`);
  const parts = PARTS.map((name) => [name, pane.querySelector(`[data-${name}]`)]);
  return { side, picture: pane.querySelector("svg"), ...Object.fromEntries(parts) };
}

const keyOf = ({ key, url }) => key ?? url;

// The pair that is shown, for the modules that draw it.
const createPair = (root) => ({
  root,
  panes: SIDES.map((side) => partsOf(root, side)),
  image: { url: null, width: 1, height: 1 },
  settings: {},
  screen: null,
  results: {},
  aids: new Set(),
  images: createMemory(N_IMAGES_KEPT),
  cameras: createMemory(N_CAMERAS_KEPT),
});

export function createPanes(root, payload, { onPhotograph, onSkip }) {
  const pair = createPair(root);
  const mayHaveNow = (aid) => mayHave(aid, pair.settings, pair.image);
  const watchers = [];
  const tell = (what) => watchers.forEach((watcher) => watcher(what));

  pair.photograph = createPhotograph(pair.panes, { onState: onPhotograph, onSkip });
  pair.aim = createAim(pair);
  const pictures = Object.fromEntries(pair.panes.map(({ side, picture }) => [side, picture]));
  pair.camera = createCamera(pictures, payload.image, {
    onFrame(view) {
      frame(pair, view);
      tell("camera");
    },
    onPoint: pair.aim.hover,
  });
  pair.panes.forEach((pane) => offerList(pair, pane));
  offerSwitch(root, pair.camera.measure);

  function redraw() {
    drawBoxes(pair);
    pair.aim.point(null);
    pair.aim.mark();
  }

  function show(next) {
    showPair(pair, next, redraw);
    tell("pair");
  }
  show(payload);

  return {
    show,
    remember: (image) => remember(pair, image),
    camera: pair.camera,
    isOn: (aid) => pair.aids.has(aid),
    mayHave: mayHaveNow,
    async draw(aid, on) {
      if (pair.aids.has(aid) === on || !mayHaveNow(aid)) return;
      if (aid === "differences" && !pair.markTwins) {
        const { screen } = pair;
        pair.markTwins = (await import("./differences.js")).markTwins;
        if (pair.screen !== screen) return;
      }
      if (on) pair.aids.add(aid);
      else pair.aids.delete(aid);
      redraw();
      tell("aid");
    },
    nPixels: () => pair.image.width * pair.image.height,
    imageKey: () => keyOf(pair.image),
    watch: (watcher) => watchers.push(watcher),
  };
}

function remember({ images }, next) {
  const key = keyOf(next);
  const all = { ...images.get(key), ...next };
  images.set(key, all);
  return all;
}

function frame({ aim, image, panes, root }, view) {
  root.toggleAttribute("data-zoomed", isZoomed(view));
  for (const { side, picture, overview, hatch } of panes) {
    picture.toggleAttribute("data-pixelated", isPixelated(view, side));
    const isFar = !image.url || !needsOverview(view, side);
    overview.toggleAttribute("hidden", isFar);
    if (!isFar) for (const seen of overview.querySelectorAll("rect")) setAll(seen, frameOf(view, side));
    const size = `scale(${1 / cameraOf(view, side).scale})`;
    if (hatch.getAttribute("patternTransform") !== size) hatch.setAttribute("patternTransform", size);
  }
  aim.mark();
}

function showPair(pair, next, redraw) {
  const before = { ...pair.image, screen: pair.screen };
  const image = remember(pair, next.image);
  pair.image = image;
  pair.settings = next.study?.settings ?? {};
  pair.screen = next.screen?.id ?? null;
  pair.results = Object.fromEntries(SIDES.map((side) => [side, drawable(resultOf(next, image, side), image)]));
  pair.aids = firstAids(image.truth ? pair.settings.ground_truth : "never");

  const isSame = ["key", "url", "width", "height"].every((name) => image[name] === before[name]);
  placeCamera(pair, before, isSame);
  if (!isSame) {
    pair.photograph.show(image);
    drawTruth(pair);
  }
  redraw();
  for (const pane of pair.panes) {
    const { label } = pair.results[pane.side];
    pane.label.textContent = label;
    pair.root.querySelector(`[data-switch] [data-side=${pane.side}] span`).textContent = label;
    pane.picture.setAttribute("aria-label", `${TITLES[pane.side]} result, ${label}`);
    if (next.person?.single_keys === false) pane.picture.setAttribute("aria-keyshortcuts", OTHER_KEYS);
    showList(pair, pane);
  }
}

// A pair that comes back is looked at as it was left; another image begins whole.
function placeCamera({ camera, cameras, image, screen, settings }, before, isSame) {
  if (before.screen) cameras.set(before.screen, { view: camera.view(), image: keyOf(before) });
  const kept = cameras.get(screen);
  if (kept && kept.image === keyOf(image)) camera.reset(image, kept.view);
  else if (!isSame || settings.keep_camera === false) camera.reset(image);
}

function offerList(pair, pane) {
  const { list } = pane;
  list.hidden = false;
  list.addEventListener("toggle", () => showList(pair, pane));
  list.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !list.open) return;
    list.open = false;
    list.querySelector("summary").focus();
  });
}

// The script of the list comes when one is first opened.
async function showList(pair, pane) {
  const { polygons } = pair.results[pane.side];
  pane.rows.textContent = polygons.length === 0 ? "No boxes" : "";
  if (!pane.list.open || polygons.length === 0) return;
  const { fillList } = await import("./box_list.js");
  if (polygons === pair.results[pane.side].polygons) fillList(pair, pane, TITLES[pane.side]);
}

// Narrow windows show one pane; a tap shows the other at the same place.
function offerSwitch(root, onSwitch) {
  const bar = root.querySelector("[data-switch]");
  const buttons = [...bar.querySelectorAll("button")];
  const look = (side) => {
    root.dataset.shown = side;
    for (const each of buttons) each.setAttribute("aria-pressed", String(each.dataset.side === side));
    onSwitch();
  };
  for (const each of buttons) each.addEventListener("click", () => look(each.dataset.side));
  bar.hidden = false;
  look("left");
}
