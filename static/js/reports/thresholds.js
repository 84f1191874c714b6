// A protocol's parameters as sliders: while one is moved, the page for the new values is fetched, and its
// matches replace the former ones. The address follows.
import { gettext } from "../elements/words.js";
import { createLatest } from "../guide/latest.js";

const TROUBLE = gettext("The site is not responding. Use the button to try again.");

// form: the parameters; onMatched(payload) draws, onSay(words) announces the outcome.
export function enhanceThresholds(form, { onMatched, onSay }) {
  for (const input of form.querySelectorAll("input[data-slides]")) addSlider(input);

  const { ask } = createLatest(pageAt, {
    onAnswer({ address, page, isValid }) {
      const [shown, found] = [document, page].map((one) => one.querySelector("[data-matching]"));
      const open = [...shown.querySelectorAll("details")].map((one) => one.open);
      found.querySelectorAll("details").forEach((one, at) => {
        one.open = open[at] ?? false;
      });
      shown.replaceWith(document.adoptNode(found));
      onMatched(JSON.parse(page.querySelector("#compare-data").textContent));
      history.replaceState(null, "", address);
      onSay(isValid ? scoresIn(found) : found.textContent.trim());
    },
    onTrouble: () => onSay(TROUBLE),
  });

  const change = () => ask(`?${new URLSearchParams(new FormData(form))}`);
  form.addEventListener("input", change);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    change();
  });
}

async function pageAt(address) {
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  if (!response.ok && response.status !== 422) throw new Error(`${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (!page.querySelector("[data-matching]")) throw new Error("signed out");
  return { address, page, isValid: response.ok };
}

const scoresIn = (found) =>
  [...found.querySelectorAll("section")]
    .map((one) => `${one.querySelector("h2").textContent}: ${figuresOf(one)}`)
    .join(". ");

const figuresOf = (section) =>
  [...section.querySelectorAll(".figures > div")]
    .map((one) => `${one.querySelector("dt").textContent} ${one.querySelector("dd").textContent}`)
    .join(", ");

// The slider and the number control one value; the number is sent.
function addSlider(input) {
  const { min, max, step } = input;
  if (min === "" || max === "") return;
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = min;
  slider.max = max;
  slider.step = step === "any" ? stepOf(Number(max) - Number(min)) : step;
  slider.value = input.value;
  slider.setAttribute("aria-label", gettext("{name}, slider", { name: input.labels[0].textContent }));
  slider.addEventListener("input", () => {
    input.value = slider.value;
  });
  input.addEventListener("input", () => {
    slider.value = input.value;
  });
  input.before(slider);
}

// About a hundred steps, each a round number.
export function stepOf(range) {
  return 10 ** Math.floor(Math.log10(range / 50));
}
