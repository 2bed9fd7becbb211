import type {
  V1Node,
  V1NodeCondition,
  V1NodeStatus,
  V1ObjectMeta,
  V1Taint,
} from "@kubernetes/client-node";
import { Fault } from "../base/fault.ts";
import { type InstanceId, instanceId, nodeName, nodeUid } from "../base/ids.ts";
import { type Instant, instant, latest } from "../base/time.ts";
import type { MachineNode, Node, NodeCondition, Readiness, Taint } from "../drain/node.ts";
import { type AsSent, instantOf } from "./as-sent.ts";

/** Reads a node of the Kubernetes API. */
export function nodeOf({ metadata = {}, spec = {}, status = {} }: AsSent<V1Node>): Node {
  const { name, uid, resourceVersion } = metadata;
  if (name === undefined || uid === undefined || resourceVersion === undefined)
    throw new Fault("cluster.refused", `reading node ${name}: no name, uid or resourceVersion`);
  return {
    name: nodeName(name),
    uid: nodeUid(uid),
    providerId: spec.providerID ?? "",
    resourceVersion,
    unschedulable: spec.unschedulable ?? false,
    ...readinessOf(status, metadata),
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    taints: (spec.taints ?? []).map(taintOf),
    volumes: volumesIn(status),
  };
}

const volumesIn = ({ volumesAttached = [], volumesInUse = [] }: AsSent<V1NodeStatus>) => [
  ...new Set([...volumesInUse, ...volumesAttached.map(({ name }) => name)]),
];

/** Reads a node of the Kubernetes API as the machine that it is. */
export function machineNodeOf(sent: AsSent<V1Node>): MachineNode {
  const node = nodeOf(sent);
  const { addresses = [], nodeInfo } = sent.status ?? {};
  const conditions = conditionsIn(sent.status?.conditions ?? []);
  return {
    ...node,
    instance: instanceOf(node.providerId),
    created: instantOf(sent.metadata?.creationTimestamp),
    conditions: conditions.map(conditionOf),
    reported: reportedAt(conditions),
    bootId: bootIdForm.test(nodeInfo?.bootID ?? "") ? (nodeInfo?.bootID ?? "") : "",
    kubeletVersion: nodeInfo?.kubeletVersion ?? "",
    address: addresses.find(({ type }) => type === "InternalIP")?.address ?? "",
  };
}

// The mark of a reboot has it as one word.
const bootIdForm = /^[\w.-]{1,100}$/;

// A node has some tens of them. A kubelet may write so many that nobody could read the other nodes beside it.
const mostConditions = 200;

/** The conditions of a node, without others of the same type: the first of each counts, as for Kubernetes. */
function conditionsIn(all: readonly AsSent<V1NodeCondition>[]): readonly AsSent<V1NodeCondition>[] {
  const found = new Map<string, AsSent<V1NodeCondition>>();
  for (const one of all) {
    if (found.size === mostConditions) break;
    if (!found.has(one.type)) found.set(one.type, one);
  }
  return [...found.values()];
}

const conditionOf = ({
  type,
  status,
  reason = "",
  message = "",
  lastTransitionTime,
}: AsSent<V1NodeCondition>): NodeCondition => ({
  type,
  status: status === "True" || status === "False" ? status : "Unknown",
  reason,
  message,
  since: instantOf(lastTransitionTime),
});

/** Conditions whose heartbeat never moves do not tell when the node has last reported. */
function reportedAt(conditions: readonly AsSent<V1NodeCondition>[]): Instant {
  const times = conditions.map(({ lastHeartbeatTime: heartbeat, lastTransitionTime: began }) => ({
    heartbeat: instantOf(heartbeat),
    began: instantOf(began),
  }));
  return times.some(({ heartbeat, began }) => heartbeat > began)
    ? latest(instant(0), ...times.map(({ heartbeat }) => heartbeat))
    : instant(0);
}

const instanceOf = (providerId: string): InstanceId =>
  instanceId(providerId.startsWith("aws:") ? (providerId.split("/").at(-1) ?? "") : "");

const taintOf = ({ key, value, effect, timeAdded }: AsSent<V1Taint>): Taint => ({
  key,
  value: value ?? "",
  effect,
  timeAdded: timeAdded ?? "",
});

function readinessOf(
  { conditions = [] }: AsSent<V1NodeStatus>,
  { creationTimestamp }: AsSent<V1ObjectMeta>,
) {
  const ready = conditions.find(({ type }) => type === "Ready");
  return {
    readiness: readinessFrom(ready?.status),
    // The kubelet dates it, whose clock may be behind that of the API server.
    readinessSince: latest(instantOf(creationTimestamp), instantOf(ready?.lastTransitionTime)),
    readinessMessage: ready?.message ?? "",
  };
}

function readinessFrom(status: string | undefined): Readiness {
  if (status === "True") return "ready";
  return status === "Unknown" ? "unreachable" : "not-ready";
}
