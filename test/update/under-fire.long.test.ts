import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, it, type TestContext } from "vitest";
import { nodeFunction } from "../../cli/replay/deploy-demo.ts";
import { deployUpgradeDemo } from "../../cli/upgrade/replay-upgrade.ts";
import { type Happening, ofKind } from "../../journal/happening.ts";
import { repairMessage, repairsGroup } from "../../lambda/base/contract.ts";
import { instant, minutes } from "../../lambda/base/time.ts";
import type { ActionEnd } from "../../sandbox/aws/lifecycle-action.ts";
import type { DeploymentWorld } from "../../sandbox/deployment.ts";
import { configMaps, nodes, pods } from "../../sandbox/kubernetes/core-resources.ts";
import { nodeReady } from "../../sandbox/kubernetes/node.ts";
import { podReady } from "../../sandbox/kubernetes/pod.ts";
import { bundleIn, type FunctionCode } from "../../sandbox/lambda/lambda-service.ts";
import { deployQueueFunctions } from "../../sandbox/queue-function.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import { demoNode, mappingOf } from "../../sandbox/scenarios/demo-ng.ts";
import { nodeOf } from "../../sandbox/scenarios/demo-ng-group.ts";
import {
  demoNgUpgrade,
  demoUpgrade,
  oldInstances,
} from "../../sandbox/scenarios/demo-ng-upgrade.ts";
import { projectRoot } from "../../tools/bundle/project-root.ts";
import { messagesOf } from "../cli/replay/replayed.ts";
import { demoRepairs } from "../cluster/demo-repairs.ts";
import { makeTrue } from "../world/true-event.ts";
import { previousBundles } from "./previous.ts";

/** The two versions that a stack is updated between. */
type Version = "previous" | "this";

/** Which version takes the next event; an event that is worked on stays with the version that has it, as in Lambda. */
interface Rollout {
  now: Version;
  /** How many events each version has taken, function by function. */
  readonly taken: Record<string, number>;
}

/** A function in two versions, of which the rollout chooses one for each event. */
const inTwoVersions =
  (name: string, folders: Readonly<Record<Version, string>>, rollout: Rollout): FunctionCode =>
  (settings, world) => {
    const each = {
      previous: bundleIn(folders.previous)(settings, world),
      this: bundleIn(folders.this)(settings, world),
    };
    const both = Object.values(each);
    return {
      invoke: (event) => {
        const key = `${name}, ${rollout.now}`;
        rollout.taken[key] = (rollout.taken[key] ?? 0) + 1;
        return each[rollout.now].invoke(event);
      },
      crash: () => both.reduce((sum, one) => sum + one.crash(), 0),
      close: () => {
        for (const one of both) one.close();
      },
    };
  };

const patience = { timeout: 600_000, interval: 500 };

type Kind = Happening["kind"];

/** What every pass does, and what drains and launches do. */
const common: readonly Kind[] = [
  "pass-started",
  "role-registered",
  "node-awaited",
  "node-marked",
  "pod-evicted",
  "pod-gone",
  "pass-ended",
  "hook-completed",
];
/** The moments at which the stack is updated, or rolled back: in the middle of each phase, and of each drain and launch in it. */
const moments = {
  upgrade: new Set<Kind>([
    "upgrade-phase",
    "upgrade-sized",
    "upgrade-nodes",
    "upgrade-terminated",
    "role-registered",
    "node-awaited",
    "node-marked",
    "pod-evicted",
    "hook-completed",
  ]),
  repair: new Set<Kind>([
    ...common,
    "repair-started",
    "repair-ill",
    "repair-begun",
    "repair-ended",
  ]),
  health: new Set<Kind>([...common, "notice-done", "mark-undone"]),
};

let before = "";
beforeAll(async () => {
  before = await previousBundles();
  return () => rmSync(dirname(before), { recursive: true });
});

const [group = ""] = demoNode.managedGroups;
const other = (version: Version): Version => (version === "this" ? "previous" : "this");

