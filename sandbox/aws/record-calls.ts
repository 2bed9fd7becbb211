import {
  DescribeStackEvents$,
  DescribeStacks$,
  ListStackResources$,
} from "@aws-sdk/client-cloudformation";
import { DescribeAlarms$ } from "@aws-sdk/client-cloudwatch";
import {
  DescribeImages$,
  DescribeRouteTables$,
  DescribeSecurityGroups$,
  DescribeSubnets$,
  DescribeVpcEndpoints$,
} from "@aws-sdk/client-ec2";
import { DescribeRule$, ListTargetsByRule$ } from "@aws-sdk/client-eventbridge";
import { DescribeKey$ } from "@aws-sdk/client-kms";
import {
  GetEventSourceMapping$,
  GetFunctionConcurrency$,
  GetFunctionConfiguration$,
} from "@aws-sdk/client-lambda";
import { GetSecretValue$ } from "@aws-sdk/client-secrets-manager";
import {
  GetSubscriptionAttributes$,
  GetTopicAttributes$,
  ListSubscriptionsByTopic$,
} from "@aws-sdk/client-sns";
import { GetParameter$ } from "@aws-sdk/client-ssm";
import { type Account, arnOf } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import { type Operation, operation } from "./operation.ts";
import { page } from "./page.ts";
import type { Records } from "./records.ts";

/** The texts of a request that a call reads. */
type Asks<Name extends string> = Readonly<Partial<Record<Name, string>>>;
/** The lists of a request that a call reads. */
type Lists<Name extends string> = Readonly<Partial<Record<Name, readonly string[]>>>;

/** Finds an entry; throws what a service answers that does not know it. */
function found<T>(
  records: ReadonlyMap<string, T>,
  id: string,
  code: string,
  message = `${id} does not exist`,
  status: 400 | 404 = 400,
): T {
  const record = records.get(id);
  if (record !== undefined) return record;
  throw new AwsError(code, message, { status });
}

/** The entries with these ids. EC2 refuses a request with an id that it does not know. */
const named = <T>(records: ReadonlyMap<string, T>, ids: readonly string[], code: string) =>
  ids.map((id) => found(records, id, code));

const unknown = "ResourceNotFoundException";
const subscriptionsOfPage = 100;

/** SNS' answers about topics and subscriptions. */
const snsCalls = ({ topics, subscriptions }: Records): readonly Operation[] => [
  operation("sns", GetTopicAttributes$, ({ TopicArn: arn = "" }: Asks<"TopicArn">) => ({
    Attributes: { TopicArn: arn, ...found(topics, arn, "NotFound", "Topic does not exist", 404) },
  })),
  operation(
    "sns",
    ListSubscriptionsByTopic$,
    ({ TopicArn, NextToken: token }: Asks<"NextToken" | "TopicArn">) => {
      const all = [...subscriptions]
        .filter(([, { TopicArn: of }]) => of === TopicArn)
        .map(([SubscriptionArn, its]) => ({ ...its, SubscriptionArn }));
      const { items, next } = page(all, { size: subscriptionsOfPage, token });
      return { Subscriptions: items, NextToken: next };
    },
  ),
  operation(
    "sns",
    GetSubscriptionAttributes$,
    ({ SubscriptionArn: arn = "" }: Asks<"SubscriptionArn">) => {
      if (!arn.startsWith("arn:"))
        throw new AwsError("InvalidParameter", `Invalid parameter: ${arn}`);
      return {
        Attributes: found(subscriptions, arn, "NotFound", "Subscription does not exist", 404),
      };
    },
  ),
];

/** Lambda's answers about functions, by name or ARN, and about event source mappings. */
function lambdaCalls(
  { functions, mappings, reserved }: Records,
  account: Account,
): readonly Operation[] {
  /** A name, perhaps with that of an alias. */
  const wholeName = ({ FunctionName = "" }: Asks<"FunctionName">) =>
    FunctionName.replace(/^.*:function:/, "");
  const nameOf = (input: Asks<"FunctionName">) => wholeName(input).split(":")[0] ?? "";
  const arnIn = (input: Asks<"FunctionName">) =>
    arnOf(account, "lambda", `function:${wholeName(input)}`);
  return [
    operation(
      "lambda",
      GetFunctionConfiguration$,
      (input) =>
        found(functions, nameOf(input), unknown, `Function not found: ${arnIn(input)}`, 404),
      arnIn,
    ),
    operation(
      "lambda",
      GetFunctionConcurrency$,
      (input) => {
        found(functions, nameOf(input), unknown, `Function not found: ${arnIn(input)}`, 404);
        const most = reserved.get(nameOf(input));
        return most === undefined ? {} : { ReservedConcurrentExecutions: most };
      },
      arnIn,
    ),
    operation("lambda", GetEventSourceMapping$, ({ UUID = "" }: Asks<"UUID">) =>
      found(mappings, UUID, unknown, undefined, 404),
    ),
  ];
}

