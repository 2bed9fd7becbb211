import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../cli/main.ts";
import { legible } from "../../lambda/base/legible.ts";
import { minutes } from "../../lambda/base/time.ts";
import { groupDefaults } from "../../sandbox/aws/group.ts";
import { nodes, pods } from "../../sandbox/kubernetes/core-resources.ts";
import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { documentedCommands } from "../../tools/generate/cli-reference.ts";
import { unprintable } from "../hostile/hostile-values.ts";
import { capturedIo, type Surroundings } from "./captured-io.ts";
import { takeSubnetOut, zone } from "./evacuate/a-zone.ts";
import { folderForTest } from "./folder-for-test.ts";
import { begin, drainLog } from "./timeline/drain-log.ts";
import { aSiteWithUpgrades, tag, underWay } from "./upgrade/a-site-with-upgrades.ts";

const leaving = "ip-192-168-18-230.eu-west-1.compute.internal";
const neighbour = "ip-192-168-43-17.eu-west-1.compute.internal";
const { group, instance } = terminateAction;
const { names } = demoNode;

/** Writes the clipboard, moves and erases as the product itself does, and all that `unprintable` has. */
const hostile = `\u202e!\u001b]52;c;aGk=\u0007\u001b[31m!\u001b[1A!\r\u001b[2K!${unprintable.slice(0, 7).join("")}!`;
/** What XML and messages of SQS can carry of it. */
const hostileToAws = "!\u009b31m!\u0085\u007f\u200f\u202e\u2066\u2028\u2029!";
/** What the value of a tag can have of it. */
const hostileTag = "=\u2028=\u2029=";

const refusal = { status: 400, code: "Refused", message: hostileToAws };

/** A site in which whatever others write is hostile. */
async function aHostileSite() {
  const site = await aSiteWithUpgrades({ broken: "budget-blocked" });
  const { aws, deployment } = site;
  for (const node of [leaving, neighbour]) soil(site, node);
  takeSubnetOut(site);
  aws.faults.failNext({ service: "cloudformation", action: "ListStackResources" }, refusal, {
    times: 1000,
  });
  tag(site, { ...underWay({ issue: hostileToAws }), team: hostileTag });
  deployment.queue(names.deadLetters).send({
    body: JSON.stringify({ LifecycleTransition: hostile, AutoScalingGroupName: hostile }),
    senderId: "somebody",
    attributes: { Fault: { DataType: "String", StringValue: hostileToAws } },
    traceHeader: "",
  });
  aws.autoScaling.createGroup({
    name: `own${hostileToAws}`,
    zones: ["eu-west-1a"],
    tags: [{ key: "kubernetes.io/cluster/demo", value: "owned", propagated: true }],
    template: { ...groupDefaults.template, name: hostileToAws },
  });
  aws.autoScaling.putHook(group, {
    name: `own${hostileToAws}`,
    transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    heartbeat: minutes(30),
  });
  return { ...site, cwd: aHostileFolder() };
}

type Hostile = Awaited<ReturnType<typeof aHostileSite>>;

/** Writes into a node and its pods what a user of a namespace, a controller or a kubelet may write. */
function soil({ cluster }: Pick<Hostile, "cluster">, name: string): void {
  const foul = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, hostile]));
  const namespace = name === leaving ? "default" : "kube-public";
  const onNode = { namespace, node: name };
  const protections = ["karpenter.sh/do-not-disrupt", "eks-node-lifecycle/drain"];
  for (const key of protections)
    cluster.addPod({ ...onNode, name: `kept${key.length}-${name}`, annotations: foul([key]) });
  const owned = { namespace, name: `owned-${name}` };
  cluster.addPod({ ...onNode, ...owned });
  const { store } = cluster;
  store.update({ resource: pods, ...owned }, ({ metadata, status, ...pod }) => ({
    ...pod,
    metadata: {
      ...metadata,
      labels: foul(["app", hostile]),
      ownerReferences: [
        { apiVersion: "v1", kind: hostile, name: hostile, uid: hostile, controller: true },
      ],
      finalizers: [hostile],
    },
    status: { ...status, reason: hostile, message: hostile },
  }));
  cluster.addBudget({ namespace, name: hostile, maxUnavailable: 0, selector: {} });
  const told = ["reason", "deadline", "marked-at"].map((key) => `eks-node-lifecycle/${key}`);
  store.update({ resource: nodes, name }, ({ metadata, spec, status, ...node }) => ({
    ...node,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...foul(["team"]) },
      annotations: foul([...told, ...protections]),
    },
    spec: { ...spec, taints: [{ key: "own", value: hostile, effect: "NoSchedule" }] },
    status: {
      ...status,
      conditions: (status.conditions ?? []).map((one) => ({
        ...one,
        reason: hostile,
        message: hostile,
      })),
    },
  }));
}

