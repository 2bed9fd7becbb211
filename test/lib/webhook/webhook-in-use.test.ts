import { App } from "aws-cdk-lib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ofKind } from "../../../journal/happening.ts";
import type { ClusterConfig } from "../../../lib/cluster-file/cluster-config-schema.ts";
import { NodeLifecycleStack } from "../../../lib/node-lifecycle-stack.ts";
import { budgets } from "../../../sandbox/kubernetes/budget.ts";
import { type Sandbox, startSandbox } from "../../../sandbox/sandbox.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { nodeOf } from "../../../sandbox/scenarios/demo-ng-group.ts";
import { blockNginx } from "../../../sandbox/scenarios/demo-ng-workloads.ts";
import { deployTemplate } from "../../../sandbox/stack/deploy-template.ts";
import type { StackTemplate } from "../../../sandbox/stack/template-schema.ts";
import { takes, webhookReceiver } from "../../support/webhook-receiver.ts";
import { deployable } from "../deployable.ts";
import { sample } from "../synthesised.ts";
import { sampleInstances, usedScenario } from "../used-scenario.ts";

type Webhook = NonNullable<ClusterConfig["webhook"]>;

const { account } = terminateAction;
const secretArn = `arn:aws:secretsmanager:${account.region}:${account.id}:secret:drains-a1B2c3`;
const patience = { timeout: 110_000, interval: 100 };

function functionIn({ Resources }: StackTemplate, name: RegExp) {
  for (const [id, { Type, Properties }] of Object.entries(Resources))
    if (Type === "AWS::Lambda::Function" && name.test(id)) return Properties;
  throw new Error(`no function ${name}`);
}

/** Drains a node in passes of five seconds, in a deployment that tells a webhook. */
async function drained(form: Omit<Webhook, "secretArn">, { answer = takes, budget = "none" } = {}) {
  const webhook = await webhookReceiver(answer);
  const app = new App({ outdir: webhook.folder });
  const stack = new NodeLifecycleStack(app, "Sample", {
    ...sample,
    cluster: { ...sample.cluster, region: account.region },
    events: { ...sample.events, removeNode: "never" },
    webhook: { ...form, secretArn },
  });
  const synthesised = deployable(app, stack);
  // What a pass leaves of an invocation is 45 s.
  Object.assign(functionIn(synthesised.template, /NodeFunction/), { Timeout: 50 });
  const { Environment } = functionIn(synthesised.template, /WebhookFunction/);
  Object.assign(Object(Environment).Variables, { NODE_EXTRA_CA_CERTS: webhook.authorityFile });
  const sandbox = await startSandbox(usedScenario(synthesised.template), (world) =>
    deployTemplate(synthesised, world),
  );
  onTestFinished(() => sandbox.close());
  sandbox.aws.records.secrets.set(secretArn, webhook.url);
  if (budget === "closed") blockNginx(sandbox.cluster);
  sandbox.aws.autoScaling.terminate(sampleInstances.leaving.id, {});
  return { ...webhook, sandbox };
}

const isReleased = ({ aws }: Sandbox) =>
  vi.waitFor(
    () =>
      expect(aws.autoScaling.actions()).toMatchObject([
        { end: { kind: "ended", result: "CONTINUE", by: "call" } },
      ]),
    patience,
  );

const forms: readonly Omit<Webhook, "secretArn">[] = [
  { format: "slack" },
  { format: "teams" },
  { format: "json", template: { say: ["{{kind}}", "{{title}}: {{text}}", "{{advice}}"] } },
];
const budgetText =
  "budget demo/nginx-demo (4 healthy of 4 desired, 0 disruptions allowed) holds 1 pod";

/** What a webhook is told of a drain that a budget holds up for several passes. */
async function toldOf(form: Omit<Webhook, "secretArn">) {
  const { sandbox, received } = await drained(form, { budget: "closed" });
  const held = () => ofKind(sandbox.happenings(), "pods-held");
  const told = () => received.map(({ body }) => body);
  await vi.waitFor(() => expect(told().join()).toContain("is held up"), patience);
  await vi.waitFor(() => expect(held().length).toBeGreaterThan(1), patience);
  sandbox.cluster.store.remove({ resource: budgets, namespace: "demo", name: "nginx-demo" });
  await isReleased(sandbox);
  await vi.waitFor(() => expect(told().join()).toContain("is over"), patience);
  expect(JSON.stringify(sandbox.happenings())).not.toContain("hush-hush");
  return told();
}

describe("the webhook's function, deployed in the sandbox", () => {
  it("tells the start, the first block and the end of a drain of several passes, once each, in every form", async () => {
    const told = await Promise.all(forms.map(toldOf));
    const whole = [
      expect.stringContaining(
        `The drain of node ${nodeOf(sampleInstances.leaving)} started (cluster sample)`,
      ),
      expect.stringContaining(budgetText),
      expect.stringMatching(/no pod holds the node any more \(drained, after \d+ s\)/),
    ];
    expect(told).toEqual([whole, whole, whole]);
    const kinds = [
      /^{"text":.*"blocks":/,
      /^{"type":"message",.*AdaptiveCard/,
      /^{"say":\["start",/,
    ];
    for (const [index, kind] of kinds.entries()) expect(told[index]?.[0]).toMatch(kind);
  });

  it("holds no drain up when the webhook does not answer", async () => {
    const { sandbox, received } = await drained({ format: "slack" }, { answer: () => undefined });
    await isReleased(sandbox);
    expect(ofKind(sandbox.happenings(), "fault")).toEqual([]);
    await vi.waitFor(() => expect(received).not.toEqual([]), patience);
  });
});
