import * as z from "zod/mini";
import { list } from "../../journal/form-schema.ts";

const link = z.object({
  /** Such as `hooks`, `queue` or `rbac`, in the order in which a notice passes them. */
  link: z.string(),
  /** A `note` is about a link that is well, or broken for other reasons: somebody may mean it so. */
  state: z.enum(["absent", "broken", "note", "ok", "unknown"]),
  found: z.string(),
  /** The next step; empty if there is none. */
  remedy: z.string(),
  /** Where the documentation explains it. */
  see: z.string(),
});

/** The report of `doctor` about a cluster and its deployment. */
export const doctorShape = {
  kind: z.literal("doctor"),
  cluster: z.string(),
  region: z.string(),
  exitCode: z.literal([0, 1, 3]),
  line: z.string(),
  /** A link with several problems is listed several times. */
  links: list(link),
};

export type Doctor = z.input<z.ZodMiniObject<typeof doctorShape>>;
