import * as z from "zod/mini";
import { list, texts } from "../../journal/form-schema.ts";

const promise = z.object({
  /** Such as `budget`; the documents say what each of them means. */
  promise: z.string(),
  /** `unseen` where the trial did not come so far, `left out` where nobody asked for it. */
  state: z.enum(["kept", "broken", "unseen", "left out"]),
  /** How long it took; null where it is no matter of time. */
  seconds: z.nullable(z.number()),
  /** What was seen of it. */
  found: z.string(),
});

/** What `verify` has seen of a deployment from outside. */
export const verifyShape = {
  kind: z.literal("verify"),
  cluster: z.string(),
  group: z.string(),
  /** The instance that was launched and ended for it; empty where none came. */
  instance: z.string(),
  node: z.string(),
  /** The version of this program. */
  verifier: z.string(),
  from: z.string(),
  to: z.string(),
  exitCode: z.int(),
  line: z.string(),
  promises: list(promise),
  /** What is left of the trial, and how to remove it. */
  left: texts,
};

/** What `verify` has seen of a deployment from outside. */
export type Verified = z.input<z.ZodMiniObject<typeof verifyShape>>;
/** What became of one promise. */
export type PromiseFound = Verified["promises"][number];
