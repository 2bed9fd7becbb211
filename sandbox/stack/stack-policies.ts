import { channel } from "node:diagnostics_channel";
import type { PrincipalRequest } from "../aws/aws.ts";
import type { ConditionKeys } from "../aws/operation.ts";
import type { DeploymentWorld } from "../deployment.ts";
import type { StackNames } from "./stack-names.ts";
import type { StackResources } from "./stack-resources.ts";
import { properties, type RawStatement } from "./template-schema.ts";

/** Reports each attempt that is judged, as a `Judgement`. */
export const judgements = channel("eks-node-lifecycle.sandbox.judged-attempts");

/** An attempt, and what the statements of one holder say of it. */
export interface Judgement {
  /** A role's name, or the name of a resource with a policy. */
  readonly holder: string;
  readonly of: "resource" | "role";
  readonly statements: readonly Statement[];
  readonly attempt: ActionAttempt;
  readonly verdict: "allowed" | "denied" | "unsaid";
}

/** An action that a role or a service attempts. */
interface ActionAttempt {
  /** A role's ARN, or a service such as `sns.amazonaws.com`. */
  readonly by: string;
  readonly action: string;
  readonly resource: string;
  /** The condition keys of the request, with their values. */
  readonly context: ConditionKeys;
}

/** A statement of a policy, in which every reference is resolved. */
interface Statement {
  readonly effect: "Allow" | "Deny";
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** Whom it names; `*` if it names nobody. */
  readonly principals: readonly string[];
  readonly conditions: readonly PolicyCondition[];
}

interface PolicyCondition {
  readonly operator: string;
  readonly key: string;
  readonly values: readonly string[];
}

/** Reads a statement of a template. */
export function statementOf(raw: RawStatement, names: Pick<StackNames, "text">): Statement {
  const text = (value: unknown) => names.text(value);
  return {
    effect: raw.Effect,
    actions: raw.Action.map(text),
    resources: (raw.Resource ?? ["*"]).map(text),
    principals: principalsOf(raw.Principal).map(text),
    conditions: Object.entries(raw.Condition ?? {}).flatMap(([operator, keys]) =>
      Object.entries(keys).map(([key, values]) => ({ operator, key, values: values.map(text) })),
    ),
  };
}

function principalsOf(principal: unknown): readonly unknown[] {
  if (typeof principal !== "object" || principal === null) return ["*"];
  return Object.values(principal).flat();
}

/** Judges an attempt by the statements of one policy. */
export function judged(
  statements: readonly Statement[],
  attempt: ActionAttempt,
): "allowed" | "denied" | "unsaid" {
  const applying = statements.filter((statement) => applies(statement, attempt));
  if (applying.some(({ effect }) => effect === "Deny")) return "denied";
  return applying.length > 0 ? "allowed" : "unsaid";
}

const applies = (
  { principals, actions, resources, conditions }: Statement,
  attempt: ActionAttempt,
) =>
  principals.some((pattern) => fits(pattern, attempt.by)) &&
  actions.some((pattern) => fits(pattern.toLowerCase(), attempt.action.toLowerCase())) &&
  resources.some((pattern) => fits(pattern, attempt.resource)) &&
  conditions.every((condition) => holds(condition, attempt.context));

function holds(
  { operator, key, values }: PolicyCondition,
  context: ActionAttempt["context"],
): boolean {
  const same = (name: string) => name.toLowerCase() === key.toLowerCase();
  const actual = Object.entries(context).find(([name]) => same(name))?.[1];
  if (actual === undefined && operator.endsWith("IfExists")) return true;
  const all = [actual ?? []].flat();
  const isLike = (one: string) => values.some((value) => fits(value, one));
  const isEqual = (one: string) => values.includes(one);
  switch (operator.replace(/IfExists$/, "")) {
    case "ForAllValues:StringEquals":
      return all.every(isEqual);
    case "ForAllValues:StringLike":
      return all.every(isLike);
    case "ArnEquals":
    case "ArnLike":
    case "StringLike":
      return all.some(isLike);
    case "ArnNotEquals":
    case "ArnNotLike":
    case "StringNotLike":
      return !all.some(isLike);
    // These know no wildcards.
    case "Bool":
    case "StringEquals":
      return all.some(isEqual);
    case "StringNotEquals":
      return !all.some(isEqual);
    case "Null":
      return values.includes(String(actual === undefined));
    default:
      throw new Error(`a condition ${operator} cannot be judged here`);
  }
}

