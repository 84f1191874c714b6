// Two results drawn on the same photograph, in image pixels.
const SVG = "http://www.w3.org/2000/svg";
const SIDES = ["left", "right"];
const TITLES = { left: "Left", right: "Right" };

const SLOW_MS = 300;
const WORDS = {
  none: "The photograph is not available",
  asked: "",
  loading: "Loading the photograph",
  shown: "",
  failed: "The photograph could not be loaded.",
};

// onPhotograph is told how it stands with the photograph: a key of WORDS.
export function createPanes(root, image, { onPhotograph, onSkip }) {
  const panes = SIDES.map((side) => ({ side, ...partsOf(root.querySelector(`[data-pane="${side}"]`)) }));

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
  async function watch({ url }) {
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
    for (const { place } of panes) {
      const node = document.createElementNS(SVG, url ? "image" : "rect");
      node.setAttribute("width", image.width);
      node.setAttribute("height", image.height);
      if (url) node.setAttribute("href", url);
      else node.classList.add("pane__blank");
      place.replaceChildren(node);
    }
  }

  function draw({ url, width, height }) {
    image = { url, width, height };
    for (const { picture } of panes) picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    paint(url);
    watch(image);
  }

  const reload = () => draw(image);

  watch(image);

  return {
    show(payload) {
      const same =
        payload.image.url === image.url &&
        payload.image.width === image.width &&
        payload.image.height === image.height;
      if (!same) draw(payload.image);
      for (const { side, picture, label, boxes, none } of panes) {
        const result = payload[side];
        label.textContent = result.label;
        none.hidden = result.polygons.length > 0;
        picture.setAttribute("aria-label", `${TITLES[side]} result, ${result.label}`);
        boxes.replaceChildren(
          group("boxes__under", result.polygons),
          group("boxes__over", result.polygons),
        );
      }
    },
  };
}

// Narrow windows show one pane; a tap shows the other at the same place.
export function createSwitch(root) {
  const bar = root.querySelector("[data-switch]");
  const buttons = [...bar.querySelectorAll("button")];
  const look = (side) => {
    root.dataset.shown = side;
    for (const each of buttons) each.setAttribute("aria-pressed", String(each.dataset.side === side));
  };
  for (const each of buttons) each.addEventListener("click", () => look(each.dataset.side));
  bar.hidden = false;
  look("left");

  return {
    show(payload) {
      for (const each of buttons) {
        each.querySelector("span").textContent = payload[each.dataset.side].label;
      }
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
  return {
    picture: pane.querySelector("svg"),
    place: pane.querySelector("[data-photograph]"),
    boxes: pane.querySelector("[data-boxes]"),
    label: pane.querySelector("[data-label]"),
    words: pane.querySelector("[data-words]"),
    none: pane.querySelector("[data-none]"),
  };
}

function group(name, polygons) {
  const made = document.createElementNS(SVG, "g");
  made.setAttribute("class", name);
  for (const points of polygons) {
    const polygon = document.createElementNS(SVG, "polygon");
    polygon.setAttribute("points", points);
    made.append(polygon);
  }
  return made;
}

function button(words, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  made.addEventListener("click", action);
  return made;
}
