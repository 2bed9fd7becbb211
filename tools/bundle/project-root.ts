import { dirname } from "node:path";

/** The folder of this project. */
export const projectRoot = dirname(dirname(import.meta.dirname));
