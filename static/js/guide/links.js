// A scene (its boxes in the format of the stage) as a link, in addresses and to the site.
//
// A link is text that needs no escaping in an address: 1_t10.10.110.50~wword~l1~i_d10.10.110.50~c90
// Version, then each box: side, left.top.right.bottom, ~w text (-HH: a byte), ~l line, ~i ignored,
// ~c confidence in hundredths. Only the site reads links (guide/playground.py), and returns their data.
const VERSION = "1";
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

export function isPlain(text, { maxText }) {
  return [...text].length <= maxText && !HIDDEN.test(text);
}

// The scene that the site's data describe.
export function fromData({ truth, detections }) {
  return { truth: truth.map(boxOf), detections: detections.map(boxOf) };
}

function boxOf({ rect: [left, top, right, bottom], text = "", region = "0", ignored = false, confidence }) {
  const hundredths = confidence === undefined ? null : Math.round(100 * confidence);
  return { left, top, right, bottom, text, line: Number(region), ignored, confidence: hundredths };
}
