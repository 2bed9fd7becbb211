import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  GetEventSourceMappingCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
} from "@aws-sdk/client-lambda";
import { batchSize, functionTimeoutSeconds } from "../../lambda/base/contract.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { isDeleted } from "../connect/deployment-at.ts";
import { everyOf, type Found, known, mapped, readFrom } from "../connect/found.ts";
import { type Present, readOn, readPresent } from "./reading.ts";
import type { Check, ExaminedSite } from "./site.ts";
import { type LinkVerdict, lost, type Problem, problemIf } from "./verdict.ts";

const responses = "ReportBatchItemFailures";

/** The deployed ends of a mapping. */
export interface MappingEnds {
  readonly queue: string;
  /** The name of the function, with its alias if it has one. */
  readonly name: string;
  /** The most batches in work at the same time. */
  readonly concurrency: number | "unknown";
}

/**
 * Judges the event source mapping from the queue to the function: all that `lambda:UpdateEventSourceMapping` may change of a
 * mapping of SQS, but for its metrics.
 */
export function mappingVerdict(
  { queue, name, concurrency }: MappingEnds,
  mapping: Present<EventSourceMappingConfiguration>,
): LinkVerdict {
  if (mapping === "gone") return lost("the event source mapping");
  const { State: state = "", EventSourceArn: from = "", UUID: id = "" } = mapping;
  const { FunctionResponseTypes: types = [], LastProcessingResult: last = "" } = mapping;
  const { MaximumBatchingWindowInSeconds: window = 0, BatchSize: size = batchSize } = mapping;
  const { FunctionArn: to = "", FilterCriteria: { Filters: filters = [] } = {} } = mapping;
  const { ScalingConfig: { MaximumConcurrency: most = "any number of" } = {} } = mapping;
  const { KMSKeyArn: key, FilterCriteriaError: unread, ProvisionedPollerConfig: own } = mapping;
  const called = to.split(":").slice(6);
  const update = `aws lambda update-event-source-mapping --uuid ${id}`;
  return {
    well: state,
    problems: [
      ...problemIf(
        !["Creating", "Enabled", "Enabling", "Updating"].includes(state),
        `event source mapping ${id} is ${state}, so the function gets no notice`,
        `${update} --enabled`,
      ),
      ...problemIf(
        from !== queue,
        `event source mapping ${id} reads ${from}, not ${queue}`,
        "delete the stack and deploy it again (docs/deploy.md#removing-it)",
      ),
      ...problemIf(
        called.join(":") !== name && called[0] !== name,
        `event source mapping ${id} gives notices to ${to}, not to ${name}`,
        `${update} --function-name ${name}`,
      ),
      ...problemIf(
        filters.length > 0,
        `event source mapping ${id} has a filter, and deletes what does not fit it`,
        `${update} --filter-criteria '{}'`,
      ),
      ...problemIf(
        filters.length === 0 && (key !== undefined || unread !== undefined),
        `event source mapping ${id} may have a filter that only readers of key ${key ?? "of it"} see, and deletes what does not fit it`,
        `${update} --filter-criteria '{}' --kms-key-arn ''`,
      ),
      ...problemIf(
        concurrency !== "unknown" && most !== concurrency,
        `event source mapping ${id} lets the function work on ${most} batches at the same time, not on ${concurrency}`,
        `${update} --scaling-config MaximumConcurrency=${concurrency}`,
      ),
      ...problemIf(
        own !== undefined,
        `event source mapping ${id} has pollers of its own, which cost money and know no limit of batches`,
        `${update} --provisioned-poller-config '{}'`,
      ),
      ...problemIf(
        size !== batchSize,
        `event source mapping ${id} gives the function ${size} messages at once, not ${batchSize}`,
        `${update} --batch-size ${batchSize} --maximum-batching-window-in-seconds 0`,
      ),
      ...problemIf(
        window > 0,
        `event source mapping ${id} gathers messages for up to ${window} s before the function gets them, and an interruption has two minutes`,
        `${update} --batch-size ${batchSize} --maximum-batching-window-in-seconds 0`,
      ),
      ...problemIf(
        !types.includes(responses),
        `event source mapping ${id} gives back whole batches, with notices that are done`,
        `${update} --function-response-types ${responses}`,
      ),
      ...problemIf(
        /^PROBLEM/.test(last),
        `event source mapping ${id} says: ${last}`,
        "correct what it names",
      ),
    ],
  };
}

export const mappingAt = (
  UUID: string,
  aws: AwsAccess,
): Promise<Found<Present<EventSourceMappingConfiguration>>> =>
  readPresent<EventSourceMappingConfiguration>(
    `reading mapping ${UUID}`,
    "lambda:GetEventSourceMapping",
    () => new LambdaClient(aws).send(new GetEventSourceMappingCommand({ UUID })),
  );

