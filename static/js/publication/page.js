// The page of a report for a paper: buttons that copy.
import { enhanceCopyButton } from "../elements/copy.js";

for (const button of document.querySelectorAll("[data-copy]")) {
  enhanceCopyButton(button, navigator.clipboard);
}
