import { hasCondition, type KubeObject, type StatusCondition } from "./kube-object.ts";
import type { Taint } from "./node.ts";

/** The taints that a pod tolerates. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

/** One container of a pod. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly [field: string]: unknown;
}

/** The spec of a pod. */
export interface PodSpec {
  readonly nodeName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly restartPolicy?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly priorityClassName?: string;
  readonly serviceAccountName?: string;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly [field: string]: unknown;
}

/** The status of one container. */
export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly state: {
    readonly waiting?: { readonly reason: string };
    readonly running?: { readonly startedAt: string };
    readonly terminated?: {
      readonly exitCode: number;
      readonly startedAt?: string;
      readonly finishedAt?: string;
    };
  };
  readonly [field: string]: unknown;
}

/** The status of a pod. */
export interface PodStatus {
  readonly observedGeneration?: number;
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  readonly conditions?: readonly StatusCondition[];
  readonly startTime?: string;
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly [field: string]: unknown;
}

/** A pod. */
export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

/** The template that a controller creates its pods from. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PodSpec;
}

/** Whether a pod is ready. */
export const podReady = (pod: Pod): boolean => hasCondition(pod.status.conditions, "Ready", "True");

/** Whether all containers of a pod have ended for good. */
export const podFinished = (pod: Pod): boolean =>
  pod.status.phase === "Succeeded" || pod.status.phase === "Failed";

const tolerates = (toleration: Toleration, taint: Taint): boolean => {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return Boolean(toleration.key) && (toleration.value ?? "") === (taint.value ?? "");
};

/** The tolerations of a pod that match a taint. */
export const tolerationsOf = (spec: PodSpec, taint: Taint): readonly Toleration[] =>
  (spec.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));

/** Whether a pod with this spec may run on a node in spite of the taint. */
export const isTolerated = (spec: PodSpec, taint: Taint): boolean =>
  taint.effect === "PreferNoSchedule" || tolerationsOf(spec, taint).length > 0;

/** The affinity that binds a pod to one node by name, as DaemonSets write it. */
export const affinityTo = (node: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] },
      ],
    },
  },
});

/** The node that a pod is bound to by name, if it is. */
export function boundNode({ affinity }: PodSpec): string | undefined {
  const found = affinity as ReturnType<typeof affinityTo> | undefined;
  const required = found?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values[0];
}

/** The node that a pod prefers by name, if it prefers one. */
export function preferredNode({ affinity }: PodSpec): string | undefined {
  const found = affinity as { readonly nodeAffinity?: Preferring } | undefined;
  const [first] = found?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return first?.preference.matchFields?.[0]?.values[0];
}

interface Preferring {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly preference: { readonly matchFields?: readonly { readonly values: string[] }[] };
  }[];
}
