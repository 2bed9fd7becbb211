import * as z from "zod/mini";
import { list, texts } from "../../journal/form-schema.ts";

/** The end of an evacuation, or of its undo. */
export const evacuationShape = {
  kind: z.literal("evacuation-end"),
  cluster: z.string(),
  zone: z.string(),
  ending: z.enum(["kept", "replaced", "not-drained", "opened", "dry-run", "nothing"]),
  exitCode: z.int(),
  line: z.string(),
  nodes: texts,
  /** The nodes whose instances their groups replace. */
  replaced: texts,
  /** The nodes that were left alone, and why. */
  left: list(z.object({ node: z.string(), why: z.string() })),
};

export type EvacuationEnd = z.input<z.ZodMiniObject<typeof evacuationShape>>;
