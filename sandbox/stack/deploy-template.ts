import { wholeSeconds } from "../../lambda/base/time.ts";
import { AwsError } from "../aws/aws-error.ts";
import {
  type Deployment,
  type DeploymentSpec,
  type DeploymentWorld,
  deploy,
  type MappingToDeploy,
} from "../deployment.ts";
import { putHooks } from "./stack-hooks.ts";
import { StackNames } from "./stack-names.ts";
import { type Stack, StackPolicies } from "./stack-policies.ts";
import { StackResources } from "./stack-resources.ts";
import { eventBus, type PutEvent } from "./stack-rules.ts";
import { specOf } from "./stack-spec.ts";
import { subscribeToLogs } from "./stack-subscriptions.ts";
import { properties, type StackTemplate } from "./template-schema.ts";

/** Throws what Lambda answers when it refuses to map a queue to a function. @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
function assertMappable(
  { names, policies }: Stack,
  { queues, functions }: DeploymentSpec,
  mapping: MappingToDeploy,
): void {
  const queue = queues.find(({ name }) => name === mapping.queue);
  const mapped = functions.find(({ name }) => name === mapping.function);
  if (queue === undefined || mapped === undefined)
    throw new Error(`the template maps ${mapping.queue} to ${mapping.function}; it lacks one`);
  const { visibility } = queue;
  const { timeout, role } = mapped;
  if (visibility < timeout)
    throw refused(
      `Queue visibility timeout: ${wholeSeconds(visibility)} seconds is less than Function timeout: ${wholeSeconds(timeout)} seconds`,
    );
  for (const call of ["ReceiveMessage", "DeleteMessage", "GetQueueAttributes"]) {
    const action = `sqs:${call}`;
    const resource = names.arn(queue.name);
    const attempt = { by: names.arn(role), action, resource, context: {} };
    if (policies.permits(role, attempt)) continue;
    throw refused(`The function execution role does not have permissions to call ${call} on SQS`);
  }
}

const refused = (message: string) => new AwsError("InvalidParameterValueException", message);

/** A template, and the folders of the bundles that it names. */
export interface Synthesised {
  readonly template: StackTemplate;
  /** The folder of the bundle with this hash. */
  bundle(hash: string): string;
  /** Import of access entries that exist (`cdk deploy --import-existing-resources`). @default "refused" */
  readonly existing?: "imported" | "refused";
}

/** A deployed stack. Each resource has its logical id as its name. */
export interface StackDeployment extends Deployment {
  /** Puts an event on the account's event bus, where the stack's rules receive it. */
  readonly putEvent: PutEvent;
}

/** Deploys the resources of a template that the sandbox knows, as CloudFormation does; it refuses what AWS refuses. */
export function deployTemplate(synthesised: Synthesised, world: DeploymentWorld): StackDeployment {
  const stack = stackOf(synthesised, world);
  const spec = specOf(stack);
  for (const mapping of spec.mappings) assertMappable(stack, spec, mapping);
  heedPolicies(stack);
  const deployment = deploy(spec, world);
  enterCluster(stack, synthesised);
  putHooks(stack);
  subscribeToLogs(stack, deployment);
  return { ...deployment, putEvent: eventBus(stack) };
}

/** A template with what it is deployed into, and by which name. */
export function stackOf(
  { template, bundle }: Synthesised,
  world: DeploymentWorld,
  stackName = "stack",
): Stack {
  const { account } = world.aws;
  const { addresses } = world;
  const queueUrl = (name: string) => addresses.queueUrl(name);
  const roleId = (name: string) => world.aws.iam.tryFindRole(names.arn(name))?.id ?? name;
  const names = new StackNames(template, { account, stackName, queueUrl, roleId });
  const resources = new StackResources(template);
  const policies = new StackPolicies(resources, names);
  return { ...world, names, resources, policies, bundle };
}

/** Limits each role of the stack to what the template's policies allow. */
function heedPolicies({ aws, policies }: Stack): void {
  const others = aws.authorize;
  aws.authorize = (request) => {
    const verdict = policies.authorize(request);
    return verdict === "unknown" ? others(request) : verdict;
  };
}

/** Creates the access entries, through which the cluster admits the roles of the stack. */
function enterCluster(
  { aws, resources, names }: Stack,
  { template, existing = "refused" }: Synthesised,
): void {
  for (const { id, its } of resources.of("AWS::EKS::AccessEntry", properties.entry)) {
    const { entries } = aws.eks.findCluster(names.text(its.ClusterName));
    const principalArn = names.text(its.PrincipalArn);
    const isThere = entries.all().some((entry) => entry.principalArn === principalArn);
    if (existing === "imported" && isThere && isImportable(template.Resources[id])) continue;
    entries.create({
      principalArn,
      type: its.Type,
      username: undefined,
      groups: its.KubernetesGroups,
      tags: {},
      clientToken: "",
    });
  }
}

/**
 * Whether CloudFormation imports a resource that exists: its identifier stands in the template, and the stack would keep it.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources-automatically.html
 */
const isImportable = (resource: StackTemplate["Resources"][string] | undefined): boolean =>
  ["Retain", "RetainExceptOnCreate"].includes(resource?.DeletionPolicy ?? "") &&
  [resource?.Properties["ClusterName"], resource?.Properties["PrincipalArn"]].every(
    (part) => typeof part === "string",
  );
