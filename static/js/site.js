// Every page's script.
import { enhanceTables } from "./elements/tables.js";

enhanceTables(document);
