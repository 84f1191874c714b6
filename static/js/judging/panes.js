// Two results drawn on the same photograph, in image pixels, under one camera.
//
// const panes = createPanes(root, payload, {onPhotograph, onSkip});   root: [data-panes]
//   panes.show(payload)      the next pair; image.results, truth and matches may be omitted for a known image
//   panes.remember(image)    stores the data prefetched for an image
//   panes.draw(aid, on)      switches an aid of AIDS on or off; panes.isOn(aid), panes.mayHave(aid)
//   panes.camera             zoom(notches), pan({x, y}), fit(), actualSize(), link(on), view()
//   panes.layout             see layout.js; panes.other() shows the other side if one is shown
//   panes.frameBoxes()       frames all detections and ground truth
//   panes.nextDifference()   goes to the next place where the results differ: {n, words}, n may be 0
//   panes.places()           how many places there are, and how many were gone to
//   panes.differencesInWords()   the number of boxes without a twin by side, once the differences are on
//   panes.watch(tell)        calls tell("pair" | "aid" | "camera" | "layout" | "side") after each change
//   panes.pair               the record that the modules share: see createPair
import { gettext } from "../elements/words.js";
import { cameraOf, isPixelated, isZoomed } from "./camera.js";
import { drawable, drawBoxes, drawTruth, extentOfPair, OTHER, thinOut } from "./drawing.js";
import { createCamera } from "./hands.js";
import { createLayout } from "./layout.js";
import { createLazy } from "./lazy.js";
import { createPhotograph } from "./photograph.js";

export const AIDS = ["ground_truth", "match_colours", "differences", "boxes_hidden", "blink", "place_list"];

const SIDES = ["left", "right"];
// Factor for the room around all boxes.
const AROUND_ALL = 1.06;
// The keys that remain without single letters.
const OTHER_KEYS = "Shift+ArrowUp Shift+ArrowDown Shift+ArrowLeft Shift+ArrowRight Space";
// This one, the one before, and those fetched ahead.
const N_IMAGES_KEPT = 6;
const N_CAMERAS_KEPT = 50;

// The result of a side of the payload, which holds the result's id or the result itself.
export function resultOf(payload, image, side) {
  const named = payload[side];
  return typeof named === "string" ? { id: named, ...image.results[named] } : { id: side, ...named };
}

// The aids that are on at first, by the setting of the study.
export const firstAids = (settings, truth) =>
  new Set([truth && "ground_truth", "place_list"].filter((aid) => settings[aid] === "always"));

export function mayHave(aid, settings, image) {
  if (aid === "ground_truth") return settings.ground_truth === "request" && Boolean(image.truth);
  if (aid === "match_colours") return Boolean(settings.match_colours && image.matches);
  if (aid === "place_list") return Boolean(settings.place_list);
  return AIDS.includes(aid);
}

