// Which key asks for what. Answers lie in a block by place; other letters go by what is printed on them.
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
const LETTERS = { u: "undo", x: "skip", r: "same", p: "pause", h: "history" };

// What a person may put on another key, and the key it has by itself.
export const PLACES = {
  ...Object.fromEntries(
    ANSWERS.map(({ criterion, verdict }, at) => [`${criterion}_${verdict}`, BLOCK[at]]),
  ),
  same: "KeyR",
  undo: "KeyU",
  skip: "KeyX",
  history: "KeyH",
  pause: "KeyP",
  fit: "KeyF",
  boxes_hidden: "Space",
  blink: "KeyB",
  ground_truth: "KeyG",
  match_colours: "KeyM",
  differences: "KeyV",
  link: "KeyL",
};

// What a key asks for, or null. Whether it is a repeat, and where the focus is, the page weighs.
export function actionOf({ key, code, ctrlKey, altKey, metaKey, shiftKey }) {
  if (ctrlKey && !altKey && !metaKey && !shiftKey && letterOf(key, code) === "z") {
    return { name: "undo" };
  }
  if (ctrlKey || altKey || metaKey) return null;
  if (key === "?") return { name: "help" };
  if (shiftKey) return null;
  if (key === "Enter") return { name: "confirm" };
  const name = LETTERS[letterOf(key, code)];
  return BY_PLACE.get(code) ?? MOVES[code] ?? (name ? { name } : null);
}

// The letter on the key; on a layout without Latin letters the one at its place.
export function letterOf(key, code) {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  return /^[\x20-\x7e]$/.test(key) || !/^Key[A-Z]$/.test(code) ? "" : code[3].toLowerCase();
}

// The keys of one person: some on other places, or single letters switched off.
export function createKeys({ single_keys: single = true, keys = {} } = {}) {
  const own = Object.entries(keys ?? {}).filter(([name, code]) => name in PLACES && code);
  const moved = new Map(own.map(([name, code]) => [code, PLACES[name]]));
  const left = new Set(own.map(([name]) => PLACES[name]));

  return {
    single,

    // The event as the page knows it, whatever this person moved; null for what is switched off.
    read({ key, code, ctrlKey, altKey, metaKey, shiftKey, repeat }) {
      const event = { key, code, ctrlKey, altKey, metaKey, shiftKey, repeat };
      if (ctrlKey || altKey || metaKey) return event;
      // Without single keys the plain arrows are the radio buttons' own; with Shift they move the view.
      if (!single && (/^(?:[^ ]|Dead)$/u.test(key) || (code in MOVES && !shiftKey))) return null;
      const place = moved.get(code);
      if (place) return { ...event, code: place, key: characterOf(place, shiftKey) };
      const letter = letterOf(key, code).toUpperCase();
      const isLeft = left.has(BY_PLACE.has(code) || !letter ? code : `Key${letter}`);
      return isLeft ? null : event;
    },

    // Prints on the buttons what is printed on the reader's own keys, where the browser tells it.
    async label(root) {
      root.toggleAttribute("data-no-letters", !single);
      let layout;
      try {
        layout = await navigator.keyboard?.getLayoutMap();
      } catch {
        // A browser that keeps it to itself; the places have names too.
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

export function capOf(code, layout) {
  return layout?.get(code)?.toUpperCase() ?? code.replace(/^(?:Key|Digit)(?=.$)/, "");
}
