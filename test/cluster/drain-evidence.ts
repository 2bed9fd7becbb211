import type { V1PodSpec } from "@kubernetes/client-node";
import type { PodRequest } from "./pod-requests.ts";

/** The outcome of a drain that has left nothing behind. */
export const drained = { kind: "drained", attached: [], stuck: [] };

/**
 * Lists each pod's requests with their status codes, alphabetically, without those that came too
 * late.
 */
export const asked = (requests: readonly PodRequest[]): readonly string[] =>
  requests
    .filter(({ code }) => code !== 404)
    .map(({ verb, pod, code }) => `${verb} ${pod} ${code}`)
    .toSorted();

/** The requests without those that a budget or a busy server has refused for now. */
export const granted = (requests: readonly PodRequest[]): readonly PodRequest[] =>
  requests.filter(({ code }) => code < 400);

/** The specification of pods with a grace of so many seconds. */
export const graceOf = (seconds: number) => ({ spec: { terminationGracePeriodSeconds: seconds } });

/** Restricts the scheduler to some nodes. */
export const onlyOn = (...nodes: readonly string[]): Partial<V1PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: "kubernetes.io/hostname", operator: "In", values: [...nodes] },
            ],
          },
        ],
      },
    },
  },
});
