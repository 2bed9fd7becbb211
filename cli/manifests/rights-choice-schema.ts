import * as z from "zod/mini";
import { nodeSettings } from "../../lambda/config/settings.ts";
import { keyOfTaint, taintKey } from "../../lambda/domain/labels.ts";
import { awsAuthUse } from "../../lambda/domain/rights/aws-auth-use.ts";
import { type Rights, rightsFor } from "../../lambda/domain/rights/rights.ts";
import { oneOf, record, text } from "../../lambda/schema/field.ts";
import { read, readJson } from "../../lambda/schema/read.ts";

const { access } = nodeSettings.launch;
const { force, taint } = nodeSettings.drain;

const taintText = text(
  `a taint such as ${taint.form.example}`,
  new RegExp(`^${taintKey}(?:=[^:]*)?:\\w+$`),
);

const fileSchema = record({
  cluster: z.optional(
    record({ authenticationMode: z.optional(oneOf("API", "API_AND_CONFIG_MAP", "CONFIG_MAP")) }),
  ),
  launch: z.optional(record({ access: z.optional(oneOf(...access.form.words)) })),
  hooks: z.optional(record({ launching: z.optional(oneOf("held", "not held")) })),
  drain: z.optional(
    record({ force: z.optional(oneOf(...force.form.words)), taint: z.optional(taintText) }),
  ),
});

/** Reads from a cluster's file which rights the function gets in that cluster. */
export function readRightsChoice(json: string, path: string): Rights {
  const { cluster, launch, hooks, drain = {} } = read(fileSchema, readJson(json, path), path);
  const awsAuth = awsAuthUse({
    authenticationMode: cluster?.authenticationMode ?? "CONFIG_MAP",
    access: launch?.access,
    launching: hooks?.launching,
  });
  const ownTaint = keyOfTaint(drain.taint ?? taint.default);
  return rightsFor({ force: drain.force ?? force.default, awsAuth, ownTaint });
}
