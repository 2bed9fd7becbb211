import {
  type Duration,
  type Instant,
  instant,
  later,
  longest,
  milliseconds,
  minutes,
  seconds,
  shortest,
} from "../../lambda/base/time.ts";
import type { ActionRecord } from "../../sandbox/aws/lifecycle-action.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { hasCondition, terminating } from "../../sandbox/kubernetes/kube-object.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import type { Pod } from "../../sandbox/kubernetes/pod.ts";
import type { DrainMark } from "./mark-history.ts";
import { hasEnded, staysAnyway } from "./pod-facts.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { instanceOf, nodeOf } from "./world-options.ts";

/** The current state of the drain of one node, as the world sees it. */
export interface WitnessedDrain {
  /** The number of the node and its instance. */
  readonly index: number;
  readonly node: string;
  readonly group: string;
  readonly begun: Instant;
  readonly deadline: Instant;
  readonly force: Orders["force"];
  /** The mark that this drain goes by. */
  readonly mark: DrainMark;
  /** When the hook was completed, or timed out. */
  readonly ended: Instant | undefined;
  /** The node itself, if it still exists. */
  readonly object: Node | undefined;
}

/** The settings of a drain. */
export interface Orders {
  readonly timeout: Duration;
  readonly force: "at-deadline" | "never";
}

/** What holds for the drain of one node. */
export interface OneDrain extends Orders {
  readonly index: number;
  readonly mark: DrainMark;
}

/** The drain of a node; `undefined` if nobody has terminated its instance. */
export function tryDrainOf(
  world: VirtualWorld,
  { timeout, ...drain }: OneDrain,
): WitnessedDrain | undefined {
  const action = world.aws.autoScaling.actions().find(isOf(drain.index));
  if (action === undefined) return undefined;
  const { startedAt, end, group } = action;
  const node = nodeOf(drain.index);
  const object = world.cluster.store.tryGet({ resource: nodes, name: node });
  const begun = begunOf(object, { startedAt, timeout });
  return {
    ...drain,
    node,
    group,
    begun,
    deadline: later(begun, timeout),
    ended: end.kind === "open" ? undefined : end.at,
    object,
  };
}

const lateSinceAnnotation = "eks-node-lifecycle/late-since";
const brief = minutes(3);

interface Time {
  readonly startedAt: Instant;
  readonly timeout: Duration;
}

/** From when on the time of a drain counts: once more if nobody worked on it for three minutes and half of its time, or until its deadline. */
function begunOf(node: Node | undefined, { startedAt, timeout }: Time): Instant {
  const since = Date.parse(node?.metadata.annotations?.[lateSinceAnnotation] ?? "");
  const idle = shortest(timeout, longest(brief, milliseconds(timeout / 2)));
  return since >= later(startedAt, idle) ? instant(since) : startedAt;
}

const isOf =
  (index: number) =>
  ({ instanceId }: ActionRecord): boolean =>
    instanceId === instanceOf(index);

/** Whether the node's kubelet has stopped reporting. */
export const isSilent = ({ object }: WitnessedDrain): boolean =>
  hasCondition(object?.status.conditions, "Ready", "Unknown");

/** A node that is gone may have been silent when the drain last saw it. */
export const mayBeSilent = (drain: WitnessedDrain): boolean =>
  drain.object === undefined || isSilent(drain);

/** The function may not yet know of a change this recent, or its request may have crossed it. */
export const crossing = milliseconds(100);

/** Whether a pod keeps its node from being empty. */
export const holds = (pod: Pod, drain: WitnessedDrain, now: Instant): boolean =>
  !staysAnyway(pod) && !hasEnded(pod) && !isStuck(pod, drain, now);

/** Whether the pod should have ended a minute ago, or on a silent node a second ago. */
function isStuck(pod: Pod, drain: WitnessedDrain, now: Instant): boolean {
  const { deletionTimestamp } = pod.metadata;
  if (!terminating(pod) || deletionTimestamp === undefined) return false;
  return now > Date.parse(deletionTimestamp) + seconds(mayBeSilent(drain) ? 1 : 60);
}

/** From when on a pod with this grace may be forced: when it no longer fits, but not in the first half of the drain. */
export const thresholdOf = (grace: number, { begun, deadline }: WitnessedDrain): number =>
  Math.max(deadline - grace, (begun + deadline) / 2);

/** Whether a pod with this grace may be forced. */
export const isPast = (grace: number, drain: WitnessedDrain, now: Instant): boolean =>
  now >= thresholdOf(grace, drain);

/** Whether a pod was told to end so late that the drain has to shorten its grace; a slow answer of the API server is no reason. */
export const outlasts = ({ metadata }: Pod, { deadline }: WitnessedDrain): boolean =>
  Date.parse(metadata.deletionTimestamp ?? "") > deadline + 2000;
