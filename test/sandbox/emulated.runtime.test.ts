import { existsSync } from "node:fs";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { groupName } from "../../lambda/base/ids.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import { upgradeMessage } from "../../lambda/upgrade/upgrade-message.ts";
import { NodeLifecycleStack } from "../../lib/node-lifecycle-stack.ts";
import { groupDefaults } from "../../sandbox/aws/group.ts";
import type { InvocationResult } from "../../sandbox/lambda/invocation.ts";
import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { populateWorkloads } from "../../sandbox/scenarios/demo-ng-workloads.ts";
import { AccessServer } from "../aws/access-server.ts";
import { deployable } from "../lib/deployable.ts";
import { aGroupInUse } from "../lib/group-in-use.ts";
import { sample } from "../lib/synthesised.ts";
import { sampleInstances } from "../lib/used-scenario.ts";
import { aServedAccount } from "../support/aws-account.ts";
import { runtimeEmulator } from "../support/foreign-runtime.ts";
import { serve } from "../support/loopback.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";
import { aBundle, bundles, saysWhatIsMissing } from "./a-bundle.ts";

const { account } = terminateAction;
const patience = { timeout: 110_000, interval: 100 };
const image = "ami-0fedcba9876543210";

/** The stack of the sample with every function that works by itself, deployed, and the answers to each queue's batches. */
async function everyFunction() {
  const webhook = await webhookReceiver();
  const secretArn = `arn:aws:secretsmanager:${account.region}:${account.id}:secret:drains-a1B2c3`;
  const app = new App({ outdir: webhook.folder });
  const stack = new NodeLifecycleStack(app, "Sample", {
    ...sample,
    cluster: { ...sample.cluster, region: account.region },
    events: { ...sample.events, removeNode: "never" },
    launchTemplateIds: [groupDefaults.template.id],
    launchTemplateVersions: "made",
    repairs: "on",
    upgrades: "on",
    webhook: { secretArn, format: "slack" },
  });
  const synthesised = deployable(app, stack);
  const resources = Object.entries(synthesised.template.Resources);
  const named = (type: string, id: RegExp): string =>
    resources.find(([name, { Type }]) => Type === type && id.test(name))?.[0] ?? "";
  const teller = named("AWS::Lambda::Function", /WebhookFunction/);
  const { Environment } = synthesised.template.Resources[teller]?.Properties ?? {};
  Object.assign(Object(Environment).Variables, { NODE_EXTRA_CA_CERTS: webhook.authorityFile });
  const used = await aGroupInUse(synthesised);
  used.aws.records.secrets.set(secretArn, webhook.url);
  const queue = (id: RegExp) => named("AWS::SQS::Queue", id);
  const answersFrom = (name: string): readonly InvocationResult[] => {
    const answers: InvocationResult[] = [];
    used.deployment.mapping(name).onBatch((_, result) => void answers.push(result));
    return answers;
  };
  return { ...used, queue, named, answersFrom, received: webhook.received };
}

type Every = Awaited<ReturnType<typeof everyFunction>>;

const answer = (...handedBack: readonly unknown[]) => ({
  kind: "ok",
  payload: { batchItemFailures: handedBack },
});

