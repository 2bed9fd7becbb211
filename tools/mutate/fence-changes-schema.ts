import { z } from "zod";

const changesSchema = z.array(
  z.object({
    policy: z.string(),
    place: z.string(),
    was: z.string(),
    becomes: z.string(),
    killed: z.boolean(),
  }),
);

/** A change of a fence, and whether some request has shown it. */
export type FenceChange = z.infer<typeof changesSchema>[number];

/** Reads the changes of the fences, and which of them some request has shown. */
export const readFenceChanges = (text: string): readonly FenceChange[] =>
  changesSchema.parse(JSON.parse(text));
