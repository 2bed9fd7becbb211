import { later, milliseconds } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import type { GroupInstance, TemplateVersion } from "../group/scaling-group.ts";
import type { Bookmark } from "./bookmark.ts";

/** Present on a node that somebody wants to be replaced, whatever it was launched by. */
export const replaceAnnotation = "eks-node-lifecycle/replace";

/** What a group launches now: its template, and the templates of its overrides. */
export type Targets = readonly TemplateVersion[];

/** Why an instance is to be replaced; `none` when it is not. */
export type Staleness = "version" | "by-hand" | "age" | "none";

/** Says whether an instance is to be replaced, and why. Only an age at the begin of the upgrade counts, so that it ends. */
export function stalenessOf(
  instance: Pick<GroupInstance, "source">,
  node: Pick<MachineNode, "annotations" | "created"> | "absent",
  { targets, begun, maxAge }: { readonly targets: Targets } & Aged,
): Staleness {
  if (isOtherVersion(instance, targets)) return "version";
  if (node === "absent") return "none";
  if (replaceAnnotation in node.annotations) return "by-hand";
  if (maxAge === "any") return "none";
  return node.created < later(begun, milliseconds(-maxAge)) ? "age" : "none";
}

/** Whether an instance was launched by something else than the group launches by now. */
export const isOtherVersion = (
  { source }: Pick<GroupInstance, "source">,
  targets: Targets,
): boolean => source === "configuration" || !targets.some((target) => isSame(target, source));

/** Since when an upgrade goes on, and which age it tolerates. */
export interface Aged {
  readonly begun: Bookmark["begun"];
  readonly maxAge: Bookmark["options"]["maxAge"];
}

const isSame = (a: TemplateVersion, b: TemplateVersion): boolean =>
  a.template === b.template && a.version === b.version;
