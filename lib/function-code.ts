import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AssetCode, Code } from "aws-cdk-lib/aws-lambda";
import { Refusal } from "./refusal.ts";

const project = dirname(import.meta.dirname);

/** The bundle of a function, as `npm run bundle` makes it of `lambda/<name>-handler.ts`. */
export function functionCode(name: string): AssetCode {
  const folder = join(project, "dist", name);
  if (existsSync(join(folder, "index.cjs"))) return Code.fromAsset(folder);
  throw new Refusal(`there is no bundle of the function "${name}"; npm run bundle makes it`);
}
