import { Fault } from "../../lambda/base/fault.ts";
import { type ResourcePolicyStatement, tryStatements } from "./resource-policy-schema.ts";

interface PolicyRequest {
  /** A role's ARN, or a service such as `sns.amazonaws.com`. */
  readonly by: string;
  readonly action: string;
  readonly resource: string;
  /** The condition keys of the request, with their values. */
  readonly context: Readonly<Record<string, string>>;
}

/**
 * Evaluates the policy of a topic or queue for a request. Throws a fault if the result is not certain.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function policySays(
  policy: string,
  attempt: PolicyRequest,
): "allowed" | "denied" | "unsaid" {
  if (policy === "") return "unsaid";
  const statements = tryStatements(policy);
  if (statements === undefined) throw unjudged("statement", policy);
  const applying = statements.filter((one) => applies(one, attempt));
  if (applying.some(({ Effect }) => Effect === "Deny")) return "denied";
  return applying.length > 0 ? "allowed" : "unsaid";
}

const unjudged = (what: string, found: string): Fault =>
  new Fault("aws.refused", `a ${what} has to be read by people: ${found}`);

const applies = (
  {
    Principal: principals,
    Action: actions,
    Resource: resources,
    Condition: operators,
  }: ResourcePolicyStatement,
  { by, action, resource, context }: PolicyRequest,
): boolean =>
  Object.values(principals).some((names) => names.some((name) => isNamed(name, by))) &&
  actions.some((pattern) => fits(action.toLowerCase(), pattern.toLowerCase())) &&
  resources.some((pattern) => fits(resource, pattern)) &&
  Object.entries(operators).every(([operator, keys]) =>
    Object.entries(keys).every(([key, values]) => holds(operator, valueIn(key, context), values)),
  );

/** An account as principal includes all its roles. */
function isNamed(principal: string, by: string): boolean {
  const [, account = principal] = /^arn:[^:]+:iam::(\d+):root$/.exec(principal) ?? [];
  return principal === "*" || principal === by || account === by.split(":")[4];
}

/** Condition keys are not case-sensitive. */
const valueIn = (key: string, context: PolicyRequest["context"]): string | undefined =>
  Object.entries(context).find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1];

type Comparison = (value: string, wanted: string) => boolean;

const isSame: Comparison = (value, wanted) => value === wanted;

/** True if a text matches a pattern, in which `*` matches anything and `?` one character. */
const fits: Comparison = (text, pattern) => {
  const literal = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(text);
};

const comparisons: Readonly<Record<string, Comparison>> = {
  ArnEquals: fits,
  ArnLike: fits,
  Bool: isSame,
  StringEquals: isSame,
  StringLike: fits,
};

/** True if a condition holds for the value of its key, which the request may lack. */
function holds(operator: string, value: string | undefined, wanted: readonly string[]): boolean {
  const [, set, name = "", ifExists] =
    /^(ForAllValues:|ForAnyValue:)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  if (name === "Null") return wanted.includes(String(value === undefined));
  const isDenial = name.includes("Not");
  const compare = comparisons[name.replace("Not", "")];
  if (compare === undefined) throw unjudged("condition", operator);
  if (value === undefined) return isDenial || ifExists !== undefined || set === "ForAllValues:";
  return isDenial !== wanted.some((one) => compare(value, one));
}

/** A request over TLS by a service on behalf of a resource. */
export const byService = (
  service: "events" | "sns",
  source: string,
): Pick<PolicyRequest, "by" | "context"> => ({
  by: `${service}.amazonaws.com`,
  context: {
    "aws:SourceArn": source,
    "aws:SourceAccount": source.split(":")[4] ?? "",
    "aws:SecureTransport": "true",
  },
});
