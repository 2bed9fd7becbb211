import type { StackResourceSummary } from "@aws-sdk/client-cloudformation";
import type { MetricAlarm } from "@aws-sdk/client-cloudwatch";
import type { RouteTable, SecurityGroup, Subnet, VpcEndpoint } from "@aws-sdk/client-ec2";
import type { DescribeRuleResponse, Target } from "@aws-sdk/client-eventbridge";
import type { KeyMetadata } from "@aws-sdk/client-kms";
import type {
  EventSourceMappingConfiguration,
  FunctionConfiguration,
} from "@aws-sdk/client-lambda";

/** A rule of EventBridge, with its targets. */
export interface RuleRecord {
  readonly rule: DescribeRuleResponse;
  readonly targets: readonly Target[];
}

/**
 * What an account's APIs describe of resources that do nothing here, or that other services of the sandbox run, in the
 * words of these APIs. A test changes an entry as somebody would change the resource in the console.
 */
export class Records {
  /** The attributes of topics, by ARN. */
  readonly topics = new Map<string, Readonly<Record<string, string>>>();
  /** The attributes of subscriptions, by ARN. */
  readonly subscriptions = new Map<string, Readonly<Record<string, string>>>();
  /** The attributes of queues that SQS does not interpret here, by name. */
  readonly queues = new Map<string, Readonly<Record<string, string>>>();
  /** Event source mappings, by id. */
  readonly mappings = new Map<string, EventSourceMappingConfiguration>();
  /** What Lambda tells of functions besides what it needs to run them, by name. */
  readonly functions = new Map<string, FunctionConfiguration>();
  /** Keys of KMS, by ARN. */
  readonly keys = new Map<string, KeyMetadata>();
  readonly rules = new Map<string, RuleRecord>();
  readonly alarms = new Map<string, MetricAlarm>();
  /** The resources of stacks, by the name of the stack. */
  readonly stacks = new Map<string, readonly StackResourceSummary[]>();
  readonly subnets = new Map<string, Subnet>();
  readonly routeTables = new Map<string, RouteTable>();
  readonly securityGroups = new Map<string, SecurityGroup>();
  readonly endpoints = new Map<string, VpcEndpoint>();
}

/** Changes an entry of a record. */
export function amend<T extends object>(records: Map<string, T>, id: string, change: Partial<T>) {
  const record = records.get(id);
  if (record === undefined) throw new Error(`there is no ${id}; there are: ${[...records.keys()]}`);
  records.set(id, { ...record, ...change });
}
