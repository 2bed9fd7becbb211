import type { NodeName, PodUid } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Duration, Instant } from "../base/time.ts";
import type { Taint } from "./node.ts";

/** The owner that recreates a pod, or nothing. */
export type Controller =
  | { readonly kind: "none" }
  | {
      readonly kind: "owner";
      /** The owner's Kind, such as `ReplicaSet`. */
      readonly type: string;
      /** Its API group and version, such as `apps/v1`. */
      readonly apiVersion: string;
      readonly name: string;
      readonly uid: string;
    };

/** The termination of a pod: since which request, and the end of that request's grace. */
export type Termination =
  | { readonly kind: "active" }
  | { readonly kind: "terminating"; readonly since: Instant; readonly until: Instant };

/** The phases of a pod, as its status names them. */
export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";

/** A toleration of a pod, as Kubernetes writes it; empty texts stand for what was left out. */
export interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
}

/** A pod bound to a node, as it looks now. */
export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: PodUid;
  readonly node: NodeName;
  readonly phase: PodPhase;
  readonly ready: boolean;
  readonly created: Instant;
  /** When its node accepted it; until then, when it was created. */
  readonly started: Instant;
  readonly controller: Controller;
  /** Whether it mirrors a static pod in the API: it is annotated as a mirror, or owned by the node. */
  readonly mirror: boolean;
  readonly priorityClass: string;
  /** Its own termination grace period. */
  readonly grace: Duration;
  readonly termination: Termination;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly tolerations: readonly Toleration[];
  readonly finalizers: readonly string[];
  /** Distinct names of the PersistentVolumeClaims it mounts, in its namespace; of very many the first ones. */
  readonly claims: readonly string[];
  readonly localStorage: boolean;
  /** Whether it mounts and unmounts the volumes of a CSI driver for its node. */
  readonly csiNodePlugin: boolean;
}

/** A pod's name for people: `namespace/name`. */
export const podTitle = (pod: Pod): string => `${pod.namespace}/${pod.name}`;

/** A pod with a remark. */
export interface PodNote {
  /** Its namespace and name. */
  readonly pod: string;
  readonly uid: PodUid;
  readonly why: string;
}

/** Names an object of the cluster as its Events do. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for an object that belongs to the whole cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Names the controller of a pod, or the pod itself where it has none. */
export function ownerRef({ namespace, name, uid, controller }: Pod): ObjectRef {
  if (controller.kind === "none") return { apiVersion: "v1", kind: "Pod", namespace, name, uid };
  const { type: kind, apiVersion, name: its, uid: itsUid } = controller;
  return { apiVersion, kind, namespace, name: its, uid: itsUid };
}

/** Whether no controller recreates the pod. */
export const isBare = (pod: Pod): boolean => pod.controller.kind === "none";

/** Whether a Job has made the pod, which ends with its work. */
export const isOfJob = ({ controller }: Pod): boolean =>
  controller.kind === "owner" && controller.type === "Job";

/** The result of reading one pod again; `gone` also when another pod has its name, or when it is on another node. */
export type PodLookup =
  | { readonly kind: "there"; readonly pod: Pod }
  | { readonly kind: "gone" }
  | { readonly kind: "unclear"; readonly message: string; readonly retryAfter: "unsaid" };

/** The parts of a taint that decide which pods it keeps away. */
export type Repellent = Pick<Taint, "key" | "value" | "effect">;

/** Whether a pod may be put onto a node in spite of a taint. */
export const tolerates = (pod: Pod, taint: Repellent): boolean =>
  pod.tolerations.some((toleration) => matches(toleration, taint));

// A toleration without an operator means the same as `Equal`.
const equality = ["", "Equal"];

/**
 * A toleration matches a taint when all of these do:
 * - its effect, or it names none;
 * - its key, or it names none and tolerates every key that exists;
 * - its value, unless it asks only that the key exists.
 */
const matches = ({ key, operator, value, effect }: Toleration, taint: Repellent): boolean =>
  (effect === "" || effect === taint.effect) &&
  (key === taint.key || (key === "" && operator === "Exists")) &&
  (operator === "Exists" || (equality.includes(operator) && value === taint.value));

/**
 * The most claims of a namespace, or of a workload, that are read: no node takes as many volumes.
 */
export const mostClaims = 100;
