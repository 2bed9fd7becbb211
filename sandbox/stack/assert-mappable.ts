import { wholeSeconds } from "../../lambda/base/time.ts";
import { AwsError } from "../aws/aws-error.ts";
import type { DeploymentSpec, MappingToDeploy } from "../deployment-spec.ts";
import type { Stack } from "./stack.ts";

/** Throws what Lambda answers when it refuses to map a queue to a function. @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
export function assertMappable(
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
    const attempt = { by: role, action, resource: names.arn(queue.name), context: {} };
    if (policies.permits(role, attempt)) continue;
    throw refused(`The function execution role does not have permissions to call ${call} on SQS`);
  }
}

const refused = (message: string) => new AwsError("InvalidParameterValueException", message);
