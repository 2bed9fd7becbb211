import type { NodeName } from "../base/ids.ts";
import type { MachineNode } from "../drain/node.ts";
import type { GroupInstance } from "../group/scaling-group.ts";
import type { UpgradeOptions } from "./options.ts";

/** An old instance that waits for its turn. */
export interface Candidate {
  readonly instance: GroupInstance;
  readonly node: MachineNode | "absent";
}

/** What the order of candidates depends on. */
export interface Ordering {
  readonly id: string;
  readonly order: UpgradeOptions["order"];
  /** The pods on each node that a drain would evict, as they were counted once; needed for `emptiest` only. */
  readonly pods: ReadonlyMap<NodeName, number>;
}

/** Puts old instances into the order of their turns. Those that do nothing for anybody come first, in any order. */
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

/** FNV-1a: by chance, and yet the same for each pass, so that two passes at once choose the same. */
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
