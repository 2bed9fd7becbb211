import type { Draft } from "../kube-object.ts";
import type { PodSpec } from "../pod.ts";
import type { Workload } from "../workload.ts";
import { plainContainers } from "./pod-draft.ts";

/** A Deployment, DaemonSet or StatefulSet to be added. */
export interface WorkloadOptions {
  readonly name: string;
  /** @default "default" */
  readonly namespace?: string;
  /** @default 1 */
  readonly replicas?: number;
  /** Of its pods, which it selects by them. @default { app: name } */
  readonly labels?: Readonly<Record<string, string>>;
  /** Of its pods. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of its pods. */
  readonly spec?: Partial<PodSpec>;
  /** Pods that run already, by name and node; the rest is made by its controller. */
  readonly pods?: readonly { readonly name: string; readonly node: string }[];
}

/** A workload as its maker describes it. */
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
