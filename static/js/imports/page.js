// The pages of a load.
import { enhanceDrop } from "./drop.js";
import { watchProgress } from "../jobs/progress.js";

for (const form of document.querySelectorAll("form[data-drop]")) enhanceDrop(form);
for (const box of document.querySelectorAll("[data-progress]")) watchProgress(box);
