// Something to read above the panes, with what can be done about it. It stays until it is settled.
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
    show(message, actions = []) {
      words.textContent = message;
      place.replaceChildren(...actions.map(actionNode));
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
