import { readFileSync } from "node:fs";
import { CreateAccessEntryCommand, EKSClient } from "@aws-sdk/client-eks";
import { App } from "aws-cdk-lib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AccessEntries } from "../../lambda/aws/access-entries.ts";
import { hours } from "../../lambda/base/time.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { NodeLifecycleStack } from "../../lib/node-lifecycle-stack.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { startAwsServer } from "../../sandbox/servers/aws-server.ts";
import { deployTemplate } from "../../sandbox/stack/deploy-template.ts";
import type { BusEvent, PutEvent } from "../../sandbox/stack/stack-rules.ts";
import type { StackTemplate } from "../../sandbox/stack/template-schema.ts";
import { deployable } from "./deployable.ts";
import { sample } from "./synthesised.ts";
import { sampleInstances, usedScenario } from "./used-scenario.ts";

const { account } = terminateAction;
const app = new App();
const stack = new NodeLifecycleStack(app, "Sample", {
  ...sample,
  cluster: { ...sample.cluster, region: account.region },
  events: { ...sample.events, removeNode: "never" }, // or the notice of each drain comes back once, after a minute
});
const { template: synthesised, bundle } = deployable(app, stack);

/** The template as it was synthesised, or with something broken in it. */
function template(breaking: (resources: StackTemplate["Resources"]) => void = () => undefined) {
  const copy = structuredClone(synthesised);
  breaking(copy.Resources);
  return copy;
}

const { leaving } = sampleInstances;
const hook = "Terminate-LC-Hook";

let sandbox: Sandbox | undefined;
let server: Awaited<ReturnType<typeof startAwsServer>> | undefined;
afterEach(async () => {
  await server?.close();
  await sandbox?.close();
  server = undefined;
  sandbox = undefined;
});

/** Deploys a template and terminates an instance of its group. */
async function terminated(deployed: StackTemplate): Promise<Sandbox> {
  const deploy = deployTemplate.bind(undefined, { template: deployed, bundle });
  sandbox = await startSandbox(usedScenario(deployed), deploy);
  sandbox.aws.autoScaling.terminate(leaving.id, {});
  return sandbox;
}

/** Deploys a template, for EKS to be asked with the node function's role and no more. */
async function asNodeFunction(deployed: StackTemplate) {
  const { aws } = await terminated(deployed);
  const { name: functionRole } = the(deployed.Resources, "AWS::IAM::Role", /NodeRole/);
  const role = aws.iam.tryFindRole(`arn:aws:iam::${account.id}:role/${functionRole}`);
  if (role === undefined) throw new Error("no role");
  const credentials = aws.keys.assume({ role, sessionName: "function", duration: hours(1) });
  server = await startAwsServer(aws);
  const eks = new EKSClient({ endpoint: server.url, region: account.region, credentials });
  const entries = new AccessEntries({ eks, clusterName: "sample", clock: systemClock });
  return { aws, eks, entries, nodeRole: aws.iam.createRole({ name: "nodes", path: "/" }).arn };
}

const terminating = ({ aws }: Sandbox) =>
  aws.autoScaling.actions().filter((action) => action.hook.name === hook);

const said = ({ happenings }: Sandbox): string => JSON.stringify(happenings());

const queueOf =
  (id: RegExp) =>
  ({ deployment }: Sandbox) =>
    deployment.queue(the(template().Resources, "AWS::SQS::Queue", id).name);
const inbox = queueOf(/InboxQueue/);
const deadLetters = queueOf(/InboxDeadLetters/);

const patience = { timeout: 100_000, interval: 100 };

describe("the synthesised template, deployed in the sandbox", () => {
  it("drains the node of a terminating instance, from hook to topic to queue to function", async () => {
    const used = await terminated(template());
    expect(inbox(used).contents()).not.toEqual([]);

    await vi.waitFor(
      () =>
        expect(terminating(used)).toMatchObject([
          { end: { kind: "ended", result: "CONTINUE", by: "call" } },
        ]),
      patience,
    );
    expect(
      used.cluster.audit.filter(
        ({ verb, objectRef }) => verb === "create" && objectRef?.subresource === "eviction",
      ),
    ).toHaveLength(2);
    await vi.waitFor(() => expect(inbox(used).contents()).toEqual([]), patience);
    expect(deadLetters(used).contents()).toEqual([]);
    expect(inbox(used).settings.visibility).toBe(130_000);
  });
});