/** A function in both versions. */
const codeOf = (name: string, rollout: Rollout) =>
  inTwoVersions(
    name,
    { previous: join(before, name), this: join(projectRoot, "dist", name) },
    rollout,
  );

/** Starts the demo group, and changes the version of all functions at each of these moments. */
async function underFire(
  sandbox: Promise<Sandbox>,
  { rollout, at }: { readonly rollout: Rollout; readonly at: ReadonlySet<Kind> },
  context: TestContext,
) {
  const site = await sandbox;
  context.onTestFinished(() => site.close());
  const changes: Kind[] = [];
  site.onHappening(({ kind }) => {
    if (!at.has(kind)) return;
    rollout.now = other(rollout.now);
    changes.push(kind);
  });
  return { sandbox: site, changes };
}

const noneIsOpen = (sandbox: Sandbox, { expect }: TestContext) =>
  expect
    .poll(
      () => sandbox.aws.autoScaling.actions().filter(({ end }) => end.kind === "open"),
      patience,
    )
    .toEqual([]);

/** Upgrades the demo group meanwhile. */
async function upgraded(first: Version, context: TestContext) {
  const rollout: Rollout = { now: first, taken: {} };
  const deploy = await deployUpgradeDemo(async (name) => codeOf(name, rollout));
  const started = startSandbox(demoNgUpgrade(), deploy);
  const fire = await underFire(started, { rollout, at: moments.upgrade }, context);
  const { sandbox } = fire;
  const [message] = messagesOf("demo-ng-upgrade");
  if (message === undefined) throw new Error("the event has no message");
  sandbox.publish(demoUpgrade.names.topic, message);
  const ends = () => ofKind(sandbox.happenings(), "upgrade-answered").map(({ end }) => end);
  await context.expect.poll(ends, patience).toEqual([{ kind: "ended", outcome: "done" }]);
  await noneIsOpen(sandbox, context);
  return { ...fire, taken: rollout.taken };
}

/** Starts the demo group with the functions that drain and repair. */
async function repairing(first: Version, at: ReadonlySet<Kind>, context: TestContext) {
  const rollout: Rollout = { now: first, taken: {} };
  const settings = { DRAIN_SETTLE_SECONDS: "1", EVENT_MAINTENANCE_LEAD_SECONDS: "300" };
  const kernels = { condition: "KernelReady", reason: "*", minutes: 1, action: "replace" };
  const repairs = { REPAIR_OVERRIDES: JSON.stringify([kernels]), REPAIR_MOST_ILL: "1" };
  const deploy = (world: DeploymentWorld) => {
    const deployment = deployQueueFunctions(
      [
        { ...nodeFunction(demoNode, settings), code: codeOf("node", rollout) },
        {
          ...nodeFunction({ ...demoNode, ...demoRepairs }, { ...settings, ...repairs }),
          code: codeOf("repair", rollout),
        },
      ],
      world,
    );
    const { arn: targetArn } = deployment.topic(demoNode.names.topic);
    for (const edge of ["LAUNCHING", "TERMINATING"] as const)
      world.aws.autoScaling.putHook(group, {
        name: `${edge}-hook`,
        transition: `autoscaling:EC2_INSTANCE_${edge}`,
        heartbeat: minutes(30),
        targetArn,
      });
    return deployment;
  };
  const fire = await underFire(startSandbox(demoNgUpgrade(), deploy), { rollout, at }, context);
  const { cluster, aws } = fire.sandbox;
  const awsAuth = { resource: configMaps, namespace: "kube-system", name: "aws-auth" };
  cluster.store.update(awsAuth, (map) => {
    const { mapRoles = "" } = map.data ?? {};
    const own = mappingOf(demoRepairs.role.name, aws.account, repairsGroup);
    return { ...map, data: { mapRoles: `${mapRoles}${own}` } };
  });
  return { ...fire, taken: rollout.taken };
}

