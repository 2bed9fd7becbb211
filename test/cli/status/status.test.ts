import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { clusterAt } from "../../../cli/connect/cluster-access.ts";
import { main } from "../../../cli/main.ts";
import { nodeName } from "../../../lambda/base/ids.ts";
import { hours, instant, later, never, seconds, timestamp } from "../../../lambda/base/time.ts";
import { causeAnnotations } from "../../../lambda/drain/cause.ts";
import { markedAtAnnotation } from "../../../lambda/drain/marking.ts";
import { withTrace } from "../../../lambda/interruption/maintenance-trace.ts";
import { nodes } from "../../../sandbox/kubernetes/core-resources.ts";
import { bundleIn } from "../../../sandbox/lambda/lambda-service.ts";
import { launchAction, terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { demoNgLaunch } from "../../../sandbox/scenarios/demo-ng-launch.ts";
import { largePods } from "../../support/large-pods.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite, type Site, type SiteOptions } from "../connect/a-site.ts";
import { folderForTest } from "../folder-for-test.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { messagesOf } from "../replay/replayed.ts";

const { instance, group, hook } = terminateAction;
const leaving = "ip-192-168-18-230.eu-west-1.compute.internal";
const neighbour = "ip-192-168-43-17.eu-west-1.compute.internal";
const bundle = fileURLToPath(new URL("../../../dist/node", import.meta.url));

/** Runs `status` for the demo, and returns what it told people. */
async function told(...options: readonly string[]): Promise<string> {
  const io = capturedIo();
  expect(await main(["status", demoNode.clusterName, ...options], io)).toBe(0);
  return io.out();
}

/** Runs `status` for the demo, and returns what it told programs, in the documented form. */
async function toldPrograms(...options: readonly string[]) {
  const io = capturedIo();
  const code = await main(["status", demoNode.clusterName, "--json", ...options], io);
  const [status] = jsonLines(io);
  return { code, ...status };
}

/** A site whose function has marked a node, and now waits for a budget. */
async function aBlockedDrain(options: SiteOptions = {}): Promise<Site> {
  const site = await aSite({ broken: "budget-blocked", code: bundleIn(bundle), ...options });
  const [notice] = messagesOf("demo-ng-terminate");
  if (notice === undefined) throw new Error("the event has no message");
  site.publish(demoNode.names.topic, notice);
  const kinds = () => site.happenings().map(({ kind }) => kind);
  await expect.poll(kinds).toContain("pods-held");
  // The hook's test message may still be there.
  const { queue } = demoNode.names;
  await expect.poll(() => site.deployment.queue(queue).contents()).toHaveLength(1);
  return site;
}

/** Writes annotations onto a node. */
function annotate({ cluster }: Site, name: string, annotations: Readonly<Record<string, unknown>>) {
  cluster.store.update({ resource: nodes, name }, ({ metadata, ...node }) => {
    const all = { ...metadata.annotations, ...annotations } as Record<string, string>;
    return { ...node, metadata: { ...metadata, annotations: all } };
  });
}

const now = instant(Math.floor(Date.now() / 1000) * 1000);
const inAnHour = later(now, hours(1));

describe("status of a drain that a budget blocks", () => {
  it("tells the hook, the mark with its deadline, and why each pod is left", async () => {
    await aBlockedDrain();

    const text = (await told()).replaceAll(/\d+ (h|min|s)\b( \d+ (min|s)\b)?/g, "TIME");

    expect(text.replaceAll(/[-\d]+T[:\d]+Z/g, "WHEN")).toBe(`\
demo: 1 instance held, 0 messages waiting, 1 in work, resting or just done, 0 dead letters
${instance}: Terminating:Wait, group ${group}
  held by ${hook}, which waits TIME for a heartbeat; the last one was TIME ago
  node ${leaving}, ready
  marked at WHEN: terminating; TIME left until its deadline WHEN
  2 pods left
    demo/nginx-demo-deployment-7587998bf4-dkd5t: held for TIME by budget demo/nginx-demo, which can never be met (maxUnavailable 0): raise it; in TIME it is deleted past budget demo/nginx-demo
    kube-system/coredns-5947f47f5f-t4f89: critical, so it leaves after the ordinary pods, or in TIME
`);
  });

  it("gives programs the same as numbers", async () => {
    await aBlockedDrain();

    expect(await toldPrograms()).toMatchObject({
      code: 0,
      kind: "status",
      queue: { waiting: 0, inFlight: 1, dead: 0 },
      held: [
        {
          instance,
          hooks: [hook],
          heartbeatTimeoutSeconds: 1800,
          heartbeatAgeSeconds: expect.any(Number),
          node: {
            node: leaving,
            cause: "terminating",
            secondsLeft: expect.any(Number),
            pods: [
              {
                class: "evictable",
                budgets: [{ budget: "demo/nginx-demo", healthy: 4, desired: 4, allowed: 0 }],
              },
              { class: "evictable", budgets: [] },
            ],
          },
        },
      ],
      gaps: [],
    });
  });
});

describe("the page of a status", () => {
  it("has each instance that is held, with its pods and what holds them", async () => {
    const site = await aSite({ broken: "budget-blocked" });
    const since = { [markedAtAnnotation]: timestamp(later(now, seconds(-60))) };
    annotate(site, neighbour, {
      ...since,
      ...causeAnnotations({ reason: "interrupted", deadline: inAnHour }),
    });
    const cwd = folderForTest();
    const io = capturedIo({ cwd });

    expect(await main(["status", "demo", "--html", "status.html"], io)).toBe(0);

    const page = readFileSync(join(cwd, "status.html"), "utf8");
    expect(page).toMatch(/<h1>demo: 1 instance held, 1 other node marked, /);
    expect(page).toContain(`Instance <bdi>${instance}</bdi> of group <bdi>${group}</bdi>, node`);
    expect(page).toMatch(/Terminating:Wait; held by .*; 2 pods left/);
    expect(page).toMatch(/nginx-demo-deployment-\S+; .*held for \d+ s by budget demo\/nginx-demo/);
    expect(page).toContain(`<p class="facts">Node <bdi>${neighbour}</bdi>.`);
    expect(page).toMatch(/; 0\.0 s to (?:[1-9]\d+\.\d s|\d+ min \d+ s) \(\S+ UTC\): \S/);
    expect(io.err()).toContain("the page is status.html");
  });
});

describe("status while the function does nothing", () => {
  it("tells that the node is not marked, and what holds its pods all the same", async () => {
    await aSite({ broken: "budget-blocked" });

    const text = await told();

    expect(text).toContain("  not marked: the function has not begun with it\n");
    expect(text).toMatch(/dkd5t: held for \d+ s by budget demo\/nginx-demo/);
  });

  it("tells pods that are protected, and pods that cannot end, with their finalizers", async () => {
    const { cluster } = await aSite();
    const protectedPod = { annotations: { "eks-node-lifecycle/drain": "wait-completed" } };
    cluster.addPod({ name: "batch", node: leaving, ...protectedPod });
    cluster.addPod({ name: "clean", node: leaving, finalizers: ["example.com/backup"] });
    const { cluster: client, close } = await clusterAt("demo", {});
    const { pods } = await client.pods(nodeName(leaving));
    for (const pod of pods) if (pod.name === "clean") await client.remove(pod, seconds(30));
    await close();

    const text = await told();

    expect(text).toMatch(/default\/batch: protected by .*wait-completed/);
    expect(text).toMatch(/default\/clean: ending, .*finalizers example.com\/backup/);
  });

  it("tells the others, and names namespaces whose pods or budgets are too large to be read", async () => {
    const { cluster } = await aSite({ broken: "budget-blocked" });
    for (const pod of largePods(30)) cluster.addPod({ ...pod, namespace: "tenant", node: leaving });
    const values = Array.from({ length: 60_000 }, (_, at) => `word-${at}`);
    const selector = { matchExpressions: [{ key: "app", operator: "In", values }] };
    for (const name of ["a", "b", "c", "d", "e", "f", "g", "h"])
      cluster.addBudget({ name, namespace: "team", selector, maxUnavailable: 1 });
    cluster.addPod({ name: "theirs", namespace: "team", node: leaving });

    const text = await told();

    expect(text).toContain(`namespace tenant has too many pods on ${leaving}, or too large ones`);
    expect(text).toContain("namespace team has too many budgets, or too large ones");
    expect(text).toMatch(/dkd5t: held for \d+ s by budget demo\/nginx-demo/);
    expect(text).not.toContain("large-");
  });

  it("tells a launching instance whose node has not joined", async () => {
    const { instance: launching, hook: its } = launchAction;
    await aSite({ launch: { scenario: demoNgLaunch("no-node"), action: launchAction } });

    expect(await told()).toMatch(
      new RegExp(
        `${launching}: Pending:Wait, .*\n  held by ${its}.*\n(?:  no pass over it.*\n)?  no node has joined`,
      ),
    );
  });

  it("tells nodes that are at risk, and nodes on whose hosts AWS plans work", async () => {
    const site = await aSite();
    const marked = { [markedAtAnnotation]: new Date(now).toISOString() };
    annotate(site, neighbour, {
      ...marked,
      ...causeAnnotations({ reason: "at-risk", deadline: never }),
      ...withTrace(
        { annotations: {} },
        { event: "arn:health", startTime: inAnHour, told: now, heard: now, waiting: "1" },
      ),
    });

    const text = await told("--node", neighbour);

    expect(text).toContain(`${neighbour}: no hook of this deployment holds its instance\n`);
    expect(text).toMatch(
      / {2}marked at \S+: at-risk\n {2}AWS plans work on its host from \S+ on: arn:health\n/,
    );
    expect(text).not.toContain("pods left");
    expect(text).not.toContain(instance);
    expect(await toldPrograms("--node", neighbour)).toMatchObject({ marked: [{ pods: [] }] });
    expect(await told("--group", group)).toContain(`${neighbour}: no hook of this`);
    expect(await toldPrograms("--group", "another")).toMatchObject({ marked: [] });
  });

  it("tells the pods that are left on a node whose instance is interrupted, which no hook holds", async () => {
    const site = await aSite();
    const cause = causeAnnotations({ reason: "interrupted", deadline: inAnHour });
    annotate(site, neighbour, { [markedAtAnnotation]: new Date(now).toISOString(), ...cause });

    const text = await told("--node", neighbour);

    expect(text).toMatch(/marked at \S+: interrupted; \d+ min \d+ s left .*\n {2}2 pods left\n/);
  });

  it.each([
    ["interrupted", expect.any(Number)],
    ["upgraded", null],
    ["requested", null],
    ["evacuated", null],
    // No hook holds its instance any more, so its drain is over.
    ["terminating", null],
  ] as const)(
    "tells when pods are deleted past budgets only where a drain may do so: %s",
    async (reason, deletedInSeconds) => {
      const site = await aSite({ broken: "budget-blocked" });
      const cause = causeAnnotations({ reason, deadline: inAnHour });
      annotate(site, neighbour, { [markedAtAnnotation]: new Date(now).toISOString(), ...cause });

      const blocked = expect.objectContaining({ budgets: [expect.anything()], deletedInSeconds });
      expect(await toldPrograms("--node", neighbour)).toMatchObject({
        marked: [{ pods: expect.arrayContaining([blocked]) }],
      });
    },
  );

  it("tells an instance of its groups that only a hook of others holds", async () => {
    const { aws } = await aSite();
    aws.autoScaling.putHook(group, { name: hook, targetArn: aws.sns.createTopic("other") });

    expect(await told()).toContain(`\
  no hook of this deployment holds it, so the function does not know of it
  hook ${hook} notifies others, and holds it
`);
  });

  it("tells of one group only if it is asked to", async () => {
    await aSite();

    expect(await toldPrograms("--group", "another")).toMatchObject({ held: [] });
    expect(await told("--group", group)).toContain(instance);
  });

  it.each([
    [
      "--group",
      "wrokers",
      `group wrokers: the deployment manages none of this name; name one of: ${group}`,
    ],
    ["--node", "ip-10-0-0-3", "node ip-10-0-0-3: the cluster has none of this name; "],
  ])("says so where there is nothing of the name that %s gives", async (option, name, words) => {
    await aSite();
    const io = capturedIo();

    expect(await main(["status", demoNode.clusterName, option, name], io)).toBe(1);
    expect(io.out()).toContain(words);
  });

  it("reads of the cluster only what one node needs if it is asked for that node", async () => {
    const { cluster } = await aSite({ broken: "budget-blocked" });

    expect(await told("--node", leaving)).toContain("by budget demo/nginx-demo");

    const asked = cluster.audit.filter(({ user }) => user.username === "person");
    const paths = asked.map(({ requestURI }) => decodeURIComponent(requestURI));
    const of = (kind: string) => paths.filter((path) => path.includes(kind));
    for (const path of of("/nodes"))
      expect(path).toContain(`fieldSelector=metadata.name=${leaving}`);
    for (const path of of("poddisruptionbudgets")) expect(path).toContain("/namespaces/");
    expect([of("/nodes").length, of("poddisruptionbudgets").length]).toEqual([1, 2]);
  });

  it("counts the dead letters also where the queue of the notices cannot be read", async () => {
    const { url } = await aSite();
    const wrong = ["--queue-url", `${url}/123456789012/none`];

    expect(await told(...wrong)).toContain("messages unknown, 0 dead letters\n");
    expect(await toldPrograms(...wrong)).toMatchObject({
      queue: { waiting: null, inFlight: null, dead: 0 },
      gaps: [{ source: "the queue" }],
    });
  });

  it("tells the last faults and counts the dead letters", async () => {
    const { aws, deployment, url } = await aSite();
    const fault = {
      kind: "fault",
      code: "aws.denied",
      message: "aws.denied: told",
      retryable: true,
    };
    const at = new Date().toISOString();
    aws.logs.write(`/aws/lambda/${demoNode.names.function}`, JSON.stringify({ at, ...fault }));
    aws.logs.write(`/aws/lambda/${demoNode.names.function}`, "START RequestId: 1");
    const { settings } = deployment.queue(demoNode.names.deadLetters);
    const QueueUrl = aws.sqs.urlOf(settings.name, new URL(url).host);
    await new SQSClient().send(new SendMessageCommand({ QueueUrl, MessageBody: "{}" }));

    const text = await told();

    expect(text).toContain(", 1 dead letter\n");
    expect(text).toMatch(/\nfaults of the last hour\n {2}\S+Z aws.denied: told\n/);
  });
});

it("status of a cluster without a stack says that it is not deployed, and fails, beside what is held", async () => {
  const { aws } = await aSite({ broken: "budget-blocked" });
  aws.records.stacks.clear();
  const io = capturedIo();

  expect(await main(["status", "demo"], io)).toBe(1);

  const [headline] = io.out().split("\n");
  expect(headline).toBe("demo: not deployed, 1 instance held");
  expect(io.out().match(/there is no stack EksNodeLifecycle-demo/g)).toHaveLength(1);
  expect(io.out()).not.toMatch(/HTTP|messages unknown/);
  expect(await toldPrograms()).toMatchObject({
    code: 1,
    gaps: [{ source: "the deployment", hides: "deployment" }],
  });
});

describe("what status may not read", () => {
  it("is the end of a log that is too long, which it says", async () => {
    const { aws } = await aSite();
    const log = `/aws/lambda/${demoNode.names.function}`;
    for (let line = 0; line <= 5000; line += 1) aws.logs.write(log, "START RequestId: 1");

    const why = expect.stringContaining("too long to be read whole");
    expect(await toldPrograms()).toMatchObject({ code: 0, gaps: [{ source: "the log", why }] });
  });

  it("makes no instance of other clusters one of this, where it is the list of groups", async () => {
    const { aws } = await aSite();
    aws.authorize = ({ action }) =>
      /^(?:cloudformation|lambda):/.test(action) ? "denied" : "allowed";
    aws.autoScaling.createGroup({ name: "theirs", zones: ["eu-west-1a"], launches: "never" });
    const theirs = { id: "i-00000000000000001", zone: "eu-west-1a" };
    aws.ec2.run({ ...theirs, privateIp: "10.0.0.1" });
    aws.autoScaling.attach({ ...theirs, group: "theirs" });
    const transition = "autoscaling:EC2_INSTANCE_TERMINATING";
    aws.autoScaling.putHook("theirs", { name: hook, transition });
    aws.autoScaling.terminate(theirs.id, {});

    expect(await toldPrograms()).toMatchObject({ held: [{ instance }] });
  });

  it.each([
    ["logs:FilterLogEvents", "the log", 0],
    ["sqs:GetQueueAttributes", "the queue", 0],
    ["lambda:GetFunctionConfiguration", "the function", 0],
    ["autoscaling:DescribeAutoScalingGroups", "Auto Scaling", 1],
    ["cloudformation:DescribeStacks", "the function", 0],
    ["eks:DescribeCluster", "nodes", 1],
  ])("it names with the remedy, and tells the rest: %s", async (forbidden, source, code) => {
    const { aws } = await aSite();
    aws.authorize = ({ action }) => (action === forbidden ? "denied" : "allowed");

    const status = await toldPrograms();

    const remedy = expect.stringContaining(`allow ${forbidden}`);
    expect(status).toMatchObject({
      code,
      gaps: expect.arrayContaining([expect.objectContaining({ source, remedy })]),
    });
    if (source !== "Auto Scaling") expect(status).toMatchObject({ held: [{ instance }] });
  });
});
