// The key trainer: asks for answers, reads keys, counts those that were right first time.
import { gettext } from "../elements/words.js";
import { CRITERIA, VERDICTS } from "../judging/keys.js";

const EACH = 2;

const CELLS = CRITERIA.flatMap((criterion) => VERDICTS.map((verdict) => ({ criterion, verdict })));
const isSame = (one, other) => one.criterion === other.criterion && one.verdict === other.verdict;

// All keys equally often, in a random order in which no key follows itself.
export function questionsOf(random = Math.random) {
  const asked = [];
  for (let turn = 0; turn < EACH; turn += 1) {
    const cells = shuffled(CELLS, random);
    if (asked.length > 0 && isSame(asked.at(-1), cells[0])) cells.push(cells.shift());
    asked.push(...cells);
  }
  return asked;
}

// A run: the current question, and the results so far. A wrong key does not end the question.
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
  if (nRight === questions.length) return gettext("All {n} right first time.", { n: nRight });
  return gettext("{n} of {total} right first time.", { n: nRight, total: questions.length });
}

// The message after a key, and the next question, in the words of the table of keys.
export function sayingOf(run, wordsOf) {
  const said = run.missed
    ? gettext("That was {answer}.", { answer: wordsOf(run.pressed).toLowerCase() })
    : gettext("Right.");
  return { said, ask: isOver(run) ? summary(run) : wordsOf(asked(run)) };
}

// The key of an answer in the table, and its words: the row's heading and the column's.
const capOf = (root, { criterion, verdict }) => root.querySelector(`[data-key="${criterion}_${verdict}"]`);

function wordsIn(root, cell) {
  const place = capOf(root, cell).closest("td");
  const column = place.closest("table").tHead.rows[0].cells[place.cellIndex];
  return `${place.parentElement.cells[0].textContent}, ${column.innerText.toLowerCase()}`;
}

export function init(root, read) {
  const part = (name) => root.querySelector(`[data-${name}]`);
  const [task, ask, said, start, progress] = ["task", "ask", "said", "start", "progress"].map(part);
  let run = null;

  // The key itself is shown only after a wrong one.
  function mark(cell) {
    for (const cap of root.querySelectorAll("[data-key]")) cap.removeAttribute("data-wanted");
    if (cell) capOf(root, cell).setAttribute("data-wanted", "");
  }

  function show(words) {
    said.textContent = words.said;
    ask.textContent = words.ask;
    progress.value = run.at / run.questions.length;
    mark(run.missed ? asked(run) : null);
    if (!isOver(run)) return;
    start.textContent = gettext("Try again");
    rest();
  }

  function rest() {
    run = null;
    progress.hidden = true;
    start.hidden = false;
    start.focus();
  }

  function hear(event) {
    if (!run || event.target.closest?.("input, select, textarea, dialog")) return;
    if (event.key === "Escape") {
      task.hidden = true;
      mark(null);
      rest();
      return;
    }
    const action = read(event);
    if (action?.name !== "answer") return;
    event.preventDefault();
    if (event.repeat) return;
    run = pressed(run, action);
    show(sayingOf(run, (cell) => wordsIn(root, cell)));
  }

  start.addEventListener("click", () => {
    run = begun(questionsOf());
    task.hidden = progress.hidden = false;
    start.hidden = true;
    show({ said: gettext("Press its key. Escape stops."), ask: wordsIn(root, asked(run)) });
    task.focus();
  });
  document.addEventListener("keydown", hear);
  part("controls").hidden = false;
  part("without").hidden = true;
}

function shuffled(items, random) {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0]);
}
