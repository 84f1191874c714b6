// Actions of keys. Answers form a block of keys by position; other letters go by the printed character.
import { gettext } from "../elements/words.js";

export const CRITERIA = ["recall", "precision", "preference"];
export const VERDICTS = ["left", "equal", "right"];

const ANSWERS = CRITERIA.flatMap((criterion) => VERDICTS.map((verdict) => ({ criterion, verdict })));
const BLOCK = "Digit1 Digit2 Digit3 KeyQ KeyW KeyE KeyA KeyS KeyD".split(" ");
const NUMBER_PAD = [7, 8, 9, 4, 5, 6, 1, 2, 3].map((digit) => `Numpad${digit}`);
const BY_PLACE = new Map(
  [BLOCK, NUMBER_PAD].flatMap((codes) =>
    codes.map((code, at) => [code, { name: "answer", ...ANSWERS[at] }]),
  ),
);
const MOVES = {
  ArrowLeft: { name: "step", by: -1 },
  ArrowRight: { name: "step", by: 1 },
  ArrowUp: { name: "row", by: -1 },
  ArrowDown: { name: "row", by: 1 },
};
const PAN_PX = 64;
const PANS = {
  ArrowLeft: { x: PAN_PX, y: 0 },
  ArrowRight: { x: -PAN_PX, y: 0 },
  ArrowUp: { x: 0, y: PAN_PX },
  ArrowDown: { x: 0, y: -PAN_PX },
};
const SIGNS = { "+": "zoom_in", "=": "zoom_in", "-": "zoom_out", _: "zoom_out", 0: "fit" };
// Actions that a person may assign to another key, and their default keys. Letters that abbreviate a
// word go by the character printed on the key.
const WORDS = { same: "KeyR", alike: "KeyI", undo: "KeyU", skip: "KeyX", history: "KeyH", pause: "KeyP" };
const VIEW_WORDS = {
  fit: "KeyF",
  blink: "KeyB",
  ground_truth: "KeyG",
  match_colours: "KeyM",
  differences: "KeyV",
  link: "KeyL",
  fit_boxes: "KeyT",
  next_difference: "KeyN",
  single_view: "KeyO",
  other_side: "KeyC",
  note: "KeyJ",
};
const SHIFTED = { blink: "auto_blink", next_difference: "blink_there", differences: "place_list" };
export const PLACES = {
  ...Object.fromEntries(
    ANSWERS.map(({ criterion, verdict }, at) => [`${criterion}_${verdict}`, BLOCK[at]]),
  ),
  ...WORDS,
  ...VIEW_WORDS,
  boxes_hidden: "Space",
};

// Elements in which Enter, or a letter, already has a meaning.
export const KEEPS_ENTER = "a, button, summary, select, textarea, input:not([type=radio])";
export const TAKES_TEXT = "select, textarea, input:not([type=radio], [type=checkbox], [type=hidden])";

// The action of a key, or null. The page takes repeats and the focus into account.
export function actionOf({ key, code, ctrlKey, altKey, metaKey, shiftKey }) {
  if (ctrlKey && !altKey && !metaKey && !shiftKey && letterOf(key, code) === "KeyZ") {
    return { name: "undo" };
  }
  if (ctrlKey || altKey || metaKey) return null;
  if (key === "?") return { name: "help" };
  if (shiftKey) return null;
  if (key === "Enter") return { name: "confirm" };
  const name = nameIn(WORDS, key, code);
  return BY_PLACE.get(code) ?? MOVES[code] ?? (name ? { name } : null);
}

// The view action of a key, or null: {name}, with `by` for pan. Names: zoom_in, zoom_out, pan,
// auto_blink, blink_there, place_list and those of VIEW_WORDS.
export function viewActionOf({ key, code, ctrlKey, altKey, metaKey, shiftKey }) {
  if (ctrlKey || altKey || metaKey) return null;
  if (shiftKey && code in PANS) return { name: "pan", by: PANS[code] };
  if (code === "Space") return shiftKey ? null : { name: "boxes_hidden" };
  if (SIGNS[key]) return { name: SIGNS[key] };
  const name = nameIn(VIEW_WORDS, key, code);
  if (shiftKey) return name in SHIFTED ? { name: SHIFTED[name] } : null;
  return name ? { name } : null;
}

const nameIn = (words, key, code) => Object.keys(words).find((name) => words[name] === letterOf(key, code));

// The code of the letter on the key; on a layout without Latin letters, the one at its position.
function letterOf(key, code) {
  if (/^[a-z]$/i.test(key)) return `Key${key.toUpperCase()}`;
  return /^[\x20-\x7e]$/.test(key) || !/^Key[A-Z]$/.test(code) ? "" : code;
}

// The keys of one person: some reassigned, or single letters switched off.
export function createKeys({ single_keys: single = true, keys = {} } = {}) {
  const own = Object.entries(keys ?? {}).filter(([name, code]) => name in PLACES && code);
  const moved = new Map(own.map(([name, code]) => [code, PLACES[name]]));
  const left = new Set(own.map(([name]) => PLACES[name]));

  return {
    single,

    // The event with default keys, whatever this person reassigned; null if it is switched off.
    read({ key, code, ctrlKey, altKey, metaKey, shiftKey, repeat }) {
      const event = { key, code, ctrlKey, altKey, metaKey, shiftKey, repeat };
      if (ctrlKey || altKey || metaKey) return event;
      // Without single keys the plain arrows belong to the radio buttons; with Shift they move the view.
      if (!single && (/^(?:[^ ]|Dead)$/u.test(key) || (code in MOVES && !shiftKey))) return null;
      const place = moved.get(code);
      if (place) return { ...event, code: place, key: characterOf(place, shiftKey) };
      const isLeft = left.has(BY_PLACE.has(code) ? code : letterOf(key, code) || code);
      return isLeft ? null : event;
    },

    // Labels the buttons with the characters on the user's own keys, if the browser reveals them.
    async label(root) {
      root.toggleAttribute("data-no-letters", !single);
      let layout;
      try {
        layout = await navigator.keyboard?.getLayoutMap();
      } catch {
        // The browser does not reveal the layout; positions have names, too.
      }
      for (const cap of root.querySelectorAll("kbd[data-key]")) {
        const name = cap.dataset.key;
        const code = own.find(([mine]) => mine === name)?.[1];
        const control = cap.closest("label")?.querySelector("input") ?? cap.closest("button");
        if (!single) control?.removeAttribute("aria-keyshortcuts");
        if (!single || (!code && !BLOCK.includes(PLACES[name]))) continue;
        cap.textContent = capOf(code ?? PLACES[name], layout);
        control?.setAttribute("aria-keyshortcuts", cap.textContent);
      }
    },
  };
}

function characterOf(place, shiftKey) {
  if (place === "Space") return " ";
  const character = place.at(-1);
  return shiftKey ? character : character.toLowerCase();
}

// The character printed on a key, as far as the browser reveals it.
export function capOf(code, layout) {
  if (code === "Space") return gettext("Space");
  if (code.startsWith("Numpad")) return gettext("Numpad {key}", { key: code.slice("Numpad".length) });
  return layout?.get(code)?.toUpperCase() ?? code.replace(/^(?:Key|Digit)(?=.$)/, "");
}
