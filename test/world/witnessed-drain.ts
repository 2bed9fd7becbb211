import {
  type Duration,
  type Instant,
  instant,
  later,
  milliseconds,
  seconds,
} from "../../lambda/domain/time.ts";
import type { ActionRecord } from "../../sandbox/aws/auto-scaling/lifecycle-action.ts";
import { nodes } from "../../sandbox/cluster/core-resources.ts";
import { hasCondition, terminating } from "../../sandbox/cluster/kube-object.ts";
import type { Node } from "../../sandbox/cluster/node.ts";
import type { Pod } from "../../sandbox/cluster/pod.ts";
import { hasEnded, staysAnyway } from "./pod-facts.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { instanceOf, nodeOf } from "./world-options.ts";

/** The current state of the drain of one node, as the world sees it. */
export interface WitnessedDrain {
  readonly node: string;
  readonly deadline: Instant;
  /** When the hook was completed, or timed out. */
  readonly ended: Instant | undefined;
  /** The node itself, if it still exists. */
  readonly object: Node | undefined;
}

/** The drain of a node; `undefined` if nobody has terminated its instance. */
export function tryDrainOf(
  world: VirtualWorld,
  index: number,
  timeout: Duration,
): WitnessedDrain | undefined {
  const action = world.aws.autoScaling.actions().find(isOf(index));
  if (action === undefined) return undefined;
  const { startedAt, end } = action;
  const node = nodeOf(index);
  return {
    node,
    deadline: later(startedAt, timeout),
    ended: end.kind === "open" ? undefined : end.at,
    object: world.cluster.store.tryGet({ resource: nodes, name: node }),
  };
}

const isOf =
  (index: number) =>
  ({ instanceId }: ActionRecord): boolean =>
    instanceId === instanceOf(index);

/** Whether the node's kubelet has stopped reporting. */
export const isSilent = ({ object }: WitnessedDrain): boolean =>
  hasCondition(object?.status.conditions, "Ready", "Unknown");

/** The function may not yet know of a change this recent, or its request may have crossed it. */
export const crossing = milliseconds(100);

/** The annotation in which the function writes when it marked a node. */
export const markedAtAnnotation = "eks-node-lifecycle/marked-at";

/** When the function marked the node, according to the node's annotation. */
export const markedAt = ({ object }: WitnessedDrain): Instant =>
  instant(Date.parse(object?.metadata.annotations?.[markedAtAnnotation] ?? "") || 0);

/** Whether a pod keeps its node from being empty. */
export const holds = (pod: Pod, drain: WitnessedDrain, now: Instant): boolean =>
  !staysAnyway(pod) && !hasEnded(pod) && !isStuck(pod, drain, now);

/** Whether the pod should have ended a minute ago, or on a silent node a second ago. */
function isStuck(pod: Pod, drain: WitnessedDrain, now: Instant): boolean {
  const { deletionTimestamp } = pod.metadata;
  if (!terminating(pod) || deletionTimestamp === undefined) return false;
  return now > Date.parse(deletionTimestamp) + seconds(isSilent(drain) ? 1 : 60);
}

/** Whether a pod's grace no longer fits before the deadline. */
export const isPast = (grace: number, { deadline }: WitnessedDrain, now: Instant): boolean =>
  now > deadline - grace;
