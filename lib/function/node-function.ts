import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { environment } from "../../lambda/contract.ts";
import type { Surroundings } from "../cluster-place.ts";
import { assertNamesFit } from "../limits/group-limits.ts";
import { functionTimeout } from "../limits/limits.ts";
import { arnPattern, type ManagedGroup, nameOf } from "../managed-group.ts";
import type { NoticeQueue } from "../notices/notice-queue.ts";
import { explainWildcard } from "./explain-wildcard.ts";
import { functionCode } from "./function-code.ts";
import { functionPermissions, type Target, type Wanted } from "./function-permissions.ts";

/** How the function runs. */
export interface FunctionOptions {
  /** In MB. @default 512 */
  readonly memory?: number;
  /** How many batches of ten notices may be in work at the same time, 2 to 1000. @default 10 */
  readonly concurrency?: number;
  /** How long the journal is kept. @default 30 days */
  readonly logRetention?: RetentionDays;
}

/** What the function works on, and from where. */
export interface NodeFunctionProps extends FunctionOptions {
  readonly groups: readonly ManagedGroup[];
  readonly queue: NoticeQueue;
  readonly surroundings: Surroundings;
  /** The roles that instances of the groups have, by their ARNs. @default any role of the account */
  readonly nodeRoles?: readonly string[];
  /** The environment that says how nodes are drained. */
  readonly settings: Readonly<Record<string, string>>;
  /** What this deployment does, of that which not all do. */
  readonly wanted: ReadonlySet<Wanted>;
}

const noResources = "these actions know no resources; docs/deploy.md says of each what it is for";
const unknownId =
  "ids in ARNs of groups and access entries, and the profiles and roles of nodes, are not known beforehand";

/** Works on the notices of the queue, from inside the cluster's network. */
export class NodeFunction extends Construct {
  readonly function: lambda.Function;
  readonly role: Role;
  readonly mapping: lambda.EventSourceMapping;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: NodeFunctionProps) {
    super(scope, id);
    const { queue, logRetention = RetentionDays.ONE_MONTH } = props;
    this.logGroup = new LogGroup(this, "Logs", {
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      description: "Drains and registers the nodes of the managed groups",
    });
    this.#grant(props);
    this.function = this.#function(props);
    this.mapping = new lambda.EventSourceMapping(this, "Mapping", {
      target: this.function,
      eventSourceArn: queue.queue.queueArn,
      batchSize: 10,
      maxBatchingWindow: Duration.seconds(0),
      reportBatchItemFailures: true, // a notice that is not done is handed back alone
      maxConcurrency: props.concurrency ?? 10,
    });
  }

  #function({ groups, queue, surroundings, settings, memory = 512 }: NodeFunctionProps) {
    const { cluster, securityGroup, subnets } = surroundings;
    const variables = {
      [environment.clusterName]: cluster.clusterName,
      [environment.managedGroups]: Stack.of(this).toJsonString(groups.map(nameOf)),
      [environment.queueUrl]: queue.queue.queueUrl,
      [environment.deadLetterQueueUrl]: queue.deadLetters.queueUrl,
      ...settings,
    };
    assertNamesFit(this, groups, variables);
    return new lambda.Function(this, "Function", {
      description: `Drains and registers nodes of cluster ${cluster.clusterName}`,
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      code: functionCode("node"),
      handler: "index.handler",
      role: this.role,
      timeout: functionTimeout,
      memorySize: memory,
      logGroup: this.logGroup,
      vpc: cluster.vpc,
      vpcSubnets: subnets,
      securityGroups: [securityGroup],
      environment: variables,
    });
  }

  #grant(props: NodeFunctionProps): void {
    const arns = this.#targets(props);
    const granted = functionPermissions.filter(
      ({ wanted }) => wanted === undefined || props.wanted.has(wanted),
    );
    explainWildcard(this.role, "*", noResources);
    for (const arn of new Set(granted.flatMap(({ on }) => arns[on])))
      if (arn.includes("*") && arn !== "*") explainWildcard(this.role, arn, unknownId);
    for (const { actions, on, given: conditions } of granted)
      for (const resources of portionsOf(arns[on])) {
        const statement = { actions: [...actions], resources, ...(conditions && { conditions }) };
        this.role.addToPolicy(new PolicyStatement(statement));
      }
  }

  #targets(props: NodeFunctionProps): Record<Target, readonly string[]> {
    const { groups, queue, surroundings } = props;
    const stack = Stack.of(this);
    const { clusterName } = surroundings.cluster;
    const cluster = { service: "eks", resource: "cluster", resourceName: clusterName };
    const iam = { service: "iam", region: "" };
    const anyRole = stack.formatArn({ ...iam, resource: "role", resourceName: "*" });
    return {
      any: ["*"],
      "access entries": [
        stack.formatArn({ ...cluster, resource: "access-entry", resourceName: `${clusterName}/*` }),
      ],
      "node roles": props.nodeRoles ?? [anyRole],
      cluster: [stack.formatArn(cluster)],
      "dead letters": [queue.deadLetters.queueArn],
      "instance profiles": [
        stack.formatArn({ ...iam, resource: "instance-profile", resourceName: "*" }),
      ],
      "log group": [this.logGroup.logGroupArn],
      "managed groups": groups.map((group) => arnPattern(group, stack)),
      queue: [queue.queue.queueArn],
    };
  }
}

const portion = 20;

/** Some at a time: a role's policy that is too large is split, but only between statements. */
const portionsOf = (arns: readonly string[]): readonly string[][] =>
  Array.from({ length: Math.ceil(arns.length / portion) }, (_, index) =>
    arns.slice(index * portion, (index + 1) * portion),
  );
