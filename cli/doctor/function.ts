import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  GetEventSourceMappingCommand,
  LambdaClient,
} from "@aws-sdk/client-lambda";
import { functionTimeoutSeconds } from "../../lambda/base/contract.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { isDeleted } from "../connect/deployment-at.ts";
import { everyOf, type Found, known, mapped } from "../connect/found.ts";
import { type Present, readOn, readPresent } from "./reading.ts";
import type { Check } from "./site.ts";
import { type LinkVerdict, lost, problemIf } from "./verdict.ts";

const responses = "ReportBatchItemFailures";

/** Judges the event source mapping from the queue to the function. */
export function mappingVerdict(
  { queue, name }: Readonly<Record<"name" | "queue", string>>,
  mapping: Present<EventSourceMappingConfiguration>,
): LinkVerdict {
  if (mapping === "gone") return lost("the event source mapping");
  const { State: state = "", EventSourceArn: from = "", UUID: id = "" } = mapping;
  const { FunctionResponseTypes: types = [], LastProcessingResult: last = "" } = mapping;
  const { FunctionArn: to = "", FilterCriteria: { Filters: filters = [] } = {} } = mapping;
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
  return mapped(read, ([queue, name, its]) => mappingVerdict({ queue, name }, its));
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

/** Checks that the function exists, can run, and can read its configuration. */
export const functionCheck: Check = async ({ name, parts }) => {
  const { function: its, config, queueUrl } = parts;
  if (its.kind === "unknown") return isDeleted(its) ? known(lost("the function")) : its;
  const { well, problems } = functionVerdict(its.value);
  const read = config.kind === "known" ? config.value : undefined;
  return known({
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
  });
};
