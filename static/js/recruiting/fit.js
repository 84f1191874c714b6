// Whether this window and pointer fit an entrance: a <form data-fit> with its smallest size and its
// pointing device. A device that does not fit sees the other way out in its place.
const POINTERS = { pointer: "(any-pointer: fine)", touch: "(any-pointer: coarse)" };

export function fits({ minWidth, minHeight, input }, view) {
  const isLarge = view.innerWidth >= Number(minWidth) && view.innerHeight >= Number(minHeight);
  return isLarge && (!POINTERS[input] || view.matchMedia(POINTERS[input]).matches);
}

export function enhanceFit(form, other, view) {
  const look = () => {
    form.elements.width.value = view.innerWidth;
    form.elements.height.value = view.innerHeight;
    const isFit = fits(form.dataset, view);
    form.hidden = !isFit;
    other.hidden = isFit;
  };
  view.addEventListener("resize", look);
  look();
}
