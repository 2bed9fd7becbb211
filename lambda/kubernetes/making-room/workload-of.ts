import type { Labels } from "../../base/labels.ts";
import { seconds } from "../../base/time.ts";
import { needed } from "../../drain/budget.ts";
import { costAnnotation } from "../../making-room/record.ts";
import type { Workload } from "../../making-room/workload.ts";
import { claimsIn } from "../pod-of.ts";
import { countingOf } from "./counting.ts";
import type { SentWorkload } from "./sent-workload.ts";

/** Reads a Deployment or a ReplicaSet, as far as it counts for making room. */
export function workloadOf(
  kind: Workload["kind"],
  sent: SentWorkload,
  scalers: Workload["scalers"],
): Workload {
  const { metadata, spec = {}, status = {} } = sent;
  const { replicas = 1, strategy = {}, template, selector: { matchLabels = {} } = {} } = spec;
  const { minReadySeconds = 0 } = spec;
  const { observedGeneration = 0, updatedReplicas } = status;
  const isBare = kind === "ReplicaSet";
  // The defaults of the API server for a Deployment; a ReplicaSet has no rollout.
  const { maxSurge = isBare ? 1 : "25%" } = strategy.rollingUpdate ?? {};
  const counts = [status.replicas, isBare ? replicas : updatedReplicas];
  const isCounted = counts.every((one) => one === replicas);
  const isSettled = isCounted && observedGeneration >= (metadata?.generation ?? 0);
  const { volumes = [], nodeName = "" } = template?.spec ?? {};
  return {
    ...countingOf(kind, metadata),
    replicas,
    scalers,
    maxSurge: Math.max(1, needed(maxSurge, replicas)),
    selector: Object.entries(matchLabels)
      .map(([key, value]) => `${key} in (${value})`)
      .join(),
    labels: labelsOf(template),
    strategy: strategy.type ?? "RollingUpdate",
    minReady: seconds(minReadySeconds),
    state: isSettled ? "settled" : "under way",
    cost: costOf(template),
    pinnedTo: nodeName,
    claims: claimsIn(volumes.flatMap((one) => one.persistentVolumeClaim?.claimName ?? [])),
  };
}

const labelsOf = (template: Pick<SentWorkload, "metadata"> = {}): Labels =>
  template.metadata?.labels ?? {};

const costOf = (template: Pick<SentWorkload, "metadata"> = {}): string =>
  template.metadata?.annotations?.[costAnnotation] ?? "";
