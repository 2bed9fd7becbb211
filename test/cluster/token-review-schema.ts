import * as z from "zod";

/** An authenticator's answer to a TokenReview. */
export const tokenReviewSchema = z.object({
  status: z.object({
    authenticated: z.optional(z.boolean()),
    user: z.optional(
      z.object({ username: z.string().default(""), groups: z.array(z.string()).default([]) }),
    ),
  }),
});
