import { writeFileSync } from "node:fs";
import { productVersion } from "../../lambda/base/contract.ts";
import { examples } from "./examples.ts";

// Before a release only: what a released version has written stays as it is.
const file = new URL(`versions/${productVersion}.json`, import.meta.url);
writeFileSync(file, `${JSON.stringify(examples(), undefined, 2)}\n`);
