import { Duration } from "aws-cdk-lib";
import { PolicyStatement, type Role } from "aws-cdk-lib/aws-iam";
import * as lambda from "aws-cdk-lib/aws-lambda";
import type { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { batchSize, trust } from "../../lambda/base/contract.ts";
import type { FunctionPlace } from "../cluster-place.ts";
import { assertReserved, defaultConcurrency, functionTimeout } from "../limits/limits.ts";
import { explainWildcard } from "./explain-wildcard.ts";
import { bundleRun, functionLogs, functionRole } from "./function-role.ts";
import { networkFence } from "./network-fence.ts";
import { type Permission, permissionsOf } from "./permission-grant.ts";
import { networkPermissions, queuePermissions, tracingPermissions } from "./queue-permissions.ts";
import type { WorkQueue } from "./work-queue.ts";

/** The options of a function. */
export interface FunctionOptions {
  /** In MB. @default 512 */
  readonly memory?: number;
  /** The most batches of ten messages in work at the same time, 2 to 1000. @default 10 */
  readonly concurrency?: number;
  /**
   * The invocations that Lambda keeps free for the function, which never has more; at least
   * `concurrency`.
   * @default none, so that it shares those of the account
   */
  readonly reservedConcurrency?: number;
  /** The retention of the journal, and of the deployer's logs. @default 30 days */
  readonly logRetention?: RetentionDays;
  /** The processor. @default Architecture.ARM_64 */
  readonly architecture?: lambda.Architecture;
  /** Whether X-Ray traces invocations, which it can only do if the function reaches it. @default Tracing.DISABLED */
  readonly tracing?: lambda.Tracing;
}

/** The queue, the code, the rights and the network of a function. */
export interface QueueFunctionProps extends FunctionOptions {
  readonly queue: WorkQueue;
  /** The bundle of `lambda/<name>-handler.ts`; see `functionCode`. */
  readonly code: lambda.Code;
  readonly description: string;
  /** The description of the role. @default the function's description */
  readonly roleDescription?: string;
  /** The environment, without the URLs of the queues. @default nothing */
  readonly environment?: Readonly<Record<string, string>>;
  /** The permissions of the role besides those for queue, journal and network. @default none */
  readonly permissions?: readonly Permission[];
  /** The network that the function runs in. @default no VPC */
  readonly surroundings?: FunctionPlace;
}

const noResources = "these actions know no resources; docs/rights.md says of each what it is for";

/** A function that works on the messages of a queue. */
export class QueueFunction extends Construct {
  readonly function: lambda.Function;
  readonly role: Role;
  readonly mapping: lambda.EventSourceMapping;
  readonly concurrency: number;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: QueueFunctionProps) {
    super(scope, id);
    const { queue, description, roleDescription = description } = props;
    const { concurrency = defaultConcurrency, reservedConcurrency } = props;
    assertReserved(reservedConcurrency, concurrency);
    this.concurrency = concurrency;
    this.logGroup = functionLogs(this, "Logs", props.logRetention);
    this.role = functionRole(this, "Role", roleDescription);
    this.#grant(props);
    this.function = this.#function(props);
    this.mapping = new lambda.EventSourceMapping(this, "Mapping", {
      target: this.function,
      eventSourceArn: queue.queue.queueArn,
      batchSize,
      maxBatchingWindow: Duration.seconds(0),
      reportBatchItemFailures: true, // only the messages that failed come back
      maxConcurrency: concurrency,
    });
    if (props.surroundings) this.#fence();
  }

  /** No notice may reach the function before its role is restricted. */
  #fence(): void {
    this.mapping.node.addDependency(networkFence(this, "NetworkFence", this.role));
  }

  #function(props: QueueFunctionProps): lambda.Function {
    const { queue, code, description, environment = {}, surroundings, memory = 512 } = props;
    return new lambda.Function(this, "Function", {
      description,
      ...bundleRun(props.architecture),
      tracing: props.tracing ?? lambda.Tracing.DISABLED,
      code,
      role: this.role,
      timeout: functionTimeout,
      memorySize: memory,
      logGroup: this.logGroup,
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
      ...(surroundings && {
        vpc: surroundings.cluster.vpc,
        vpcSubnets: surroundings.subnets,
        securityGroups: surroundings.securityGroups,
      }),
      environment: { ...environment, ...queue.environment, [trust.roleId]: this.role.roleId },
    });
  }

  #grant(props: QueueFunctionProps): void {
    const { queue, permissions = [], surroundings } = props;
    const ofQueue = [
      ...queuePermissions,
      ...(surroundings ? networkPermissions : []),
      ...(isTraced(props) ? tracingPermissions : []),
    ];
    const arns = {
      any: ["*"],
      "log group": [this.logGroup.logGroupArn],
      queue: [queue.queue.queueArn],
      "queue and dead letters": [queue.queue.queueArn, queue.deadLetters.queueArn],
    };
    const granted = [...permissions, ...permissionsOf(ofQueue, arns)];
    if (granted.some(({ resources }) => resources.includes("*")))
      explainWildcard(this.role, "*", noResources);
    for (const { actions, resources, ...more } of granted) {
      const statement = { actions: [...actions], resources: [...resources], ...more };
      this.role.addToPolicy(new PolicyStatement(statement));
    }
  }
}

const isTraced = ({ tracing = lambda.Tracing.DISABLED }: FunctionOptions): boolean =>
  tracing !== lambda.Tracing.DISABLED;
