// Rarely used parts of the page, whose scripts are loaded when first needed.
export function createLazy(load) {
  let part;
  let coming;

  return {
    // The part, if it is loaded.
    now: () => part,
    // Calls during loading share one request; after a failure the next call loads again.
    async get() {
      coming ??= load();
      try {
        part = await coming;
      } catch (fault) {
        coming = undefined;
        throw fault;
      }
      return part;
    },
  };
}
