// Boxes of a scene by name (t0, t1, ... of the truth, d0, d1, ... of the detections); every change is a new scene.
import { fresh, fromNumbers } from "./geometry.js";
import { isPlain } from "./links.js";

export const SIDES = ["truth", "detections"];
const CONFIDENCE = 90;

export const sideOf = (name) => (name[0] === "t" ? "truth" : "detections");
export const indexOf = (name) => Number(name.slice(1));
export const nameOf = (side, at) => `${side[0]}${at}`;
export const boxOf = (scene, name) => (name ? (scene[sideOf(name)][indexOf(name)] ?? null) : null);

export function changed(scene, name, box) {
  const side = sideOf(name);
  return { ...scene, [side]: scene[side].with(indexOf(name), box) };
}

// The scene with one more box, the last of its side.
export function added(scene, side) {
  const box = { ...fresh(scene[side].length), confidence: side === "detections" ? CONFIDENCE : null };
  return { ...scene, [side]: [...scene[side], box] };
}

// The scene without a box, and the name of the box after it, or null if there is none.
export function removed(scene, name) {
  const side = sideOf(name);
  const at = indexOf(name);
  const boxes = scene[side].toSpliced(at, 1);
  const next = boxes.length > 0 ? nameOf(side, Math.min(at, boxes.length - 1)) : null;
  return { scene: { ...scene, [side]: boxes }, next };
}

// The box after input into a field of its form, or null if the input is invalid.
// values: the contents of the fields, numbers of the rectangle as numbers.
export function typed(box, field, values, limits) {
  if (field === "ignored") return { ...box, ignored: values.ignored };
  if (field === "text") {
    const text = values.text.trim();
    return isPlain(text, limits) ? { ...box, text } : null;
  }
  if (field === "line") {
    const line = Number(values.line);
    return Number.isInteger(line) && line >= 0 && line <= limits.maxLine ? { ...box, line } : null;
  }
  if (field === "confidence") {
    if (values.confidence === "") return { ...box, confidence: null };
    const confidence = Math.round(100 * Number(values.confidence));
    return confidence >= 0 && confidence <= 100 ? { ...box, confidence } : null;
  }
  return fromNumbers(box, values, limits);
}
