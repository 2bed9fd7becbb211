import * as z from "zod";

/** What the authenticator makes of a text of `mapRoles`. */
export const mapRolesAnswer = z.object({
  /** The text as JSON; null if the authenticator cannot read it. */
  json: z.unknown(),
  /** The mappings that count. */
  roles: z.array(
    z.object({
      rolearn: z.string().default(""),
      sso: z.unknown().optional(),
      username: z.string(),
      groups: z.array(z.string()).nullable().default([]),
    }),
  ),
});

/** An answer of the authenticator's reader. */
export type MapRolesAnswer = z.infer<typeof mapRolesAnswer>;
