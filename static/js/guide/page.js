// The script of the pages with a playground.
import { enhancePlayground } from "./playground.js";

for (const root of document.querySelectorAll("[data-playground]")) enhancePlayground(root);
