import { Fault } from "../../lambda/base/fault.ts";
import { type Attempt, judged, statementOf } from "../../sandbox/stack/policy.ts";
import { policySchema } from "../../sandbox/stack/template-schema.ts";

const asTold = { text: String };

/** What the policy of a topic or a queue says to an attempt; the sandbox judges by the same. */
export function policySays(policy: string, attempt: Attempt): "allowed" | "denied" | "unsaid" {
  if (policy === "") return "unsaid";
  const [inverted] = /Not(?:Action|Principal|Resource)(?=")/.exec(policy) ?? [];
  if (inverted !== undefined)
    throw new Fault("aws.refused", `a statement with ${inverted} has to be read by people`);
  const { Statement } = policySchema.parse(JSON.parse(policy));
  return judged(
    Statement.map((raw) => statementOf(raw, asTold)),
    attempt,
  );
}

/** The secure request of a service on behalf of a resource. */
export const byService = (
  service: "events" | "sns",
  source: string,
): Pick<Attempt, "by" | "context"> => ({
  by: `${service}.amazonaws.com`,
  context: {
    "aws:SourceArn": source,
    "aws:SourceAccount": source.split(":")[4] ?? "",
    "aws:SecureTransport": "true",
  },
});
