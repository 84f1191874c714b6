// Times of a time zone in UTC: a <form> with <select name="zone"> and inputs of the type datetime-local.

// Returns the moment that a clock of the zone shows, or null for a time that is incomplete.
export function momentOf(local, zone) {
  const shown = Date.parse(`${local}Z`);
  if (Number.isNaN(shown)) return null;
  // The zone's distance from UTC, looked up again at the moment that the first one gives.
  const ahead = (at) => Date.parse(`${inZone(at, zone)}Z`) - at;
  return new Date(shown - ahead(shown - ahead(shown)));
}

function inZone(at, timeZone) {
  return new Date(at).toLocaleString("sv-SE", { timeZone }).replace(" ", "T");
}

export function enhanceTimes(form, ownZone) {
  const zone = form.elements.namedItem("zone");
  const times = form.querySelectorAll("input[type=datetime-local]");
  const isOffered = [...zone.options].some((option) => option.value === ownZone);
  if (isOffered && ![...times].some((time) => time.value)) zone.value = ownZone;
  const show = () => {
    for (const time of times) {
      const moment = momentOf(time.value, zone.value);
      const words = moment ? `${moment.toISOString().slice(0, 16).replace("T", " ")} UTC` : "";
      form.ownerDocument.getElementById(`${time.id}_helptext`).textContent = words;
    }
  };
  form.addEventListener("input", show);
  show();
}
