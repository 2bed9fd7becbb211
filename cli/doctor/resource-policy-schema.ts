import * as z from "zod/mini";

/** A text, or a list of texts. */
const texts = z.pipe(
  z.union([z.array(z.string()), z.string()]),
  z.transform((value): readonly string[] => [value].flat()),
);

const statement = z.strictObject({
  Sid: z.optional(z.string()),
  Effect: z.enum(["Allow", "Deny"]),
  Principal: z.union([
    z.pipe(
      z.literal("*"),
      z.transform(() => ({ AWS: ["*"] })),
    ),
    z.record(z.string(), texts),
  ]),
  Action: texts,
  Resource: texts,
  Condition: z._default(z.record(z.string(), z.record(z.string(), texts)), {}),
});

const policy = z.object({
  Statement: z.pipe(
    z.union([z.array(statement), statement]),
    z.transform((value) => [value].flat()),
  ),
});

/** A statement of the policy of a topic or a queue. */
export type ResourcePolicyStatement = z.infer<typeof statement>;

/**
 * The statements of the policy of a topic or queue; `undefined` if one has an element that is not supported here, such as
 * NotPrincipal.
 */
export const tryStatements = (text: string): readonly ResourcePolicyStatement[] | undefined =>
  z.safeParse(policy, JSON.parse(text)).data?.Statement;
