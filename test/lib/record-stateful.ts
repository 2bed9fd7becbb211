import { writeFileSync } from "node:fs";
import { productVersion } from "../../lambda/base/contract.ts";
import { allStateful } from "./stateful.ts";

// Before a release only: what a released version has deployed stays as it is.
const file = new URL(`stateful/${productVersion}.json`, import.meta.url);
writeFileSync(file, `${JSON.stringify(allStateful(), undefined, 2)}\n`);
