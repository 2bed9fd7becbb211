import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AssetCode, Code } from "aws-cdk-lib/aws-lambda";
import { projectFolder } from "../project-folder.ts";
import { Refusal } from "../refusal.ts";

const bundle = "index.cjs";

// A build that was killed may leave other files in the folder.
const bundleAlone = { exclude: ["*", `!${bundle}`] };

const dist = join(projectFolder, "dist");

/** The bundle of a function, as `npm run bundle` makes it of `lambda/<name>-handler.ts`. */
export function functionCode(name: string, bundles = dist): AssetCode {
  const folder = join(bundles, name);
  if (existsSync(join(folder, bundle))) return Code.fromAsset(folder, bundleAlone);
  throw new Refusal(`there is no bundle of the function "${name}"; npm run bundle makes it`);
}

/** The hash of the bundle of a function, which changes with the bundle. */
export const functionHash = (name: string): string =>
  createHash("sha256")
    .update(readFileSync(join(dist, name, bundle)))
    .digest("hex");
