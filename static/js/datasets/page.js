// Enhances the page on which a ground truth is corrected.
import { enhanceMending } from "./mend.js";

for (const form of document.querySelectorAll("[data-mend]")) enhanceMending(form);
