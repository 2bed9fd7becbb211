import * as z from "zod/mini";
import type { WorldEntry } from "./happening.ts";

/** What the sandbox itself records, a form for each kind. */
export const worldForms = [
  z.object({ kind: z.literal("published"), to: z.string() }),
  z.object({
    kind: z.literal("pod-running"),
    pod: z.string(),
    node: z.string(),
    replaces: z.string(),
  }),
  z.object({
    kind: z.literal("action-ended"),
    hook: z.string(),
    instance: z.string(),
    token: z.string(),
    result: z.string(),
    by: z.string(),
  }),
  z.object({ kind: z.literal("output"), text: z.string() }),
  z.object({
    kind: z.literal("invocation-ended"),
    how: z.enum(["answered", "failed"]),
    error: z.string(),
    handedBack: z.int(),
  }),
] as const satisfies readonly z.ZodMiniType<WorldEntry>[];
