// The pages of participants: whether the window fits, and a button that copies the code.
import { enhanceCopyButton } from "../elements/copy.js";
import { enhanceFit } from "./fit.js";

const form = document.querySelector("[data-fit]");
if (form) enhanceFit(form, document.querySelector("[data-unfit]"), window);
for (const button of document.querySelectorAll("[data-copy]")) {
  enhanceCopyButton(button, navigator.clipboard);
}
