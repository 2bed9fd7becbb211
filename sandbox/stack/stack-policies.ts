import type { PrincipalRequest } from "../aws/aws.ts";
import { type ActionAttempt, judged, type Statement, statementOf } from "./policy.ts";
import type { StackNames } from "./stack-names.ts";
import type { StackResources } from "./stack-resources.ts";
import { properties, type RawStatement } from "./template-schema.ts";

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
    return judged(statementsOf(this.#roles, role), attempt) === "allowed";
  }

  /** Judges an attempt by the policy of a key or a topic, named by its ARN, or of a queue, named by its URL. */
  ofResource(holder: string, attempt: ActionAttempt): "allowed" | "denied" | "unsaid" {
    return judged(statementsOf(this.#resources, holder), attempt);
  }
}

/** The policies of roles; CDK puts what is too much for one into others. */
export const rolePolicies = (resources: StackResources) =>
  ["AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"].flatMap((type) =>
    resources.of(type, properties.rolePolicy),
  );

const statementsOf = (held: readonly HolderStatements[], wanted: string): readonly Statement[] =>
  held.filter(({ holder }) => holder === wanted).flatMap(({ statements }) => statements);
