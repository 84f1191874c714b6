// Creates and changes SVG elements.
const SVG = "http://www.w3.org/2000/svg";

export function setAll(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
}

export function element(name, attributes = {}) {
  const node = document.createElementNS(SVG, name);
  setAll(node, attributes);
  return node;
}
