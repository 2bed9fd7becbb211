import { labelName, taintKey } from "../base/labels.ts";
import type { Taint } from "./node.ts";

const taintText = new RegExp(
  `^(?<key>${taintKey})(?:=(?<value>(?:${labelName})?))?:(?<effect>NoSchedule|PreferNoSchedule|NoExecute)$`,
);
// Autoscalers remove taints with these keys or act on them, and out-of-service tells Kubernetes that the instance is off.
const othersKey =
  /^(?:(?:[^/]+\.)?(?:kubernetes\.io|k8s\.io|karpenter\.sh)\/|ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler)/;

/** The taint that a deployment puts on nodes, as `key=value:effect`; an empty text is no taint. */
export type OwnTaint =
  | { readonly kind: "read"; readonly taints: readonly Taint[] }
  /** Its key is one that others act on, its effect evicts pods without asking their budgets, or it is no taint at all. */
  | { readonly kind: "others-key" | "evicts" | "no-taint" };

/** Reads the taint that a deployment puts on nodes. */
export function readOwnTaint(text: string): OwnTaint {
  if (text === "") return { kind: "read", taints: [] };
  const { key, value = "", effect = "" } = taintText.exec(text)?.groups ?? {};
  if (key === undefined) return { kind: "no-taint" };
  if (othersKey.test(key)) return { kind: "others-key" };
  if (effect === "NoExecute") return { kind: "evicts" };
  return { kind: "read", taints: [{ key, value, effect, timeAdded: "" }] };
}

/** Whether two taints are the same, whenever they were added. */
export const isSameTaint = (a: Taint, b: Taint): boolean =>
  a.key === b.key && a.value === b.value && a.effect === b.effect;

/** The taint that a deployment puts on nodes, as the fence compares it: always with `=`. Empty for no taint. */
export const ownTaintText = (taints: readonly Taint[]): string =>
  taints.map(({ key, value, effect }) => `${key}=${value}:${effect}`).join("");
