import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolePolicies } from "../../sandbox/stack/stack-policies.ts";
import type { RawStatement } from "../../sandbox/stack/template-schema.ts";
import { everything, sampled } from "./judged-template.ts";

const [, , folder = "policies"] = process.argv;

// Writes every policy of a role into a folder, for scanners of IAM: of the sample's stack, and of one with everything on.
for (const [stack, { names, resources }] of Object.entries({ sample: sampled, everything })) {
  const texts = (values: readonly unknown[]) => values.map((value) => names.text(value));
  const written = ({ Effect, Action, Resource = [], Condition = {} }: RawStatement) => ({
    Effect,
    Action: texts(Action),
    Resource: texts(Resource),
    Condition: Object.fromEntries(
      Object.entries(Condition).map(([operator, keys]) => [
        operator,
        Object.fromEntries(Object.entries(keys).map(([key, values]) => [key, texts(values)])),
      ]),
    ),
  });
  mkdirSync(join(folder, stack), { recursive: true });
  for (const { id, its } of rolePolicies(resources)) {
    const Statement = its.PolicyDocument.Statement.map(written);
    const document = JSON.stringify({ Version: "2012-10-17", Statement });
    writeFileSync(join(folder, stack, `${id}.json`), document);
  }
}
