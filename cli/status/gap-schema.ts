import * as z from "zod/mini";

export const gap = z.object({
  source: z.string(),
  /**
   * The facts that it hides: the held instances, the nodes, the meaning of the given name,
   * everything about a deployment, or only details.
   */
  hides: z.enum(["instances", "nodes", "name", "deployment", "details"]),
  why: z.string(),
  remedy: z.string(),
});

/** A source that could not be read. */
export type Gap = z.input<typeof gap>;
