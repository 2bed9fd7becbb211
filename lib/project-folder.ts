import { createRequire } from "node:module";
import { dirname } from "node:path";

/** The folder of this package, whether its constructs run from source or as published. */
export const projectFolder = dirname(
  createRequire(import.meta.url).resolve("eks-node-lifecycle/package.json"),
);
