// Descriptions of boxes and scores.
import { gettext, number } from "../elements/words.js";

export function percent(value) {
  return value === null ? "–" : number((100 * value).toFixed(2));
}

export function labelOf(side, at) {
  return `${side === "truth" ? "T" : "D"}${at + 1}`;
}

export function titleOf(side, at) {
  const label = labelOf(side, at);
  return side === "truth" ? gettext("Truth {label}", { label }) : gettext("Detection {label}", { label });
}

// A label and a sentence for each match and each unmatched region.
export function reasonsOf({ matches, unmatched }, kinds) {
  return [
    ...matches.map(({ truth, detections, kind, recall_credit, precision_credit }) => ({
      label: [
        ...truth.map((at) => labelOf("truth", at)),
        ...detections.map((at) => labelOf("detections", at)),
      ].join(", "),
      words: gettext("{kind}, recall credit {recall}, precision credit {precision}", {
        kind: kinds[kind],
        recall: number(recall_credit.toFixed(2)),
        precision: number(precision_credit.toFixed(2)),
      }),
    })),
    ...unmatched.map(({ side, region, reason }) => ({
      label: labelOf(side === "truth" ? "truth" : "detections", region),
      words: reason,
    })),
  ];
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

export function sayScore({ name, recall, precision, f_score, error }) {
  if (error) return gettext("{name}: undefined, {why}.", { name, why: error });
  const figure = (value) => (value === null ? gettext("undefined") : percent(value));
  return gettext("{name}: recall {recall}, precision {precision}, F-score {f}.", {
    name,
    recall: figure(recall),
    precision: figure(precision),
    f: figure(f_score),
  });
}

// A number with four significant digits, as the site formats it.
export function figureOf(value) {
  return value === null ? "–" : number(String(Number(value.toPrecision(4))));
}
