import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AssetCode, Code } from "aws-cdk-lib/aws-lambda";
import { projectFolder } from "../project-folder.ts";
import { Refusal } from "../refusal.ts";

const bundle = "index.cjs";

// A build that was killed may have left other files in the folder.
const bundleAlone = { exclude: ["*", "!*.cjs"] };

const dist = join(projectFolder, "dist");

/** The bundle of a function, which `npm run bundle` makes from `lambda/<name>-handler.ts`. */
export function functionCode(name: string, bundles = dist): AssetCode {
  const folder = join(bundles, name);
  if (existsSync(join(folder, bundle))) return Code.fromAsset(folder, bundleAlone);
  throw new Refusal(`there is no bundle of the function "${name}"; npm run bundle makes it`);
}

/** The hash of the bundle of a function, which changes with the bundle. */
export function functionHash(name: string): string {
  const hash = createHash("sha256");
  for (const file of globSync("*.cjs", { cwd: join(dist, name) }).sort())
    hash.update(readFileSync(join(dist, name, file)));
  return hash.digest("hex");
}
