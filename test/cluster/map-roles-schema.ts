import * as z from "zod";

/** What the authenticator makes of a text: its JSON, null if it cannot be read, and the mappings that count. */
export const mapRolesAnswer = z.object({
  json: z.unknown(),
  roles: z.array(
    z.object({
      rolearn: z.string().default(""),
      username: z.string(),
      groups: z.array(z.string()).nullable().default([]),
    }),
  ),
});

/** An answer of the authenticator's reader. */
export type MapRolesAnswer = z.infer<typeof mapRolesAnswer>;
