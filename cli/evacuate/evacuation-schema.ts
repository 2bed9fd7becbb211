import * as z from "zod/mini";
import { list, texts } from "../../journal/form-schema.ts";

/** How an evacuation of a zone has ended, or its undo. */
export const evacuationShape = {
  kind: z.literal("evacuation-end"),
  cluster: z.string(),
  zone: z.string(),
  ending: z.enum(["kept", "replaced", "not-drained", "opened", "dry-run", "nothing"]),
  exitCode: z.int(),
  line: z.string(),
  /** The nodes that the command has worked on. */
  nodes: texts,
  /** The nodes whose instances were handed to their groups to replace. */
  replaced: texts,
  /** The nodes that were left to something else, and why. */
  left: list(z.object({ node: z.string(), why: z.string() })),
};

/** How an evacuation of a zone has ended, or its undo. */
export type EvacuationEnd = z.input<z.ZodMiniObject<typeof evacuationShape>>;
