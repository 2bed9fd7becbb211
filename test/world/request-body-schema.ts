import * as z from "zod/mini";

const options = z.object({
  gracePeriodSeconds: z.optional(z.number()),
  preconditions: z.object({ uid: z.string() }),
});

/** The body of an eviction or a deletion; it must name the pod's UID. */
export const letGo = z.union([z.object({ deleteOptions: options }), options]);

/** The body of a deletion; it must name the pod's UID and a grace. */
export const deletion = z.object({
  gracePeriodSeconds: z.number(),
  preconditions: z.object({ uid: z.string() }),
});
