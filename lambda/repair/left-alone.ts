import { tryCause } from "../drain/cause.ts";
import { isCordonedByOthers, markedAtAnnotation } from "../drain/marking.ts";
import { type MachineNode, runsOn } from "../drain/node.ts";
import type { Member } from "./members.ts";

/** Why an ill instance is left alone. */
export type LeftAlone =
  /** It has not come into service, or a launch hook holds it. */
  | { readonly kind: "launching"; readonly state: string }
  | { readonly kind: "warm-pool"; readonly state: string }
  | { readonly kind: "standby"; readonly state: string }
  /** Its group ends it for another reason than a repair. */
  | { readonly kind: "leaving"; readonly state: string }
  | { readonly kind: "protected" }
  /** It is drained for another reason. */
  | { readonly kind: "marked"; readonly reason: string }
  /** Somebody has cordoned its node. */
  | { readonly kind: "cordoned" }
  /** Its node is known by its name alone, so nobody could drain it. */
  | { readonly kind: "no-provider-id" };

/** Says why an ill instance is left alone; `undefined` when it may be repaired. */
export function tryLeftAlone({ instance, node }: Member): LeftAlone | undefined {
  const { state, protection } = instance;
  if (state !== "InService") return { kind: kindOfState(state), state };
  if (protection === "scale-in") return { kind: "protected" };
  if (node === "none") return undefined;
  return runsOn(node, instance.id) ? tryForeignMark(node) : { kind: "no-provider-id" };
}

function kindOfState(state: string): "launching" | "leaving" | "standby" | "warm-pool" {
  if (state.startsWith("Pending")) return "launching";
  if (state.startsWith("Warmed")) return "warm-pool";
  return state.includes("Standby") ? "standby" : "leaving";
}

function tryForeignMark(node: MachineNode): LeftAlone | undefined {
  if (isMarkedIll(node)) return undefined;
  if (markedAtAnnotation in node.annotations)
    return { kind: "marked", reason: tryCause(node)?.reason ?? "unknown" };
  return isCordonedByOthers(node) ? { kind: "cordoned" } : undefined;
}

/** Whether a node has the mark of a repair. */
export const isMarkedIll = (node: MachineNode): boolean => tryCause(node)?.reason === "ill";
