import * as z from "zod";

/** The parts of a review that the admission webhooks here read. */
export const admissionReviewSchema = z.object({
  request: z.object({ uid: z.string(), name: z.string() }),
});
