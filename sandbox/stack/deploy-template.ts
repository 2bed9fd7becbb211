import { seconds } from "../../lambda/domain/time.ts";
import { type Deployment, type DeploymentSpec, mapQueue } from "../deployment.ts";
import type { LambdaService } from "../lambda/lambda-service.ts";
import type { Stack } from "./stack.ts";
import { assertMappable, createFunction, type Synthesised } from "./stack-function.ts";
import { putHooks } from "./stack-hooks.ts";
import { StackNames } from "./stack-names.ts";
import { StackPolicies } from "./stack-policies.ts";
import { createQueues } from "./stack-queues.ts";
import { StackResources } from "./stack-resources.ts";
import { eventBus, type PutEvent } from "./stack-rules.ts";
import { createTopic } from "./stack-topic.ts";
import { properties } from "./template-schema.ts";

/** A stack that is deployed. */
export interface StackDeployment extends Deployment {
  /** Another function of the stack, by its logical id. */
  functionNamed(id: string): LambdaService;
  /** Puts an event on the account's bus, which the stack's rules listen to. */
  readonly putEvent: PutEvent;
}

/** Deploys a template as CloudFormation would, as far as the sandbox knows its resources; what AWS would refuse is refused. */
export function deployTemplate(
  synthesised: Synthesised,
  world: Omit<DeploymentSpec, "deployed" | "scenario">,
): StackDeployment {
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
  const functionNamed = (name: string) =>
    createFunction(stack, synthesised, { name, concurrency: 1 });
  const ways = { functionNamed, putEvent: eventBus(stack) };
  return { topicArn, queue, deadLetters, lambda, ...ways, ...mapping };
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
