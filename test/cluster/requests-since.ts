import type { AuditEntry } from "./audit-log.ts";
import type { RealWorld } from "./real-world.ts";

/** The requests of a program since a time; a watch has two entries in the log, but counts once. */
export async function requestsSince(
  { controlPlane }: RealWorld,
  since: number,
  userAgent = "eks-node-lifecycle/",
): Promise<readonly AuditEntry[]> {
  const audit = await controlPlane.audit({ userAgent });
  const began = ({ stage, verb }: AuditEntry) =>
    verb === "watch" ? stage === "ResponseStarted" : stage === "ResponseComplete";
  return audit.filter((entry) => Date.parse(entry.at) >= since && began(entry));
}
