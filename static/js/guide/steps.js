// The history of a scene, for undo and redo; scenes are never changed, only replaced.
const TOGETHER_MS = 800;
const MOST = 200;

export function createSteps(scene, now = () => performance.now()) {
  let past = [];
  let future = [];
  let last = { what: null, at: 0 };

  return {
    scene: () => scene,
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
    // what: a continuous action, whose steps are one. A text names a held key or typing, which a pause ends;
    // a symbol is one drag, however long it pauses. null: always a step.
    take(next, what = null) {
      const isEnded = typeof what !== "symbol" && now() - last.at >= TOGETHER_MS;
      const goesOn = what !== null && what === last.what && !isEnded;
      if (!goesOn) past = [...past.slice(1 - MOST), scene];
      future = [];
      scene = next;
      last = { what, at: now() };
    },
    undo() {
      if (past.length === 0) return false;
      future = [scene, ...future];
      scene = past.at(-1);
      past = past.slice(0, -1);
      last = { what: null, at: 0 };
      return true;
    },
    redo() {
      if (future.length === 0) return false;
      past = [...past, scene];
      [scene, ...future] = future;
      last = { what: null, at: 0 };
      return true;
    },
  };
}
