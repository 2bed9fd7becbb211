import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { expect, it, onTestFinished, vi } from "vitest";
import { functionCode } from "../../lib/function/function-code.ts";
import { QueueFunction } from "../../lib/function/queue-function.ts";
import { WorkQueue } from "../../lib/function/work-queue.ts";
import { buildFunctions, functionNames } from "../../tools/bundle/build-functions.ts";
import { projectCopy } from "../bundle/temporary-project.ts";
import { deployable, logicalId } from "./deployable.ts";
import { deployedAlone } from "./deployed-alone.ts";

const source = `
import { SQSClient } from "@aws-sdk/client-sqs";
import { awsClientOptions } from "./aws/aws-client-options.ts";
import { SqsInbox } from "./aws/sqs-queue.ts";
import { systemClock as clock } from "./process/system-clock.ts";
import { readRegion } from "./config/config.ts";
import { seconds } from "./base/time.ts";
import { deliveries } from "./notice/deliveries.ts";
import { queueHandler } from "./notice/queue-handler.flow.ts";

const { QUEUE_URL: queueUrl, DEAD_LETTER_QUEUE_URL: deadLetterQueueUrl } = process.env;
export const handler = queueHandler({
  read: (event) => deliveries(event, { reader: (value) => value, roleId: process.env.ROLE_ID }),
  work: {
    pass: seconds(1),
    isTriedEnough: ({ receives }) => receives >= 10,
    run: async () => ({ kind: "done", outcome: "greeted" }),
    subjectOf: () => ({}),
    startEntry: ({ content }) => ({ begun: content }),
    endEntry: (content, outcome) => ({ [outcome]: content }),
    settled: async () => undefined,
  },
  inbox: new SqsInbox(new SQSClient(awsClientOptions(readRegion())), { queueUrl, deadLetterQueueUrl }),
  clock,
  journal: { record: (entry) => console.log(JSON.stringify(entry)) },
  timeKnown: async () => undefined,
});
`;

it("a second function answers the messages of its own queue, from handler to template to sandbox", async () => {
  const { root, remove } = projectCopy();
  onTestFinished(remove);
  for (const other of functionNames(root)) rmSync(join(root, "lambda", `${other}-handler.ts`));
  writeFileSync(join(root, "lambda", "greeting-handler.ts"), source);
  await buildFunctions({ root });
  const [app, code] = [new App(), functionCode("greeting", join(root, "dist"))];
  const stack = new Stack(app, "Second");
  const queue = new WorkQueue(stack, "Greetings");
  new QueueFunction(stack, "Greeter", { queue, code, description: "Greets" });

  const { deployment, lines } = await deployedAlone(deployable(app, stack));
  const greetings = deployment.queue(logicalId(queue.queue));
  for (const body of ['"world"', "no JSON"])
    greetings.send({ body, senderId: "", attributes: {}, traceHeader: "" });

  await vi.waitFor(() => expect(greetings.contents()).toEqual([]), { timeout: 100_000 });
  expect(lines.join()).toContain('{"greeted":"world","messageId":');
  expect(deployment.queue(logicalId(queue.deadLetters)).contents()).toMatchObject([
    { message: { body: "no JSON" } },
  ]);
});
