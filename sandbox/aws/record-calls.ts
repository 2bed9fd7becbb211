import {
  ListStackResources$,
  type ListStackResourcesInput,
  type StackResourceSummary,
} from "@aws-sdk/client-cloudformation";
import {
  DescribeAlarms$,
  type DescribeAlarmsInput,
  type MetricAlarm,
} from "@aws-sdk/client-cloudwatch";
import {
  DescribeRouteTables$,
  type DescribeRouteTablesRequest,
  DescribeSecurityGroups$,
  type DescribeSecurityGroupsRequest,
  DescribeSubnets$,
  type DescribeSubnetsRequest,
  DescribeVpcEndpoints$,
  type DescribeVpcEndpointsRequest,
  type RouteTable,
  type SecurityGroup,
  type Subnet,
  type VpcEndpoint,
} from "@aws-sdk/client-ec2";
import {
  DescribeRule$,
  type DescribeRuleRequest,
  type DescribeRuleResponse,
  ListTargetsByRule$,
  type ListTargetsByRuleRequest,
  type Target,
} from "@aws-sdk/client-eventbridge";
import { DescribeKey$, type DescribeKeyRequest, type KeyMetadata } from "@aws-sdk/client-kms";
import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  GetEventSourceMapping$,
  type GetEventSourceMappingRequest,
} from "@aws-sdk/client-lambda";
import {
  GetSubscriptionAttributes$,
  type GetSubscriptionAttributesInput,
  GetTopicAttributes$,
  type GetTopicAttributesInput,
  ListSubscriptionsByTopic$,
  type ListSubscriptionsByTopicInput,
  type Subscription,
} from "@aws-sdk/client-sns";
import type { Account } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import { type Operation, type OperationSchema, operation, operationName } from "./operation.ts";

/** A rule of EventBridge, with its targets. */
interface RuleRecord {
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

/** Joins the model of a call that only reads with what it tells; IAM checks it without a resource. */
function reading<Input>(
  service: string,
  schema: OperationSchema,
  run: (input: Input) => object,
): Operation {
  const action = `${service}:${operationName(schema)}`;
  return operation<Input, object>(schema, { permissions: () => [{ action, resource: "*" }], run });
}

/** Finds an entry; throws what a service answers that does not know it. */
function found<T>(records: ReadonlyMap<string, T>, id: string, code: string): T {
  const record = records.get(id);
  if (record !== undefined) return record;
  throw new AwsError(code, `${id} does not exist`, { status: 404 });
}

/** The entries with these ids. EC2 refuses a request with an id that it does not know. */
const named = <T>(records: ReadonlyMap<string, T>, ids: readonly string[], code: string) =>
  ids.map((id) => found(records, id, code));

const subscriptionsOfPage = 100;

/** The operations of SNS that the sandbox supports. */
export const snsOperations = ({ topics, subscriptions }: Records): readonly Operation[] => [
  reading<GetTopicAttributesInput>("sns", GetTopicAttributes$, ({ TopicArn: arn = "" }) => ({
    Attributes: { TopicArn: arn, ...found(topics, arn, "NotFound") },
  })),
  reading<ListSubscriptionsByTopicInput>(
    "sns",
    ListSubscriptionsByTopic$,
    ({ TopicArn, NextToken }) => {
      const all = [...subscriptions]
        .map(
          ([SubscriptionArn, attributes]) => ({ ...attributes, SubscriptionArn }) as Subscription,
        )
        .filter((its) => its.TopicArn === TopicArn);
      const end = Number(NextToken ?? 0) + subscriptionsOfPage;
      return {
        Subscriptions: all.slice(end - subscriptionsOfPage, end),
        ...(end < all.length && { NextToken: String(end) }),
      };
    },
  ),
  reading<GetSubscriptionAttributesInput>(
    "sns",
    GetSubscriptionAttributes$,
    ({ SubscriptionArn: arn = "" }) => {
      if (!arn.startsWith("arn:"))
        throw new AwsError("InvalidParameter", `Invalid parameter: ${arn}`, { status: 400 });
      return { Attributes: found(subscriptions, arn, "NotFound") };
    },
  ),
];

/** What EventBridge tells of rules. */
export const ruleOperations = ({ rules }: Records): readonly Operation[] => [
  reading<DescribeRuleRequest>(
    "events",
    DescribeRule$,
    ({ Name = "" }) => found(rules, Name, "ResourceNotFoundException").rule,
  ),
  reading<ListTargetsByRuleRequest>("events", ListTargetsByRule$, ({ Rule = "" }) => ({
    Targets: found(rules, Rule, "ResourceNotFoundException").targets,
  })),
];

/** What CloudWatch tells of alarms; it leaves out those that it does not know. */
export const alarmOperations = ({ alarms }: Records): readonly Operation[] => [
  reading<DescribeAlarmsInput>("cloudwatch", DescribeAlarms$, ({ AlarmNames = [] }) => ({
    MetricAlarms: AlarmNames.flatMap((name) => alarms.get(name) ?? []),
  })),
];

/** What KMS tells of keys. */
export const keyOperations = ({ keys }: Records): readonly Operation[] => [
  reading<DescribeKeyRequest>("kms", DescribeKey$, ({ KeyId = "" }) => ({
    KeyMetadata: found(keys, KeyId, "NotFoundException"),
  })),
];

/** What Lambda tells of event source mappings. */
export const mappingOperations = ({ mappings }: Records): readonly Operation[] => [
  reading<GetEventSourceMappingRequest>("lambda", GetEventSourceMapping$, ({ UUID = "" }) =>
    found(mappings, UUID, "ResourceNotFoundException"),
  ),
];

/** What CloudFormation tells of the resources of a stack. */
export const stackResourceOperations = ({ stacks }: Records): readonly Operation[] => [
  reading<ListStackResourcesInput>("cloudformation", ListStackResources$, ({ StackName = "" }) => ({
    StackResourceSummaries: found(stacks, StackName, "ValidationError"),
  })),
];

interface Filtered {
  readonly Filters?: readonly { readonly Name?: string; readonly Values?: readonly string[] }[];
}

const valuesOf = ({ Filters = [] }: Filtered, wanted: string): readonly string[] =>
  Filters.find(({ Name }) => Name === wanted)?.Values ?? [];

/** What EC2 tells of networks. */
export const networkOperations = (
  { subnets, routeTables, securityGroups, endpoints }: Records,
  { id: OwnerId }: Account,
): readonly Operation[] => [
  reading<DescribeSubnetsRequest>("ec2", DescribeSubnets$, ({ SubnetIds = [] }) => ({
    Subnets: named(subnets, SubnetIds, "InvalidSubnetID.NotFound"),
  })),
  reading<DescribeRouteTablesRequest>("ec2", DescribeRouteTables$, (request) => ({
    RouteTables: [...routeTables.values()]
      .filter(({ VpcId = "" }) => valuesOf(request as Filtered, "vpc-id").includes(VpcId))
      .map((table) => ({ ...table, OwnerId })),
  })),
  reading<DescribeSecurityGroupsRequest>("ec2", DescribeSecurityGroups$, ({ GroupIds = [] }) => ({
    SecurityGroups: named(securityGroups, GroupIds, "InvalidGroup.NotFound"),
  })),
  reading<DescribeVpcEndpointsRequest>("ec2", DescribeVpcEndpoints$, (request) => ({
    VpcEndpoints: [...endpoints.values()].filter(({ VpcId = "" }) =>
      valuesOf(request as Filtered, "vpc-id").includes(VpcId),
    ),
  })),
];
