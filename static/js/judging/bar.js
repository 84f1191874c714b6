// Something to read over the panes, with what can be done about it. It stays until it is settled.
export function createBar(bar) {
  const words = bar.querySelector("[data-bar-words]");
  const place = bar.querySelector("[data-bar-actions]");

  return {
    isShown: () => !bar.hidden,
    hide() {
      bar.hidden = true;
      words.textContent = "";
      place.replaceChildren();
    },
    // The same actions stay the same buttons, so that a countdown takes no focus away.
    show(message, actions = []) {
      words.textContent = message;
      const names = actions.map((action) => action.words).join();
      if (bar.hidden || place.dataset.names !== names) {
        place.replaceChildren(...actions.map(actionNode));
        place.dataset.names = names;
      }
      bar.hidden = false;
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