/** A node is ill, and the schedule looks for such nodes again and again. */
async function repaired(first: Version, context: TestContext) {
  const fire = await repairing(first, moments.repair, context);
  const { sandbox } = fire;
  const [ill] = oldInstances;
  if (ill === undefined) throw new Error("the group has no instance");
  const condition = { type: "KernelReady", status: "False", reason: "SoftLockup", message: "" };
  // A look that finds an older illness for the first time waits once more.
  const since = instant(Date.now() - minutes(5));
  sandbox.cluster.setCondition(nodeOf(ill), { ...condition, status: "False" }, since);
  const look = () =>
    sandbox.publish(demoRepairs.names.topic, {
      subject: "",
      message: JSON.stringify(repairMessage),
    });
  // The looks of the schedule do not overlap.
  const goOn = sandbox.onHappening(({ kind }) => {
    if (kind === "repair-ended") setTimeout(look, 1000);
  });
  look();
  await context.expect
    .poll(() => ofKind(sandbox.happenings(), "repair-done").length, patience)
    .toBeGreaterThan(0);
  goOn();
  await noneIsOpen(sandbox, context);
  return { ...fire, ill };
}

/** AWS plans work on the hosts of two instances, and then is done with it; the notice waits half a minute for its time. */
async function maintained(first: Version, context: TestContext) {
  const fire = await repairing(first, moments.health, context);
  const { sandbox } = fire;
  const hosts = oldInstances.slice(0, 2);
  const startTime = new Date(Date.now() + minutes(5) + 30_000).toUTCString();
  const tell = (statusCode: "closed" | "open") => {
    const event = {
      version: "0",
      id:
        statusCode === "open"
          ? "7bf73129-1428-4cd3-a780-95db273d1602"
          : "8bf73129-1428-4cd3-a780-95db273d1602",
      "detail-type": "AWS Health Event",
      source: "aws.health",
      region: "eu-west-1",
      account: "123456789012",
      time: new Date().toISOString(),
      resources: [],
      detail: {
        eventArn: "arn:aws:health:eu-west-1::event/EC2/RETIREMENT/one",
        service: "EC2",
        eventTypeCode: "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
        eventTypeCategory: "scheduledChange",
        startTime,
        statusCode,
        affectedEntities: hosts.map(({ id }) => ({ entityValue: id, status: "PENDING" })),
      },
    };
    makeTrue(sandbox.aws.ec2, event);
    sandbox.publish(demoNode.names.topic, { subject: "", message: JSON.stringify(event) });
  };
  const outcomes = () =>
    ofKind(sandbox.happenings(), "notice-done")
      .map(({ outcome }) => outcome.kind)
      // The hooks have sent test notifications.
      .filter((kind) => kind !== "tested");
  const ended = (...wanted: readonly string[]) =>
    context.expect.poll(() => outcomes().toSorted(), patience).toEqual(wanted.toSorted());
  tell("open");
  await ended("passed-on", "drained", "drained");
  const drained = hosts.map((host) => ({ ...lookAt(sandbox, nodeOf(host)) }));
  tell("closed");
  await ended("passed-on", "drained", "drained", "called-off");
  return { ...fire, drained, after: hosts.map((host) => lookAt(sandbox, nodeOf(host))) };
}

const lookAt = ({ cluster }: Sandbox, name: string) => ({
  cordoned: cluster.store.get({ resource: nodes, name }).spec.unschedulable ?? false,
  pods: cluster.store.list(pods, "demo").filter(({ spec }) => spec.nodeName === name).length,
});

