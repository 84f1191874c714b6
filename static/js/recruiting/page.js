// The pages of participants: whether the window fits.
import { enhanceFit } from "./fit.js";

const form = document.querySelector("[data-fit]");
if (form) enhanceFit(form, document.querySelector("[data-unfit]"), window);
