// The page of preferences.
import { enhancePreferences } from "./preferences.js";

for (const form of document.querySelectorAll("[data-preferences]")) enhancePreferences(form);
