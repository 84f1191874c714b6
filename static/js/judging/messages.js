// Messages to the user: in the bar over the panes, which stays until the matter is settled, and in live
// regions for screen readers. onDismiss() is called when the user dismisses the bar.
export function createMessages(root, { onDismiss }) {
  const bar = root.querySelector("[data-bar]");
  const text = bar.querySelector("[data-bar-words]");
  const place = bar.querySelector("[data-bar-actions]");
  const speakerOf = (region) => (words) => {
    // A region whose text does not change is not announced again.
    region.textContent = "";
    requestAnimationFrame(() => {
      region.textContent = words;
    });
  };
  const alert = speakerOf(root.querySelector("[data-alarm]"));

  function hide() {
    bar.hidden = true;
    text.textContent = "";
    place.replaceChildren();
  }

  function dismiss() {
    hide();
    onDismiss();
  }

  // Unchanged actions keep their buttons, so that a countdown does not take the focus away.
  function show(message, actions = []) {
    text.textContent = message;
    const names = actions.map(({ words }) => words).join();
    if (bar.hidden || place.dataset.names !== names) {
      place.replaceChildren(...actions.map(actionNode));
      place.dataset.names = names;
    }
    bar.hidden = false;
  }

  return {
    say: speakerOf(root.querySelector("[data-status]")),
    alert,
    show,
    hide,
    dismiss,
    // The text in the bar now, if any.
    shown: () => (bar.hidden ? "" : text.textContent),
    warn(words, actions = [{ words: "OK", action: dismiss }]) {
      show(words, actions);
      alert(words);
    },
  };
}

function actionNode({ words, url, newTab, action }) {
  const node = document.createElement(url ? "a" : "button");
  node.className = "button button--quiet button--small";
  node.textContent = words;
  if (url) node.href = url;
  else node.type = "button";
  if (newTab) node.target = "_blank";
  if (action) node.addEventListener("click", action);
  return node;
}
