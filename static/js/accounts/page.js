// The pages of accounts: passkeys, and a button that shows a password.
import { enhancePasskeyForm } from "./passkeys.js";
import { addShowButton } from "./password.js";

const options = document.getElementById("passkey-options");
if (window.PublicKeyCredential && window.webauthnJSON) {
  for (const form of document.querySelectorAll("[data-passkey]")) {
    enhancePasskeyForm(form, window.webauthnJSON, options && JSON.parse(options.textContent));
  }
}
for (const field of document.querySelectorAll("input[type=password][name=password1]")) {
  if (!document.querySelector("[name=password2]")) addShowButton(field);
}
