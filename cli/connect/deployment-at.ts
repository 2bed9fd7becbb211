import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
} from "@aws-sdk/client-cloudformation";
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
import { type StackState, standingOf, stateOf } from "./stack-state.ts";

/** The parts of a cluster's deployment, each as far as it can be read. */
export interface DeploymentParts {
  readonly stack: string;
  readonly state: Found<StackState>;
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
  const described = await stackAt(stack, aws);
  const state =
    described.kind === "known" ? known(await stateOf(stack, described.value, aws)) : described;
  const output = outputsOf(described, state, stack);
  const its = await functionOf(output("FunctionName"), aws);
  const config = await configOf(its, aws, parseConfig);
  const { queueUrl: given } = where;
  const deployed = [output("QueueUrl"), mapped(config, ({ queueUrl }) => queueUrl)] as const;
  return {
    stack,
    state,
    output,
    function: its,
    config,
    queueUrl: given === undefined ? firstKnown(...deployed) : known(given),
    deadLettersUrl: firstKnown(
      output("DeadLettersUrl"),
      mapped(config, ({ deadLetterQueueUrl }) => deadLetterQueueUrl),
    ),
  };
}

const stackAt = async (StackName: string, aws: AwsAccess): Promise<Found<Partial<Stack>>> =>
  missingTold(
    StackName,
    await readFrom(`describing stack ${StackName}`, "cloudformation:DescribeStacks", async () => {
      const answer = await new CloudFormationClient(aws).send(
        new DescribeStacksCommand({ StackName }),
      );
      return answer.Stacks?.[0] ?? {};
    }),
  );

function outputsOf(
  described: Found<Partial<Stack>>,
  state: Found<StackState>,
  stack: string,
): OutputOf {
  if (described.kind === "unknown") return () => described;
  const { Outputs: outputs = [] } = described.value;
  const standing = state.kind === "known" ? standingOf(state.value) : undefined;
  return (name) => {
    if (standing?.kind === "absent") return unknown(standing.found, standing.remedy, "stack");
    // The outputs of an own stack have the path of the construct before their names, and a hash behind.
    // Those of upgrades and of repairs end like the others.
    const named = new RegExp(`(?<!Upgrade|Repair)${name}(?:[0-9A-F]{8})?$`);
    const found = outputs.find(({ OutputKey: key = "" }) => named.test(key));
    const value = found?.OutputValue ?? "";
    if (value !== "") return known(value);
    return unknown(
      `stack ${stack} has no output ${name}`,
      "name the right stack with --stack",
      "output",
    );
  };
}

/** A missing stack is neither a missing right nor an error: so it is before the first deployment. */
const missingTold = <T>(stack: string, read: Found<T>): Found<T> =>
  read.kind === "unknown" && read.lack === "object"
    ? unknown(
        `not deployed: there is no stack ${stack}`,
        "deploy it (docs/deploy.md), or name the stack of the deployment with --stack, or the Region (--region)",
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

/** True if the stack has no such function, or the function was deleted. */
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
    return unknown(
      faultOf(cause).message,
      "correct it in the function's environment, where somebody has changed it: a deployment of the same template changes nothing",
    );
  }
}
