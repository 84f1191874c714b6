// The answer to a screen: chosen by pointer or key, filled in if it follows, reopened if it is disputed.
import { CRITERIA } from "./keys.js";
import { createQuestions } from "./questions.js";

// The fields to send. A reopened answer that equals the implied one is no dispute.
export function fieldsOf(answers, follows) {
  const disputed = CRITERIA.filter((name) => answers[name] && follows[name] && answers[name] !== follows[name]);
  const isSent = (name) => answers[name] && (!follows[name] || disputed.includes(name));
  return {
    ...Object.fromEntries(CRITERIA.map((name) => [name, isSent(name) ? answers[name] : ""])),
    disputed: disputed.join(),
  };
}

// onChange() is called after every change of the answer, onEdit() only after those by the person.
export function createAnswer(form, { onChange, onEdit }) {
  const questions = createQuestions(form, () => {
    onChange();
    onEdit();
  });
  const { all, of } = questions;
  // The verdicts that follow from earlier answers, by criterion.
  let follows = {};
  let mayDispute = false;

  // Reopens an implied verdict for another answer, or restores it.
  function dispute(criterion) {
    const opens = !of(criterion).isOpen();
    lay(criterion, !opens, opens ? "" : follows[criterion]);
    onChange();
    if (opens) questions.focus(criterion);
  }

  function lay(criterion, isImplied, verdict) {
    of(criterion).lay(isImplied, verdict, mayDispute && criterion in follows);
  }

  function learn({ criteria, study }) {
    const implied = criteria.filter(({ state }) => state === "implied");
    follows = Object.fromEntries(implied.map(({ name, verdict }) => [name, verdict]));
    mayDispute = Boolean(study.settings);
  }

  for (const { criterion, button } of all) button.addEventListener("click", () => dispute(criterion));

  return {
    ...questions,
    fields: () => fieldsOf(questions.answers(), follows),

    // Keeps the server's form, with the answers chosen before the script was loaded.
    begin(payload) {
      learn(payload);
      for (const name of Object.keys(follows)) lay(name, true, follows[name]);
      onChange();
    },

    show(payload) {
      learn(payload);
      for (const { name, title, question } of payload.criteria) {
        const { row } = of(name);
        row.querySelector(".criterion__title").textContent = title;
        row.querySelector(".criterion__question").textContent = question;
        lay(name, name in follows, follows[name] ?? payload.answers[name]);
      }
      onChange();
    },

    // Restores an answer that was being sent when the page was left; disputed verdicts are open again.
    restore(fields) {
      for (const name of CRITERIA) if (fields.get(name)) lay(name, false, fields.get(name));
      onChange();
    },
  };
}
