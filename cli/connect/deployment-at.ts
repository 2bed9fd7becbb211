import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import {
  type FunctionConfiguration,
  GetFunctionConfigurationCommand,
  LambdaClient,
} from "@aws-sdk/client-lambda";
import type { OutputName } from "../../lambda/base/contract.ts";
import { faultOf } from "../../lambda/base/fault.ts";
import { type Config, parseConfig } from "../../lambda/config/config.ts";
import type { Variables } from "../../lambda/config/variables.ts";
import { stackName } from "../../lib/stack-name.ts";
import { type AwsAccess, regionOf } from "./aws-access.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { type Found, firstKnown, known, mapped, readFrom, unknown } from "./found.ts";

/** The parts of a cluster's deployment, each as far as it can be read. */
export interface DeploymentParts {
  readonly stack: string;
  /** Reads an output of the stack. */
  readonly output: OutputOf;
  /** The node function, as Lambda describes it. */
  readonly function: Found<FunctionConfiguration>;
  /** The function's configuration: groups, queues and settings. */
  readonly config: Found<Config>;
  readonly queueUrl: Found<string>;
  readonly deadLettersUrl: Found<string>;
}

type OutputOf = (name: OutputName) => Found<string>;

/** Reads the parts of a cluster's deployment. A part that cannot be read does not hide the others. */
export async function deploymentAt(
  cluster: string,
  aws: AwsAccess,
  where: Pick<ConnectionOptions, "queueUrl" | "stack">,
): Promise<DeploymentParts> {
  const stack = where.stack ?? stackName(cluster);
  const output = await outputsOf(stack, aws);
  const described = await functionOf(output("FunctionName"), aws);
  const config = await configOf(described, aws, parseConfig);
  const { queueUrl: given } = where;
  const deployed = [output("QueueUrl"), mapped(config, ({ queueUrl }) => queueUrl)] as const;
  return {
    stack,
    output,
    function: described,
    config,
    queueUrl: given === undefined ? firstKnown(...deployed) : known(given),
    deadLettersUrl: firstKnown(
      output("DeadLettersUrl"),
      mapped(config, ({ deadLetterQueueUrl }) => deadLetterQueueUrl),
    ),
  };
}

async function outputsOf(stack: string, aws: AwsAccess): Promise<OutputOf> {
  const read = await readFrom(`describing stack ${stack}`, "cloudformation:DescribeStacks", () =>
    new CloudFormationClient(aws).send(new DescribeStacksCommand({ StackName: stack })),
  );
  const outputs = mapped(missingTold(read), ({ Stacks: [{ Outputs = [] } = {}] = [] }) => Outputs);
  return (name) => {
    if (outputs.kind === "unknown") return outputs;
    // The outputs of an own stack have the path of the construct before their names, and a hash behind.
    // Those of upgrades and of repairs end like the others.
    const named = new RegExp(`(?<!Upgrade|Repair)${name}(?:[0-9A-F]{8})?$`);
    const found = outputs.value.find(({ OutputKey: key = "" }) => named.test(key));
    const value = found?.OutputValue ?? "";
    if (value !== "") return known(value);
    return unknown(
      `stack ${stack} has no output ${name}`,
      "name the right stack with --stack",
      "output",
    );
  };
}

/** A missing stack is not reported as a missing right. */
const missingTold = <T>(read: Found<T>): Found<T> =>
  read.kind === "unknown" && read.lack === "object"
    ? unknown(
        read.why,
        "name the stack of the deployment with --stack, or the Region (--region)",
        "stack",
      )
    : read;

/** Reads a function of a deployment. */
export async function functionOf(
  name: Found<string>,
  aws: AwsAccess,
): Promise<Found<FunctionConfiguration>> {
  if (name.kind === "unknown") return name;
  const { value: FunctionName } = name;
  return readFrom(`describing function ${FunctionName}`, "lambda:GetFunctionConfiguration", () =>
    new LambdaClient(aws).send(new GetFunctionConfigurationCommand({ FunctionName })),
  );
}

export const isDeleted = (its: Found<FunctionConfiguration>): boolean =>
  its.kind === "unknown" && its.lack === "object";

/** Whether the stack has no such function, or the function was deleted. */
export const isAbsent = (its: Found<FunctionConfiguration>): boolean =>
  isDeleted(its) || (its.kind === "unknown" && its.lack === "output");

/** Reads the environment of a function as the function does. Lambda adds the Region to it. */
export async function configOf<T>(
  described: Found<FunctionConfiguration>,
  aws: AwsAccess,
  parse: (variables: Variables) => T,
): Promise<Found<T>> {
  if (described.kind === "unknown") return described;
  const { Environment: { Variables: variables = {} } = {} } = described.value;
  try {
    const region = await regionOf(new LambdaClient(aws));
    return known(parse({ ...variables, AWS_REGION: region }));
  } catch (cause) {
    return unknown(faultOf(cause).message, "correct the function's environment: deploy again");
  }
}
