import * as z from "zod/mini";
import { form } from "./form-schema.ts";
import type { WorldEntry } from "./happening.ts";

// Absent in entries of older versions.
const late = z._default(z.string(), "");

/** The forms of what the sandbox records, one for each kind. */
export const worldForms = [
  form("published", { to: z.string() }),
  form("pod-running", { pod: z.string(), node: z.string(), replaces: z.string() }),
  form("action-ended", {
    hook: z.string(),
    instance: z.string(),
    token: z.string(),
    result: z.string(),
    by: z.string(),
  }),
  form("output", { text: z.string(), code: late }),
  form("invocation-ended", {
    how: z.enum(["answered", "failed"]),
    error: z.string(),
    code: late,
    handedBack: z.int(),
  }),
] as const satisfies readonly z.ZodMiniType<WorldEntry>[];
