import { expect, it, onTestFinished } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import { queueDefaults } from "../../sandbox/aws/queue.ts";
import { type DeploymentSpec, deploy, type FunctionToDeploy } from "../../sandbox/deployment.ts";
import type { FunctionSettings } from "../../sandbox/lambda/lambda-service.ts";
import { usualMapping } from "../../sandbox/queue-function.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { account, start } from "../support/aws-account.ts";

const names = ["first", "second"];

/** Two functions, each with a queue and a topic of its name; both share one dead-letter queue. */
function aDeployment() {
  const events: [name: string, event: unknown][] = [];
  const started: FunctionSettings[] = [];
  const aFunction = (name: string): FunctionToDeploy => ({
    name,
    role: "worker",
    timeout: seconds(10),
    memory: 128,
    concurrency: 1,
    environment: ({ queueUrl }) => ({ QUEUE_URL: queueUrl(name) }),
    code: (settings) => {
      started.push(settings);
      const invoke = async (event: unknown) => {
        events.push([name, event]);
        return { kind: "ok", payload: null } as const;
      };
      return { invoke, crash: () => 0, close: () => undefined };
    },
  });
  const redrive = { kind: "dead-letters", to: "dead", maxReceives: 3 } as const;
  const spec: DeploymentSpec = {
    roles: [{ name: "worker", path: "/" }],
    queues: [
      ...names.map((name) => ({ ...queueDefaults, name, redrive })),
      { ...queueDefaults, name: "dead" },
    ],
    topics: names.map((name) => ({ name, subscriptions: [{ queue: name, delivery: "raw" }] })),
    functions: names.map(aFunction),
    mappings: names.map((name) => ({ queue: name, function: name, settings: usualMapping })),
  };
  const aws = new Aws(new VirtualTimeline(start), account);
  const addresses = { url: "http://aws", queueUrl: (name: string) => `http://aws/${name}` };
  const deployment = deploy(spec, { aws, addresses, log: () => undefined });
  onTestFinished(() => deployment.stop());
  const publish = (topic: string, message: string) =>
    aws.sns.publish(deployment.topic(topic).arn, { subject: "", message });
  return { deployment, events, started, publish };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((next) => setImmediate(next));
};

it("a deployment gives each function the messages of its own queue, and an environment of its own", async () => {
  const { deployment, events, started, publish } = aDeployment();
  deployment.start();
  publish("second", "two");
  publish("first", "one");
  await turns();

  expect(events).toMatchObject([
    ["second", { Records: [{ body: "two" }] }],
    ["first", { Records: [{ body: "one" }] }],
  ]);
  expect(started.map(({ environment }) => environment)).toEqual([
    { QUEUE_URL: "http://aws/first", AWS_ENDPOINT_URL: "http://aws" },
    { QUEUE_URL: "http://aws/second", AWS_ENDPOINT_URL: "http://aws" },
  ]);
  expect(names.map((name) => deployment.queue(name).contents())).toEqual([[], []]);
});

it("a deployment lists its queues and functions when a caller names an unknown one", () => {
  const { deployment } = aDeployment();
  expect(() => deployment.queue("third")).toThrow(
    "no queue third is deployed; there are: dead, first, second",
  );
  expect(() => deployment.function("third")).toThrow(
    "no function third is deployed; there are: first, second",
  );
});
