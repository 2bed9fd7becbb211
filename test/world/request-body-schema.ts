import * as z from "zod/mini";

const precondition = z.object({ preconditions: z.object({ uid: z.string() }) });

/** The body of an eviction or a deletion, which names the pod's UID. */
export const letGo = z.union([z.object({ deleteOptions: precondition }), precondition]);

/** The body of a deletion, which names the pod's UID and a grace. */
export const deletion = z.object({
  gracePeriodSeconds: z.number(),
  preconditions: z.object({ uid: z.string() }),
});
