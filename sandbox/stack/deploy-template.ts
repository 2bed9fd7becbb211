import { type Duration, hours, seconds } from "../../lambda/domain/time.ts";
import { AwsError } from "../aws/aws-error.ts";
import type { Queue } from "../aws/sqs/queue.ts";
import type { Deployment, DeploymentSpec } from "../deployment.ts";
import { mapQueue } from "../deployment.ts";
import { LambdaService } from "../lambda/lambda-service.ts";
import type { Stack } from "./stack.ts";
import { putHooks } from "./stack-hooks.ts";
import { StackNames } from "./stack-names.ts";
import { StackPolicies } from "./stack-policies.ts";
import { createQueues } from "./stack-queues.ts";
import { StackResources } from "./stack-resources.ts";
import { createTopic } from "./stack-topic.ts";
import { properties, type StackTemplate } from "./template-schema.ts";

/** A template, and where the bundles are that it names. */
export interface Synthesised {
  readonly template: StackTemplate;
  /** The folder of the bundle with this hash. */
  bundle(hash: string): string;
}

/** Deploys a template as CloudFormation would, as far as the sandbox knows its resources; what AWS would refuse is refused. */
export function deployTemplate(
  synthesised: Synthesised,
  world: Omit<DeploymentSpec, "deployed">,
): Deployment {
  const { template } = synthesised;
  const { account } = world.aws;
  const names = new StackNames(template, { account, queueUrl: world.addresses.queueUrl });
  const resources = new StackResources(template);
  const queues = createQueues({ ...world, names, resources });
  const policies = new StackPolicies(resources, names);
  const stack = { ...world, names, resources, policies };
  heedPolicies(stack);
  for (const { id } of resources.of("AWS::IAM::Role", anything))
    world.aws.iam.createRole({ name: id, path: "/", service: "lambda" });
  const topicArn = createTopic(stack);
  const { EventSourceArn, FunctionName, ...settings } = resources.one(
    "AWS::Lambda::EventSourceMapping",
    properties.mapping,
  ).its;
  const { queue, deadLetters } = queues;
  if (names.text(EventSourceArn) !== queue.settings.arn)
    throw new Error("the function is mapped to another queue");
  const concurrency = settings.ScalingConfig.MaximumConcurrency;
  const lambda = createFunction(stack, synthesised, {
    name: names.text(FunctionName),
    concurrency,
  });
  assertMappable(stack, queue, names.text(FunctionName));
  enterCluster(stack);
  putHooks(stack);
  const reports = settings.FunctionResponseTypes.includes("ReportBatchItemFailures");
  const mapping = mapQueue(
    world.aws,
    { queue, lambda },
    {
      batchSize: settings.BatchSize,
      window: seconds(0),
      maximumConcurrency: Math.min(concurrency, 4),
      responses: reports ? "report-batch-item-failures" : "all-or-nothing",
    },
  );
  return { topicArn, queue, deadLetters, lambda, ...mapping };
}

const anything = { parse: (value: unknown) => value };

/** A role of the stack may do what the template says, and nothing else. */
function heedPolicies({ aws, policies }: Stack): void {
  const others = aws.authorize;
  aws.authorize = (request) => {
    const verdict = policies.authorize(request);
    return verdict === "unknown" ? others(request) : verdict;
  };
}

function createFunction(
  { aws, resources, names, addresses, log }: Stack,
  synthesised: Synthesised,
  { name, concurrency }: { readonly name: string; readonly concurrency: number },
): LambdaService {
  const { its } = resources.one(
    "AWS::Lambda::Function",
    properties.function,
    ({ id }) => id === name,
  );
  const { account, iam, keys, timeline } = aws;
  const role = iam.tryFindRole(names.text(its.Role));
  if (role === undefined) throw new Error(`${name} has no role`);
  const variables = Object.entries(its.Environment.Variables);
  const environment = Object.fromEntries(variables.map(([key, value]) => [key, names.text(value)]));
  const spec = {
    name,
    folder: synthesised.bundle(its.Code.S3Key.replace(/\.zip$/, "")),
    handler: its.Handler,
    environment: { ...environment, AWS_ENDPOINT_URL: addresses.awsUrl },
    timeout: seconds(its.Timeout),
    memory: its.MemorySize,
    concurrency,
  };
  const credentials = () => keys.assume({ role, sessionName: name, duration: session });
  return new LambdaService(spec, { timeline, account, credentials, log });
}

const session: Duration = hours(12);

/** What Lambda checks before it maps a queue to a function. @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
function assertMappable({ resources, names, policies }: Stack, queue: Queue, name: string): void {
  const { its } = resources.one(
    "AWS::Lambda::Function",
    properties.function,
    ({ id }) => id === name,
  );
  const { visibility, arn: resource } = queue.settings;
  if (visibility < seconds(its.Timeout))
    throw new AwsError(
      "InvalidParameterValueException",
      `Queue visibility timeout: ${visibility / 1000} seconds is less than Function timeout: ${its.Timeout} seconds`,
    );
  const role = names.text(its.Role).split("/").at(-1) ?? "";
  for (const call of ["ReceiveMessage", "DeleteMessage", "GetQueueAttributes"]) {
    const attempt = { by: role, action: `sqs:${call}`, resource, context: {} };
    if (policies.permits(role, attempt)) continue;
    throw new AwsError(
      "InvalidParameterValueException",
      `The function execution role does not have permissions to call ${call} on SQS`,
    );
  }
}

/** The access entries, by which the roles of the stack get into the cluster. */
function enterCluster({ aws, resources, names }: Stack): void {
  for (const { its } of resources.of("AWS::EKS::AccessEntry", properties.entry)) {
    aws.eks.findCluster(names.text(its.ClusterName)).entries.create({
      principalArn: names.text(its.PrincipalArn),
      type: "STANDARD",
      username: undefined,
      groups: its.KubernetesGroups,
      tags: {},
      clientToken: "",
    });
  }
}
