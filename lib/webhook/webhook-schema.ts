import * as z from "zod";
import { type Contradiction, isIn } from "../cluster-file/contradiction.ts";
import { oneOf, part } from "../cluster-file/field-schema.ts";
import { keyArn, secretArn } from "../cluster-file/name-schema.ts";
import { wrongInTemplate } from "./assert-template.ts";

/** The part of a cluster's file that says which webhook gets the news of drains. */
const webhook = part({
  secretArn: secretArn.describe(
    "The secret that has the URL: as its text, or in the field `url` of its JSON.",
  ),
  keyArn: keyArn
    .optional()
    .describe("The key that encrypts the secret; without it, that of Secrets Manager."),
  format: oneOf("slack", "teams", "json").describe(
    "The form of a message; teams is for a webhook of Workflows.",
  ),
  template: z
    .unknown()
    .optional()
    .describe("For json: the message, with placeholders such as {{title}} in its texts."),
})
  .optional()
  .describe(
    "The receiver of news about a drain's start, first block and end; without it, there is no news.",
  );

export const fields = { webhook };

/** The webhook in the file of a cluster. */
export interface WebhookFields {
  readonly cluster: { readonly region: string };
  readonly webhook?: z.infer<typeof webhook>;
}

/** Finds what contradicts the Region of the cluster, and what is wrong in the template of messages. */
export function contradictions({
  cluster: { region },
  webhook,
}: WebhookFields): readonly Contradiction[] {
  if (webhook === undefined) return [];
  const { format, template, ...arns } = webhook;
  const expected = `one in ${region}, where the function is`;
  const foreign = Object.entries(arns).filter(([, arn]) => !isIn(region, arn));
  return [
    ...foreign.map(([key, got]) => ({ path: ["webhook", key], expected, got })),
    ...wrongInTemplate({ format, template }).map(({ path, ...wrong }) => ({
      path: ["webhook", "template", ...path],
      ...wrong,
    })),
  ];
}
