// What is said about boxes and scores.
export function percent(value) {
  return value === null ? "–" : (100 * value).toFixed(2);
}

export function labelOf(side, at) {
  return `${side === "truth" ? "T" : "D"}${at + 1}`;
}

// Each match, and each region without one: its label and a sentence.
export function reasonsOf({ matches, unmatched }, kinds) {
  return [
    ...matches.map(({ truth, detections, kind, recall_credit, precision_credit }) => ({
      label: [
        ...truth.map((at) => labelOf("truth", at)),
        ...detections.map((at) => labelOf("detections", at)),
      ].join(", "),
      words: `${kinds[kind]}, recall credit ${recall_credit.toFixed(2)}, precision credit ${precision_credit.toFixed(2)}`,
    })),
    ...unmatched.map(({ side, region, reason }) => ({
      label: labelOf(side === "truth" ? "truth" : "detections", region),
      words: reason,
    })),
  ];
}

export function sayBox(side, at, box, kind) {
  const parts = [side === "truth" ? `Truth T${at + 1}` : `Detection D${at + 1}`];
  if (box.text) parts.push(`“${box.text}”`);
  parts.push(`left ${box.left}, top ${box.top}, ${box.right - box.left} by ${box.bottom - box.top}`);
  if (box.confidence !== null) parts.push(`confidence ${(box.confidence / 100).toFixed(2)}`);
  if (kind) parts.push(kind);
  return parts.join(", ");
}

export function sayScore({ name, recall, precision, f_score, error }) {
  if (error) return `${name}: undefined, ${error}.`;
  const figure = (value) => (value === null ? "undefined" : percent(value));
  return `${name}: recall ${figure(recall)}, precision ${figure(precision)}, F-score ${figure(f_score)}.`;
}

// Four digits that count, as the site writes them.
export function figureOf(value) {
  return value === null ? "–" : String(Number(value.toPrecision(4)));
}
