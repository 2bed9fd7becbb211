import * as z from "zod";

/** How a pod is to be deleted. */
export const deleteOptionsSchema = z.object({
  gracePeriodSeconds: z.number().optional(),
  preconditions: z.object({ uid: z.string().optional() }).optional(),
});

/** An eviction that says how. */
export const evictionSchema = z.object({ deleteOptions: deleteOptionsSchema });
