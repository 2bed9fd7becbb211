import type { V1Pod } from "@kubernetes/client-node";
import { selects } from "../../drain/budget.ts";
import type { Replica } from "../../making-room/workload.ts";
import { type AsSent, instantOf } from "../as-sent.ts";
import { selectorOf } from "../budget-of.ts";
import { reschedulablePodOf } from "../reschedulable-pod-of.ts";
import { trimmedReschedulable } from "../trimmed.ts";

/**
 * Reads a pod, what the scheduler says about it, and where a replica may not be: because of host ports or its own
 * anti-affinity.
 */
export function replicaOf(sent: AsSent<V1Pod>): Replica {
  const whole = reschedulablePodOf(sent);
  // What it costs to delete the pod stays, however much else is written there.
  const reschedulablePod = { ...trimmedReschedulable(whole), pod: whole.pod };
  const conditions = sent.status?.conditions ?? [];
  const refused = conditions.find(
    ({ type, status, reason }) =>
      type === "PodScheduled" && status === "False" && reason === "Unschedulable",
  );
  const ready = conditions.find(({ type, status }) => type === "Ready" && status === "True");
  const readySince = instantOf(ready?.lastTransitionTime);
  const { containers = [], affinity } = sent.spec ?? {};
  const hasHostPorts = containers.some(({ ports = [] }) =>
    ports.some((port) => "hostPort" in port),
  );
  const ports = hasHostPorts ? [{ from: "host ports", label: "kubernetes.io/hostname" }] : [];
  const terms = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  // Terms about other namespaces are left to the scheduler.
  const own = terms.filter(
    ({ namespaces, namespaceSelector, labelSelector }) =>
      namespaces === undefined &&
      namespaceSelector === undefined &&
      selects(selectorOf(labelSelector), reschedulablePod.pod.labels),
  );
  // Somebody may have thousands of terms, each of which is compared with each pod.
  const labels = [...new Set(own.map(({ topologyKey }) => topologyKey))].slice(0, mostLabels);
  const apart = labels.map((label) => ({ from: "anti-affinity", label }));
  const unplaced = refused?.message ?? "";
  return { ...reschedulablePod, unplaced, readySince, apart: [...ports, ...apart] };
}

// The scheduler judges further ones.
const mostLabels = 16;