describe("the node function's role, deployed in the sandbox", () => {
  it.each(["linux", "windows"] as const)(
    "lets the role of a new node in by an access entry for nodes: %s",
    async (platform) => {
      const { entries, nodeRole } = await asNodeFunction(template());
      const access = await entries.register({ arn: nodeRole, platform });
      expect(access).toMatchObject({ by: "access-entry", change: "added" });
    },
  );

  it("may let in no other role than those in nodeRoleArns", async () => {
    const nodeRoleArns = [`arn:aws:iam::${account.id}:role/nodes`];
    const named = new App();
    const its = new NodeLifecycleStack(named, "Named", {
      ...sample,
      cluster: { ...sample.cluster, region: account.region },
      nodeRoleArns,
    });
    const { aws, eks, entries, nodeRole } = await asNodeFunction(deployable(named, its).template);
    await expect(entries.register({ arn: nodeRole, platform: "linux" })).resolves.toMatchObject({
      change: "added",
    });
    const { arn: principalArn } = aws.iam.createRole({ name: "other", path: "/" });
    const entry = { clusterName: "sample", principalArn, type: "EC2_LINUX" };
    await expect(eks.send(new CreateAccessEntryCommand(entry))).rejects.toThrow(
      "is not authorized to perform: eks:CreateAccessEntry",
    );
  });

  it.each([
    ["of type STANDARD", "STANDARD"],
    ["of type FARGATE_LINUX", "FARGATE_LINUX"],
    ["that says no type", undefined],
  ])("may make no access entry for anybody but nodes of EC2, such as one %s", async (_, type) => {
    const { eks, nodeRole: principalArn } = await asNodeFunction(template());
    const entry = { clusterName: "sample", principalArn, kubernetesGroups: ["admins"], type };
    await expect(eks.send(new CreateAccessEntryCommand(entry))).rejects.toMatchObject({
      name: "AccessDeniedException",
      message: expect.stringContaining("is not authorized to perform: eks:CreateAccessEntry"),
    });
  });
});

interface Properties {
  Environment?: unknown;
  PolicyDocument?: unknown;
  VisibilityTimeout?: unknown;
}

/** The only resource of a type whose logical ID fits. */
function the(resources: StackTemplate["Resources"], type: string, id = /./) {
  const found = Object.entries(resources).filter(
    ([name, { Type }]) => Type === type && id.test(name),
  );
  const [[name, resource] = ["", undefined]] = found;
  if (found.length !== 1 || resource === undefined) throw new Error(`${found.length} of ${type}`);
  return { name, properties: resource.Properties as Properties };
}

/** Takes an action out of a role's policy. */
const without = (role: RegExp, action: string) => (resources: StackTemplate["Resources"]) => {
  const { properties } = the(resources, "AWS::IAM::Policy", role);
  const document = JSON.stringify(properties.PolicyDocument);
  if (!document.includes(`"${action}"`)) throw new Error(`no policy says ${action}`);
  properties.PolicyDocument = JSON.parse(document.replaceAll(`"${action}"`, `"none:Nothing"`));
};

describe("a template with a broken link", () => {
  it("without the subscription leaves the instance held, and the queue never hears of it", async () => {
    const used = await terminated(
      template((resources) => {
        delete resources[the(resources, "AWS::SNS::Subscription").name];
      }),
    );
    expect(terminating(used)).toMatchObject([{ end: { kind: "open" } }]);
    expect(inbox(used).contents()).toEqual([]);
  });

  it("with a wrong environment key stops the function at its start, which names the key", async () => {
    const used = await terminated(
      template((resources) => {
        const { properties } = the(resources, "AWS::Lambda::Function", /NodeFunction/);
        const environment = JSON.stringify(properties.Environment);
        properties.Environment = JSON.parse(environment.replace("QUEUE_URL", "QUEUE"));
      }),
    );
    await vi.waitFor(() => expect(said(used)).toContain("config.invalid"), patience);
    expect(terminating(used)).toMatchObject([{ end: { kind: "open" } }]);
  });

  it("whose function may not do its work is refused there with AccessDenied", async () => {
    const action = "autoscaling:DescribeAutoScalingInstances";
    const used = await terminated(template(without(/NodeRole/, action)));
    await vi.waitFor(() => {
      expect(said(used)).toContain("aws.denied");
      expect(said(used)).toContain(`is not authorized to perform: ${action}`);
    }, patience);
    expect(terminating(used)).toMatchObject([{ end: { kind: "open" } }]);
  });

  it("whose hooks may not use the key is refused by Auto Scaling", async () => {
    await expect(terminated(template(without(/HooksRole/, "kms:Decrypt")))).rejects.toThrow(
      "Unable to publish test message to notification target",
    );
  });

  it("without the access entry finds the cluster closed", async () => {
    const used = await terminated(
      template((resources) => {
        delete resources[the(resources, "AWS::EKS::AccessEntry", /NodeEntry/).name];
      }),
    );
    await vi.waitFor(() => expect(said(used)).toContain("cluster.unauthorized"), patience);
    expect(terminating(used)).toMatchObject([{ end: { kind: "open" } }]);
  });
});

