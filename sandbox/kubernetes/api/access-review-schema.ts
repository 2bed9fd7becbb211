import * as z from "zod/mini";

const text = z._default(z.string(), "");
/** Reads what a SubjectAccessReview asks for. */
export const reviewSchema = z.object({
  spec: z.object({
    user: text,
    groups: z._default(z.array(z.string()), []),
    resourceAttributes: z.object({
      verb: text,
      group: text,
      resource: text,
      subresource: text,
      namespace: text,
      name: text,
    }),
  }),
});
