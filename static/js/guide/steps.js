// What was done to a scene, to be taken back and done again; scenes are never changed, only replaced.
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
    // what: names one doing that goes on (a drag, a held key, typing); its steps are one. null: always a step.
    take(next, what = null) {
      const goesOn = what !== null && what === last.what && now() - last.at < TOGETHER_MS;
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
