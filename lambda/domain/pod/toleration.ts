import type { Taint } from "../node/node.ts";
import type { Pod, Toleration } from "./pod.ts";

/** What of a taint keeps pods away. */
export type Repellent = Pick<Taint, "key" | "value" | "effect">;

/** Whether a pod may be put onto a node that bears this taint. */
export const tolerates = (pod: Pod, taint: Repellent): boolean =>
  pod.tolerations.some((toleration) => matches(toleration, taint));

// The first is what is meant when none is named.
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
