import { faultOf } from "../base/fault.ts";
import type { InstanceId, NodeName } from "../base/ids.ts";
import type { Instances, TargetGroups } from "../group/group.port.ts";
import {
  type FoundTargetGroups,
  type Leavers,
  lossOf,
  type TargetLoss,
} from "../group/target-loss.ts";
import type { Journal } from "../notice/journal.port.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { PassEntry } from "../notice/pass-entry.ts";
import type { ClusterNodes } from "./cluster-nodes.port.ts";
import { tellUnread } from "./tell-unread.flow.ts";

/** The ports through which the targets of a group are seen. */
export interface TargetPorts {
  readonly instances: Pick<Instances, "describe">;
  readonly targetGroups: TargetGroups;
  readonly groupNodes: Pick<ClusterNodes, "podAddresses" | "unreadNamespaces">;
  readonly journal: Journal<PassEntry>;
}

/** An instance that is about to go, with its node. */
export interface Leaver {
  readonly instance: InstanceId;
  readonly node: NodeName | "none";
}

type Group = Omit<Leavers, "ids">;

/**
 * The loss of target groups if these instances leave: of targets that are instances, and of those
 * that are pods.
 */
export async function targetLoss(
  leaving: readonly Leaver[],
  group: Group,
  ports: TargetPorts,
): Promise<TargetLoss> {
  const loss = await instanceLoss(leaving, group, ports);
  if (loss.kind === "avoidable" || loss.kind === "unread") return loss;
  const ofPods = await podLoss(leaving, group, ports);
  return ofPods.kind === "none" ? loss : ofPods;
}

/** The loss of target groups whose targets are instances. */
export const instanceLoss = async (
  leaving: readonly Leaver[],
  group: Group,
  ports: TargetPorts,
): Promise<TargetLoss> =>
  lossIn(await instanceTargets(leaving, ports), { ...group, ids: idsOf(leaving) });

/** The target groups that some targets have, or why nobody knows them. */
export type TargetsRead =
  | { readonly kind: "found"; readonly found: FoundTargetGroups }
  | Extract<TargetLoss, { readonly kind: "none" | "unread" }>;

/** The target groups that have some of these instances. */
export const instanceTargets = (
  leaving: readonly Leaver[],
  ports: TargetPorts,
): Promise<TargetsRead> =>
  read(ports, async () => {
    if (!(await ports.targetGroups.kinds(anyVpc)).has("instance")) return { kind: "none" };
    const vpc = await vpcOf(leaving, ports);
    const found = await ports.targetGroups.having(idsOf(leaving), "instance", vpc);
    return { kind: "found", found };
  });

/** The loss of target groups that were read. */
export const lossIn = (read: TargetsRead, leavers: Leavers): TargetLoss =>
  read.kind === "found" ? lossOf(read.found, leavers) : read;

export const idsOf = (leaving: readonly Leaver[]): ReadonlySet<InstanceId> =>
  new Set(leaving.map(({ instance }) => instance));

/** The loss of target groups whose targets are pods. */
export const podLoss = (
  leaving: readonly Leaver[],
  group: Group,
  ports: TargetPorts,
): Promise<TargetLoss> =>
  read(ports, async () => {
    if (!(await ports.targetGroups.kinds(anyVpc)).has("ip")) return { kind: "none" };
    const vpc = await vpcOf(leaving, ports);
    const nodes = leaving.flatMap(({ node }) => (node === "none" ? [] : [node]));
    const ids = new Set(await ports.groupNodes.podAddresses(nodes));
    tellUnread(ports);
    return lossOf(await ports.targetGroups.having(ids, "ip", vpc), { ...group, ids });
  });

// Most places have no target groups at all, so nobody has to ask which VPC it is.
const anyVpc = "";

/** Logs a failure. Without the right to read target groups, nothing is waited for. */
async function read<T>(
  { journal }: TargetPorts,
  look: () => Promise<T>,
): Promise<T | Extract<TargetLoss, { readonly kind: "none" | "unread" }>> {
  try {
    return await look();
  } catch (cause) {
    const { code, message } = faultOf(cause);
    journal.record(faultEntry(cause));
    return code === "aws.denied"
      ? { kind: "none" }
      : { kind: "unread", reasons: [`load balancers have not answered: ${message}`] };
  }
}

/** The VPC of the first of some instances; empty where EC2 does not know it. */
async function vpcOf(leaving: readonly Leaver[], { instances }: TargetPorts): Promise<string> {
  const [first] = leaving;
  const found = first === undefined ? "unknown" : await instances.describe(first.instance);
  return found === "unknown" ? "" : found.vpc;
}
