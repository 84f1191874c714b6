// The page of a piece of long work.
import { watchProgress } from "./progress.js";

for (const box of document.querySelectorAll("[data-progress]")) watchProgress(box);
