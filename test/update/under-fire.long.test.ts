import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, it, type TestContext } from "vitest";
import { functionFolder } from "../../cli/replay/deploy-demo.ts";
import { deployUpgradeDemo } from "../../cli/upgrade/replay-upgrade.ts";
import type { Happening } from "../../journal/happening.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import { podReady } from "../../sandbox/kubernetes/pod.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { demoNgUpgrade, demoUpgrade } from "../../sandbox/scenarios/demo-ng-upgrade.ts";
import { messagesOf } from "../cli/replay/replayed.ts";
import { previousBundles } from "./previous.ts";
import { inTwoVersions, type Rollout, type Version } from "./two-versions.ts";

const patience = { timeout: 600_000, interval: 500 };

/** The moments at which the stack is updated, or rolled back: in the middle of each phase, and of each drain and launch in it. */
const moments: ReadonlySet<string> = new Set<Happening["kind"]>([
  "upgrade-phase",
  "upgrade-sized",
  "upgrade-nodes",
  "upgrade-terminated",
  "role-registered",
  "node-awaited",
  "node-marked",
  "pod-evicted",
  "hook-completed",
]);

let before = "";
beforeAll(async () => {
  before = await previousBundles();
  return () => rmSync(dirname(before), { recursive: true });
});

const other = (version: Version): Version => (version === "this" ? "previous" : "this");

/** Upgrades the demo group, and changes the version of both functions at each of these moments. */
async function upgraded(first: Version, isMoment: (kind: string) => boolean, context: TestContext) {
  const rollout: Rollout = { now: first, taken: {} };
  const deploy = await deployUpgradeDemo(async (name) => {
    const folders = { previous: join(before, name), this: await functionFolder(name) };
    return inTwoVersions(name, folders, rollout);
  });
  const sandbox = await startSandbox(demoNgUpgrade(), deploy);
  context.onTestFinished(() => sandbox.close());
  let changes = 0;
  sandbox.onHappening(({ kind }) => {
    if (!isMoment(kind)) return;
    rollout.now = other(rollout.now);
    changes += 1;
  });
  const [message] = messagesOf("demo-ng-upgrade");
  if (message === undefined) throw new Error("the event has no message");
  sandbox.publish(demoUpgrade.names.topic, message);
  const ends = () =>
    sandbox.happenings().flatMap((one) => (one.kind === "upgrade-answered" ? [one.end] : []));
  await context.expect.poll(ends, patience).toEqual([{ kind: "ended", outcome: "done" }]);
  await context.expect
    .poll(
      () => sandbox.aws.autoScaling.actions().filter(({ end }) => end.kind === "open"),
      patience,
    )
    .toEqual([]);
  return { sandbox, taken: rollout.taken, changes };
}

/** Nothing lost, nothing evicted twice, every hook completed once. */
function assertWell(sandbox: Sandbox, { expect }: TestContext): void {
  const evicted = sandbox.cluster.audit.flatMap(
    ({ objectRef, responseStatus: { code }, requestObject }) =>
      objectRef?.subresource === "eviction" && code < 300
        ? [String(Object(requestObject).deleteOptions?.preconditions?.uid)]
        : [],
  );
  expect(evicted.length).toBeGreaterThan(5);
  expect(evicted).toHaveLength(new Set(evicted).size);

  const ends = sandbox.aws.autoScaling.actions().map(({ end }) => end);
  expect(ends.length).toBeGreaterThan(6);
  expect(
    ends.filter((end) => end.kind !== "ended" || end.by !== "call" || end.result !== "CONTINUE"),
  ).toEqual([]);

  for (const { deadLetters } of [demoNode.names, demoUpgrade.names])
    expect(sandbox.deployment.queue(deadLetters).contents()).toEqual([]);
  const [group = ""] = demoNode.managedGroups;
  const { min, max, desired } = sandbox.aws.autoScaling.register.findGroup(group);
  expect([min, desired, max]).toEqual([3, 6, 8]);
  const faults = sandbox.happenings().filter(({ kind }) => kind === "fault");
  expect(faults).toEqual([]);
}

const serving = ({ cluster }: Sandbox, prefix: string): number =>
  cluster.store
    .list(pods, "demo")
    .filter((pod) => pod.metadata.name.startsWith(prefix) && podReady(pod)).length;

// Most of their time these tests wait.
describe("an upgrade of a group while the stack is updated", { concurrent: true }, () => {
  it.for(["previous", "this"] as const)(
    "again and again, forth and back, from the %s version: nothing is lost, evicted twice or completed twice",
    async (first, context) => {
      const { sandbox, taken, changes } = await upgraded(
        first,
        (kind) => moments.has(kind),
        context,
      );

      context.expect(changes).toBeGreaterThan(20);
      context
        .expect(Object.keys(taken).toSorted((a, b) => (a < b ? -1 : 1)))
        .toEqual(["node, previous", "node, this", "upgrade, previous", "upgrade, this"]);
      assertWell(sandbox, context);
      await context.expect.poll(() => serving(sandbox, "web-")).toBe(6);
      await context.expect.poll(() => serving(sandbox, "db-")).toBe(3);
    },
  );
});
