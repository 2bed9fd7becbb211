import * as z from "zod";

/** What of a review an admission webhook here looks at. */
export const admissionReviewSchema = z.object({
  request: z.object({ uid: z.string(), name: z.string() }),
});
