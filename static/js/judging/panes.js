// Two results drawn on the same photograph, in image pixels, under one camera.
//
// const panes = createPanes(root, payload, {onPhotograph, onSkip});   root: [data-panes]
//   panes.show(payload)      the next pair; image.results, truth and matches may be left out of an image it knows
//   panes.remember(image)    what was fetched ahead for an image
//   panes.draw(aid, on)      shows an aid of AIDS or ends it; panes.isOn(aid), panes.mayHave(aid)
//   panes.camera             zoom(notches), pan({x, y}), fit(), actualSize(), link(on), view()
//   panes.watch(tell)        tell("pair" | "aid" | "camera") after each change
import { boxAt, crossesOf, shapeOf, twinsOf } from "./boxes.js";
import { cameraOf, createCamera, frameOf, isPixelated, isZoomed, needsOverview } from "./camera.js";

export const AIDS = ["ground_truth", "match_colours", "differences", "boxes_hidden", "blink"];

const SVG = "http://www.w3.org/2000/svg";
const SIDES = ["left", "right"];
const TITLES = { left: "Left", right: "Right" };
const OTHER = { left: "right", right: "left" };
// Without single letters these are left.
const OTHER_KEYS = "Shift+ArrowUp Shift+ArrowDown Shift+ArrowLeft Shift+ArrowRight Space";
const N_IMAGES_KEPT = 3;
const N_CAMERAS_KEPT = 50;
const NEAR_PX = 4;
const ARM_PX = 4;

const SLOW_MS = 300;
const WORDS = {
  none: "The photograph is not available",
  asked: "",
  loading: "Loading the photograph",
  shown: "",
  failed: "The photograph could not be loaded.",
};

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

