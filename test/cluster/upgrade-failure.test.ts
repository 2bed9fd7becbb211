import { AppsV1Api, CoreV1Api, type V1Node } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { deployment, podDisruptionBudget } from "./manifests.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { joinAndLeave, prepareUpgrade, startUpgrade } from "./upgrade-site.ts";

const group = "workers";
const old = ["old-0", "old-1", "old-2"].map(
  (name, index): ClusterNode => ({
    name,
    zone: "eu-west-1a",
    instanceId: `i-${String(index).padStart(17, "0")}`,
  }),
);
const web = { name: "web", namespace: "default" };
const patience = { timeout: 400_000, interval: 500 };

/** What is left once an upgrade has ended. */
interface Left {
  readonly issue: string;
  readonly version: string;
  readonly desired: number;
  readonly nodes: readonly V1Node[];
  readonly pods: readonly (string | undefined)[];
}

describe("three nodes whose pods no budget lets go, of a group that names $Latest, on a real control plane", () => {
  let world: RealWorld;
  let before: readonly (string | undefined)[];
  let blocked: Left;
  let rolledBack: Left;

  beforeAll(async () => {
    world = await startRealWorld({ nodes: old, group, settings: { DRAIN_SETTLE_SECONDS: "1" } });
    const { template } = prepareUpgrade(world, group);
    joinAndLeave(world);
    const named = (Version: string) =>
      world.aws.autoScaling.update(group, {
        LaunchTemplate: { LaunchTemplateId: template.id, Version },
      });
    await world.controlPlane.apply(
      deployment({ ...web, replicas: 6 }),
      podDisruptionBudget({ ...web, app: web.name, allows: { maxUnavailable: 0 } }),
    );
    await vi.waitFor(async () => expect(await readyReplicas()).toBe(6), patience);
    before = await podsNow();
    named("$Latest");
    const atOnce = { strategy: "MINIMAL", "max-unavailable": "3", "drain-timeout": "1m" };
    blocked = await leftBy("2badcafe", atOnce);
    rolledBack = await leftBy("3badcafe", { surge: "1" }, async () => {
      await vi.waitFor(() => expect(deedsOf("3badcafe")).toContain("chosen"), patience);
      named("1");
    });
  }, 1_200_000);
  afterAll(() => world.stop());

  const core = () => world.controlPlane.api(CoreV1Api);
  const told = () => world.log.flatMap((line) => tryReadEntry(line) ?? []);
  const deedsOf = (upgrade: string) =>
    told().flatMap((one) =>
      one.kind === "upgrade-nodes" && one.upgrade === upgrade ? [one.deed] : [],
    );
  const podsNow = async () => {
    const { items } = await core().listNamespacedPod({ namespace: web.namespace });
    return items.map(({ metadata }) => metadata?.uid).toSorted();
  };
  const readyReplicas = async () => {
    const { status } = await world.controlPlane.api(AppsV1Api).readNamespacedDeployment(web);
    return status?.readyReplicas;
  };

  /** Has an upgrade fail, and returns what it leaves. */
  async function leftBy(
    id: string,
    options: Readonly<Record<string, string>>,
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Left> {
    startUpgrade(world, { id, group, options: { ...options }, version: "$Latest" });
    await meanwhile();
    await vi.waitFor(() => {
      const ends = told().filter((one) => one.kind === "upgrade-answered" && one.upgrade === id);
      expect(ends).toMatchObject([{ end: { kind: "ended", outcome: "failed" } }]);
    }, patience);
    const nodes = await vi.waitFor(async () => {
      const { items } = await core().listNode();
      expect(items).toHaveLength(old.length);
      return items;
    }, patience);
    const { template, desired, tags } = world.aws.autoScaling.register.findGroup(group);
    const issue = tags.find(({ key }) => key.endsWith("upgrade-ended-issue"))?.value ?? "";
    return { issue, version: template.version, desired, nodes, pods: await podsNow() };
  }

  const tracesOn = (nodes: readonly V1Node[]) =>
    nodes.flatMap(({ metadata, spec }) => [
      ...Object.keys({ ...metadata?.annotations, ...metadata?.labels }).filter((key) =>
        /lifecycle|autoscaler|exclude-from/.test(key),
      ),
      ...(spec?.unschedulable === true ? ["cordon"] : []),
    ]);

  const asBefore = ({ desired, nodes, pods }: Left) => ({
    desired,
    names: nodes.map(({ metadata }) => metadata?.name).toSorted(),
    traces: tracesOn(nodes),
    arePodsSame: JSON.stringify(pods) === JSON.stringify(before),
  });
  const untouched = {
    desired: 3,
    names: ["old-0", "old-1", "old-2"],
    traces: [],
    arePodsSame: true,
  };

  it("names $Latest again after no node could be drained in its two turns, and is as before", () => {
    expect(deedsOf("2badcafe").filter((deed) => deed === "blocked")).toHaveLength(6);
    expect(blocked.issue).toMatch(/^PodEvictionFailure: .* 3 nodes could not be drained/);
    expect(blocked.version).toBe("$Latest");
    expect(asBefore(blocked)).toEqual(untouched);
  });

  it("keeps the version that somebody names while a node is drained, and is as before", () => {
    expect(rolledBack.issue).toMatch(/^Ec2LaunchTemplateVersionMismatch: .* version 1 of /);
    expect(rolledBack.version).toBe("1");
    expect(asBefore(rolledBack)).toEqual(untouched);
  });
});
