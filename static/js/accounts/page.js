// The pages of accounts: passkeys, and buttons that copy.
import { enhanceCopyButton } from "../elements/copy.js";
import { enhancePasskeyForm } from "./passkeys.js";

const options = document.getElementById("passkey-options");
if (window.PublicKeyCredential && window.webauthnJSON) {
  for (const form of document.querySelectorAll("[data-passkey]")) {
    enhancePasskeyForm(form, window.webauthnJSON, options && JSON.parse(options.textContent));
  }
}
for (const button of document.querySelectorAll("[data-copy]")) {
  enhanceCopyButton(button, navigator.clipboard);
}
