import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { projectFolder } from "./project-folder.ts";

/** How the function drains, as far as its rights depend on it. */
export interface AccessManifestsProps {
  readonly force: "at-deadline" | "never";
  /** As `DRAIN_TAINT` has it; empty for none. */
  readonly taint: string;
}

/** The taint's key as the fence has it, where the function has none of its own. */
const noTaint = `expression: "''"`;

/** Everything that the function's rights in a cluster are made of, in the order in which it is applied. */
export function accessManifests({ force, taint }: AccessManifestsProps): readonly object[] {
  const [key = ""] = taint.split(/[=:]/, 1);
  const fence = text("node-fence.yaml").replace(noTaint, `expression: "'${key}'"`);
  const rbac = [text("rbac.yaml"), ...(force === "never" ? [] : [text("rbac-force.yaml")])];
  // The fence is there before there is anything to be fenced in.
  return [fence, ...rbac]
    .flatMap((manifest) => parseAllDocuments(manifest))
    .map((document): object => document.toJS());
}

const text = (name: string): string => readFileSync(join(projectFolder, "lib", name), "utf8");
