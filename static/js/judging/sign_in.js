// Signed out with an answer on its way: the dialog that asks to sign in again, and coming back from there.
export function askToSignIn({ courier, messages, signIn }, url) {
  messages.show("You are signed out. Your answer is kept.", [
    { words: "Sign in (new tab)", url, newTab: true },
    { words: "Send again", action: courier.hurry },
  ]);
  signIn.querySelector("a").href = url;
  if (!signIn.open) signIn.showModal();
}

// Back from another tab, or with the connection again: what waits is sent at once.
export function watchReturn({ courier, signIn }) {
  signIn.querySelector("[data-send-again]").addEventListener("click", courier.hurry);
  for (const [target, type] of [[window, "online"], [window, "focus"], [document, "visibilitychange"]]) {
    target.addEventListener(type, () => {
      const isBack = courier.state() === "signed-out" || type === "online";
      if (isBack && document.visibilityState === "visible") courier.hurry();
    });
  }
}
