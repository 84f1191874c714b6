// A scene as text that needs no escaping in an address: 1_t10.10.110.50~wword~l1~i_d10.10.110.50~c90
// Version, then each box: side, left.top.right.bottom, ~w text (-HH: a byte), ~l line, ~i ignored,
// ~c confidence in hundredths. The site reads and writes the same.
const VERSION = "1";
const SIDES = { t: "truth", d: "detections" };
const PART =
  /^([td])(\d{1,4})\.(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?:~w((?:[A-Za-z0-9]|-[0-9A-F]{2})+))?(?:~l(\d{1,2}))?(~i)?(?:~c(\d{1,3}))?$/;
const HIDDEN = /[\p{Cc}\p{Cs}]/u;

export function toLink({ truth, detections }) {
  return [
    VERSION,
    ...truth.map((box) => `t${partOf(box)}`),
    ...detections.map((box) => `d${partOf(box)}`),
  ].join("_");
}

function partOf({ left, top, right, bottom, text, line, ignored, confidence }) {
  let part = [left, top, right, bottom].join(".");
  if (text) part += `~w${escaped(text)}`;
  if (line) part += `~l${line}`;
  if (ignored) part += "~i";
  if (confidence !== null) part += `~c${confidence}`;
  return part;
}

function escaped(text) {
  return [...new TextEncoder().encode(text)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      if (/[A-Za-z0-9]/.test(letter)) return letter;
      return `-${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function unescaped(text) {
  const bytes = [];
  for (const [piece] of text.matchAll(/-..|./g)) {
    bytes.push(piece.length > 1 ? parseInt(piece.slice(1), 16) : piece.charCodeAt(0));
  }
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(new Uint8Array(bytes));
}

// The scene of a link, null where there is none that can be read.
export function fromLink(link, limits) {
  const [version, ...parts] = link.split("_");
  if (version !== VERSION) return null;
  const scene = { truth: [], detections: [] };
  for (const part of parts) {
    const found = PART.exec(part);
    const box = found && boxOf(found, limits);
    if (!box) return null;
    scene[SIDES[found[1]]].push(box);
  }
  const most = Math.max(scene.truth.length, scene.detections.length);
  return most > limits.maxBoxes ? null : scene;
}

function boxOf([, side, left, top, right, bottom, escapedText, line, ignored, confidence], limits) {
  if (side === "t" ? confidence : line || ignored) return null;
  let text = "";
  try {
    text = unescaped(escapedText ?? "");
  } catch {
    return null;
  }
  const box = {
    left: Number(left),
    top: Number(top),
    right: Number(right),
    bottom: Number(bottom),
    text,
    line: Number(line ?? 0),
    ignored: Boolean(ignored),
    confidence: confidence === undefined ? null : Number(confidence),
  };
  const fits =
    box.right <= limits.width &&
    box.bottom <= limits.height &&
    box.right - box.left >= limits.minSide &&
    box.bottom - box.top >= limits.minSide;
  return fits && isPlain(text, limits) && (box.confidence ?? 0) <= 100 ? box : null;
}

export function isPlain(text, { maxText }) {
  return [...text].length <= maxText && !HIDDEN.test(text);
}

// What the site is asked to score.
export function toData({ truth, detections }) {
  const rect = ({ left, top, right, bottom }) => [left, top, right, bottom];
  return {
    truth: truth.map((box) => ({
      rect: rect(box),
      ...(box.text && { text: box.text }),
      ...(box.line && { region: String(box.line) }),
      ...(box.ignored && { ignored: true }),
    })),
    detections: detections.map((box) => ({
      rect: rect(box),
      ...(box.text && { text: box.text }),
      ...(box.confidence !== null && { confidence: box.confidence / 100 }),
    })),
  };
}
