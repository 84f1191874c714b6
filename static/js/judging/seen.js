// The results that were really shown: painted over the photograph inside the window, how long, which first.
import { gettext } from "../elements/words.js";
import { OTHER } from "./drawing.js";
import { createTally } from "./tally.js";

const SIDES = ["left", "right"];
// A pane counts as in the window if half of it is, or if it fills half of the window.
const HALF = 0.5;
const A_DAY = 86_400;
// A drawing is on the screen once the frame after the next one starts.
const twoFrames = (then) => requestAnimationFrame(() => requestAnimationFrame(then));

// The visible results: those of the panes in the window, unless the boxes are hidden.
export function resultsIn({ windows, isPainted, aids }) {
  if (!isPainted || aids.has("boxes_hidden")) return [];
  return SIDES.filter((side) => windows.has(aids.has("blink") ? OTHER[side] : side));
}

// A request to look at the missing sides; the focus goes to what shows one of them.
export function askToLook([side, other], { layout, switches }) {
  if (other) return gettext("Wait until both results are shown, then confirm.");
  switches.find(({ dataset }) => dataset.side === side).focus();
  return gettext("Not looked at yet: {result}.", { result: layout.names()[side].result });
}

// onSeen() is called when a result of the pair becomes visible for the first time.
export function createSeen(pair, { onSeen, later = twoFrames, makeTally = createTally }) {
  const windows = new Set();
  let nth = 0;
  let isPaused = false;
  const unseen = () => ({ first: "unknown", seen: new Set(), tally: makeTally() });
  let { first, seen, tally } = unseen();
  // Of earlier screens, which an undo may show again.
  const kept = new Map();
  let { screen } = pair;

  const now = () => resultsIn({ windows, isPainted: pair.photograph.isPainted() && !isPaused, aids: pair.aids });

  function settle() {
    const sides = now();
    tally.set(sides);
    const fresh = sides.filter((side) => !seen.has(side));
    if (fresh.length === 0) return;
    if (first === "unknown") first = fresh.length > 1 ? "both" : fresh[0];
    seen = new Set([...seen, ...fresh]);
    onSeen();
  }

  // Hidden results stop counting at once; new ones count when they are painted.
  function look() {
    const sides = now();
    tally.set(sides.filter((side) => seen.has(side)));
    nth += 1;
    const mine = nth;
    later(() => mine === nth && settle());
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, intersectionRatio, intersectionRect } of entries) {
        const isSeen = isIntersecting && (intersectionRatio >= HALF || intersectionRect.height >= innerHeight * HALF);
        const { side } = pair.panes.find(({ picture }) => picture.parentElement === target);
        if (isSeen) windows.add(side);
        else windows.delete(side);
      }
      look();
    },
    { threshold: [0, 0.25, HALF, 0.75, 1] },
  );
  for (const { picture } of pair.panes) observer.observe(picture.parentElement);
  document.addEventListener("visibilitychange", () => {
    tally.pause(document.hidden);
    look();
  });

  return {
    look,
    // The sides that have yet to be looked at.
    missing: () => SIDES.filter((side) => !seen.has(side)),
    pause(on) {
      isPaused = on;
      look();
    },
    restart() {
      tally.set([]);
      kept.set(screen, { first, seen, tally });
      ({ screen } = pair);
      ({ first, seen, tally } = kept.get(screen) ?? unseen());
      look();
    },
    // In the format that the site stores.
    fields: () => ({ first, ...tally.seconds(A_DAY) }),
  };
}
