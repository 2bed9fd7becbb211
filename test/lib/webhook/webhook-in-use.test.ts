import { App } from "aws-cdk-lib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ClusterConfig } from "../../../lib/cluster-file/cluster-config-schema.ts";
import { NodeLifecycleStack } from "../../../lib/node-lifecycle-stack.ts";
import { startSandbox } from "../../../sandbox/sandbox.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { blockNginx } from "../../../sandbox/scenarios/demo-ng-workloads.ts";
import { deployTemplate } from "../../../sandbox/stack/deploy-template.ts";
import type { StackTemplate } from "../../../sandbox/stack/template-schema.ts";
import { type Answer, takes, webhookReceiver } from "../../webhook-receiver.ts";
import { deployable } from "../deployable.ts";
import { sample } from "../synthesised.ts";
import { fleet, usedScenario } from "../used-scenario.ts";

type Webhook = NonNullable<ClusterConfig["webhook"]>;

const { account } = terminateAction;
const secretArn = `arn:aws:secretsmanager:${account.region}:${account.id}:secret:drains-a1B2c3`;
const patience = { timeout: 110_000, interval: 100 };

function variablesOf({ Resources }: StackTemplate, name: RegExp) {
  for (const [id, { Type, Properties }] of Object.entries(Resources))
    if (Type === "AWS::Lambda::Function" && name.test(id)) return Properties;
  throw new Error(`no function ${name}`);
}

/** Drains a node behind a budget that lets no pod go, which the drain forces after half a minute, in passes of five seconds. */
async function drained(form: Omit<Webhook, "secretArn">, answer: Answer = takes) {
  const webhook = await webhookReceiver(answer);
  const app = new App();
  const stack = new NodeLifecycleStack(app, "Sample", {
    ...sample,
    cluster: { ...sample.cluster, region: account.region },
    events: { ...sample.events, removeNode: "never" },
    drain: { ...sample.drain, timeoutSeconds: 30 },
    webhook: { ...form, secretArn },
  });
  const synthesised = deployable(app, stack);
  Object.assign(variablesOf(synthesised.template, /NodeFunction/), { Timeout: 50 });
  const { Environment } = variablesOf(synthesised.template, /WebhookFunction/);
  Object.assign(Object(Environment).Variables, { NODE_EXTRA_CA_CERTS: webhook.authorityFile });
  const sandbox = await startSandbox(usedScenario(synthesised.template), (world) =>
    deployTemplate(synthesised, world),
  );
  onTestFinished(() => sandbox.close());
  sandbox.aws.secrets.put(secretArn, webhook.url);
  blockNginx(sandbox.cluster);
  sandbox.aws.autoScaling.terminate(fleet.leaving.id, {});
  return { ...webhook, sandbox };
}

const isReleased = ({ sandbox }: Awaited<ReturnType<typeof drained>>) =>
  vi.waitFor(
    () =>
      expect(sandbox.aws.autoScaling.actions()).toMatchObject([
        { end: { kind: "ended", result: "CONTINUE", by: "call" } },
      ]),
    patience,
  );

describe("the webhook's function, deployed in the sandbox", () => {
  it.each<[Webhook["format"], Partial<Webhook>]>([
    ["slack", {}],
    ["teams", {}],
    ["json", { template: { say: "{{kind}}: {{title}}. {{text}}. {{advice}}" } }],
  ])(
    "tells the start, the first block and the end of a drain of several passes, once each: %s",
    async (format, more) => {
      const used = await drained({ format, ...more });
      await isReleased(used);
      await vi.waitFor(() => expect(used.received).toHaveLength(3), patience);
      const told = used.received.map(({ body }) => body);
      console.log(told);
      expect(told).toHaveLength(3);
    },
  );
});
