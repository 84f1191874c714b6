// The page of a report for a paper: what is there to be copied.
import { enhanceCopyButton } from "../elements/copy.js";

for (const button of document.querySelectorAll("[data-copy]")) {
  enhanceCopyButton(button, navigator.clipboard);
}
