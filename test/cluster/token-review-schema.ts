import * as z from "zod";

/** What an authenticator answers to a TokenReview. */
export const tokenReviewSchema = z.object({
  status: z.object({
    authenticated: z.optional(z.boolean()),
    user: z.optional(
      z.object({ username: z.string().default(""), groups: z.array(z.string()).default([]) }),
    ),
  }),
});