/** Deploys a template, and hands out the account's bus; the functions take nothing from their queues unless they work. */
async function listening(deployed: StackTemplate, functions: "idle" | "work" = "idle") {
  let put: PutEvent = () => [];
  sandbox = await startSandbox(usedScenario(deployed), (around) => {
    const deployment = deployTemplate({ template: deployed, bundle }, around);
    put = deployment.putEvent;
    return functions === "work" ? deployment : { ...deployment, start: () => undefined };
  });
  return { used: sandbox, put };
}

/** An event as AWS has sent it. */
const saved = (name: string): BusEvent =>
  JSON.parse(readFileSync(`events/eb-${name}.json`, "utf8")) as BusEvent;

const ruleOf = (id: string) => [expect.stringContaining(id) as string];

const bridge = "events.amazonaws.com";
const spot = saved("ec2-spot-interruption-warning-terminate");

/** The Spot interruptions among what the queue has now. */
const interruptions = (used: Sandbox) =>
  inbox(used)
    .contents()
    .filter(({ message }) => message.body.includes(String(spot["detail-type"])));

const foreign = "is in no Auto Scaling group";

describe("the rules of the template, deployed in the sandbox", () => {
  it("bring their events to the function, which leaves the instances of others alone", async () => {
    const { used, put } = await listening(template(), "work");

    expect(put(spot)).toEqual(ruleOf("SpotInterruption"));
    expect(interruptions(used)).toHaveLength(1);
    expect(put(saved("ec2-rebalance-recommendation"))).toEqual(ruleOf("RebalanceRecommendation"));
    const scheduled = put(saved("health-ec2-retirement-scheduled-current"));
    expect(scheduled).toEqual(ruleOf("ScheduledChange"));
    expect(put(saved("ec2-state-change-terminated"))).toEqual(ruleOf("StateChange"));

    await vi.waitFor(() => expect(said(used).split(foreign).length).toBeGreaterThan(4), patience);
    await vi.waitFor(() => expect(inbox(used).contents()).toEqual([]), patience);
    expect(deadLetters(used).contents()).toEqual([]);
  });

  it("leave alone the events that need no action", async () => {
    const { put } = await listening(template());
    for (const name of [
      "ec2-state-change-running",
      "ec2-state-change-pending",
      "health-ec2-issue-backup-event",
      "asg-terminate-successful",
    ])
      expect(put(saved(name))).toEqual([]);
  });

  /** Has the policy of a queue admit a service in the place of EventBridge. */
  const notAdmitted = (queue: RegExp) => (resources: StackTemplate["Resources"]) => {
    const { properties } = the(resources, "AWS::SQS::QueuePolicy", queue);
    const text = JSON.stringify(properties);
    if (!text.includes(bridge)) throw new Error("nobody admits EventBridge");
    Object.assign(properties, JSON.parse(text.replaceAll(bridge, "nobody.amazonaws.com")));
  };

  it("keep among the dead letters, with the reason, what the queue does not take", async () => {
    const { used, put } = await listening(template(notAdmitted(/InboxQueue/)));
    expect(put(spot)).toEqual([]);
    expect(interruptions(used)).toEqual([]);
    const [letter] = deadLetters(used).contents();
    const { RULE_ARN: rule, ERROR_CODE: code } = letter?.message.attributes ?? {};
    expect(JSON.parse(letter?.message.body ?? "")).toEqual(spot);
    expect(rule?.StringValue).toContain("SpotInterruption");
    expect(code?.StringValue).toBe("NO_PERMISSIONS");
  });
});
