import type { Instant } from "../../lambda/base/time.ts";
import type { Workload } from "./app-resources.ts";
import { completePod } from "./complete-pod.ts";
import { type Draft, type ObjectMeta, withCondition } from "./kube-object.ts";
import { wireTime } from "./kube-time.ts";
import type { Pod, PodSpec, PodStatus } from "./pod.ts";
import { runningStatus } from "./pod-lifecycle.ts";

/** A pod to be added. */
export interface PodOptions
  extends Partial<
    Pick<ObjectMeta, "labels" | "annotations" | "ownerReferences" | "finalizers" | "uid">
  > {
  readonly name: string;
  /** @default "default" */
  readonly namespace?: string;
  /** The node that the pod already runs on; if missing, the scheduler picks one. */
  readonly node?: string;
  readonly spec?: Partial<PodSpec>;
  /** Fields that replace those of the usual status. */
  readonly status?: Partial<PodStatus>;
}

/** One container; the sandbox never pulls its image. */
const plainContainers = [{ name: "main", image: "registry.k8s.io/pause:3.10" }];

/** A pod that already runs on a node; it is ready unless its `hollow/ready` annotation is false. */
export function settled(draft: Draft<Pod>, node: string, now: Instant): Draft<Pod> {
  const complete = completePod(draft) as Pod;
  const ready = complete.metadata.annotations?.["hollow/ready"] !== "false";
  const counted = { ...complete, metadata: { ...complete.metadata, generation: 1 } };
  const status = runningStatus(counted, { startedAt: now, ready }, now);
  const conditions = withCondition(status.conditions, {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: wireTime(now),
  });
  const spec = { ...complete.spec, nodeName: node };
  return { ...draft, spec, status: { ...status, conditions } };
}

/** The draft of a pod. */
export function podDraft(options: PodOptions, now: Instant): Draft<Pod> {
  const { node, spec, status, namespace = "default", ...metadata } = options;
  const draft = {
    metadata: { namespace, ...metadata },
    spec: { containers: plainContainers, ...spec },
  };
  const placed = node === undefined ? draft : settled(draft, node, now);
  if (status === undefined) return placed;
  const before: PodStatus = completePod(placed).status ?? { phase: "Pending" };
  return { ...placed, status: { ...before, ...status } };
}

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
  /** The finalizers of its pods. */
  readonly finalizers?: readonly string[] | undefined;
  /** The spec of its pods. */
  readonly spec?: Partial<PodSpec>;
  /** Pods that already run, by name and node; its controller creates the rest. */
  readonly pods?: readonly { readonly name: string; readonly node: string }[];
}

/** The draft of a workload. */
export function workloadDraft(options: WorkloadOptions): Draft<Workload> {
  const { name, namespace = "default", replicas, annotations, finalizers, spec } = options;
  const labels = options.labels ?? { app: name };
  return {
    metadata: { name, namespace, labels },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels,
          ...(annotations === undefined ? {} : { annotations }),
          ...(finalizers === undefined ? {} : { finalizers }),
        },
        spec: { containers: plainContainers, ...spec },
      },
    },
  };
}
