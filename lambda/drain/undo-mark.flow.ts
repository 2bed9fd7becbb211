import type { InstanceId, NodeName } from "../base/ids.ts";
import { type Instant, minutes, never } from "../base/time.ts";
import { namesOf } from "../group/ec2-instance.ts";
import { mostReceives } from "../notice/renewal.ts";
import { peersCause, tryCause } from "./cause.ts";
import type { DrainPorts, NodeWrite } from "./drain.port.ts";
import type { DrainPass } from "./drain-outcome.ts";
import type { Node, Taint } from "./node.ts";
import { overOthers } from "./over-others.flow.ts";
import type { Reason } from "./reason.ts";
import { tryHeir, tryOpening } from "./unmarking.ts";

export interface DrainMark {
  readonly taints: readonly Taint[];
  /** Its reason; a mark without a reason counts as that of a termination. */
  readonly of: Reason;
  /** The receive count of the notice for which the mark is removed. */
  readonly receives: number;
  /** A mark with a later deadline is that of another notice, and stays. @default whatever its deadline */
  readonly dueBy?: Instant;
  /** The names of the node. @default those that EC2 says */
  readonly names?: readonly NodeName[];
}

const nextTry = { kind: "again", wait: minutes(1) } as const satisfies DrainPass;

/**
 * Removes our part of the mark from the node of an instance that does not end after all. The mark of another drain is that
 * drain's to take off. While others keep the node from being opened, the notice comes again.
 */
export async function undoMark(
  instance: InstanceId,
  { taints, of, receives, dueBy = never, names: known }: DrainMark,
  ports: DrainPorts,
): Promise<DrainPass | "settled"> {
  const names = known ?? namesOf(await ports.instances.describe(instance));
  const answer = await overOthers(async () => {
    const node = await ports.cluster.findNode(instance, names);
    if (node === "absent") return "gone";
    const { reason, deadline } = tryCause(node, ports.reasons) ?? peersCause;
    const isOurs = reason === of && (deadline === never || deadline <= dueBy);
    return isOurs ? removeMark(node, taints, ports) : "gone";
  }, ports.clock);
  if (answer !== "changed") return "settled";
  const warnings = ["its mark is still there, for others keep writing its node"];
  ports.journal.record({ kind: "warning", about: `instance ${instance}`, warnings });
  return receives < mostReceives ? nextTry : "settled";
}

/**
 * Removes our part of the mark from a node, unless somebody has written the node since it was read; `gone` where there is
 * none, or work that drains the node too keeps it closed.
 */
export async function removeMark(
  node: Node,
  taints: readonly Taint[],
  { cluster, journal, reasons }: DrainPorts,
): Promise<NodeWrite> {
  const opening = tryOpening(node, taints, reasons);
  if (opening === undefined) return "gone";
  const answer = await cluster.mark(node, () => opening);
  if (answer !== "marked") return answer;
  if (tryHeir(node, reasons) !== undefined) return "gone";
  journal.record({ kind: "mark-undone", node: node.name });
  return answer;
}