/** Whether a text fits a pattern, in which `*` stands for anything, and `?` for any character. */
function fits(pattern: string, text: string): boolean {
  const literal = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  const wild = literal.replaceAll("*", ".*").replaceAll("?", ".");
  return new RegExp(`^${wild}$`).test(text);
}

interface HolderStatements {
  readonly holder: string;
  readonly statements: readonly Statement[];
}

/** The policies of the roles, keys, topics and queues of a stack. */
export class StackPolicies {
  readonly #roles: readonly HolderStatements[];
  readonly #resources: readonly HolderStatements[];
  readonly #region: string;

  constructor(resources: StackResources, names: StackNames) {
    this.#region = names.text({ Ref: "AWS::Region" });
    const held = (
      holders: readonly unknown[],
      raw: readonly RawStatement[],
    ): readonly HolderStatements[] => {
      const statements = raw.map((statement) => statementOf(statement, names));
      return holders.map((holder) => ({ holder: names.text(holder), statements }));
    };
    this.#roles = rolePolicies(resources).flatMap(({ its }) =>
      held(its.Roles, its.PolicyDocument.Statement),
    );
    this.#resources = [
      ...resources
        .of("AWS::KMS::Key", properties.key)
        .flatMap(({ id, its }) => held([{ "Fn::GetAtt": [id, "Arn"] }], its.KeyPolicy.Statement)),
      ...resources
        .of("AWS::SNS::TopicPolicy", properties.topicPolicy)
        .flatMap(({ its }) => held(its.Topics, its.PolicyDocument.Statement)),
      ...resources
        .of("AWS::SQS::QueuePolicy", properties.queuePolicy)
        .flatMap(({ its }) => held(its.Queues, its.PolicyDocument.Statement)),
    ];
  }

  /** Judges a request by the policies of its session's role; `unknown` if the stack has no such role. */
  authorize(request: PrincipalRequest): "allowed" | "denied" | "unknown" {
    const { principal, action, resource } = request;
    const context = { "aws:RequestedRegion": this.#region, ...request.context };
    const [, role = ""] = /:assumed-role\/([^/]+)\//.exec(principal) ?? [];
    if (!this.#roles.some(({ holder }) => holder === role)) return "unknown";
    return this.permits(role, { by: principal, action, resource, context }) ? "allowed" : "denied";
  }

  /** Whether a role's own policies allow an attempt. */
  permits(role: string, attempt: ActionAttempt): boolean {
    return (
      reported({ holder: role, of: "role" }, statementsOf(this.#roles, role), attempt) === "allowed"
    );
  }

  /** Judges an attempt by the policy of a key or a topic, named by its ARN, or of a queue, named by its URL. */
  ofResource(holder: string, attempt: ActionAttempt): "allowed" | "denied" | "unsaid" {
    return reported({ holder, of: "resource" }, statementsOf(this.#resources, holder), attempt);
  }
}

function reported(
  whose: Pick<Judgement, "holder" | "of">,
  statements: readonly Statement[],
  attempt: ActionAttempt,
): Judgement["verdict"] {
  const verdict = judged(statements, attempt);
  if (judgements.hasSubscribers) judgements.publish({ ...whose, statements, attempt, verdict });
  return verdict;
}

/** The policies of roles; CDK puts what is too much for one into others. */
export const rolePolicies = (resources: StackResources) =>
  ["AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"].flatMap((type) =>
    resources.of(type, properties.rolePolicy),
  );

const statementsOf = (held: readonly HolderStatements[], wanted: string): readonly Statement[] =>
  held.filter(({ holder }) => holder === wanted).flatMap(({ statements }) => statements);

/** A stack that is being deployed, and what it is deployed into. */
export interface Stack extends DeploymentWorld {
  readonly names: StackNames;
  readonly resources: StackResources;
  readonly policies: StackPolicies;
  /** The folder of the bundle with this hash. */
  bundle(hash: string): string;
}