/** CloudFormation's answers about stacks; a request names one. */
const stackCalls = (
  { stacks, stackResources, stackEvents }: Records,
  account: Account,
): readonly Operation[] => [
  operation(
    "cloudformation",
    DescribeStacks$,
    ({ StackName: name = "" }: Asks<"StackName">) => ({
      Stacks: [found(stacks, name, "ValidationError", `Stack with id ${name} does not exist`)],
    }),
    ({ StackName = "" }) => arnOf(account, "cloudformation", `stack/${StackName}/*`),
  ),
  operation("cloudformation", ListStackResources$, ({ StackName = "" }: Asks<"StackName">) => ({
    StackResourceSummaries: found(stackResources, StackName, "ValidationError"),
  })),
  operation("cloudformation", DescribeStackEvents$, ({ StackName = "" }: Asks<"StackName">) => ({
    StackEvents: stackEvents.get(StackName) ?? [],
  })),
];

/** SSM's answers about parameters; one that AWS publishes belongs to no account. */
function parameterCalls({ parameters }: Records, account: Account): readonly Operation[] {
  const arnIn = ({ Name = "" }: Asks<"Name">) => {
    const owner = Name.startsWith("/aws/") ? { ...account, id: "" } : account;
    return arnOf(owner, "ssm", `parameter${Name.startsWith("/") ? Name : `/${Name}`}`);
  };
  const run = ({ Name = "" }: Asks<"Name">) => {
    const Value = found(parameters, Name, "ParameterNotFound");
    return { Parameter: { ARN: arnIn({ Name }), Name, Type: "String", Version: 1, Value } };
  };
  return [operation("ssm", GetParameter$, run, arnIn)];
}

/**
 * The answers of services about recorded resources, by the name that signatures give to the
 * service.
 */
export const recordCalls = (records: Records, account: Account) => ({
  cloudformation: stackCalls(records, account),
  lambda: lambdaCalls(records, account),
  sns: snsCalls(records),
  events: [
    operation(
      "events",
      DescribeRule$,
      ({ Name = "" }: Asks<"Name">) => found(records.rules, Name, unknown).rule,
    ),
    operation("events", ListTargetsByRule$, ({ Rule = "" }: Asks<"Rule">) => ({
      Targets: found(records.rules, Rule, unknown).targets,
    })),
  ],
  // CloudWatch leaves out alarms that it does not know.
  monitoring: [
    operation("cloudwatch", DescribeAlarms$, ({ AlarmNames = [] }: Lists<"AlarmNames">) => ({
      MetricAlarms: AlarmNames.flatMap((name) => records.alarms.get(name) ?? []),
    })),
  ],
  kms: [
    operation("kms", DescribeKey$, ({ KeyId = "" }: Asks<"KeyId">) => ({
      KeyMetadata: found(records.keys, KeyId, "NotFoundException"),
    })),
  ],
  secretsmanager: [
    operation(
      "secretsmanager",
      GetSecretValue$,
      ({ SecretId: ARN = "" }: Asks<"SecretId">) => ({
        ARN,
        SecretString: found(records.secrets, ARN, unknown),
      }),
      ({ SecretId = "" }) => SecretId,
    ),
  ],
  ssm: parameterCalls(records, account),
  ec2: ec2Calls(records, account),
});

interface Filtered {
  readonly Filters?: readonly { readonly Name?: string; readonly Values?: readonly string[] }[];
}

const ofVpc = <T extends Asks<"VpcId">>(
  all: ReadonlyMap<string, T>,
  { Filters = [] }: Filtered,
): readonly T[] => {
  const vpcs = Filters.find(({ Name }) => Name === "vpc-id")?.Values ?? [];
  return [...all.values()].filter(({ VpcId = "" }) => vpcs.includes(VpcId));
};

/** EC2's answers about networks and images. */
const ec2Calls = (
  { subnets, routeTables, securityGroups, endpoints, images }: Records,
  { id: OwnerId }: Account,
): readonly Operation[] => [
  operation("ec2", DescribeSubnets$, ({ SubnetIds = [] }: Lists<"SubnetIds">) => ({
    Subnets: named(subnets, SubnetIds, "InvalidSubnetID.NotFound"),
  })),
  operation("ec2", DescribeRouteTables$, (request: Filtered) => ({
    RouteTables: ofVpc(routeTables, request).map((table) => ({ ...table, OwnerId })),
  })),
  operation("ec2", DescribeSecurityGroups$, ({ GroupIds = [] }: Lists<"GroupIds">) => ({
    SecurityGroups: named(securityGroups, GroupIds, "InvalidGroup.NotFound"),
  })),
  operation("ec2", DescribeVpcEndpoints$, (request: Filtered) => ({
    VpcEndpoints: ofVpc(endpoints, request),
  })),
  operation("ec2", DescribeImages$, ({ ImageIds = [] }: Lists<"ImageIds">) => ({
    Images: ImageIds.map((ImageId) => {
      const why = /^ami-([0-9a-f]{8}|[0-9a-f]{17})$/.test(ImageId) ? "NotFound" : "Malformed";
      const image = found(images, ImageId, `InvalidAMIID.${why}`);
      return { ImageId, Architecture: image.architecture, State: image.state };
    }),
  })),
];
