import * as z from "zod/mini";
import { list, texts } from "../../journal/form-schema.ts";

const promise = z.object({
  /** Such as `budget`; docs/verify.md explains each. */
  promise: z.string(),
  /** `unseen` if the trial ended before it, `left out` if an option excludes it. */
  state: z.enum(["kept", "broken", "unseen", "left out"]),
  /** The seconds that it took; null if that does not apply. */
  seconds: z.nullable(z.number()),
  /** The observation. */
  found: z.string(),
});

/** The result of `verify`. */
export const verifyShape = {
  kind: z.literal("verify"),
  cluster: z.string(),
  group: z.string(),
  /** The instance that was launched; empty if there was none. */
  instance: z.string(),
  node: z.string(),
  /** The version of this program. */
  verifier: z.string(),
  from: z.string(),
  to: z.string(),
  exitCode: z.int(),
  line: z.string(),
  promises: list(promise),
  /** The remains of the trial, and the way to remove them. */
  left: texts,
};

export type Verified = z.input<z.ZodMiniObject<typeof verifyShape>>;
/** The result for one promise. */
export type PromiseFound = Verified["promises"][number];