// The last values by key; the oldest is dropped when there is no more room.
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
  "photograph hatch truth boxes halo marks place crosshair overview swapped label words list rows"
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
  pair.tell = tell;

  pair.photograph = createPhotograph(pair.panes, { onState: onPhotograph, onSkip });
  const aim = createLazy(async () => (await import("./aim.js")).createAim(pair));
  const differences = createLazy(() => import("./differences.js"));
  pair.overview = createLazy(() => import("./overview.js"));
  // Before the aim is loaded there is nothing to clear.
  pair.aim = {
    hover: async (...where) => (await aim.get()).hover(...where),
    point: async (what) => (aim.now() ?? (what && (await aim.get())))?.point(what),
    mark: async () => (aim.now() ?? (pair.aids.has("match_colours") && (await aim.get())))?.mark?.(),
  };
  const pictures = Object.fromEntries(pair.panes.map(({ side, picture }) => [side, picture]));
  pair.camera = createCamera(pictures, payload.image, {
    onFrame(view) {
      frame(pair, view);
      tell("camera");
    },
    onPoint: pair.aim.hover,
  });
  pair.panes.forEach((pane) => offerList(pair, pane));
  pair.switches = [...root.parentElement.querySelectorAll("[data-switch] [data-side]")];
  pair.look = offerSwitch(root, pair.switches, () => tell("side"));
  pair.layout = createLayout(root, {
    image: () => pair.image,
    onLay() {
      nameSides(pair);
      pair.camera.measure();
      tell("layout");
    },
  });

  async function compare() {
    const { screen } = pair;
    pair.differences = await differences.get();
    return pair.screen === screen;
  }

  const list = createLazy(async () => {
    const { createList } = await import("./places.js");
    return createList(pair, () => draw("place_list", false));
  });

  function redraw() {
    drawBoxes(pair);
    if (pair.aids.has("place_list")) list.get().then(({ show }) => show());
    else list.now()?.hide();
    thinOut(pair, pair.camera.view());
    pair.aim.point(null);
    pair.aim.mark();
  }

  async function draw(aid, on) {
    if (pair.aids.has(aid) === on || !mayHaveNow(aid)) return;
    if (aid === "differences" && !(await compare())) return;
    if (on) pair.aids.add(aid);
    else pair.aids.delete(aid);
    redraw();
    tell("aid");
  }

  function show(next) {
    showPair(pair, next, redraw);
    tell("pair");
  }
  show(payload);

  return {
    pair,
    show,
    layout: pair.layout,
    other: () => pair.look(OTHER[root.dataset.shown]),
    frameBoxes() {
      const extent = extentOfPair(pair);
      if (extent) pair.camera.frame(extent, AROUND_ALL);
    },
    nextDifference: async () => ((await compare()) ? pair.differences.goToNext(pair) : null),
    hasGone: () => pair.place !== null,
    // The places gone to, {n, seen}; null if there are none.
    places: () => (pair.placesSeen.size ? { n: pair.results.left.places.length, seen: pair.placesSeen.size } : null),
    differencesInWords: () => pair.differences.inWords(pair),
    remember: (image) => remember(pair, image),
    camera: pair.camera,
    isOn: (aid) => pair.aids.has(aid),
    mayHave: mayHaveNow,
    draw,
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

function frame(pair, view) {
  const { aim, overview, panes, root } = pair;
  root.toggleAttribute("data-zoomed", isZoomed(view));
  // The script of the map is loaded when an image is first enlarged.
  if (overview.now()) overview.now().drawOverview(pair, view);
  else if (isZoomed(view)) overview.get().then((map) => map.drawOverview(pair, pair.camera.view()));
  for (const { side, picture, hatch } of panes) {
    picture.toggleAttribute("data-pixelated", isPixelated(view, side));
    const size = `scale(${1 / cameraOf(view, side).scale})`;
    if (hatch.getAttribute("patternTransform") !== size) hatch.setAttribute("patternTransform", size);
  }
  thinOut(pair, view);
  aim.mark();
}

function showPair(pair, next, redraw) {
  const before = { ...pair.image, screen: pair.screen };
  const image = remember(pair, next.image);
  pair.image = image;
  pair.settings = next.study?.settings ?? {};
  pair.screen = next.screen?.id ?? null;
  pair.place = null;
  pair.placesSeen = new Set();
  pair.differences?.markPlace(pair);
  pair.results = Object.fromEntries(SIDES.map((side) => [side, drawable(resultOf(next, image, side), image)]));
  pair.aids = firstAids(pair.settings, image.truth);
  pair.look(next.screen?.first ?? pair.root.dataset.shown ?? "left");

  const isSame = ["key", "url", "width", "height"].every((name) => image[name] === before[name]);
  if (!isSame) pair.layout.lay();
  placeCamera(pair, before, isSame);
  if (!isSame) {
    pair.photograph.show(image);
    drawTruth(pair);
  }
  redraw();
  for (const pane of pair.panes) {
    const { label } = pair.results[pane.side];
    pair.switches.find(({ dataset }) => dataset.side === pane.side).querySelector("span").textContent = label;
    if (next.person?.single_keys === false) pane.picture.setAttribute("aria-keyshortcuts", OTHER_KEYS);
    showList(pair, pane);
  }
  nameSides(pair);
}

function nameSides({ layout, panes, results }) {
  const names = layout.names();
  for (const { side, picture } of panes) {
    picture.setAttribute("aria-label", `${names[side].result}, ${results[side].label}`);
  }
}

// A pair that is shown again keeps its view; another image is shown whole at first.
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

// The script of the list is loaded when one is first opened.
async function showList(pair, pane) {
  const { polygons } = pair.results[pane.side];
  pane.rows.textContent = polygons.length === 0 ? gettext("No boxes") : "";
  if (!pane.list.open || polygons.length === 0) return;
  const { fillList } = await import("./box_list.js");
  if (polygons === pair.results[pane.side].polygons) fillList(pair, pane, pair.layout.names()[pane.side].result);
}

// Where one pane is shown, a tap shows the other at the same place. Returns a function that shows a side.
function offerSwitch(root, buttons, onSwitch) {
  const look = (side) => {
    root.dataset.shown = side;
    for (const each of buttons) each.setAttribute("aria-pressed", String(each.dataset.side === side));
    onSwitch();
  };
  for (const each of buttons) each.addEventListener("click", () => look(each.dataset.side));
  buttons[0].parentElement.hidden = false;
  return look;
}
