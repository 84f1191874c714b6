// A form of files: files can be dropped on it, and each is sent separately with its progress.
// Without this script the form sends all of them at once.
import { tokenOf } from "../elements/csrf.js";
import { gettext, number } from "../elements/words.js";

export function sizeInWords(bytes) {
  const units = [gettext("bytes"), gettext("KB"), gettext("MB"), gettext("GB")];
  let value = bytes;
  let at = 0;
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${at ? number(value.toFixed(1)) : value} ${units[at]}`;
}

// Sends one form; resolves to the site's answer, or rejects with a sentence.
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
        // A page instead of an answer: signed out, or an error of the site.
      }
      if (request.status === 200 && said) resolve(said);
      else reject(new Error(said?.refusal ?? gettext("The site did not accept it. Reload the page and try again.")));
    });
    request.addEventListener("error", () => reject(new Error(gettext("The connection broke. Try again."))));
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
  bar.setAttribute("aria-label", gettext("Upload of {file}", { file: file.name }));
  item.append(name, size, bar);
  list.append(item);
  return { item, size, bar };
}

export function enhanceDrop(form, { go = (url) => location.assign(url), post = send } = {}) {
  const input = form.querySelector("[data-zone] input[type=file]");
  const list = form.querySelector("[data-uploads]");
  const button = form.querySelector("button[type=submit]");
  form.querySelector("[data-zone] [data-hint]").hidden = false;
  acceptDrops(form, input);

  input.addEventListener("change", () => {
    list.hidden = input.files.length === 0;
    for (const { bar } of showRows(list, input.files)) bar.hidden = true;
  });

  form.addEventListener("submit", async (event) => {
    const files = [...input.files];
    if (files.length === 0) return;
    event.preventDefault();
    button.disabled = true;
    list.hidden = false;
    const status = form.querySelector("[data-status]");
    try {
      const rows = showRows(list, files);
      const { add, next } = await placeOf(form, input.name, post);
      for (const [at, file] of files.entries()) {
        status.textContent = gettext("Sending {file}, {n} of {all}", { file: file.name, n: at + 1, all: files.length });
        await sendFile(file, rows[at], add, post);
      }
      // The next page reports refused files.
      go(next);
    } catch (fault) {
      status.textContent = fault.message;
      status.classList.remove("visually-hidden");
      button.disabled = false;
    }
  });
}

// Adds files dropped anywhere on the form to the chosen ones.
function acceptDrops(form, input) {
  const zone = form.querySelector("[data-zone]");
  for (const type of ["dragenter", "dragover", "dragleave", "drop"]) {
    form.addEventListener(type, (event) => {
      event.preventDefault();
      zone.classList.toggle("drop--over", type === "dragenter" || type === "dragover");
    });
  }
  form.addEventListener("drop", (event) => {
    const held = new DataTransfer();
    for (const file of [...input.files, ...event.dataTransfer.files]) held.items.add(file);
    input.files = held.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

function showRows(list, files) {
  list.replaceChildren();
  return [...files].map((file) => row(list, file));
}

// Where files are sent, and the page after that: the first form creates the load and returns both; the
// form of a load has both.
async function placeOf(form, fileField, post) {
  const add = form.getAttribute("action");
  if (add) return { add, next: location.href };
  const first = new FormData(form);
  first.delete(fileField);
  return post(location.pathname, first, () => {});
}

async function sendFile(file, { item, size, bar }, url, post) {
  const data = new FormData();
  data.append("files", file, file.name);
  try {
    await post(url, data, (share) => {
      bar.value = share;
    });
    bar.value = 1;
    size.textContent = gettext("sent");
  } catch {
    item.classList.add("uploads__refused");
    size.textContent = gettext("refused");
  }
}