// onPhotograph is told how it stands with the photograph: a key of WORDS.
export function createPanes(root, payload, { onPhotograph, onSkip }) {
  const panes = SIDES.map((side) => ({ side, ...partsOf(root.querySelector(`[data-pane="${side}"]`)) }));
  const known = new Map();
  const cameras = new Map();
  const watchers = [];
  let image = { url: null, width: 1, height: 1 };
  let settings = {};
  let screen = null;
  let results = {};
  let aids = new Set();

  function remember(next) {
    const key = next.key ?? next.url;
    const all = { ...known.get(key), ...next };
    known.delete(key);
    known.set(key, all);
    if (known.size > N_IMAGES_KEPT) known.delete(known.keys().next().value);
    return all;
  }

  const tell = (what) => watchers.forEach((watcher) => watcher(what));

  // The photograph

  function report(state) {
    onPhotograph(state);
    for (const { words } of panes) {
      words.hidden = WORDS[state] === "";
      words.textContent = WORDS[state];
      if (state === "failed") words.append(button("Load again", reload), button("Skip", onSkip));
    }
    if (state === "failed") paint(null);
  }

  // Both panes show one file, so one request tells about both.
  async function load({ url }) {
    await null; // who made the panes has them by then
    if (!url) {
      report("none");
      return;
    }
    const reportIfCurrent = (state) => url === image.url && report(state);
    report("asked");
    const slow = setTimeout(reportIfCurrent, SLOW_MS, "loading");
    const state = await stateOf(url);
    clearTimeout(slow);
    reportIfCurrent(state);
  }

  function paint(url) {
    const { width, height } = image;
    for (const { place, overview } of panes) {
      const drawn = place.querySelector(url ? "image" : "rect");
      const made = () => (url ? element("image", {}) : element("rect", { class: "pane__blank" }));
      const node = drawn ?? made();
      if (url && node.getAttribute("href") !== url) node.setAttribute("href", url);
      for (const each of [node, overview.firstElementChild]) {
        each.setAttribute("width", width);
        each.setAttribute("height", height);
      }
      if (node !== drawn) place.replaceChildren(node);
      overview.setAttribute("viewBox", `0 0 ${width} ${height}`);
      overview.firstElementChild.setAttribute("href", url ?? "");
    }
  }

  function reload() {
    paint(image.url);
    load(image);
  }

  // The camera

  const camera = createCamera(Object.fromEntries(panes.map(({ side, picture }) => [side, picture])), payload.image, {
    onFrame: frame,
    onPoint: hover,
  });

  function frame(view) {
    root.toggleAttribute("data-zoomed", isZoomed(view));
    for (const { side, picture, overview, hatch } of panes) {
      picture.toggleAttribute("data-pixelated", isPixelated(view, side));
      const isFar = !image.url || !needsOverview(view, side);
      overview.toggleAttribute("hidden", isFar);
      if (!isFar) for (const seen of overview.querySelectorAll("rect")) setAll(seen, frameOf(view, side));
      const size = `scale(${1 / cameraOf(view, side).scale})`;
      if (hatch.getAttribute("patternTransform") !== size) hatch.setAttribute("patternTransform", size);
    }
    mark(view);
    tell("camera");
  }

  // Crosses are as large as the screen wants them, so they change with the camera.
  function mark(view) {
    for (const { side, marks } of panes) {
      const arm = ARM_PX / cameraOf(view, side).scale;
      const d = crossesOf(unmatchedOf(side), arm);
      for (const path of marks.crosses) if (d || path.hasAttribute("d")) path.setAttribute("d", d);
      if (marks.aim) aim(side, marks.aim);
    }
  }

  function unmatchedOf(side) {
    if (!aids.has("match_colours")) return [];
    const { id, shapes } = resultIn(side);
    const { detections = [], truth = [] } = image.matches?.[id] ?? {};
    const missed = aids.has("ground_truth") ? image.truth.polygons.filter((_, at) => truth[at] === "unmatched") : [];
    return [...shapes().filter((_, at) => detections[at] === "unmatched"), ...missed.map(shapeOf)];
  }

  // The boxes

  const resultIn = (side) => results[aids.has("blink") ? OTHER[side] : side];

  function take(next) {
    const made = { ...next, states: image.matches?.[next.id]?.detections ?? [] };
    let shapes;
    made.shapes = () => (shapes ??= made.polygons.map(shapeOf));
    made.nodes = strokes(made.polygons, (at) => made.states[at]);
    return made;
  }

  function drawBoxes() {
    root.dataset.aids = [...aids].join(" ");
    if (aids.has("differences")) tellTwins();
    for (const { side, boxes, none, swapped } of panes) {
      const { nodes, polygons, nTwins } = resultIn(side);
      boxes.replaceChildren(...nodes);
      const nShown = polygons.length - (aids.has("differences") ? nTwins : 0);
      none.hidden = nShown > 0;
      none.textContent = polygons.length > 0 ? "No differences" : "No boxes";
      swapped.hidden = !aids.has("blink");
    }
    point(null);
    mark(camera.view());
  }

  // Classes tell which boxes both results have; they are worked out when they are first asked for.
  function tellTwins() {
    if ("nTwins" in results.left) return;
    for (const side of SIDES) {
      const twins = twinsOf(results[side].shapes(), results[OTHER[side]].shapes());
      results[side].nTwins = twins.filter(Boolean).length;
      for (const group of results[side].nodes) {
        twins.forEach((isTwin, at) => group.children[at].classList.toggle("twin", isTwin));
      }
    }
  }

  function drawTruth() {
    const { polygons = [], ignored = [] } = image.truth ?? {};
    for (const { truth, defs } of panes) {
      const n = ignored.length;
      truth.replaceChildren(defs, ...strokes([...ignored, ...polygons], (at) => (at < n ? "ignored" : "")));
      for (const shape of [...truth.querySelectorAll(".boxes__under .ignored")]) {
        shape.setAttribute("fill", `url(#${defs.firstElementChild.id})`);
      }
    }
  }

  // Halo and crosshair

  let latest = null;

  // A mouse moves more often than the screen is drawn.
  function hover(side, where) {
    const isAsked = latest !== null;
    latest = { side, where };
    if (!isAsked) requestAnimationFrame(aimAtLatest);
  }

  function aimAtLatest() {
    const { side, where } = latest;
    latest = null;
    const slack = NEAR_PX / cameraOf(camera.view(), side).scale;
    const isSeen = where && !aids.has("boxes_hidden");
    const at = isSeen ? boxAt(resultIn(side).shapes(), where, slack) : -1;
    point(at < 0 ? null : { side, at, where });
  }

  // Of one box at most: {side, at: its index, where: the point for the other pane}; null for none.
  function point(what) {
    for (const { side, halo, marks } of panes) {
      const points = what?.side === side ? resultIn(side).polygons[what.at] : "";
      for (const node of halo) node.setAttribute("points", points ?? "");
      marks.aim = what && what.side !== side ? what.where : null;
      marks.cross.toggleAttribute("hidden", !marks.aim);
      if (marks.aim) aim(side, marks.aim);
    }
  }

  function aim(side, { x, y }) {
    const unit = 1 / cameraOf(camera.view(), side).scale;
    panes.find((pane) => pane.side === side).marks.cross.setAttribute("transform", `translate(${x} ${y}) scale(${unit})`);
  }

  async function fillList({ side, list, rows }) {
    const { polygons, shapes } = results[side];
    rows.textContent = polygons.length === 0 ? "No boxes" : "";
    if (!list.open || polygons.length === 0) return;
    const { tableOf } = await import("./box_list.js");
    if (shapes !== results[side].shapes) return;
    const table = tableOf(TITLES[side], shapes(), {
      onAim: (at, where) => point(where ? { side, at, where } : null),
      onLook: (where) => camera.lookAt(side, where),
    });
    rows.replaceChildren(table);
  }

  for (const pane of panes) {
    pane.list.hidden = false;
    pane.list.addEventListener("toggle", () => fillList(pane));
    pane.list.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !pane.list.open) return;
      pane.list.open = false;
      pane.list.querySelector("summary").focus();
    });
  }

  // A pair

  function show(next) {
    const before = { ...image, screen };
    settings = next.study?.settings ?? {};
    image = remember(next.image);
    screen = next.screen?.id ?? null;
    results = Object.fromEntries(SIDES.map((side) => [side, take(resultOf(next, image, side))]));
    aids = firstAids(image.truth ? settings.ground_truth : "never");

    const isSame = ["key", "url", "width", "height"].every((name) => image[name] === before[name]);
    if (before.screen) cameras.set(before.screen, { view: camera.view(), image: before.key ?? before.url });
    if (cameras.size > N_CAMERAS_KEPT) cameras.delete(cameras.keys().next().value);
    const kept = cameras.get(screen);
    const isKept = kept && kept.image === (image.key ?? image.url);
    if (isKept) camera.reset(image, kept.view);
    else if (!isSame || settings.keep_camera === false) camera.reset(image);
    if (!isSame) {
      reload();
      drawTruth();
    }
    drawBoxes();
    for (const pane of panes) {
      const { label } = results[pane.side];
      pane.label.textContent = label;
      pane.picture.setAttribute("aria-label", `${TITLES[pane.side]} result, ${label}`);
      if (next.person?.single_keys === false) pane.picture.setAttribute("aria-keyshortcuts", OTHER_KEYS);
      fillList(pane);
    }
    look.show(SIDES.map((side) => results[side].label));
    tell("pair");
  }

  const look = createLook(root, () => camera.measure());
  show(payload);

  return {
    show,
    remember,
    camera,
    isOn: (aid) => aids.has(aid),
    mayHave: (aid) => mayHave(aid, settings, image),
    draw(aid, on) {
      if (aids.has(aid) === on || !mayHave(aid, settings, image)) return;
      if (on) aids.add(aid);
      else aids.delete(aid);
      drawBoxes();
      tell("aid");
    },
    nPixels: () => image.width * image.height,
    imageKey: () => image.key ?? image.url,
    watch: (watcher) => watchers.push(watcher),
  };
}

