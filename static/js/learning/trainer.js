// The key trainer: asks for answers, hears keys, counts those that were right at once.
import { CRITERIA, VERDICTS } from "../judging/keys.js";

export const WORDS = { left: "left better", equal: "equal", right: "right better" };
const EACH = 2;

const CELLS = CRITERIA.flatMap((criterion) => VERDICTS.map((verdict) => ({ criterion, verdict })));
const isSame = (one, other) => one.criterion === other.criterion && one.verdict === other.verdict;
const titled = (word) => word[0].toUpperCase() + word.slice(1);

export const wordsOf = ({ criterion, verdict }) => `${titled(criterion)}, ${WORDS[verdict]}`;

// Every key as often as every other, in an order of chance in which no key follows itself.
export function questionsOf(random = Math.random) {
  const asked = [];
  for (let turn = 0; turn < EACH; turn += 1) {
    const cells = shuffled(CELLS, random);
    if (asked.length > 0 && isSame(asked.at(-1), cells[0])) cells.push(cells.shift());
    asked.push(...cells);
  }
  return asked;
}

// A run: what is asked now, and how it went until now. A wrong key leaves the question.
export const begun = (questions) => ({ questions, at: 0, nRight: 0, missed: false, pressed: null });
export const asked = ({ questions, at }) => questions[at] ?? null;
export const isOver = (run) => asked(run) === null;

export function pressed(run, cell) {
  if (isOver(run)) return run;
  if (!isSame(asked(run), cell)) return { ...run, missed: true, pressed: cell };
  const nRight = run.nRight + (run.missed ? 0 : 1);
  return { ...run, at: run.at + 1, nRight, missed: false, pressed: cell };
}

export function summary({ questions, nRight }) {
  if (nRight === questions.length) return `All ${nRight} right at once.`;
  return `${nRight} of ${questions.length} right at once.`;
}

export function init(root, read) {
  const task = root.querySelector("[data-task]");
  const ask = root.querySelector("[data-ask]");
  const said = root.querySelector("[data-said]");
  const start = root.querySelector("[data-start]");
  const progress = root.querySelector("[data-progress]");
  let run = null;

  const capOf = ({ criterion, verdict }) => root.querySelector(`[data-key="${criterion}_${verdict}"]`);

  function show(words) {
    said.textContent = words;
    progress.value = run.at / run.questions.length;
    for (const cap of root.querySelectorAll("[data-key]")) cap.removeAttribute("data-wanted");
    if (isOver(run)) {
      ask.textContent = summary(run);
      start.textContent = "Once more";
      start.hidden = false;
      progress.hidden = true;
      run = null;
      start.focus();
      return;
    }
    ask.textContent = wordsOf(asked(run));
    // The key itself is shown only after a wrong one.
    if (run.missed) capOf(asked(run)).setAttribute("data-wanted", "");
  }

  function hear(event) {
    if (!run || event.target.closest?.("input, select, textarea, dialog")) return;
    if (event.key === "Escape") {
      stop();
      return;
    }
    const action = read(event);
    if (action?.name !== "answer") return;
    event.preventDefault();
    if (event.repeat) return;
    run = pressed(run, action);
    show(run.missed ? `That was ${wordsOf(run.pressed).toLowerCase()}.` : "Right.");
  }

  function stop() {
    run = null;
    task.hidden = progress.hidden = true;
    start.hidden = false;
    for (const cap of root.querySelectorAll("[data-key]")) cap.removeAttribute("data-wanted");
    start.focus();
  }

  start.addEventListener("click", () => {
    run = begun(questionsOf());
    task.hidden = progress.hidden = false;
    start.hidden = true;
    show("Press its key. Escape stops.");
    task.focus();
  });
  document.addEventListener("keydown", hear);
  root.querySelector("[data-controls]").hidden = false;
  root.querySelector("[data-without]").hidden = true;
}

function shuffled(items, random) {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0]);
}
