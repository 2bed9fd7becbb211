import type { Labels } from "../base/labels.ts";
import type { MakeRoom } from "../drain/drain-policy.ts";
import type { Workload } from "./workload.ts";

/** On a namespace or a workload: `on` or `off`. */
export const makeRoomAnnotation = "eks-node-lifecycle/make-room";

/** Why no room is made for a pod. */
export type RoomRefusal =
  /** Nobody has asked for it, or somebody does not want it. */
  | { readonly kind: "off"; readonly by: "namespace" | "nobody" | "setting" | "workload" }
  /** Its controller is none that can have a pod more. */
  | { readonly kind: "controller"; readonly type: string }
  /** The strategy of the Deployment says that two pods must never run. */
  | { readonly kind: "recreate" }
  | { readonly kind: "no-replicas" }
  | { readonly kind: "two-budgets" }
  /** A volume of its can be at one node only. */
  | { readonly kind: "volume"; readonly claim: string; readonly mode: string }
  /** Its autoscaler has as many pods as it may have. */
  | { readonly kind: "at-maximum"; readonly max: number }
  /** Somebody else owns the count, and would put it back. */
  | { readonly kind: "managed"; readonly manager: string }
  | { readonly kind: "no-time" }
  | NoPlace;

/** No node takes another pod of it. */
export interface NoPlace {
  readonly kind: "no-place";
  /** How many nodes each reason rules out. */
  readonly reasons: ReadonlyMap<string, number>;
  /** Of the other nodes the one that lacks the least; empty where there is none. */
  readonly best: string;
  readonly short: readonly {
    readonly resource: string;
    readonly free: number;
    readonly asked: number;
  }[];
}

/** Who keeps room from being made; `undefined` where it may be made. Off anywhere wins, and a bare ReplicaSet has to ask. */
export function tryOff(
  setting: MakeRoom,
  namespace: Labels,
  { kind, annotations }: Workload,
): RoomRefusal | undefined {
  if (setting === "off") return { kind: "off", by: "setting" };
  if (wish(annotations) === "off") return { kind: "off", by: "workload" };
  if (wish(namespace) === "off") return { kind: "off", by: "namespace" };
  const asked = [wish(annotations), wish(namespace)].includes("on");
  if (asked || (setting === "on" && kind === "Deployment")) return undefined;
  return { kind: "off", by: "nobody" };
}

// A word that nobody understands is no consent.
const wish = (annotations: Labels): string => {
  const value = annotations[makeRoomAnnotation]?.toLowerCase();
  return value === undefined || value === "on" ? (value ?? "") : "off";
};

// They write the count of their manifests again and again.
const keepers = /^(argocd|kustomize-controller|helm-controller|flux|keda)[\w.-]*$/;

/** Why a workload gets no pod more, whatever its pods do; `undefined` where it may. */
export function tryRoomRefusal({
  strategy,
  replicas,
  scaler,
  managers,
}: Workload): RoomRefusal | undefined {
  if (strategy === "Recreate") return { kind: "recreate" };
  if (replicas === 0) return { kind: "no-replicas" };
  const written = scaler === "none" ? managers : scaler.managers;
  const manager = written.find((name) => keepers.test(name));
  if (manager !== undefined) return { kind: "managed", manager };
  return scaler !== "none" && replicas >= scaler.max
    ? { kind: "at-maximum", max: scaler.max }
    : undefined;
}

/** Says why no room is made. */
export function refusalWords(refusal: RoomRefusal): string {
  switch (refusal.kind) {
    case "off":
      return refusal.by === "nobody"
        ? "nobody has asked for it"
        : `it is off by the ${refusal.by === "setting" ? "setting" : `annotation of the ${refusal.by}`}`;
    case "controller":
      return controllerWords(refusal.type);
    case "recreate":
      return "its strategy is Recreate, so two of its pods must never run";
    case "no-replicas":
      return "its count is 0";
    case "two-budgets":
      return "several budgets select it";
    case "volume":
      return `its volume claim ${refusal.claim} is ${refusal.mode}, so a second pod could not use it on another node`;
    case "at-maximum":
      return `its autoscaler has ${refusal.max} pods already, which is its maximum`;
    case "managed":
      return `${refusal.manager} keeps its count, and would put it back`;
    case "no-time":
      return "there is no time left to wait for another pod";
    case "no-place":
      return noPlaceWords(refusal);
  }
}

const controllerWords = (type: string): string =>
  type === "StatefulSet"
    ? "its StatefulSet would make its last pod more, and the one here could not be made elsewhere"
    : `its controller is a ${type}, and only pods of Deployments and ReplicaSets can be made elsewhere first`;

function noPlaceWords({ reasons, best, short }: NoPlace): string {
  const lacks = short.map(
    ({ resource, free, asked }) =>
      `${amount(resource, free)} of ${amount(resource, asked)} ${resource}`,
  );
  const nearest = best === "" ? [] : [`${best} has the most room, but only ${lacks.join(" and ")}`];
  const ruledOut = Array.from(reasons, ([reason, count]) => `${reason} (${count})`);
  const why = [...nearest, ...ruledOut].join(", ") || "there is no node";
  return `no node takes another pod of it: ${why}`;
}

/** As people write it: thousandths of a CPU, mebibytes, or a number. */
const amount = (resource: string, value: number): string => {
  if (resource === "cpu") return `${value}m`;
  return /memory|storage/.test(resource) ? `${Math.floor(value / 2 ** 20)}Mi` : `${value}`;
};
