import { type Duration, hours, seconds } from "../../lambda/domain/time.ts";
import { AwsError } from "../aws/aws-error.ts";
import type { Queue } from "../aws/sqs/queue.ts";
import { LambdaService } from "../lambda/lambda-service.ts";
import type { Stack } from "./stack.ts";
import { properties, type StackTemplate } from "./template-schema.ts";

/** A template, and where the bundles are that it names. */
export interface Synthesised {
  readonly template: StackTemplate;
  /** The folder of the bundle with this hash. */
  bundle(hash: string): string;
}

/** A function of the stack, with the role, environment, time and memory that the template gives it. */
export function createFunction(
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
export function assertMappable(
  { resources, names, policies }: Stack,
  queue: Queue,
  name: string,
): void {
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
