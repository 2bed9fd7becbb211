import { counted } from "../base/counted.ts";
import type { Labels } from "../base/labels.ts";
import type { MakeRoom } from "../drain/drain-policy.ts";
import { recordLabel } from "./record.ts";
import { mostMore, mostOf, type Scaler, type Workload } from "./workload.ts";

/** On a namespace or a workload: `on` or `off`. */
export const makeRoomAnnotation = "eks-node-lifecycle/make-room";

/** The state of the room for a pod if nothing is to be done about it now, and why. */
export interface RoomState {
  /**
   * A pod that is `awaited` is not asked to go: another one comes, or its ReplicaSet is about to end it. Where it is `full`, no
   * node takes another one; where it is `unread`, a request has failed.
   */
  readonly kind: "awaited" | "full" | "in vain" | "nothing" | "refused" | "unread" | "waits";
  /** Whether a count is to go back, and something keeps it from that. */
  readonly isHindered?: true;
  /** Empty without a reason. */
  readonly why: string;
  /** One of those that the reason is about; another one is no other reason. */
  readonly example?: string;
}

/** A reason, in words. */
export const reasonIn = ({ why, example }: Pick<RoomState, "example" | "why">): string =>
  example === undefined ? why : `${why}, such as ${example}`;

/** The state of the room for a pod, in words; empty if there is nothing to report. */
export function standingWords({ kind, ...reason }: RoomState): string {
  const why = reasonIn(reason);
  if (kind === "in vain") return `no room was made: ${why}`;
  return kind === "full" || kind === "refused" || kind === "unread"
    ? `no room is made: ${why}`
    : why;
}

export const nothing: RoomState = { kind: "nothing", why: "" };
export const refused = (why: string): RoomState => ({ kind: "refused", why });

/** The state while a count that is to go back waits for something. */
export const hindered = (until: string): RoomState => ({
  kind: "awaited",
  why: `its count has to go back, and waits until ${until}`,
  isHindered: true,
});

/**
 * Why a workload is not surged: `nothing` if the setting is off or nobody asks for it, `refused` if an annotation
 * forbids it or is missing on the autoscaler; `undefined` if it may be surged. The setting `on` asks for Deployments. A
 * bare ReplicaSet needs an annotation of its namespace, or one of its own and one of its autoscaler.
 */
export function tryOff(
  setting: MakeRoom,
  namespace: Labels,
  { kind, annotations, scalers }: Pick<Workload, "annotations" | "kind" | "scalers">,
): RoomState | undefined {
  const wishes = [wish(annotations), wish(namespace)];
  if (setting === "off") return nothing;
  const by = ["workload", "namespace"].find((_, index) => wishes[index] === "off");
  if (by !== undefined) return refused(`it is off by the annotation of the ${by}`);
  if (scalers.some((one) => wish(one.annotations) === "off"))
    return refused("it is off by the annotation of its autoscaler");
  const asked = wishes.includes("on") || (setting === "on" && kind === "Deployment");
  if (!asked) return nothing;
  return kind === "ReplicaSet" && wish(namespace) !== "on" ? tryUnasked(scalers) : undefined;
}

/** When an autoscaler goes up, the admission policy does not see the bare ReplicaSet behind it. */
const tryUnasked = (scalers: Workload["scalers"]): RoomState | undefined =>
  scalers.some(({ annotations }) => wish(annotations) !== "on")
    ? refused(`its autoscaler lacks the annotation ${makeRoomAnnotation}: on`)
    : undefined;

/** The wish of an object: `on`, `off` or none. An unknown word is no consent; lambda/rights/room-fence.yaml reads it in the same way. */
export const wish = (annotations: Labels): string => {
  const value = annotations[makeRoomAnnotation]?.toLowerCase();
  return value === undefined || value === "on" ? (value ?? "") : "off";
};

/** Why a controller of this kind gets no pod more. */
export const controllerRefusal = (kind: string): RoomState =>
  refused(
    kind === "StatefulSet"
      ? "its StatefulSet would make its last pod more, and the one here could not be made elsewhere"
      : `its controller is a ${kind}, and only pods of Deployments and ReplicaSets can be made elsewhere first`,
  );

// They write the count of their manifests again and again.
const countWriters = /^(argocd|kustomize-controller|helm-controller|flux|keda)[\w.-]*(?=\/|$)/;

/** Why a workload gets no pod more, whatever its pods do; `undefined` where it may. */
export const tryRoomRefusal = (workload: Workload): string | undefined =>
  tryOwnRefusal(workload) ?? tryScalerRefusal(workload);

function tryOwnRefusal(workload: Workload): string | undefined {
  const { strategy, replicas, pinnedTo, isDeclared } = workload;
  if (isDeclared) return declaredBy("its manifest");
  if (strategy === "Recreate") return "its strategy is Recreate, so two of its pods must never run";
  if (replicas === 0) return "its count is 0";
  if (pinnedTo === "") return undefined;
  return `its template names the node ${pinnedTo}, so others would come up there`;
}

const declaredBy = (whose: string): string =>
  `${whose} has the annotation or the label ${recordLabel}, and to apply it in the midst of a surge would overwrite the record of the count before; remove both from it, and apply it again`;

function tryScalerRefusal({ managers: own, replicas, scalers }: Workload): string | undefined {
  const [scaler = "none", other] = scalers;
  if (other !== undefined) return "several autoscalers scale it";
  const managers = scaler === "none" ? own : scaler.managers;
  const writer = managers.map((name) => countWriters.exec(name)?.[0]).find((name) => name);
  if (writer !== undefined) return `${writer} keeps its count, and would put it back`;
  if (scaler === "none") return managers.includes(autoscaler) ? autoscaled : undefined;
  if (scaler.isDeclared) return declaredBy(`the manifest of its ${scaler.kind}`);
  return tryTooMany(scaler, replicas);
}

function tryTooMany(scaler: Scaler, replicas: number): string | undefined {
  if (replicas < mostOf(scaler)) return undefined;
  if (replicas < scaler.max) return tooFar(scaler);
  return `its autoscaler has ${counted(scaler.max, "pod")} already, which is its maximum`;
}

// The field manager of a count that a HorizontalPodAutoscaler has set.
const autoscaler = "kube-controller-manager/scale";

const autoscaled =
  "a HorizontalPodAutoscaler that is gone has set its count, which nobody raises but by it; set another count once";

/** Why an autoscaler with so many pods goes up no more. */
export const tooFar = ({ kind, min }: Pick<Scaler, "kind" | "min">): string =>
  `the ${kind === "ScaledObject" ? "minReplicaCount" : "minReplicas"} of its ${kind} is ${min}, and goes up by ${mostMore} at the most`;