/** Checks that Lambda receives notices from the queue. */
export const mappingCheck: Check<"aws" | "parts"> = async ({ parts: { output }, aws }) => {
  const mapping = await readOn(output("MappingId"), (id) => mappingAt(id, aws));
  const read = everyOf([output("QueueArn"), output("FunctionName"), mapping]);
  const deployed = output("Concurrency");
  const concurrency = deployed.kind === "known" ? Number(deployed.value) : "unknown";
  return mapped(read, ([queue, name, its]) => mappingVerdict({ queue, name, concurrency }, its));
};

/** The runtime of the deployment. */
const runtime = "nodejs24.x";

/** Judges the function as Lambda describes it. */
export function functionVerdict(its: FunctionConfiguration): LinkVerdict {
  const { FunctionName: name = "", LastUpdateStatus: update = "", Timeout = 0 } = its;
  const { StateReason = "", LastUpdateStatusReason = "" } = its;
  const [state, has]: readonly [string, string] = [its.State ?? "", its.Runtime ?? ""];
  return {
    well: `${name}, ${state}, ${has}`,
    problems: [
      ...problemIf(
        !["Active", "Inactive", "Pending"].includes(state),
        `function ${name} is ${state} ${StateReason}`.trim(),
        "correct what Lambda names, or wait until the function is Active",
      ),
      ...problemIf(
        update === "Failed",
        `the last update of function ${name} failed: ${LastUpdateStatusReason}`,
        "correct what Lambda names, and deploy again",
      ),
      ...problemIf(
        Timeout < functionTimeoutSeconds,
        `function ${name} is ended after ${Timeout} s, and a pass may take ${functionTimeoutSeconds} s`,
        `aws lambda update-function-configuration --function-name ${name} --timeout ${functionTimeoutSeconds}`,
      ),
      ...problemIf(
        has !== runtime,
        `function ${name} runs on ${has}, and its code is for ${runtime}`,
        `aws lambda update-function-configuration --function-name ${name} --runtime ${runtime}`,
      ),
    ],
  };
}

/** The problem if somebody has stopped the function, as "Throttle" in the console of Lambda does. */
async function stopProblem(
  FunctionName: string,
  lambda: LambdaClient,
): Promise<readonly Problem[]> {
  const read = new GetFunctionConcurrencyCommand({ FunctionName });
  const { ReservedConcurrentExecutions: reserved } = await lambda.send(read);
  return problemIf(
    reserved === 0,
    `function ${FunctionName} has a reserved concurrency of 0, so Lambda never runs it and its notices wait`,
    `aws lambda delete-function-concurrency --function-name ${FunctionName} (with "reservedConcurrency" in the cluster's file: put-function-concurrency, with that number)`,
  );
}

/** Checks that the function exists, may run, and can read its configuration. */
export const functionCheck: Check = async (site) => {
  const { function: its } = site.parts;
  if (its.kind === "unknown") return isDeleted(its) ? known(lost("the function")) : its;
  const verdict = configuredVerdict(its.value, site);
  const { FunctionName: name = "" } = its.value;
  const stopped = await readFrom(
    `reading the concurrency of ${name}`,
    "lambda:GetFunctionConcurrency",
    () => stopProblem(name, new LambdaClient(site.aws)),
  );
  // A broken part counts before one that cannot be read.
  if (stopped.kind === "unknown" && verdict.problems.length > 0) return known(verdict);
  return mapped(stopped, (problems) => ({
    ...verdict,
    problems: [...problems, ...verdict.problems],
  }));
};

function configuredVerdict(
  its: FunctionConfiguration,
  { name, parts: { config, queueUrl } }: Pick<ExaminedSite, "name" | "parts">,
): LinkVerdict {
  const { well, problems } = functionVerdict(its);
  const read = config.kind === "known" ? config.value : undefined;
  return {
    well,
    problems: [
      ...problems,
      ...(config.kind === "known" ? [] : [{ found: config.why, remedy: config.remedy }]),
      ...problemIf(
        read !== undefined && read.clusterName !== name,
        `the function works for cluster ${read?.clusterName}, not for ${name}`,
        "name the right stack with --stack",
      ),
      ...problemIf(
        read !== undefined && queueUrl.kind === "known" && read.queueUrl !== queueUrl.value,
        `the function gives notices back to ${read?.queueUrl}, which is not its queue`,
        "correct QUEUE_URL in the function's environment",
      ),
    ],
  };
}
