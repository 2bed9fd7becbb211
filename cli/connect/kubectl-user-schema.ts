import * as z from "zod/mini";

/** The fields of a user that kubectl reads and client-node does not. */
const ownFields = z.object({
  tokenFile: z.optional(z.string()),
  as: z.optional(z.string()),
  "as-uid": z.optional(z.string()),
  "as-groups": z.optional(z.array(z.string())),
  "as-user-extra": z.optional(z.record(z.string(), z.array(z.string()))),
});
const namedUser = z.object({ name: z.string(), user: z.nullish(ownFields) });
/** The part of a kubeconfig that client-node does not read. */
export const ownForm = z.nullish(z.object({ users: z.nullish(z.array(namedUser)) }));

/** Those fields of one user. */
export type OwnFields = z.infer<typeof ownFields>;
