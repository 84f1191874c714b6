// Fetches and decodes the next images before they are wanted: one near the end of an image, and more where the line is
// slow for the pace of the answers. One at a time, the next first.
const NEAR_THE_END = 3;
const MOST = 3;
// Before anything is known, in seconds: between two pairs, and for an image.
const PACE = 6;
const COST = 1;
// Longer waits are breaks.
const LONGEST = 30;
const NEW_SHARE = 0.4;

// The number of images to have in hand: what arrives while one is judged, and one more.
export const aheadOf = (pace, cost) => Math.min(Math.ceil(cost / pace) + 1, MOST);

export function createPrefetch({
  onImage,
  ask = askFor,
  decode = decoded,
  connection = globalThis.navigator?.connection,
  now = () => performance.now() / 1000,
}) {
  let ready = [];
  let shown = null;
  let pace = PACE;
  let cost = COST;
  let before = null;
  let last = null;
  let isBusy = false;

  const learn = (known, measured) => known + NEW_SHARE * (measured - known);

  // Returns false if nothing is wanted.
  async function fill() {
    const { image, study, progress } = shown;
    const n = aheadOf(pace, cost);
    const isNear = progress.expected <= NEAR_THE_END || progress.expected * pace <= n * cost;
    // Asked once for an image, unless more are needed.
    const wanted = `${image.key} ${n}`;
    if (!isNear || !study.next_image_url || connection?.saveData || ready.length >= n || wanted === last) return false;
    last = wanted;
    const have = [image.key, ...ready].filter(Boolean).join();
    const { images = [] } = await ask(`${study.next_image_url}?n=${n}&have=${have}`);
    for (const next of images) {
      if (next.key === shown.image.key || ready.includes(next.key)) continue;
      const begun = now();
      onImage(next);
      if (next.url) await decode(next.url);
      cost = learn(cost, now() - begun);
      if (next.key !== shown.image.key) ready.push(next.key);
    }
    return true;
  }

  async function look(payload) {
    if (before !== null) pace = learn(pace, Math.min(now() - before, LONGEST));
    before = now();
    shown = payload;
    ready = ready.slice(ready.indexOf(payload.image.key) + 1);
    if (isBusy) return;
    isBusy = true;
    try {
      // Another pair may have been shown meanwhile.
      while (await fill());
    } catch {
      // A failure is harmless: it was only to save time.
    }
    isBusy = false;
  }

  // The keys of the images in hand, the next first.
  return Object.assign(look, { ready: () => ready });
}

async function askFor(url) {
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  return response.ok ? response.json() : {};
}

function decoded(url) {
  const picture = new Image();
  picture.src = url;
  return picture.decode();
}
