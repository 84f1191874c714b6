// The page of a job.
import { watchProgress } from "./progress.js";

for (const box of document.querySelectorAll("[data-progress]")) watchProgress(box);
