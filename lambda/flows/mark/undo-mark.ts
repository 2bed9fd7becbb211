import type { InstanceId } from "../../domain/ids.ts";
import { namesOf } from "../../domain/node/ec2-instance.ts";
import { tryUnmarking } from "../../domain/node/marking.ts";
import type { Node, Taint } from "../../domain/node/node.ts";
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
    return node === "absent" ? "gone" : removeMark(node, taints, ports);
  }, ports.clock);
}

/** Removes our part of the mark from a node, unless somebody has written the node since it was read; `gone` where there is none. */
export async function removeMark(
  node: Node,
  taints: readonly Taint[],
  { cluster, journal }: Ports,
): Promise<NodeWrite> {
  const unmarking = tryUnmarking(node, taints);
  if (unmarking === undefined) return "gone";
  const answer = await cluster.mark(node, () => unmarking);
  if (answer === "marked") journal.record({ kind: "mark-undone", node: node.name });
  return answer;
}
