import type { Seen } from "./seen.ts";

export const space = "/api/v1/namespaces/interview";
export const budgetsPath = "/apis/policy/v1/namespaces/interview/poddisruptionbudgets";
export const attachments = "/apis/storage.k8s.io/v1/volumeattachments";

export const merge = (body: unknown) => ({
  method: "PATCH",
  headers: { "content-type": "application/merge-patch+json" },
  body,
});

const containers = [{ name: "main", image: "pause:1", imagePullPolicy: "IfNotPresent" }];

export const pod = (
  name: string,
  more: { readonly spec?: object; readonly meta?: object } = {},
) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    labels: { app: name },
    annotations: { "hollow/term-seconds": "never" },
    ...more.meta,
  },
  spec: { terminationGracePeriodSeconds: 60, containers, ...more.spec },
});

export const budget = (name: string, spec: object) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, ...spec },
});

export const deletionOf = ({ metadata }: Seen) => ({
  grace: metadata.deletionGracePeriodSeconds,
  generation: metadata.generation,
  finalizers: metadata.finalizers,
});
