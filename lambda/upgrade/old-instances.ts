import type { NodeName } from "../base/ids.ts";
import { later, milliseconds } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import type { GroupInstance, TemplateVersion } from "../group/scaling-group.ts";
import type { Bookmark } from "./bookmark.ts";
import type { UpgradeOptions } from "./options.ts";

/** An old instance that waits for an attempt. */
export interface Candidate {
  readonly instance: GroupInstance;
  readonly node: MachineNode | "absent";
}

/** The order of the candidates. */
interface Ordering {
  readonly id: string;
  readonly order: UpgradeOptions["order"];
  /**
   * The number of pods that a drain would evict from each node, as first counted; needed for
   * `emptiest` only.
   */
  readonly pods: ReadonlyMap<NodeName, number>;
}

/** Sorts old instances in the order of their attempts. Instances whose nodes run nothing come first. */
export function inOrder(
  candidates: readonly Candidate[],
  ordering: Ordering,
): readonly Candidate[] {
  const keyed = candidates.map((candidate) => ({ candidate, key: keyOf(candidate, ordering) }));
  return keyed.sort((a, b) => compared(a.key, b.key)).map(({ candidate }) => candidate);
}

type Key = readonly (number | string)[];

const keyOf = (candidate: Candidate, ordering: Ordering): Key => [
  serves(candidate) ? 1 : 0,
  chosen(candidate, ordering),
  lot(`${ordering.id} ${candidate.instance.id}`),
];

/** Whether an instance has a node that is ready. */
export const serves = ({ node }: Pick<Candidate, "node">): boolean =>
  node !== "absent" && node.readiness === "ready";

function chosen({ instance, node }: Candidate, { order, pods }: Ordering): number | string {
  switch (order) {
    case "emptiest":
      return node === "absent" ? 0 : (pods.get(node.name) ?? 0);
    case "oldest":
      return node === "absent" ? 0 : node.created;
    case "zone":
      return instance.zone;
    case "random":
      return 0;
  }
}

/** FNV-1a. The order is random, and yet the same in every pass, so that two passes at once choose the same nodes. */
function lot(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}

function compared(a: Key, b: Key): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  if (at < 0) return 0;
  return (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
}

/** The annotation of a node that is to be replaced, whatever version it was launched by. */
export const replaceAnnotation = "eks-node-lifecycle/replace";

/** The launch source of a group now: its template version, and those of its overrides. */
export type TargetVersions = readonly TemplateVersion[];

/** Why an instance is to be replaced; `none` when it is not. */
type Staleness = "version" | "by-hand" | "age" | "none";

/**
 * The reason to replace an instance. Its age counts at the start of the upgrade, so that the upgrade comes to an end.
 */
export function stalenessOf(
  instance: Pick<GroupInstance, "source">,
  node: Pick<MachineNode, "annotations" | "created"> | "absent",
  { targets, begun, maxAge }: { readonly targets: TargetVersions } & Aged,
): Staleness {
  if (isOtherVersion(instance, targets)) return "version";
  if (node === "absent") return "none";
  if (replaceAnnotation in node.annotations) return "by-hand";
  if (maxAge === "any") return "none";
  return node.created < later(begun, milliseconds(-maxAge)) ? "age" : "none";
}

export const isOtherVersion = (
  { source }: Pick<GroupInstance, "source">,
  targets: TargetVersions,
): boolean => source === "configuration" || !targets.some((target) => isSame(target, source));

/** When an upgrade began, and the oldest age that it keeps. */
interface Aged {
  readonly begun: Bookmark["begun"];
  readonly maxAge: Bookmark["options"]["maxAge"];
}

const isSame = (a: TemplateVersion, b: TemplateVersion): boolean =>
  a.template === b.template && a.version === b.version;
