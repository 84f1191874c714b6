// The page of a competition: the reader's time zone, and times in UTC beside their fields.
import { enhanceTimes } from "./times.js";

for (const form of document.querySelectorAll("form[data-competition]")) {
  enhanceTimes(form, Intl.DateTimeFormat().resolvedOptions().timeZone);
}
