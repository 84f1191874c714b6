// Passkeys: a form with data-passkey asks the browser for a credential and sends it.
// "create" and "get" take their options from the page, "login" asks the server for them.
import { gettext } from "../elements/words.js";

const REFUSALS = {
  NotAllowedError: gettext("No passkey was used: the request was cancelled, or it took too long. Try again."),
  InvalidStateError: gettext("This device or key has been added already."),
  SecurityError: gettext("Passkeys work on a secure connection (https) only."),
};
const OTHERWISE = gettext("The passkey could not be used. Try again, or choose another way.");

export function reasonOf(fault) {
  return REFUSALS[fault.name] ?? OTHERWISE;
}

/** Options of a new credential; to replace a password it must verify its user and be discoverable. */
export function creationOptions(options, passwordless) {
  const copy = structuredClone(options);
  copy.publicKey.authenticatorSelection = {
    ...copy.publicKey.authenticatorSelection,
    residentKey: passwordless ? "required" : "discouraged",
    requireResidentKey: passwordless,
    ...(passwordless ? { userVerification: "required" } : {}),
  };
  return copy;
}

async function credentialFor(form, codec, options) {
  if (form.dataset.passkey === "create") {
    const passwordless = form.elements.passwordless?.checked ?? false;
    return codec.create(creationOptions(options.creation_options, passwordless));
  }
  if (form.dataset.passkey === "login") {
    const response = await fetch(form.action, { headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    options = await response.json();
  }
  return codec.get(options.request_options);
}

export function enhancePasskeyForm(form, codec, options) {
  const refusal = form.querySelector("[data-passkey-error]");
  const button = form.querySelector("button[type=submit]");
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    refusal.hidden = true;
    button.disabled = true;
    try {
      form.elements.credential.value = JSON.stringify(await credentialFor(form, codec, options));
      form.submit();
    } catch (fault) {
      refusal.textContent = reasonOf(fault);
      refusal.hidden = false;
      button.disabled = false;
    }
  });
}
