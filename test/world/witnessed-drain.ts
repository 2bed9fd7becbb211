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

/** The drain of one node, as the world has it now. */
export interface WitnessedDrain {
  readonly node: string;
  readonly deadline: Instant;
  /** When the hook was completed, or timed out. */
  readonly ended: Instant | undefined;
  /** The node itself, if it is still there. */
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

/** Nobody hears of its kubelet any more. */
export const isSilent = ({ object }: WitnessedDrain): boolean =>
  hasCondition(object?.status.conditions, "Ready", "Unknown");

/** A change that is told this moment may cross a request, or not have been heard of. */
export const crossing = milliseconds(100);

/** Where the function writes when it marked a node. */
export const markedAtAnnotation = "eks-node-lifecycle/marked-at";

/** When the function marked it, by what stands on the node. */
export const markedAt = ({ object }: WitnessedDrain): Instant =>
  instant(Date.parse(object?.metadata.annotations?.[markedAtAnnotation] ?? "") || 0);

/** Whether a pod keeps its node from being free. */
export const holds = (pod: Pod, drain: WitnessedDrain, now: Instant): boolean =>
  !staysAnyway(pod) && !hasEnded(pod) && !isStuck(pod, drain, now);

/** It should have ended a minute ago; on a node that is silent, a second ago. */
function isStuck(pod: Pod, drain: WitnessedDrain, now: Instant): boolean {
  const { deletionTimestamp } = pod.metadata;
  if (!terminating(pod) || deletionTimestamp === undefined) return false;
  return now > Date.parse(deletionTimestamp) + seconds(isSilent(drain) ? 1 : 60);
}

/** A pod's grace does not fit before the deadline any more. */
export const isPast = (grace: number, { deadline }: WitnessedDrain, now: Instant): boolean =>
  now > deadline - grace;
