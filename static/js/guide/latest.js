// Sends one question at a time; of those that arrive meanwhile, only the last is sent.
export function createLatest(ask, { onAnswer, onTrouble }) {
  let isBusy = false;
  let waiting = null;

  async function run(question) {
    isBusy = true;
    try {
      const answer = await ask(question);
      onAnswer(answer, question);
    } catch (trouble) {
      onTrouble(trouble, question);
    }
    isBusy = false;
    if (waiting) {
      const [next] = waiting;
      waiting = null;
      run(next);
    }
  }

  return {
    ask(question) {
      if (isBusy) waiting = [question];
      else run(question);
    },
  };
}
