import * as z from "zod/mini";

export const gap = z.object({
  source: z.string(),
  /** What is unknown because of it: which instances are held, what is on nodes, what the given name means, all that a deployment would say, or only details. */
  hides: z.enum(["instances", "nodes", "name", "deployment", "details"]),
  why: z.string(),
  remedy: z.string(),
});

/** A source that could not be read. */
export type Gap = z.input<typeof gap>;
