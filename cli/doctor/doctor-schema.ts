import * as z from "zod/mini";
import { list } from "../../journal/form-schema.ts";

const link = z.object({
  /** Such as `hooks`, `queue` or `rbac`; in the order in which a notice passes them. */
  link: z.string(),
  state: z.enum(["absent", "broken", "ok", "unknown"]),
  /** What was found of it. */
  found: z.string(),
  /** What to do about it; empty where nothing is to be done. */
  remedy: z.string(),
  /** Where the documents tell more of it. */
  see: z.string(),
});

/** What `doctor` tells of a cluster and its deployment. */
export const doctorShape = {
  kind: z.literal("doctor"),
  cluster: z.string(),
  region: z.string(),
  exitCode: z.literal([0, 1, 3]),
  line: z.string(),
  /** A link that is broken in several ways is there several times. */
  links: list(link),
};

/** What `doctor` tells of a cluster and its deployment. */
export type Doctor = z.input<z.ZodMiniObject<typeof doctorShape>>;
