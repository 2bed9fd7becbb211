import * as z from "zod/mini";
import { list, texts } from "../../journal/form-schema.ts";

/** A pod that is still on a node, and why. */
export const leftPod = z.object({
  pod: z.string(),
  uid: z.string(),
  /** The class of the pod in the drain: `evictable`, `protected`, `leaving` or `stuck`. */
  class: z.string(),
  /** True if its grace is over. */
  overdue: z.boolean(),
  /** Why it is still there, in one line. */
  reason: z.string(),
  budgets: list(
    z.object({ budget: z.string(), healthy: z.int(), desired: z.int(), allowed: z.int() }),
  ),
  finalizers: texts,
  /** In how many seconds the pod is deleted against its budgets or protection; `null` if it is not. */
  deletedInSeconds: z.nullable(z.number()),
});

export type LeftPod = z.input<typeof leftPod>;