/** Nothing is lost, evicted twice or completed twice, and the group is as before. Returns how many lifecycle actions there were. */
function assertWell(
  sandbox: Sandbox,
  besides: typeof demoRepairs,
  { expect }: TestContext,
): number {
  const evicted = sandbox.cluster.audit.flatMap(
    ({ objectRef, responseStatus: { code }, requestObject }) =>
      objectRef?.subresource === "eviction" && code < 300
        ? [String(Object(requestObject).deleteOptions?.preconditions?.uid)]
        : [],
  );
  expect(evicted).not.toEqual([]);
  expect(evicted).toHaveLength(new Set(evicted).size);

  const actions = sandbox.aws.autoScaling.actions();
  // A node of the surge may have to go before it has joined, and its launch with it.
  const given = (end: ActionEnd) => end.kind === "ended" && end.by === "another-abandoned";
  const ends = actions.flatMap(({ journey, end }) =>
    journey === "launch" && given(end) ? [] : [end],
  );
  expect(
    ends.filter((end) => end.kind !== "ended" || end.by !== "call" || end.result !== "CONTINUE"),
  ).toEqual([]);

  for (const { deadLetters } of [demoNode.names, besides.names])
    expect(sandbox.deployment.queue(deadLetters).contents()).toEqual([]);
  const { min, max, desired } = sandbox.aws.autoScaling.register.findGroup(group);
  expect([min, desired, max]).toEqual([3, 6, 8]);
  const faults = sandbox.happenings().filter(({ kind }) => kind === "fault");
  expect(faults).toEqual([]);
  return ends.length;
}

const serving = ({ cluster }: Sandbox, prefix: string): number =>
  cluster.store
    .list(pods, "demo")
    .filter((pod) => pod.metadata.name.startsWith(prefix) && podReady(pod)).length;

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const versions = ["previous", "this"] as const;

// Most of their time these tests wait.
describe("while the stack is updated again and again, forth and back", { concurrent: true }, () => {
  it.for(versions)(
    "from the %s version, an upgrade of a group loses nothing, evicts and completes nothing twice",
    async (first, context) => {
      const { sandbox, taken, changes } = await upgraded(first, context);

      context.expect(changes.length).toBeGreaterThan(20);
      context
        .expect(Object.keys(taken).toSorted(byText))
        .toEqual(["node, previous", "node, this", "upgrade, previous", "upgrade, this"]);
      context.expect(assertWell(sandbox, demoUpgrade, context)).toBeGreaterThanOrEqual(12);
      await context.expect.poll(() => serving(sandbox, "web-")).toBe(6);
      await context.expect.poll(() => serving(sandbox, "db-")).toBe(3);
    },
  );

  it.for(versions)(
    "from the %s version, a repair replaces the ill instance once, and evicts and completes nothing twice",
    async (first, context) => {
      const { sandbox, taken, changes, ill } = await repaired(first, context);

      const own = ["repair-started", "repair-ill", "repair-begun", "repair-ended"];
      const drains = ["pass-started", "pod-evicted", "hook-completed"];
      await context.expect
        .poll(() => changes, patience)
        .toEqual(context.expect.arrayContaining([...own, ...drains, "node-awaited"]));
      const used = new Set(Object.keys(taken).map((one) => one.replace(/^.*, /, "")));
      context.expect(used).toEqual(new Set(versions));
      context.expect(assertWell(sandbox, demoRepairs, context)).toBe(2);
      const given = sandbox.aws.calls
        .all()
        .filter(({ action }) => /^(?:SetInstanceHealth|TerminateInstance)/.test(action));
      context.expect(given).toMatchObject([{ parameters: { InstanceId: ill.id } }]);
      const ready = sandbox.cluster.store.list(nodes).filter(nodeReady);
      context.expect(ready).toHaveLength(6);
      await context.expect.poll(() => serving(sandbox, "web-")).toBe(6);
    },
  );

  it.for(versions)(
    "from the %s version, planned work is waited for, both nodes are drained once, and opened again afterwards",
    async (first, context) => {
      const { sandbox, taken, changes, drained, after } = await maintained(first, context);

      context
        .expect(changes)
        .toEqual(context.expect.arrayContaining(["pass-ended", "notice-done"]));
      context.expect(Object.keys(taken).toSorted(byText)).toEqual(["node, previous", "node, this"]);
      context.expect(assertWell(sandbox, demoRepairs, context)).toBe(0);
      context.expect(drained).toEqual(Array(2).fill({ cordoned: true, pods: 0 }));
      context.expect(after).toMatchObject(Array(2).fill({ cordoned: false }));
      // The function deletes the last notice a moment after it has opened the nodes.
      const queue = sandbox.deployment.queue(demoNode.names.queue);
      await context.expect.poll(() => queue.contents()).toEqual([]);
    },
  );
});
