import * as z from "zod";

/** The options of a pod's deletion. */
export const deleteOptionsSchema = z.object({
  gracePeriodSeconds: z.number().optional(),
  preconditions: z.object({ uid: z.string().optional() }).optional(),
});

/** An eviction with the options of the deletion. */
export const evictionSchema = z.object({ deleteOptions: deleteOptionsSchema });
