import { gzipSync } from "node:zlib";
import { type LogEvent, takenBy } from "../aws/log-groups.ts";
import type { Deployment } from "../deployment.ts";
import type { InvocationResult, RunningFunction } from "../lambda/invocation.ts";
import type { Stack } from "./stack-policies.ts";
import { properties } from "./template-schema.ts";

/** Brings the lines that each subscription filter takes to its function, as CloudWatch Logs does if it has the permission. */
export function subscribeToLogs({ aws, resources, names }: Stack, deployment: Deployment): void {
  const permissions = resources.of("AWS::Lambda::Permission", properties.functionPermission);
  for (const { its } of resources.of(
    "AWS::Logs::SubscriptionFilter",
    properties.subscriptionFilter,
  )) {
    const group = names.text(its.LogGroupName);
    const target = names.idOf(its.DestinationArn);
    const isPermitted = permissions.some(
      ({ its: { Action, FunctionName, Principal, SourceArn } }) =>
        Action === "lambda:InvokeFunction" &&
        Principal === "logs.amazonaws.com" &&
        names.idOf(FunctionName) === target &&
        names.text(SourceArn) === names.arn(group),
    );
    if (!isPermitted) throw new Error(`CloudWatch Logs may not invoke ${target}`);
    subscribe(deployment.function(target), takenBy(its.FilterPattern), (hear) =>
      aws.logs.subscribe(group, hear),
    );
  }
}

/** Lines that come while a batch is under way are the next batch. */
function subscribe(
  target: RunningFunction,
  takes: (line: string) => boolean,
  listen: (hear: (event: LogEvent) => void) => void,
): void {
  const waiting: LogEvent[] = [];
  let last: Promise<void> = Promise.resolve();
  listen((event) => {
    if (!takes(event.message) || waiting.push(event) > 1) return;
    last = last.then(() => deliver(target, waiting.splice(0)));
  });
}

// Lambda tries an asynchronous invocation three times in all; it waits for a minute and then for two, and the sandbox does not.
const tries = 3;

async function deliver(target: RunningFunction, events: readonly LogEvent[]): Promise<void> {
  for (let count = 0; count < tries; count += 1) {
    const result: InvocationResult = await target.invoke(eventOf(events));
    if (result.kind === "ok") return;
  }
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html#LambdaFunctionExample */
function eventOf(events: readonly LogEvent[]): object {
  const logEvents = events.map(({ id, at: timestamp, message }) => ({ id, timestamp, message }));
  const batch = { messageType: "DATA_MESSAGE", logEvents };
  return { awslogs: { data: gzipSync(JSON.stringify(batch)).toString("base64") } };
}
