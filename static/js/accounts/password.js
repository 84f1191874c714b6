// A button below a password that is typed once: it shows the password, and hides it again.
import { gettext } from "../elements/words.js";

export function addShowButton(field) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button--quiet button--small";
  button.setAttribute("aria-controls", field.id);
  const name = () => (button.textContent = field.type === "password" ? gettext("Show the password") : gettext("Hide the password"));
  button.addEventListener("click", () => {
    field.type = field.type === "password" ? "text" : "password";
    name();
  });
  field.form?.addEventListener("submit", () => (field.type = "password"));
  name();
  field.after(button);
}
