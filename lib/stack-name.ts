import { createHash } from "node:crypto";

/** The name of a cluster's stack. The name of a cluster may have underscores, that of a stack may not. */
export function stackName(cluster: string): string {
  const name = `EksNodeLifecycle-${cluster.replaceAll("_", "-")}`;
  if (!cluster.includes("_")) return name;
  // The hash keeps the stacks of clusters a_b and a-b apart.
  return `${name}-${createHash("sha256").update(cluster).digest("hex").slice(0, 8)}`;
}
