// Parts of the page that few people ask for: their scripts come with the first wish.
export function createLazy(load) {
  let part;
  let coming;

  return {
    // The part, if it is there.
    now: () => part,
    // Who asks while it is coming gets the same one; what could not be loaded is asked for again.
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
