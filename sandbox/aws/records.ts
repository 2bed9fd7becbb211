import type { Stack, StackEvent, StackResourceSummary } from "@aws-sdk/client-cloudformation";
import type { MetricAlarm } from "@aws-sdk/client-cloudwatch";
import type { RouteTable, SecurityGroup, Subnet, VpcEndpoint } from "@aws-sdk/client-ec2";
import type { DescribeRuleResponse, Target } from "@aws-sdk/client-eventbridge";
import type { KeyMetadata } from "@aws-sdk/client-kms";
import type {
  EventSourceMappingConfiguration,
  FunctionConfiguration,
} from "@aws-sdk/client-lambda";
import type { Timeline } from "../timeline.ts";
import { type Account, arnOf } from "./account.ts";

/** A rule of EventBridge, with its targets. */
interface RuleRecord {
  readonly rule: DescribeRuleResponse;
  readonly targets: readonly Target[];
}

/** An image that instances can be launched from. */
export interface MachineImage {
  readonly architecture: "arm64" | "x86_64";
  readonly state: "available" | "deregistered" | "pending";
  /** The version of the kubelet that it has, for the nodes that come of it. */
  readonly kubelet: string;
}

/**
 * The resources of an account that do nothing here, or that other services of the sandbox run, in
 * the words of their APIs. A test changes an entry as somebody would change the resource in the
 * console.
 */
export class Records {
  readonly #timeline: Timeline;
  readonly #account: Account;
  /** The attributes of topics, by ARN. */
  readonly topics = new Map<string, Readonly<Record<string, string>>>();
  /** The attributes of subscriptions, by ARN. */
  readonly subscriptions = new Map<string, Readonly<Record<string, string>>>();
  /** The attributes of queues that SQS does not interpret here, by name. */
  readonly queues = new Map<string, Readonly<Record<string, string>>>();
  /** Event source mappings, by id. */
  readonly mappings = new Map<string, EventSourceMappingConfiguration>();
  readonly functions = new Map<string, FunctionConfiguration>();
  /** The reserved concurrency of functions that somebody has given one, by name. */
  readonly reserved = new Map<string, number>();
  /** Keys of KMS, by ARN. */
  readonly keys = new Map<string, KeyMetadata>();
  readonly rules = new Map<string, RuleRecord>();
  readonly alarms = new Map<string, MetricAlarm>();
  readonly stacks = new Map<string, Stack>();
  /** The resources of stacks, by the name of the stack. */
  readonly stackResources = new Map<string, readonly StackResourceSummary[]>();
  /** The events of stacks, the newest first, by the id of the stack. */
  readonly stackEvents = new Map<string, readonly StackEvent[]>();
  readonly subnets = new Map<string, Subnet>();
  readonly routeTables = new Map<string, RouteTable>();
  readonly securityGroups = new Map<string, SecurityGroup>();
  readonly endpoints = new Map<string, VpcEndpoint>();
  /** The images of machines; that of the default launch template is there from the start. */
  readonly images = new Map<string, MachineImage>();
  /** The texts of secrets, by ARN. */
  readonly secrets = new Map<string, string>();
  /** The parameters of SSM: those of the account, and those below `/aws/` that AWS itself publishes. */
  readonly parameters = new Map<string, string>();

  constructor(timeline: Timeline, account: Account) {
    this.#timeline = timeline;
    this.#account = account;
    this.addImage("ami-0123456789abcdef0");
  }

  /** Records a stack that has been deployed. */
  addStack(name: string, outputs: Readonly<Record<string, string>>): void {
    this.stacks.set(name, {
      StackName: name,
      StackId: arnOf(this.#account, "cloudformation", `stack/${name}/0`),
      CreationTime: new Date(this.#timeline.now()),
      StackStatus: "CREATE_COMPLETE",
      Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({
        OutputKey,
        OutputValue,
      })),
    });
  }

  /** Records a function that has been deployed. */
  addFunction({
    name,
    role,
    environment,
    memory,
    timeout,
  }: {
    readonly name: string;
    readonly role: string;
    readonly environment: Readonly<Record<string, string>>;
    /** In MB. */
    readonly memory: number;
    /** In seconds. */
    readonly timeout: number;
  }): void {
    this.functions.set(name, {
      FunctionName: name,
      FunctionArn: arnOf(this.#account, "lambda", `function:${name}`),
      Role: role,
      Runtime: "nodejs24.x",
      Handler: "index.handler",
      MemorySize: memory,
      Timeout: timeout,
      State: "Active",
      LastUpdateStatus: "Successful",
      LastModified: new Date(this.#timeline.now()).toISOString().replace("Z", "+0000"),
      Environment: { Variables: { ...environment } },
    });
  }

  /** Records an image, which differs from the usual ones so. */
  addImage(id: string, image: Partial<MachineImage> = {}): void {
    const usual = { architecture: "x86_64", state: "available", kubelet: "v1.36.2" } as const;
    this.images.set(id, { ...usual, ...image });
  }
}

/** Changes an entry of a record. */
export function amend<T extends object>(records: Map<string, T>, id: string, change: Partial<T>) {
  const record = records.get(id);
  if (record === undefined) throw new Error(`there is no ${id}; there are: ${[...records.keys()]}`);
  records.set(id, { ...record, ...change });
}