/** A folder with a cluster's file, a log and an event, in which every text is hostile. */
function aHostileFolder(): string {
  const cluster = { account: "123456789012", region: hostile };
  const file = { cluster, groups: [hostile], drain: { taint: hostile } };
  const lines = drainLog({ number: 1, from: begin, pod: `shop/${hostile}`, end: "expired" });
  const foul = (text: string) =>
    text
      .replaceAll("shop/checkout", JSON.stringify(hostile).slice(1, -1))
      .replaceAll('"group":"workers"', `"group":${JSON.stringify(hostile)}`);
  const words = [
    hostile,
    JSON.stringify({
      at: "2026-03-23T09:14:05Z",
      kind: "fault",
      code: hostile,
      message: hostile,
      retryable: true,
      instance,
      group: hostile,
    }),
  ];
  const event = readFileSync("events/demo-ng-terminate.json", "utf8");
  const inMessage = JSON.stringify(JSON.stringify(hostile).slice(1, -1)).slice(1, -1);
  return folderForTest({
    "clusters/ours.json": JSON.stringify(file),
    log: [...lines.map(foul), ...words].join("\n"),
    "event.json": event.replaceAll(group, inMessage),
  });
}

const there = ["--cluster", "demo"];
const onNeighbour = [neighbour, ...there, "--settle", "0s"];

/** What each command is called with, so that it tells something hostile. */
const calls: Readonly<Record<string, readonly (readonly string[])[]>> = {
  completion: [[hostile]],
  "dead-letters": [["demo"], [hostile]],
  doctor: [["demo"], [hostile]],
  drain: [[...onNeighbour, "--dry-run"], onNeighbour, [hostile, ...there]],
  evacuate: [
    ["demo", "--zone", zone, "--dry-run"],
    ["demo", "--zone", hostile],
  ],
  init: [["demo"], ["demo", "--force"], [hostile]],
  logs: [["log"], [hostile]],
  manifests: [["ours"], [hostile]],
  plan: [["demo"], [leaving, ...there, "--ask"], [hostile, ...there]],
  replay: [["event.json"], [hostile]],
  resend: [[hostile, ...there]],
  status: [["demo"], [hostile]],
  timeline: [["log"], ["log", "--html", "page.html", "--json"], [hostile]],
  upgrade: [
    ["status", group, ...there],
    [`own${hostileToAws}`, ...there],
    [hostile, ...there],
  ],
  verify: [
    ["demo", "--group", hostile],
    [hostile, "--group", group],
  ],
};

const terminals: Readonly<Record<string, Surroundings>> = {
  "a pipe": {},
  "a terminal": { isTTY: true, columns: 100, rows: 30 },
  "a terminal without colours": {
    isTTY: true,
    columns: 40,
    rows: 30,
    env: { NO_COLOR: "1", TERM: "dumb" },
  },
};

// What the product itself tells a terminal. In what others wrote, a mark follows each of these.
const esc = String.fromCharCode(27);
const own = new RegExp(`(?:\\r${esc}\\[2K|${esc}\\[(?:1A|2m|22m|3[1236]m|39m))(?!!|red)`, "g");

/** The lines with characters that a terminal would obey, or that nobody sees. */
const hiddenIn = (text: string): readonly string[] =>
  text
    .replaceAll(own, "")
    .split("\n")
    .filter((line) => legible(line) !== line);

/** How all that is hostile begins, or what it has, once it is legible. */
const revealed = "\\u20";

/** Calls the command line, interrupts it once it has told something hostile, and expects that it writes nothing hidden. */
async function said(argv: readonly string[], { cwd }: Hostile, where: Surroundings) {
  const io = capturedIo({ ...where, cwd });
  const told = setInterval(() => io.both().includes(revealed) && io.interrupt(), 50);
  await main(argv, io).finally(() => clearInterval(told));
  for (const text of [io.out(), io.err()]) expect(hiddenIn(text), argv.join(" ")).toEqual([]);
  return io.out() + io.err();
}

/** Makes AWS and the API server answer with errors in hostile words. */
function breakAll({ aws, cluster }: Hostile): void {
  const body = { kind: "Status", reason: hostile, message: hostile };
  cluster.failNext({}, { status: 403, body }, { times: 1000 });
  for (const [service, actions] of Object.entries(asked))
    for (const action of actions)
      aws.faults.failNext({ service, action }, refusal, { times: 1000 });
}

const asked = {
  autoscaling: ["DescribeAutoScalingGroups", "DescribeLifecycleHooks"],
  cloudformation: ["DescribeStacks"],
  sqs: ["GetQueueAttributes", "ReceiveMessage"],
};

/** The files that a command may have written into its folder. */
const filesOf = ({ cwd }: Hostile): readonly string[] =>
  ["page.html", "clusters/demo.json"].map((one) => join(cwd, one)).filter(existsSync);

describe.each(documentedCommands().map((command) => command.name()))("%s", (name) => {
  const all = (calls[name] ?? []).map((words) => [name, ...words]);

  it("is called by this test", () => {
    expect(all).not.toEqual([]);
  });

  it.each(Object.entries(terminals))(
    "makes legible on %s what others have written",
    async (_, where) => {
      const site = await aHostileSite();
      for (const words of all) {
        expect(await said(words, site, where), words.join(" ")).toContain(revealed);
        await said([...words, "--json"], site, where);
      }

      breakAll(site);
      for (const words of all) await said(words, site, where);

      for (const file of filesOf(site)) expect(hiddenIn(readFileSync(file, "utf8"))).toEqual([]);
    },
  );
});