describe.skipIf(!existsSync(runtimeEmulator))(
  "in Lambda's emulator, which has AWS' runtime client in it,",
  () => {
    beforeAll(() => {
      const client = join(import.meta.dirname, "../support/emulated-client.ts");
      vi.stubEnv("LAMBDA_RUNTIME_CLIENT", client);
    });
    afterAll(() => void vi.unstubAllEnvs());

    it.each(bundles)(
      "the %s function fails without what it works with, at each invocation, and says what is missing",
      async (name, said) => {
        await saysWhatIsMissing(name, said);
      },
    );

    it("the access function gives its rights in a cluster, and answers CloudFormation with the id of what it has made", async () => {
      const { aws, server, key } = await aServedAccount();
      const api = new AccessServer();
      const { url, certificateAuthority = "", close } = await serve("h2", api.answer);
      const clusterName = "demo";
      aws.eks.createCluster({
        name: clusterName,
        version: "1.36",
        endpoint: url.href,
        certificateAuthority,
        authenticationMode: "API",
      });
      const environment = { AWS_ENDPOINT_URL: server.url };
      const { service } = aBundle("access", { environment, key });

      const made = await service.invoke({
        RequestType: "Create",
        StackId: "arn:aws:cloudformation:eu-west-1:123456789012:stack/Sample/1a2b",
        LogicalResourceId: "Rights",
        ResourceProperties: {
          ClusterName: clusterName,
          AwsAuth: "none",
          Force: "never",
          OwnTaint: "",
        },
      });

      expect(made).toEqual({
        kind: "ok",
        payload: { PhysicalResourceId: "eks-node-lifecycle-access-to-demo" },
      });
      const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/eks-node-lifecycle";
      expect(api.asked).toContain(`APPLY ${role}`);
      close();
    });

    it("the hooks function gives a group its hook, and takes it back", async () => {
      const { aws, server, key } = await aServedAccount();
      aws.autoScaling.createGroup({ name: "workers", zones: ["eu-west-1a"] });
      const TopicArn = aws.sns.createTopic("notices");
      const hooks = () =>
        aws.autoScaling.register.findGroup("workers").hooks.map(({ name }) => name);
      const environment = { AWS_ENDPOINT_URL: server.url };
      const { service } = aBundle("hooks", { environment, key });
      const ask = (RequestType: string) =>
        service.invoke({
          RequestType,
          ResourceProperties: {
            Groups: ["workers"],
            Heartbeat: "1800",
            TopicArn,
            RoleArn: "arn:aws:iam::123456789012:role/hooks",
            Hooks: [{ Name: "Launch", Transition: "autoscaling:EC2_INSTANCE_LAUNCHING" }],
          },
        });

      expect(await ask("Create")).toEqual({ kind: "ok", payload: {} });
      expect(hooks()).toEqual(["Launch"]);
      expect(await ask("Delete")).toEqual({ kind: "ok", payload: {} });
      expect(hooks()).toEqual([]);
    });

    it("the functions that have queues answer their batches, and the webhook's tells of the drain", async () => {
      const every = await everyFunction();
      await drains(every);
      await surveys(every);
      await begins(every);
      expect(JSON.stringify(every.happenings())).not.toMatch(/denied|forbidden/i);
    });
  },
);

/** The node function drains the node of an instance that is to end. */
async function drains({ aws, cluster, queue, answersFrom, received }: Every): Promise<void> {
  populateWorkloads(cluster, sampleInstances, ["leaving", "neighbour", "farther"]);
  const answers = answersFrom(queue(/InboxQueue/));
  aws.autoScaling.terminate(sampleInstances.leaving.id, {});
  const actions = () => aws.autoScaling.actions().map(({ end }) => end);
  const ended = { kind: "ended", result: "CONTINUE", by: "call" };
  await expect.poll(actions, patience).toContainEqual(expect.objectContaining(ended));
  await expect.poll(() => answers, patience).toContainEqual(answer());
  await expect.poll(() => received.map(({ body }) => body).join(), patience).toContain("is over");
}

/** The repair function reads the nodes when its schedule asks, and finds none that is ill. */
async function surveys({ put, queue, named, answersFrom }: Every): Promise<void> {
  const answers = answersFrom(queue(/RepairsPassesQueue/));
  const schedule = named("AWS::Events::Rule", /RepairsSchedule/);
  put({
    source: "aws.events",
    "detail-type": "Scheduled Event",
    time: new Date().toISOString(),
    resources: [`arn:aws:events:${account.region}:${account.id}:rule/${schedule}`],
  });
  await expect.poll(() => answers, patience).toEqual([answer()]);
}

/** The upgrade function begins an upgrade, and hands its message back to the queue for the next pass. */
async function begins({ aws, deployment, queue, answersFrom }: Every): Promise<void> {
  aws.records.addImage(image);
  const name = queue(/UpgradesCommandsQueue/);
  const answers = answersFrom(name);
  const command = { kind: "start", id: "0badcafe", group: groupName("workers") } as const;
  const body = upgradeMessage({ ...command, to: { kind: "image", image }, options: usualOptions });
  deployment.queue(name).send({ body, senderId: "", attributes: {}, traceHeader: "" });
  const group = () => aws.autoScaling.register.findGroup("workers");
  await expect.poll(() => group().desired, patience).toBeGreaterThan(3);
  const handedBack = { itemIdentifier: expect.any(String) };
  await expect.poll(() => answers, patience).toContainEqual(answer(handedBack));
}
