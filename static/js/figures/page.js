// Draws the figures of a page with Vega-Lite, in the colours of the page; on paper in light ones.
import { View, compile, expressionInterpreter, parse } from "../../vega/vega.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const small = matchMedia("(width < 40rem)");
const figures = [...document.querySelectorAll("[data-drawing]")].map(figureOf);
let isOnPaper = false;

function figureOf(box) {
  const stage = document.createElement("div");
  const drawings = JSON.parse(box.querySelector("script").textContent);
  // The box has the description.
  stage.setAttribute("aria-hidden", "true");
  box.append(stage);
  return { stage, drawings, view: null };
}

async function draw(figure) {
  const spec = whole(figure.drawings, theme())[small.matches ? "narrow" : "wide"];
  figure.view?.finalize();
  // Interpreted, because the content policy refuses functions made from text.
  figure.view = new View(parse(compile(spec).spec, undefined, { ast: true }), {
    container: figure.stage,
    expr: expressionInterpreter,
    hover: false,
    renderer: "svg",
  });
  // Its promises wait for nothing: a drawing begun before printing is on the paper.
  await figure.view.runAsync();
  const svg = figure.stage.querySelector("svg");
  // A narrower drawing keeps the size of its letters; a wider one is scaled down.
  svg.style.width = `${Math.min(100, (100 * svg.viewBox.baseVal.width) / spec.usermeta.paper)}%`;
}

// The specifications, from a list of parts that name earlier ones, in the colours of a theme.
function whole(drawings, theme) {
  const parts = [];
  const filled = (part) => {
    // A list of one colour would match as text, too.
    if (Array.isArray(part)) return part.map(filled);
    if (/^#\w{6}\|#\w{6}$/.test(part)) return part.split("|")[theme === "dark" ? 1 : 0];
    if (part === null || typeof part !== "object") return part;
    if ("part" in part) return parts[part.part];
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, filled(value)]));
  };
  for (const part of drawings) parts.push(filled(part));
  return parts.at(-1);
}

function theme() {
  if (isOnPaper) return "light";
  return document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
}

function drawAll() {
  for (const figure of figures) draw(figure);
}

function print(isBeginning) {
  isOnPaper = isBeginning;
  drawAll();
}

// Adds the figures that this page came without, from the page that has all.
async function fetchOthers(place) {
  const response = await fetch(place.querySelector("a").href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const isNew = (section) => !document.getElementById(section.getAttribute("aria-labelledby"));
  const sections = [...page.querySelectorAll("section.figure")].filter(isNew);
  place.replaceWith(...sections);
  addFigures();
}

// Draws the figures that were put into the page after it had loaded.
function addFigures() {
  for (const box of document.querySelectorAll("[data-drawing]:not(:has(div))")) {
    const figure = figureOf(box);
    figures.push(figure);
    near.observe(figure.stage);
  }
}

const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      const figure = figures.find(({ stage }) => stage === target);
      if (isIntersecting && !figure.view) draw(figure);
    }
  },
  { rootMargin: "100%" },
);
for (const { stage } of figures) near.observe(stage);
for (const query of [dark, small]) query.addEventListener("change", drawAll);
addEventListener("added", addFigures);
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));
const place = document.querySelector("[data-waits]");
if (place) fetchOthers(place);
