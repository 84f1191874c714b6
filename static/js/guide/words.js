// Descriptions of boxes.
import { gettext, number } from "../elements/words.js";

export function labelOf(side, at) {
  return `${side === "truth" ? "T" : "D"}${at + 1}`;
}

export function titleOf(side, at) {
  const label = labelOf(side, at);
  return side === "truth" ? gettext("Truth {label}", { label }) : gettext("Detection {label}", { label });
}

export function sayBox(side, at, box, kind) {
  const parts = [titleOf(side, at)];
  if (box.text) parts.push(gettext("“{text}”", { text: box.text }));
  const { left, top } = box;
  parts.push(gettext("left {left}, top {top}, {width} by {height}", { left, top, width: box.right - left, height: box.bottom - top }));
  if (box.confidence !== null) parts.push(gettext("confidence {n}", { n: number((box.confidence / 100).toFixed(2)) }));
  if (kind) parts.push(kind);
  return parts.join(", ");
}
