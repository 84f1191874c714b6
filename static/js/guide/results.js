// The table of all protocols, and the chosen one's result for each region.
import { gettext } from "../elements/words.js";

export function createResults(root, { onChoose }) {
  const rows = new Map(
    [...root.querySelectorAll("[data-protocol]")].map((row) => [row.dataset.protocol, row]),
  );
  const reasons = root.querySelector("[data-reasons]");
  const none = root.querySelector("[data-no-reasons]");
  const indicators = root.querySelector("[data-indicators]");
  const headline = root.querySelector("[data-headline]");
  const names = root.querySelectorAll("[data-shown-name]");

  root.querySelector("[data-rows]").addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter?.name === "protocol") onChoose(event.submitter.value);
  });

  return {
    show(protocols, chosen) {
      for (const said of protocols) {
        const row = rows.get(said.slug);
        if (!row) continue;
        row.querySelectorAll("td.number").forEach((cell, at) => setText(cell, said.figures[at]));
        const error = row.querySelector("[data-error]");
        error.hidden = !said.error;
        setText(error, said.error ? gettext("undefined: {why}", { why: said.error }) : "");
        const button = row.querySelector("button");
        if (!button) continue;
        button.setAttribute("aria-pressed", String(said.slug === chosen));
        row.toggleAttribute("data-shown", said.slug === chosen);
      }
      const said = protocols.find(({ slug }) => slug === chosen);
      for (const name of names) setText(name, said.name);
      const [recall, precision, f] = said.figures;
      setText(headline, gettext("R {recall}  P {precision}  F {f}", { recall, precision, f }));
      none.hidden = said.reasons.length > 0;
      reasons.replaceChildren(...said.reasons.map(reason));
      indicators.replaceChildren(...Object.entries(said.indicators).map(figure));
    },
  };
}

function setText(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

function reason([label, words]) {
  const made = document.createElement("li");
  made.append(elementOf("strong", label), ` ${words}`);
  return made;
}

function figure([name, value]) {
  const made = document.createElement("div");
  const term = document.createElement("dt");
  // The same name as in files and in the API.
  term.append(elementOf("code", name));
  made.append(term, elementOf("dd", value));
  return made;
}

const elementOf = (tag, textContent) => Object.assign(document.createElement(tag), { textContent });
