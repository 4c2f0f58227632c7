/**
 * Registers the elements on import: the one entry with a side effect. On a server it does nothing.
 */
import { defineElements } from "./index.js";

if (globalThis.customElements) defineElements();
