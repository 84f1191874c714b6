// A form of files: they can be dropped on it, and each is sent on its own with its progress.
// Without this the form sends all of them at once.
import { tokenOf } from "../elements/csrf.js";

export function sizeInWords(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  let value = bytes;
  let at = 0;
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${at ? value.toFixed(1) : value} ${units[at]}`;
}

// Sends one form; resolves to what the site says, or rejects with a sentence.
export function send(url, data, onProgress, makeRequest = () => new XMLHttpRequest()) {
  return new Promise((resolve, reject) => {
    const request = makeRequest();
    request.open("POST", url);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRFToken", tokenOf());
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    });
    request.addEventListener("load", () => {
      let said = null;
      try {
        said = JSON.parse(request.responseText);
      } catch {
        // A page, not an answer: signed out, or a fault of the site.
      }
      if (request.status === 200 && said) resolve(said);
      else reject(new Error(said?.refusal ?? "The site did not take it. Reload the page and try again."));
    });
    request.addEventListener("error", () => reject(new Error("The connection broke. Try again.")));
    request.send(data);
  });
}

function row(list, file) {
  const item = document.createElement("li");
  const name = document.createElement("span");
  const size = document.createElement("span");
  const bar = document.createElement("progress");
  name.textContent = file.name;
  size.textContent = sizeInWords(file.size);
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", `Upload of ${file.name}`);
  item.append(name, size, bar);
  list.append(item);
  return { item, size, bar };
}

export function enhanceDrop(form, { go = (url) => location.assign(url), post = send } = {}) {
  const zone = form.querySelector("[data-zone]");
  const input = zone.querySelector("input[type=file]");
  const list = form.querySelector("[data-uploads]");
  const status = form.querySelector("[data-status]");
  const button = form.querySelector("button[type=submit]");
  zone.querySelector("[data-hint]").hidden = false;

  for (const kind of ["dragenter", "dragover"]) {
    form.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.add("drop--over");
    });
  }
  for (const kind of ["dragleave", "drop"]) {
    form.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.remove("drop--over");
    });
  }
  form.addEventListener("drop", (event) => {
    const held = new DataTransfer();
    for (const file of [...input.files, ...event.dataTransfer.files]) held.items.add(file);
    input.files = held.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });

  input.addEventListener("change", () => {
    list.replaceChildren();
    list.hidden = input.files.length === 0;
    for (const file of input.files) row(list, file).bar.hidden = true;
  });

  form.addEventListener("submit", async (event) => {
    const files = [...input.files];
    if (files.length === 0) return;
    event.preventDefault();
    button.disabled = true;
    list.replaceChildren();
    list.hidden = false;
    const rows = files.map((file) => row(list, file));
    const refusals = [];
    try {
      // The first form makes the load and says where its files go; an added file has both already.
      let where = { add: form.getAttribute("action"), next: location.href };
      if (!where.add) {
        const first = new FormData(form);
        first.delete(input.name);
        where = await post(location.pathname, first, () => {});
      }
      for (const [at, file] of files.entries()) {
        const { item, size, bar } = rows[at];
        status.textContent = `Sending ${file.name}, ${at + 1} of ${files.length}`;
        const data = new FormData();
        data.append("files", file, file.name);
        try {
          await post(where.add, data, (share) => {
            bar.value = share;
          });
          bar.value = 1;
          size.textContent = "sent";
        } catch (refusal) {
          refusals.push(refusal.message);
          item.classList.add("uploads__refused");
          size.textContent = "refused";
        }
      }
      // What was refused is said on the page that follows.
      go(where.next);
    } catch (fault) {
      status.textContent = fault.message;
      status.classList.remove("visually-hidden");
      button.disabled = false;
    }
  });
}
