import { createHash } from "node:crypto";

/** What the stack of a cluster is called: clusters may have underscores in their names, stacks may not. */
export function stackName(cluster: string): string {
  const name = `EksNodeLifecycle-${cluster.replaceAll("_", "-")}`;
  if (!cluster.includes("_")) return name;
  // So that a_b is not the stack of a-b.
  return `${name}-${createHash("sha256").update(cluster).digest("hex").slice(0, 8)}`;
}
