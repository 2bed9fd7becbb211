import type { InstanceId } from "../../domain/ids.ts";
import { tryCause } from "../../domain/node/cause.ts";
import { namesOf } from "../../domain/node/ec2-instance.ts";
import type { Node, Taint } from "../../domain/node/node.ts";
import { passesToUpgrade, tryOpening } from "../../domain/node/unmarking.ts";
import type { NodeWrite } from "../../ports/cluster.ts";
import type { Ports } from "../../ports/ports.ts";
import { overOthers } from "./over-others.ts";

/** Removes our part of the mark from the node of an instance whose termination was called off. */
export async function undoMark(
  instance: InstanceId,
  taints: readonly Taint[],
  ports: Ports,
): Promise<void> {
  const names = namesOf(await ports.instances.describe(instance));
  await overOthers(async () => {
    const node = await ports.cluster.findNode(instance, names);
    return node === "absent" || isAnothers(node) ? "gone" : removeMark(node, taints, ports);
  }, ports.clock);
}

/** The mark of another drain is that drain's to take off. */
const isAnothers = (node: Node): boolean =>
  (tryCause(node)?.reason ?? "terminating") !== "terminating";

/**
 * Removes our part of the mark from a node, unless somebody has written the node since it was read; `gone` where there is
 * none, or an upgrade that drains the node too keeps it closed.
 */
export async function removeMark(
  node: Node,
  taints: readonly Taint[],
  { cluster, journal }: Ports,
): Promise<NodeWrite> {
  const opening = tryOpening(node, taints);
  if (opening === undefined) return "gone";
  const answer = await cluster.mark(node, () => opening);
  if (answer !== "marked") return answer;
  if (passesToUpgrade(node)) return "gone";
  journal.record({ kind: "mark-undone", node: node.name });
  return answer;
}
