import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { instant } from "../../lambda/base/time.ts";
import { outOfServiceTaint } from "../../lambda/drain/left-node.ts";
import { type Concerned, interruption, stateChange } from "../termination-handler/event-bridge.ts";
import { withoutTests } from "../termination-handler/handler-site.ts";
import { drained, graceOf, granted, onlyOn } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";
import { type DrainSites, mostAtOnce, startSites } from "./drain-sites.ts";
import { fenceIn } from "./fences.ts";
import { statefulSet } from "./manifests.ts";

vi.setConfig({ maxConcurrency: mostAtOnce, testTimeout: 240_000 });

// The node of the first is removed within the test, that of the other stays as long as it takes.
const plans = {
  interrupted: {},
  failed: { tags: { "event-node-lingers-seconds": "2700" }, refuge: "needed" },
} as const;

const patience = { timeout: 180_000, interval: 500 };
const env = { MONITOR_GRACE: "20s" };
const settings = { EVENT_NODE_LINGERS_SECONDS: "60", EVENT_OUT_OF_SERVICE: "taint" };

/** EventBridge delivers an event about the instance of a site. */
function deliver(at: DrainSite, eventOf: (concerned: Concerned) => object): void {
  const { aws, topicArn } = at.world;
  const concerned = { instance: at.node.instanceId, now: () => instant(Date.now()) };
  aws.sns.publish(topicArn, { subject: "", message: JSON.stringify(eventOf(concerned)) });
}

/** EC2 ends the instance, or stops it, and says so; its kubelet is silent from then on. */
async function end(at: DrainSite, state: "stopped" | "terminated"): Promise<void> {
  await at.world.controlPlane.pauseKubelet(at.name);
  at.world.aws.ec2.setState(at.node.instanceId, state);
  deliver(at, (concerned) => stateChange(concerned, state));
}

/** The keys of the taints of the node; `gone` when it is no longer there. */
async function taintsOf({ core, name }: DrainSite): Promise<readonly string[] | "gone"> {
  const { items } = await core.listNode({ fieldSelector: `metadata.name=${name}` });
  return items.map(({ spec }) => (spec?.taints ?? []).map(({ key }) => key)).at(0) ?? "gone";
}

const removed = (at: DrainSite) =>
  vi.waitFor(async () => expect(await taintsOf(at)).toBe("gone"), patience);
const isTainted = (at: DrainSite) =>
  vi.waitFor(async () => expect(await taintsOf(at)).toContain(outOfServiceTaint.key), patience);

/** The answers to the function's requests to remove the node. */
async function removals({ world, name }: DrainSite): Promise<readonly (number | undefined)[]> {
  const filter = { userAgent: "eks-node-lifecycle/", verbs: ["delete"], resource: "nodes" };
  const entries = await world.controlPlane.audit(filter);
  return entries.filter((entry) => entry.name === name).map(({ code }) => code);
}

const outcomes = (at: DrainSite) =>
  withoutTests(at.told("notice-done")).map(({ outcome }) => outcome);

describe("the node of an instance that is gone, where no cloud controller removes it,", () => {
  let sites: DrainSites<keyof typeof plans>;

  beforeAll(async () => {
    sites = await startSites(plans, { env, settings });
    await fenceIn(sites.world.controlPlane, { outOfService: "taint" });
  });
  afterAll(async () => sites.stop());

  it.concurrent("is drained when EC2 interrupts the Spot instance, and removed once it is terminated", async () => {
    const at = sites.site("interrupted");
    await at.run(at.pod("web", graceOf(300)));
    deliver(at, interruption);
    const outcome = await at.outcome();
    const cut = expect.stringMatching(/^at-interrupted\/web: its grace cut to \d+ s of 300 s$/);
    expect(outcome).toEqual({ ...drained, kind: "forced", forced: [cut] });
    expect(at.told("node-marked")).toMatchObject([{ reason: "interrupted" }]);

    await end(at, "terminated");
    await removed(at);
    expect(await removals(at)).toEqual([200]);
    const [eviction, ...others] = granted(await at.requests());
    expect(eviction).toMatchObject({ verb: "evict", pod: "web" });
    expect(eviction?.grace).toBeLessThan(120);
    expect(others).toEqual([]);
    await vi.waitFor(
      () => expect(outcomes(at)).toEqual([outcome, { kind: "node-removed", node: at.name }]),
      patience,
    );
  });

  it.concurrent("is said to be out of service, so that its stateful pod moves while the node is still there", async () => {
    const at = sites.site("failed");
    const refuge = `${at.name}-refuge`;
    const spec = onlyOn(at.name, refuge);
    await at.apply(statefulSet({ name: "db", namespace: at.name, spec }));
    await at.ready("db-0");
    const before = (await at.uids())["db-0"];
    await at.world.controlPlane.kubectlText("uncordon", refuge);

    await end(at, "terminated");
    await isTainted(at);
    await at.replaced("db-0", before);
    expect((await at.read("db-0")).spec?.nodeName).toBe(refuge);
    expect(await taintsOf(at)).toContain(outOfServiceTaint.key);
    expect(await at.requests()).toEqual([]);
  });
});
