import type { Workload } from "./app-resources.ts";
import type { Draft } from "./kube-object.ts";
import type { PodSpec } from "./pod.ts";
import { plainContainers } from "./pod-draft.ts";

/** A Deployment, DaemonSet or StatefulSet to be added. */
export interface WorkloadOptions {
  readonly name: string;
  /** @default "default" */
  readonly namespace?: string;
  /** @default 1 */
  readonly replicas?: number;
  /** The labels of its pods, and its selector. @default { app: name } */
  readonly labels?: Readonly<Record<string, string>>;
  /** The annotations of its pods. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The spec of its pods. */
  readonly spec?: Partial<PodSpec>;
  /** Pods that already run, by name and node; its controller creates the rest. */
  readonly pods?: readonly { readonly name: string; readonly node: string }[];
}

/** The draft of a workload. */
export function workloadDraft(options: WorkloadOptions): Draft<Workload> {
  const { name, namespace = "default", replicas, annotations, spec } = options;
  const labels = options.labels ?? { app: name };
  return {
    metadata: { name, namespace, labels },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, ...(annotations === undefined ? {} : { annotations }) },
        spec: { containers: plainContainers, ...spec },
      },
    },
  };
}
