// Near the end of an image, fetches and decodes the next one, so that it is ready when needed.
const NEAR_THE_END = 3;

export function createPrefetch({ onImage, ask = askFor, decode = decoded, connection = globalThis.navigator?.connection }) {
  const asked = new Set();

  return async function look({ image, study, progress }) {
    const isNear = progress.expected <= NEAR_THE_END && study.next_image_url;
    if (!isNear || connection?.saveData || asked.has(image.key)) return;
    asked.add(image.key);
    try {
      const { image: next } = await ask(study.next_image_url);
      if (!next) return;
      onImage(next);
      if (next.url) await decode(next.url);
    } catch {
      // A failure is harmless: it was only to save time.
    }
  };
}

async function askFor(url) {
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  return response.ok ? response.json() : { image: null };
}

function decoded(url) {
  const picture = new Image();
  picture.src = url;
  return picture.decode();
}
