import type { V1PodSpec } from "@kubernetes/client-node";
import type { PodRequest } from "./pod-requests.ts";

/** The outcome of a drain that has left nothing behind. */
export const drained = { kind: "drained", attached: [], stuck: [] };

/** What was asked of which pod and what came back, in the order of the alphabet; not what came too late for it. */
export const asked = (requests: readonly PodRequest[]): readonly string[] =>
  requests
    .filter(({ code }) => code !== 404)
    .map(({ verb, pod, code }) => `${verb} ${pod} ${code}`)
    .toSorted();

/** What was granted, without what a budget or a server that was busy has put off. */
export const granted = (requests: readonly PodRequest[]): readonly PodRequest[] =>
  requests.filter(({ code }) => code < 400);

/** The specification of pods that may take so many seconds to end. */
export const graceOf = (seconds: number) => ({ spec: { terminationGracePeriodSeconds: seconds } });

/** Keeps the scheduler to some nodes. */
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
