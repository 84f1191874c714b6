// The answer to a screen: chosen by hand or key, filled in where it follows, opened again where it does not.
import { CRITERIA } from "./keys.js";
import { createQuestions } from "./questions.js";

// What is sent. Who opens what follows, and then answers just that, disputes nothing.
export function fieldsOf(answers, follows) {
  const disputed = CRITERIA.filter((name) => answers[name] && follows[name] && answers[name] !== follows[name]);
  const isSent = (name) => answers[name] && (!follows[name] || disputed.includes(name));
  return {
    ...Object.fromEntries(CRITERIA.map((name) => [name, isSent(name) ? answers[name] : ""])),
    disputed: disputed.join(),
  };
}

// onChange() follows whatever changes the answer, onEdit() only what the person does.
export function createAnswer(form, { onChange, onEdit }) {
  const questions = createQuestions(form, () => {
    onChange();
    onEdit();
  });
  const { all, of } = questions;
  // What follows from earlier answers, by criterion.
  let follows = {};
  let mayDispute = false;

  // Opens what follows to be answered otherwise, or lets it follow again.
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

    // What the server drew stays as it is, with what somebody chose before the script came.
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

    // An answer that was on its way when the page was left; what was disputed is open again.
    restore(fields) {
      for (const name of CRITERIA) if (fields.get(name)) lay(name, false, fields.get(name));
      onChange();
    },
  };
}