// Narrow windows show one pane; a tap shows the other at the same place.
function createLook(root, onLook) {
  const bar = root.querySelector("[data-switch]");
  const buttons = [...bar.querySelectorAll("button")];
  const look = (side) => {
    root.dataset.shown = side;
    for (const each of buttons) each.setAttribute("aria-pressed", String(each.dataset.side === side));
    onLook();
  };
  for (const each of buttons) each.addEventListener("click", () => look(each.dataset.side));
  bar.hidden = false;
  look("left");

  return {
    show(labels) {
      buttons.forEach((each, at) => {
        each.querySelector("span").textContent = labels[at];
      });
    },
  };
}

function stateOf(url) {
  return new Promise((resolve) => {
    const probe = new Image();
    probe.onload = () => resolve("shown");
    probe.onerror = () => resolve("failed");
    probe.src = url;
  });
}

function partsOf(pane) {
  const part = (name) => pane.querySelector(`[data-${name}]`);
  const side = pane.dataset.pane;
  const [halo, marks] = [part("halo"), part("marks")];
  halo.replaceChildren(element("polygon", { class: "halo__under" }), element("polygon", { class: "halo__over" }));
  const cross = element("g", { hidden: "" });
  const d = "M-14,0H-4M4,0H14M0,-14V-4M0,4V14";
  cross.append(element("path", { d, class: "boxes__under" }), element("path", { d, class: "boxes__over" }));
  const crosses = ["boxes__under", "boxes__over"].map((name) => element("path", { class: name }));
  marks.replaceChildren(...crosses, cross);

  const overview = element("svg", { class: "pane__overview", "aria-hidden": "true", hidden: "" });
  overview.append(element("image", {}), element("rect", { class: "boxes__under" }), element("rect", { class: "boxes__over" }));
  const swapped = document.createElement("p");
  swapped.className = "pane__swapped";
  swapped.textContent = `Shows ${OTHER[side]}`;
  swapped.setAttribute("aria-hidden", "true");
  swapped.hidden = true;
  part("words").before(overview, swapped);

  const hatch = element("pattern", { id: `hatch-${side}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" });
  hatch.append(element("path", { class: "hatch", d: "M-2,2L2,-2M0,8L8,0M6,10L10,6" }));
  const defs = element("defs", {});
  defs.append(hatch);

  return {
    picture: pane.querySelector("svg"),
    place: part("photograph"),
    truth: part("truth"),
    boxes: part("boxes"),
    label: part("label"),
    words: part("words"),
    none: part("none"),
    list: part("list"),
    rows: part("rows"),
    halo: [...halo.children],
    marks: { crosses, cross, aim: null },
    overview,
    swapped,
    hatch,
    defs,
  };
}

// Every box twice: dark strokes under light ones. classOf(index) may name a class for a box.
function strokes(polygons, classOf) {
  return ["boxes__under", "boxes__over"].map((name) => {
    const group = element("g", { class: name });
    polygons.forEach((points, at) => {
      const polygon = element("polygon", { points });
      const own = classOf(at);
      if (own) polygon.setAttribute("class", own);
      group.append(polygon);
    });
    return group;
  });
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  setAll(made, attributes);
  return made;
}

function setAll(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
}

function button(words, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  made.addEventListener("click", action);
  return made;
}
